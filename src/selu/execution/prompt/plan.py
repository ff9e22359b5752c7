"""Runs of prompted systems: their list and their identities."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu import registry
from selu.execution.planned import NOTHING, PROTOCOLS, Asked, Place, Planned, Wanted, pick_of, plan_run
from selu.files import Json
from selu.names import WORDING
from selu.project import PINS, SHARED, read_settings
from selu.registry import PROMPT as PROMPT_FOLDER
from selu.registry import splits_of
from selu.runs import identity as identities
from selu.systems.prompt.settings import AUTHORS, ModelSettings, PromptSettings
from selu.vocabulary import Approach, Kind, SeluError, System, Task

if TYPE_CHECKING:
    from selu.contents import RunContent
    from selu.papers.api import Wording
    from selu.sources.models import ModelPin
    from selu.splits.record import DataRecord

FAMILY = "prompt"  # and the name of its lock
LOCAL = "local"  # the lock of servers of our own
LOCKS = (FAMILY, LOCAL)
PACKAGES = {"openai": ("openai",), "compatible": ("openai",), "anthropic": ("anthropic",), LOCAL: ("openai",)}
SERVER = "llama-cpp-python"  # of our own
# Modules of systems/prompt that decide what is asked and how a reply is read; the others carry it to and fro.
DECIDING = ("template.py", "parse.py", "wire.py")
# Beside these, where a server of our own answers: freely or by a grammar, or by the likelihood of the labels.
DECIDING_HERE, DECIDING_LIKELIHOODS = ("serve.py",), ("likelihood.py",)
LIKELIHOOD = "likelihood"  # the variant
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
SHOTS = (0, 3)  # strategies of the paper (IV-C)


@dataclass(frozen=True, slots=True)
class Model:
    """A system, the model that it prompts, and how many demonstrations each prompt has."""

    system: System
    settings: ModelSettings
    shots: int


def settings_of(root: Path) -> PromptSettings:
    """Read the settings of prompting."""
    return read_settings(root, SHARED, "prompt", PromptSettings)


def known(root: Path) -> Mapping[str, Model]:
    """List prompted systems by id: those of the paper, and of the other models that params.yaml names.

    A model ``NAME`` makes two systems, NAME-zero-shot and NAME-3-shot; the pin of its weights says its size.

    Raises:
        SeluError: params.yaml is wrong.
    """
    papers = {s.id: s for s in registry.paper_systems()}
    found = {}
    for name, model in settings_of(root).models.items():
        if not _NAME.fullmatch(name):
            raise SeluError(
                f"params.yaml: shared.prompt.models: {name!r} is not a name: take letters, digits, '.', '-'."
            )
        pin = _pin_if_here(root, model)
        for shots in SHOTS:
            how = f"{shots}-shot" if shots else "zero-shot"
            id = f"{name}-{how}"
            system = papers.get(id) or _system(id, f"{name} ({how})", shots, name, model, pin)
            if system.approach is not Approach.PROMPTED:
                raise SeluError(f"params.yaml: shared.prompt.models: {name} is the name of another system.")
            found[id] = Model(system, model, shots)
    return found


def _pin_if_here(root: Path, model: ModelSettings) -> ModelPin | None:
    """Return the pin of a local model's weights; None if missing or wrong, which asking the model reports."""
    try:
        return pin_of(root, model)
    except SeluError:
        return None


def _system(id: str, name: str, shots: int, series: str, model: ModelSettings, pin: ModelPin | None) -> System:
    return System(
        id=id, name=name, approach=Approach.PROMPTED, shots=shots, series=series, architecture=None,
        adaptation=None, size_published=None, parameters=pin.parameters if pin else None,
        parameters_counted=None, hub=model.model, context=model.context,
        licence=pin.licence if pin else "unknown", gated=None,
    )  # fmt: skip


def source(modules: Sequence[str] = DECIDING) -> str:
    """Hash the modules that decide what is asked and how a reply is read."""
    import selu

    folder = Path(selu.__file__).parent / "systems" / "prompt"
    return identities.source(folder / name for name in modules)


def variant_of(model: ModelSettings, settings: PromptSettings) -> str:
    """Return the variant of a model's answers: its own, or that of all."""
    return model.variant or settings.variant


def wording_of(root: Path, task: Task, model: Model) -> Wording | None:
    """Find the authors' prompt of a task, where the model is asked in their words; None: in ours.

    Raises:
        SeluError: their prompt of the task is not known, or there is none with so many shots.
    """
    if model.settings.prompts != AUTHORS:
        return None
    theirs = registry.benchmark(task.benchmark).authors_prompt
    if theirs is None:
        raise SeluError(f"the authors' prompt of {task.id} is not known here: ask a model with prompts: ours.")
    return theirs(root, task, model.shots)


def pin_of(root: Path, model: ModelSettings) -> ModelPin | None:
    """Read the pin of a local model's weights; raises the errors of ``weights_of``."""
    from selu.sources.models import read_model

    return None if model.weights is None else read_model(root / PINS / "models", model.weights)


def weights_of(root: Path, model: ModelSettings) -> Mapping[str, str | None] | None:
    """Return the pin of a local model's weights; None for a model whose weights are unknown.

    Raises:
        SeluError: there is no such pin, or it is wrong.
    """
    pin = pin_of(root, model)
    if pin is None:
        return None
    return {
        "publisher": pin.publisher,
        "revision": pin.revision,
        "sha256": pin.weights.sha256,
        "quantisation": pin.quantisation,
    }


