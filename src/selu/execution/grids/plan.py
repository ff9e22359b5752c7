"""Runs of systems that are fitted: the classical baselines, whose best candidate is picked, and declared ones.

A declared system is one that a benchmark's parameters name: a learner, its parameters, and its weights. Where
one of them has several values, the best is picked on validation rows, under protocol ``strict``. Otherwise it
has one candidate and runs under protocol ``paper``: it learns from all rows that are not for testing.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from selu import registry
from selu.data.prepared import tracked_record
from selu.execution.environments import SCRATCH
from selu.execution.planned import (
    FINETUNE,
    NOTHING,
    PROTOCOLS,
    Asked,
    Given,
    Place,
    Planned,
    Wanted,
    locks_of,
    pick_of,
    plan_run,
    rows_hashes,
    run_name,
    runs_unnamed,
)
from selu.files import sha256_of
from selu.project import SHARED, has_section, params_of, read_settings
from selu.runs import identity as identities
from selu.systems import learners
from selu.systems.baseline.settings import BaselineSettings
from selu.systems.settings import Declared
from selu.vocabulary import Kind, SeluError, Task

if TYPE_CHECKING:
    from selu.splits.record import DataRecord

FAMILY = "grids"
# Protocol -> environments (names of locks) in which baselines are run; the first is the protocol's own.
ENVIRONMENTS = {"paper": ("authors", "baselines"), "strict": ("baselines",)}
SYSTEMS = ("tfidf-xgboost", "fasttext")
_DECLARED = "systems"  # the section of a benchmark's parameters
_GIVEN = "encoder"  # the setting that says how a user's encoder is run
# Modules of the metrics whose functions pick among candidates. The others score what is picked, and can be
# fixed without a new run.
_PICKING = ("evaluate", "checks", "counts", "classification", "multi_label", "regression")


def known(root: Path) -> Iterator[str]:
    """Name the baselines, and then the systems that benchmarks declare."""
    yield from SYSTEMS
    yield from all_declared(root)


def declared(root: Path, benchmark: str) -> Mapping[str, Declared]:
    """Read the declared systems by id; none where the benchmark declares none.

    Raises:
        SeluError: a declaration is wrong, or names a learner or a set that there is not.
    """
    if not has_section(root, benchmark, _DECLARED):
        return {}
    found = read_settings(root, benchmark, _DECLARED, dict[str, Declared])
    for name, system in found.items():
        _check_declared(benchmark, f"{_DECLARED}.{name}", system)
    return found


def _check_declared(benchmark: str, name: str, system: Declared) -> None:
    sets = [set_id for set_id, owner in registry.sets().items() if owner == benchmark]
    place = f"{params_of(benchmark).as_posix()}: {name}"
    if not learners.known(system.learner):
        raise _none_of(f"{place}.learner", system.learner, learners.LEARNERS)
    if wrong := [set_id for set_id in system.sets if set_id not in sets]:
        raise _none_of(f"{place}.sets", wrong[0], sets)
    tasks = [task.id for task in registry.tasks(benchmark)]
    if wrong := [task_id for task_id in system.learns if task_id not in tasks]:
        raise _none_of(f"{place}.learns", wrong[0], tasks)


def _none_of(place: str, name: str, known: Iterable[str]) -> SeluError:
    return SeluError(f"{place}: {name} is none of {', '.join(known)}.")


def all_declared(root: Path) -> Mapping[str, Declared]:
    """Read the declared systems of all benchmarks by id; raises the errors of ``declared``."""
    return {
        name: system for benchmark in registry.published() for name, system in declared(root, benchmark).items()
    }


def _weights(system: Declared) -> tuple[str | None, str]:
    """Find the sha256 of an encoder's weights, and the folder that holds them; none where a package does."""
    if system.encoder is None:
        return None, ""
    packaged = {extra.id: extra for extra in registry.other_systems()}
    if system.encoder in packaged:
        return packaged[system.encoder].revision, ""
    from selu.systems.finetune import sources

    folder = Path(os.environ.get(sources.MODELS, sources.MODELS)).expanduser() / system.encoder
    if system.weights is not None:
        return system.weights, str(folder)
    return (sources.weights_hash(folder) if folder.is_dir() else None), str(folder)


