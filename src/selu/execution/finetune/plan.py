"""Runs of fine-tuned systems: which there are, and what their identity is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from selu import registry
from selu.benchmarks.api import Extra
from selu.execution.finetune import hub_models
from selu.execution.planned import (
    FINETUNE,
    PROTOCOLS,
    Planned,
    locks_of,
    metric_of,
    parts_hash,
    run_name,
)
from selu.project import PINS
from selu.registry import splits_of
from selu.runs import identity as identities
from selu.systems.finetune.knobs import FinetuneKnobs
from selu.vocabulary import Approach, Kind, SeluError, System, Task

REVISIONS = PINS / registry.DEFAULT / "models" / "revisions.yaml"
PACKAGES = ("torch", "transformers", "tokenizers")
# Modules of systems/finetune that no prediction of a run depends on: they write cards and models, look folders
# up, say what heads consist of, tag plain texts, or check knobs, whose resolved numbers are in the identity; or
# they spread a training over processes, which a run's record names (`used.sharding`): in fp32 with the same
# numbers but for rounding, in bf16 with the masters that one process alone does not keep; or they multiply bf16
# matrices where a CPU can't, recorded too (`used.bf16_products`), with the same numbers but for rounding.
NOT_DECIDING = (
    "anatomy.py",
    "checkpoint.py",
    "knobs.py",
    "launch.py",
    "saved.py",
    "sharded.py",
    "sources.py",
    "tagging.py",
    "upcast.py",
    "zero.py",
)
_PICKING = ("evaluate", "checks", "counts", "classification", "multi_label", "regression")
_OF_TOKENS = {Kind.ENTITIES: "entities", Kind.MASKED: "masked"}


@dataclass(frozen=True, slots=True)
class Basis:
    """What all planned runs of fine-tuned systems share, read once; ``packages`` by the name of the lock."""

    knobs: FinetuneKnobs
    systems: tuple[tuple[System, Extra | None], ...]
    source: str
    picking: Mapping[str, str]
    packages: Callable[[str], Mapping[str, str]]
    revisions: Mapping[str, str | None]


def known(root: Path) -> dict[str, tuple[System, Extra | None]]:
    """Systems that can be fine-tuned, by id: the paper's open models, and those that are not in the paper.

    Raises:
        SeluError: params.yaml is wrong.
    """
    papers = {system.id: (system, None) for system in _papers()}
    return {**papers, **{name: (extra.system, extra) for name, extra in extras(root).items()}}


def extras(root: Path) -> dict[str, Extra]:
    """Those that are not in the paper, by id: the project's own, and those that params.yaml names."""
    declared = {extra.id: extra for extra in registry.other_systems()}
    return {**declared, **hub_models.known(root)}


def _papers() -> list[System]:
    return [s for s in registry.systems(registry.DEFAULT) if s.approach is Approach.FINETUNED]


def chosen(root: Path, systems: Sequence[str]) -> tuple[str, ...]:
    """Of the systems in a filter those that are fine-tuned; without a filter those that params.yaml names.

    Raises:
        SeluError: params.yaml names one that there is not.
    """
    every = known(root)
    if systems:
        return tuple(name for name in every if name in systems)
    named = hub_models.knobs_of(root).systems
    for name in named:
        if name not in every:
            raise SeluError(
                f"params.yaml: shared.finetune.systems names {name}, which is no system that can be "
                "fine-tuned: 'selu list systems' shows them."
            )
    return named


def basis(root: Path, systems: Sequence[str]) -> Basis:
    """What is read once, for these systems.

    Raises:
        SeluError: the file of revisions is missing or damaged, or a knob of params.yaml is wrong.
    """
    every = known(root)
    papers = [name for name in systems if every[name][1] is None]
    for name, extra in hub_models.known(root).items():
        if name in systems:
            hub_models.check(extra)
    return Basis(
        hub_models.knobs_of(root),
        tuple(every[name] for name in systems),
        training_source(),
        _picking_sources(),
        cache(lambda lock: identities.pinned(root / "locks" / f"{lock}.txt", PACKAGES)),
        _revisions(root / REVISIONS) if papers else {},
    )