def whom(root: Path, model: ModelSettings, variant: str) -> list[Json]:
    """Return what identifies the recipient of a request: other servers or weights give other replies."""
    found: list[Json] = [model.provider, model.base_url]
    if model.provider == LOCAL:
        found += [weights_of(root, model), model.version]
    if model.own_server:
        found += [
            source(_deciding_here(variant)),
            identities.pinned(root / "locks" / f"{LOCAL}.txt", (SERVER,)),
        ]
    return found


def _deciding_here(variant: str) -> tuple[str, ...]:
    return DECIDING_LIKELIHOODS if variant == LIKELIHOOD else DECIDING_HERE


def templates(root: Path, task: Task) -> Path:
    """Find the folder with a task's template and all that it extends.

    Raises:
        SeluError: it is a task of another benchmark, which has none.
    """
    benchmark = registry.benchmark(task.benchmark)
    if benchmark.local:
        return splits_of(root, task.id) / PROMPT_FOLDER
    if benchmark.prompts is None:
        have = [name for name in registry.published() if registry.benchmark(name).prompts]
        raise SeluError(
            f"{task.id} has no prompt template: tasks of {', '.join(have)} and tasks of your own have one."
        )
    return benchmark.prompts


def tell(content: RunContent) -> Mapping[str, str | float]:
    """Return how many replies were invalid, the total cost, and whose wording was used."""
    rows, theirs = content["cost"]["requests"], content.get("invalid_as_authors")

    def share(invalid: Mapping[str, int]) -> str:
        count = sum(invalid.values())
        return f"{count} of {rows} ({100 * count / rows:.1f} %)"

    shares = {"invalid": share(content["invalid"]), "usd": round(content["cost"]["usd"], 4)}
    if theirs is not None:
        shares |= {"invalid as the authors read": share(theirs)}
    return shares | {"prompts": WORDING[content["fields"]["data"].get("wording", "ours")]}


def ask(root: Path, _tasks: Sequence[Task], _wanted: Wanted, systems: Collection[str]) -> list[Asked]:
    """Return the systems to run; none without names, for they cost money."""
    if not systems:
        return []
    planner = _Planner(root)

    def asked(model: Model) -> Asked:
        # the likeliest label is the answer, so that a row has one
        by_likelihood = variant_of(model.settings, planner.settings) == LIKELIHOOD

        def takes(task: Task) -> bool:
            if model.settings.prompts == AUTHORS and not registry.benchmark(task.benchmark).authors_prompt:
                return False
            return task.ranked and (not by_likelihood or task.kind in (Kind.BINARY, Kind.MULTI_CLASS))

        return Asked(takes, lambda task, record: planner.runs(task, record, model))

    return [asked(model) for name, model in known(root).items() if name in systems]


class _Planner:
    """The data that all runs share, read once."""

    def __init__(self, root: Path) -> None:
        from selu.systems.prompt import template

        self._root, self.settings, self._source = root, settings_of(root), source()
        self._packages = cache(lambda lock, names: identities.pinned(root / "locks" / f"{lock}.txt", names))
        self._prompt = cache(lambda task: template.source_hash(templates(root, task), task.id))

    def runs(self, task: Task, record: DataRecord, model: Model) -> Iterator[Planned]:
        """Plan both protocols. They read the same replies: a protocol is how they are read."""
        settings, asked = self.settings, model.settings
        how = variant_of(asked, settings)
        variant = "" if how == "plain" else f"-{how}"
        params = {
            **settings.find_params(asked),
            "variant": how,
        }
        if how == LIKELIHOOD and not asked.own_server:
            raise SeluError(
                f"params.yaml: shared.prompt: {asked.model} can't be asked for the likelihood of labels: a "
                "server of our own can, for a local model with weights and without a base_url."
            )
        lock = LOCAL if asked.own_server else FAMILY
        packages = (*PACKAGES[asked.provider], *((SERVER,) if asked.own_server else ()))
        data: dict[str, Any] = {
            "text": "paper",
            "shots": record["hashes"]["shots"] if model.shots else None,
        }
        sources = {"prompt": self._source}
        if theirs := wording_of(self._root, task, model):
            data |= {"prompt": theirs.sha256, "wording": AUTHORS, "task": {"labels": list(theirs.labels)}}
            sources["authors"] = identities.source([theirs.program])
            variant += f"-{AUTHORS}"
        else:
            named = {"labels": [[label.name, label.means] for label in task.labels], "range": task.range}
            data |= {"prompt": self._prompt(task), "task": named}
        if rows := asked.count_sample(record["audit"]["parts"]["strict"]["test"]):
            data["sample"] = {"rows": rows, "seed": settings.seed}
            variant += f"-sample{rows}"
        fields: dict[str, Any] = {
            "model": {
                "provider": asked.provider,
                "server": asked.base_url,
                "snapshot": asked.model,
                "shots": model.shots,
            },
            "params": params,
            "pick": pick_of(task.kind, NOTHING),
            "source": sources,
            "packages": dict(self._packages(lock, packages)),
        }
        if asked.provider == LOCAL:
            fields["model"] |= {"weights": weights_of(self._root, asked), "version": asked.version}
        if asked.own_server:
            fields["source"]["server"] = source(_deciding_here(how))
        for protocol in PROTOCOLS:
            place = Place(
                model.system.id, f"{protocol}{variant}-s{settings.seed}", protocol, settings.seed, lock
            )
            yield plan_run(
                self._root, task, record, place, data, fields,
                family=FAMILY, grid=(params,), source=self._source,
            )  # fmt: skip