def ask(root: Path, tasks: Sequence[Task], wanted: Wanted, systems: Collection[str]) -> list[Asked]:
    """Return the systems to run; without names, those that are run by default.

    Args:
        tasks: all that there are, whichever are wanted.

    Raises:
        SeluError: a lock is missing, or a setting of params.yaml is wrong.
    """
    planner, found = _Planner(root), []
    if not set(SYSTEMS).issuperset(systems or ("",)):
        benchmarks = {task.benchmark for task in tasks if task.id in (wanted.tasks or (task.id,))}
        every = {
            name: system
            for benchmark in sorted(benchmarks)
            for name, system in declared(root, benchmark).items()
        }
        for name, system in every.items():
            if name in systems if systems else not system.named:
                found.append(planner.ask_declared(name, system, wanted.environments))
    if not systems or not set(SYSTEMS).isdisjoint(systems):
        found.append(planner.ask_baselines(tasks, bool(systems)))
    return found


def ask_given(root: Path, tasks: Sequence[Task], wanted: Wanted, encoder: Given) -> list[Asked]:
    """Return the runs of a given encoder, on the tasks of benchmarks that say how one is run.

    Raises:
        SeluError: a system is named, too, or none of the wanted tasks' benchmarks says it; as in ``declared``.
    """
    if wanted.systems:
        raise SeluError(f"an encoder is given, and {wanted.systems[0]} named beside it: leave one of them out.")
    able = [benchmark for benchmark in registry.published() if has_section(root, benchmark, _GIVEN)]
    of_tasks = {task.benchmark for task in tasks if task.id in (wanted.tasks or (task.id,))}
    if not (those := [benchmark for benchmark in able if benchmark in of_tasks]):
        raise SeluError(
            "no task that is asked for takes an encoder: name tasks of "
            f"{', '.join(able) or 'another benchmark, though none says how one is run'}."
        )
    planner, found = _Planner(root), []
    for benchmark in those:
        system = read_settings(root, benchmark, _GIVEN, Declared)
        _check_declared(benchmark, _GIVEN, system)
        found.append(planner.ask_declared(encoder.id, system, wanted.environments, encoder))
    return found


class _Learnt(NamedTuple):
    """How a system is fitted: its learner, the text that it reads, its candidates, and how one is picked.

    ``local`` is where files lie on this machine, and no part of the identity; ``given`` an encoder that was
    given; ``learns`` the tasks whose train rows are learnt from.
    """

    learner: str
    text: str
    grid: tuple[Mapping[str, Any], ...]
    pick: Mapping[str, str]
    local: Mapping[str, str]
    given: Given | None = None
    learns: Sequence[str] = ()


class _Planner:
    """The data that all runs share, read once."""

    def __init__(self, root: Path) -> None:
        self._root, self._picking = root, picking_source()
        self._source = cache(lambda learner: identities.source(learners.files(learner)))
        self._packages = cache(
            lambda learner, lock: identities.pinned(root / "locks" / f"{lock}.txt", learners.packages(learner))
        )

    def ask_baselines(self, tasks: Sequence[Task], named: bool) -> Asked:
        """Return both baselines, for the tasks of which they have scores by design (SELU section IV-B)."""
        settings = read_settings(self._root, SHARED, "baselines", BaselineSettings)
        squared, vectors = settings.tfidf_xgboost.squared_error, _vectors(self._root, settings)
        binary = {task.id for task in tasks if task.kind is Kind.BINARY}
        if wrong := [name for name in squared if name not in binary]:
            raise SeluError(
                f"params.yaml: shared.baselines.tfidf_xgboost.squared_error names {wrong[0]}, no binary task."
            )

        def runs(task: Task, record: DataRecord) -> Iterator[Planned]:
            for system, protocol in itertools.product(SYSTEMS, PROTOCOLS):
                trees = system == "tfidf-xgboost"
                learner = "tfidf-squared-error" if trees and task.id in squared else system
                grid = tuple(_grid(system, task.kind, settings, vectors.get("sha256")))
                pick = pick_of(task.kind, "test" if protocol == "paper" else "validation")
                if protocol == "paper":  # highest of errors, too: the authors' script keeps the worst SMAPE
                    pick = {**pick, "best": "highest"}
                local = {"path": vectors["path"]} if vectors and "vectors" in grid[0] else {}
                own, *others = ENVIRONMENTS[protocol]
                pins = self._packages(learner, own)
                # where another environment pins what matters alike, its run would be the same one again
                locks = [own, *(lock for lock in others if self._packages(learner, lock) != pins)]
                seeds = (settings.tfidf_xgboost.seed,) if trees else settings.fasttext.seeds
                for seed, lock in itertools.product(seeds, locks):
                    name = f"{protocol}-s{seed}" + ("" if lock == own else f"-{lock}")
                    place = Place(system, name, protocol, seed, lock)
                    yield self._run(task, record, place, _Learnt(learner, "paper", grid, pick, local))

        return Asked(lambda task: task.ranked and (named or runs_unnamed(task)), runs)

    def ask_declared(
        self, name: str, system: Declared, environments: Sequence[str], given: Given | None = None
    ) -> Asked:
        """Return a declared system, for the tasks of its sets; ``environments`` as in ``locks_of``."""
        weights = cache(lambda: (given.weights, given.folder) if given else _weights(system))  # hashed once

        def runs(task: Task, record: DataRecord) -> Iterator[Planned]:
            found, path = weights()
            decided = {"weights": found, "files": given.files} if given else {"weights": found}
            params = {**system.params, **(decided if given or system.encoder else {})}
            grid = tuple(_candidates(params))
            protocol, on = ("strict", "validation") if len(grid) > 1 else ("paper", NOTHING)
            pick = pick_of(task.kind, on)
            locks: tuple[str, ...] = ("baselines",)
            if "torch" in learners.packages(system.learner):
                locks = locks_of(registry.results_of(self._root, task.id) / name, environments)
            for lock, seed in itertools.product(locks, system.seeds):
                run = run_name(protocol, seed, FINETUNE if lock == "baselines" else lock)
                place = Place(name, run, protocol, seed, lock)
                local = {"path": path, "hub": system.encoder} if path and system.encoder else {}
                local |= {"path": path} if given else {}
                local |= {"vectors": str(self._root / SCRATCH / "vectors")} if "weights" in params else {}
                learnt = _Learnt(system.learner, system.text, grid, pick, local, given, system.learns)
                yield self._run(task, record, place, learnt)

        return Asked(lambda task: not set(task.sets).isdisjoint(system.sets), runs)

    def _run(self, task: Task, record: DataRecord, place: Place, learnt: _Learnt) -> Planned:
        learner, grid = learnt.learner, learnt.grid
        source = self._source(learner)
        fields: dict[str, Any] = {
            "grid": [dict(params) for params in grid],
            "pick": dict(learnt.pick),
            "source": {"learner": source, "picking": self._picking},
            "packages": self._packages(learner, place.environment),
        }
        others = tuple(other for other in registry.tasks(task.benchmark) if other.id in learnt.learns)
        if others:
            fields["learns"] = {
                other.id: rows_hashes(self._root, other, tracked_record(self._root, other.id), place.protocol)
                for other in others
            }
        return plan_run(
            self._root, task, record, place, {"text": learnt.text}, fields,
            family=FAMILY, grid=grid, source=source, learner=learner, local=learnt.local,
            encoder=learnt.given, learns=others,
        )  # fmt: skip


