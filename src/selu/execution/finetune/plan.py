"""Runs of fine-tuned systems: their list and their identities."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from selu import registry
from selu.execution.finetune import hub_models
from selu.execution.grids.plan import picking_source
from selu.execution.planned import (
    PROTOCOLS,
    Asked,
    Place,
    Planned,
    Wanted,
    locks_of,
    pick_of,
    plan_run,
    run_name,
    runs_unnamed,
)
from selu.papers.api import Extra
from selu.project import PINS
from selu.runs import identity as identities
from selu.vocabulary import Approach, Kind, SeluError, System, Task

if TYPE_CHECKING:
    from selu.splits.record import DataRecord

FAMILY = "finetune"
REVISIONS = PINS / registry.DEFAULT / "models" / "revisions.yaml"
PACKAGES = ("torch", "transformers", "tokenizers")
# Modules of systems/finetune that no prediction of a run depends on: they write cards and models, look folders
# up, say what heads consist of, or check settings, whose resolved numbers are in the identity; or they
# spread a training over processes, which a run's record names (`used.sharding`), with the same numbers but
# for rounding; or they multiply bf16 matrices where a CPU can't, recorded too (`used.bf16_products`), with the
# same numbers but for rounding.
NOT_DECIDING = (
    "anatomy.py",
    "checkpoint.py",
    "convert.py",
    "settings.py",
    "launch.py",
    "saved.py",
    "sources.py",
    "upcast.py",
    "zero.py",
)
_OF_TOKENS = {Kind.ENTITIES: "entities", Kind.MASKED: "masked"}


def known(root: Path) -> Mapping[str, tuple[System, Extra | None]]:
    """List systems that can be fine-tuned, by id: the paper's open models, and those that are not in the paper.

    Raises:
        SeluError: params.yaml is wrong.
    """
    papers = {system.id: (system, None) for system in _papers()}
    return {**papers, **{name: (extra.system, extra) for name, extra in extras(root).items()}}


def extras(root: Path) -> Mapping[str, Extra]:
    """List those that are not in the paper, by id: the project's own, and those that params.yaml names."""
    declared = {extra.id: extra for extra in registry.other_systems()}
    return {**declared, **hub_models.known(root)}


def _papers() -> list[System]:
    return [s for s in registry.systems(registry.DEFAULT) if s.approach is Approach.FINETUNED]


def ask(root: Path, _tasks: Sequence[Task], wanted: Wanted, systems: Collection[str]) -> list[Asked]:
    """Return the systems to run; without names, those that params.yaml names.

    Raises:
        SeluError: params.yaml is wrong or names a system that there is not, or the file of revisions is missing
            or damaged.
    """
    every, named = known(root), hub_models.settings_of(root).systems
    if wrong := [name for name in named if name not in every and not systems]:
        raise SeluError(
            f"params.yaml: shared.finetune.systems names {wrong[0]}, which is no system that can be "
            "fine-tuned: 'selu list systems' shows them."
        )
    names = [name for name in every if name in systems] if systems else named
    for name, extra in hub_models.known(root).items():
        if name in names:  # refused where its configuration is here and damaged, or of another architecture
            hub_models.shape(name, extra.system.hub or "", extra.revision)
    chosen = [every[name] for name in names]
    planner = _Planner(root, wanted.environments, any(extra is None for _, extra in chosen))

    def asked(system: System, extra: Extra | None) -> Asked:
        def takes(task: Task) -> bool:
            return bool(systems or runs_unnamed(task)) and registry.absence(system, task) is None

        return Asked(takes, lambda task, record: planner.runs(task, record, system, extra))

    return [asked(system, extra) for system, extra in chosen]


class _Planner:
    """The data that all runs share, read once; ``papers`` says whether a model is pinned by revision."""

    def __init__(self, root: Path, environments: Sequence[str], papers: bool) -> None:
        self._root, self._environments, self._settings = root, environments, hub_models.settings_of(root)
        self._source, self._picking = training_source(), cache(_picking_source)
        self._packages = cache(lambda lock: identities.pinned(root / "locks" / f"{lock}.txt", PACKAGES))
        self._revisions = _revisions(root / REVISIONS) if papers else {}

    def runs(self, task: Task, record: DataRecord, system: System, extra: Extra | None) -> Iterator[Planned]:
        """Plan both protocols with all seeds.

        Raises:
            SeluError: a lock is missing, or pins a package not once.
        """
        revision = extra.revision if extra else self._revisions[system.id]
        local = {"package": extra.package, "inside": extra.folder} if extra else {"package": "", "inside": ""}
        data = {"text": "tokens" if task.kind in _OF_TOKENS else "paper"}
        locks = locks_of(registry.results_of(self._root, task.id) / system.id, self._environments)
        for lock, protocol, seed in itertools.product(locks, PROTOCOLS, self._settings.seeds):
            params = self._settings.resolved(str(task.kind), task.instances, system.id, protocol)
            assert system.context is not None
            context = self._settings.find_context(task.id, system.id, protocol, system.context)
            metric = "loss" if params["criterion"] == "loss" else None
            fields = {
                "model": {"revision": revision, "architecture": system.architecture, "context": context},
                "params": params,
                "pick": pick_of(task.kind, "test" if protocol == "paper" else "validation", metric),
                "source": {"finetune": self._source, "picking": self._picking(task.kind)},
                "packages": dict(self._packages(lock)),
            }
            place = Place(system.id, run_name(protocol, seed, lock), protocol, seed, lock)
            yield plan_run(
                self._root, task, record, place, data, fields, family=FAMILY, grid=(params,),
                source=self._source, local={"hub": system.hub or "", **local}, parameters=system.parameters,
            )  # fmt: skip


def training_source() -> str:
    """Hash of all modules that a training's answers depend on."""
    import selu

    folder = Path(selu.__file__).parent / "systems" / "finetune"
    costs = folder / "cost"
    paths = (path for path in folder.rglob("*.py") if path.parent != costs)
    return identities.source(path for path in paths if path.name not in NOT_DECIDING)


def _picking_source(kind: str) -> str:
    """Hash what makes a job of rows, and the score by which a checkpoint may be picked."""
    tokens = [_OF_TOKENS[Kind(kind)]] if kind in _OF_TOKENS else []
    return picking_source("execution/finetune/jobs.py", metrics=tokens)


def _revisions(path: Path) -> Mapping[str, str | None]:
    """Return the pinned revision by system: a commit (40 digits), a sha256 of its weights (64), or None.

    Raises:
        SeluError: the file is missing or damaged.
    """
    import yaml

    again = "restore it from git"
    try:
        found = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
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
