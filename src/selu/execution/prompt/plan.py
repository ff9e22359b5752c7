"""Runs of prompted systems: which there are, and what their identity is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from selu import registry
from selu.execution.planned import PROMPT, PROTOCOLS, Planned, metric_of, parts_hash
from selu.project import SHARED, read_knobs
from selu.registry import PROMPT as PROMPT_FOLDER
from selu.registry import splits_of
from selu.runs import identity as identities
from selu.systems.prompt.knobs import ModelKnobs, PromptKnobs
from selu.vocabulary import Approach, Kind, SeluError, System, Task

PACKAGES = {"openai": ("openai",), "compatible": ("openai",), "anthropic": ("anthropic",)}
# Modules of systems/prompt that decide what is asked and how a reply is read; the others carry it to and fro.
DECIDING = ("template.py", "parse.py", "wire.py")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
SHOTS = (0, 3)  # strategies of the paper (IV-C)


@dataclass(frozen=True, slots=True)
class Model:
    """A system, the model that it asks, and how many demonstrations each prompt has."""

    system: System
    knobs: ModelKnobs
    shots: int


@dataclass(frozen=True, slots=True)
class Basis:
    """What all planned runs of prompted systems share, read once."""

    knobs: PromptKnobs
    models: tuple[Model, ...]
    source: str
    packages: Mapping[str, Mapping[str, str]]


def knobs_of(root: Path) -> PromptKnobs:
    """The knobs of prompting, read once while params.yaml is the same: a plan asks for them many times."""
    path = root / "params.yaml"
    return _knobs(root, path.read_bytes() if path.is_file() else b"")


@lru_cache(maxsize=2)
def _knobs(root: Path, _content: bytes) -> PromptKnobs:
    return read_knobs(root, SHARED, "prompt", PromptKnobs)


def known(root: Path) -> dict[str, Model]:
    """Prompted systems by id: those of the paper, and of the other models that params.yaml names.

    A model ``NAME`` makes two systems, NAME-zero-shot and NAME-3-shot.

    Raises:
        SeluError: params.yaml is wrong.
    """
    papers = {s.id: s for s in registry.paper_systems()}
    found = {}
    for name, model in knobs_of(root).models.items():
        if not _NAME.fullmatch(name):
            raise SeluError(
                f"params.yaml: shared.prompt.models: {name!r} is no name: take letters, digits, '.', '-'."
            )
        for shots in SHOTS:
            how = f"{shots}-shot" if shots else "zero-shot"
            id = f"{name}-{how}"
            system = papers.get(id) or _system(id, f"{name} ({how})", shots, name, model)
            if system.approach is not Approach.PROMPTED:
                raise SeluError(f"params.yaml: shared.prompt.models: {name} is the name of another system.")
            found[id] = Model(system, model, shots)
    return found


def _system(id: str, name: str, shots: int, series: str, model: ModelKnobs) -> System:
    return System(
        id=id, name=name, approach=Approach.PROMPTED, shots=shots, series=series, architecture=None,
        adaptation=None, size_printed=None, parameters=None, parameters_counted=None, hub=model.model,
        context=model.context, licence="unknown", gated=None,
    )  # fmt: skip


def basis(root: Path, systems: Sequence[str]) -> Basis:
    """What is read once, for these systems."""
    every = known(root)
    models = tuple(every[name] for name in systems)
    lock = root / "locks" / f"{PROMPT}.txt"
    providers = {model.knobs.provider for model in models}
    packages: dict[str, Mapping[str, str]] = {}
    for name in providers:
        packages[name] = identities.pinned(lock, PACKAGES[name])
    return Basis(knobs_of(root), models, source(), packages)


def source() -> str:
    """Hash of the modules that decide what is asked and how a reply is read."""
    import selu

    folder = Path(selu.__file__).parent / "systems" / "prompt"
    return identities.source(folder / name for name in DECIDING)


def templates(root: Path, task: Task) -> Path:
    """The folder with a task's template and all that it extends.

    Raises:
        SeluError: it is a task of another benchmark, which has none.
    """
    benchmark = registry.benchmark(task.benchmark)
    if benchmark.local:
        return splits_of(root, task.id) / PROMPT_FOLDER
    if benchmark.prompts is None:
        have = [name for name in registry.published() if registry.benchmark(name).prompts]
        raise SeluError(
            f"{task.id} has no prompts: {benchmark.id} has none; tasks of {', '.join(have)} and of your own "
            "are prompted."
        )
    return benchmark.prompts


def of_task(root: Path, task: Task, record: Mapping[str, Any], basis: Basis) -> Iterator[Planned]:
    """The runs of a task: each system that can answer it, under both protocols.

    Both read the same replies: a protocol is how they are read.
    """
    from selu.systems.prompt import template

    if task.kind in (Kind.ENTITIES, Kind.MASKED):
        return
    split = splits_of(root, task.id) / "split.csv"
    parts = {protocol: parts_hash(split, protocol) for protocol in PROTOCOLS}
    prompt = template.source_hash(templates(root, task), task.id)
    for model in basis.models:
        data = {
            "rows": record["hashes"]["clean"],
            "text": "paper",
            "shots": record["hashes"]["shots"] if model.shots else None,
            "prompt": prompt,
            "task": _asked(task),
        }
        for protocol in PROTOCOLS:
            fields = _fields(task, model, protocol, {**data, "parts": parts[protocol]}, basis)
            yield _planned(root, task, model, fields, record["standing"], basis)


def _asked(task: Task) -> dict[str, Any]:
    """What a prompt takes from a task's record."""
    return {"labels": [[label.name, label.means] for label in task.labels], "range": task.range}


def _fields(task: Task, model: Model, protocol: str, data: Mapping[str, Any], basis: Basis) -> dict[str, Any]:
    knobs = basis.knobs
    params = {"temperature": knobs.temperature, "max_tokens": knobs.max_tokens, "seed": knobs.seed}
    variant = "" if knobs.variant == "plain" else f"-{knobs.variant}"
    metric = metric_of(task.kind)
    return {
        "benchmark": registry.benchmark_of(task.id),
        "task": task.id,
        "kind": str(task.kind),
        "labels": [label.name for label in task.labels],
        "system": model.system.id,
        "run": f"{protocol}{variant}-s{knobs.seed}",
        "protocol": protocol,
        "seed": knobs.seed,
        "data": dict(data),
        "model": {
            "provider": model.knobs.provider,
            "server": model.knobs.base_url,
            "snapshot": model.knobs.model,
            "shots": model.shots,
        },
        "params": {**params, "variant": knobs.variant},
        "pick": {"metric": metric, "best": "lowest" if metric == "smape" else "highest", "on": "nothing"},
        "source": {"prompt": basis.source},
        "packages": dict(basis.packages[model.knobs.provider]),
    }


def _planned(
    root: Path, task: Task, model: Model, fields: Mapping[str, Any], standing: str, basis: Basis
) -> Planned:
    return Planned(
        task=task,
        system=model.system.id,
        protocol=fields["protocol"],
        seed=fields["seed"],
        environment=PROMPT,
        standing=standing,
        folder=registry.results_of(root, task.id) / model.system.id / fields["run"],
        fields=fields,
        grid=(fields["params"],),
        learner=PROMPT,
        source=basis.source,
        local={name: str(value) for name, value in asdict(model.knobs).items() if value is not None},
    )