def _candidates(params: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield each combination of the parameters that have several values."""
    values = [value if isinstance(value, tuple) else (value,) for value in params.values()]
    yield from (dict(zip(params, combination, strict=True)) for combination in itertools.product(*values))


def _grid(
    system: str, kind: str, settings: BaselineSettings, vectors: str | None
) -> Iterator[Mapping[str, object]]:
    """Yield the candidates; ``vectors`` is the hash of the given word vectors, if there are any."""
    trees, texts = settings.tfidf_xgboost, settings.fasttext
    if system == "tfidf-xgboost":
        for depth, weight in itertools.product(trees.max_depth, trees.min_child_weight):
            yield {"max_depth": depth, "min_child_weight": weight}
    elif kind == Kind.REGRESSION:
        learnt = {"dim": texts.vector_dim, "epoch": texts.vector_epoch}
        yield {"vectors": vectors, **({} if vectors else learnt)}
    else:
        threshold = {"threshold": texts.threshold} if kind == Kind.MULTI_LABEL else {}
        for lr, epoch in itertools.product(texts.lr, texts.epoch):
            yield {"lr": lr, "epoch": epoch, "quoted": texts.quoted, "threads": texts.threads, **threshold}


def _vectors(root: Path, settings: BaselineSettings) -> Mapping[str, str]:
    """Find path and hash of the given word vectors; nothing where vectors are to be learnt."""
    if not settings.fasttext.vectors:
        return {}
    path = root / Path(settings.fasttext.vectors).expanduser()
    if not path.is_file():
        raise SeluError(f"params.yaml: shared.baselines.fasttext.vectors names {path}, which is not a file.")
    return {"path": str(path), "sha256": sha256_of(path)}


def picking_source(*modules: str, metrics: Sequence[str] = ()) -> str:
    """Hash what makes lessons of rows and picks among candidates.

    Args:
        modules: of the package, hashed as a whole.
        metrics: further modules of the metrics, hashed by the functions that ``evaluate`` reaches.
    """
    import selu

    here = Path(selu.__file__).parent
    scoring = {name: here / "metrics" / f"{name}.py" for name in (*_PICKING, *metrics)}
    files = [here / name for name in ("execution/protocols.py", *modules)]
    return identities.source_of("selu.metrics", scoring, [("evaluate", "evaluate")], files)