def of_task(
    root: Path, task: Task, record: Mapping[str, Any], basis: Basis, environments: Sequence[str] = ()
) -> Iterator[Planned]:
    """The runs of a task: each system that can answer it, both protocols, all seeds; ``environments`` as of
    ``locks_of``.

    Raises:
        SeluError: a lock is missing, or pins a package not once.
    """
    split = splits_of(root, task.id) / "split.csv"
    parts = {protocol: parts_hash(split, protocol) for protocol in PROTOCOLS}
    for system, extra in basis.systems:
        if registry.absence(system, task) is not None:
            continue
        for lock in locks_of(registry.results_of(root, task.id) / system.id, environments):
            for protocol in PROTOCOLS:
                data = {
                    "rows": record["hashes"]["clean"],
                    "text": "tokens" if task.kind in _OF_TOKENS else "paper",
                    "parts": parts[protocol],
                }
                for seed in basis.knobs.seeds:
                    fields = _fields(task, system, extra, protocol, seed, data, basis, lock)
                    yield _planned(root, task, system, extra, fields, record["standing"], lock)


def _fields(
    task: Task,
    system: System,
    extra: Extra | None,
    protocol: str,
    seed: int,
    data: Mapping[str, str],
    basis: Basis,
    lock: str,
) -> dict[str, Any]:
    params = basis.knobs.resolved(str(task.kind), task.instances, system.id, protocol)
    return {
        "benchmark": registry.benchmark_of(task.id),
        "task": task.id,
        "kind": str(task.kind),
        "labels": [label.name for label in task.labels],
        "system": system.id,
        "run": run_name(protocol, seed, lock),
        "protocol": protocol,
        "seed": seed,
        "data": dict(data),
        "model": {
            "revision": extra.revision if extra else basis.revisions[system.id],
            "architecture": system.architecture,
            "context": system.context,
        },
        "params": params,
        "pick": _pick(task.kind, params["criterion"], protocol),
        "source": {"finetune": basis.source, "picking": basis.picking[task.kind]},
        "packages": dict(basis.packages(lock)),
    }


def _planned(
    root: Path,
    task: Task,
    system: System,
    extra: Extra | None,
    fields: Mapping[str, Any],
    standing: str,
    lock: str,
) -> Planned:
    return Planned(
        task=task,
        system=system.id,
        protocol=fields["protocol"],
        seed=fields["seed"],
        environment=lock,
        standing=standing,
        folder=registry.results_of(root, task.id) / system.id / fields["run"],
        fields=fields,
        grid=(fields["params"],),
        learner=FINETUNE,
        source=fields["source"]["finetune"],
        local={
            "hub": system.hub or "",
            "package": extra.package if extra else "",
            "inside": extra.folder if extra else "",
        },
        parameters=system.parameters,
    )


def _pick(kind: str, criterion: str, protocol: str) -> dict[str, str]:
    """By what a checkpoint is picked, and on which rows."""
    metric = "loss" if criterion == "loss" else metric_of(kind)
    best = "lowest" if metric in ("loss", "smape") else "highest"
    return {"metric": metric, "best": best, "on": "test" if protocol == "paper" else "validation"}


def training_source() -> str:
    """Hash of all modules that a training's answers depend on."""
    import selu

    folder = Path(selu.__file__).parent / "systems" / "finetune"
    return identities.source(path for path in folder.glob("*.py") if path.name not in NOT_DECIDING)


def _picking_sources() -> dict[str, str]:
    """Hash, by kind, of what makes a job of rows, and of the score by which a checkpoint may be picked."""
    import selu

    here = Path(selu.__file__).parent
    files = [here / "execution" / "protocols.py", here / "execution" / "finetune" / "jobs.py"]
    files += [here / "metrics" / f"{name}.py" for name in _PICKING]
    plain = identities.source(files)
    tokens = {kind: identities.source([*files, here / "metrics" / f"{n}.py"]) for kind, n in _OF_TOKENS.items()}
    return {kind: tokens.get(kind, plain) for kind in Kind}


def _revisions(path: Path) -> dict[str, str | None]:
    """Pinned revision by system: a commit of its hub (40 digits), a sha256 of its weights (64), or None.

    Raises:
        SeluError: the file is missing or damaged.
    """
    import yaml

    again = "restore it from git"
    try:
        found = yaml.safe_load(path.read_text("utf-8"))
    except OSError:
        raise SeluError(f"{path} is missing: {again}.") from None
    except (ValueError, yaml.YAMLError) as error:
        raise SeluError(f"{path} can't be read ({str(error).splitlines()[0]}): {again}.") from None
    papers = {system.id for system in _papers()}
    if not isinstance(found, dict) or set(found) != papers:
        raise SeluError(f"{path} does not name the paper's {len(papers)} open models, each once: {again}.")
    for name, revision in found.items():
        if revision is not None and not (isinstance(revision, str) and hub_models.REVISION.fullmatch(revision)):
            raise SeluError(
                f"{path}: the revision of {name} is neither a commit (40 hexadecimal digits) nor the sha256 of "
                "its weights (64): write one of them, or null."
            )
    return found
