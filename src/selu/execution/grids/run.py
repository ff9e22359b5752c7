"""Runs of fitted systems, from rows to scores, resumable at every candidate.

A lesson is what a learner is given: rows to learn from and texts to answer. Each candidate of the grid is a
unit, fitted by one of several worker processes and kept, sealed, below ``.selu``; a restart takes what is
there. Under protocol ``paper`` the candidates answer the test rows and the best of them is the run. Under
``strict`` they answer the validation rows, and the one picked is fitted again on train and validation together.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from selu.data import prepared
from selu.execution import protocols, results
from selu.execution.environments import SCRATCH, Environments
from selu.execution.planned import Orders, Planned, Progress
from selu.files import write_atomic
from selu.metrics import kinds
from selu.runs import identity as identities
from selu.runs import record, resources, seals
from selu.runs.workers import FitRequest, Workers
from selu.vocabulary import Kind, MachineError, SeluError, Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.contents import Details, Unit


def make(orders: Orders, runs: Sequence[Planned]) -> None:
    """Make runs: grids one after the other, with their candidates in parallel; then the others in parallel."""
    with open_workers(orders.root, orders.jobs or os.cpu_count() or 1) as environments:
        for grids in (True, False):
            todo = [run for run in runs if (len(run.grid) > 1) is grids]
            heads = {run.name: f"[{number}/{len(todo)}] " for number, run in enumerate(todo, start=1)}

            def work(run: Planned, heads: Mapping[str, str] = heads) -> Path:
                orders.progress(f"{heads[run.name]}{run.name} ({run.environment})")
                return make_one(orders, run, environments)

            for run, result in environments.side_by_side(todo, work, 1 if grids else environments.size):
                orders.ended(run, result)


def open_workers(root: Path, size: int) -> Environments:
    """Open the processes that fit."""
    return Environments(root, size, "selu.execution.grids.worker")


def make_one(orders: Orders, run: Planned, environments: Environments) -> Path:
    """Learn and score one run; returns the path of its scores.

    Raises:
        SeluError, ValueError, OSError: it can't be learnt; a MachineError says nothing of the cell.
    """
    rows, spent, pick = results.read_rows(orders.root, run), Spent(), run.fields["pick"]

    def learn(rows: tuple[pd.DataFrame, pd.DataFrame], grid: Sequence[Mapping[str, object]]) -> list[Unit]:
        lesson = Lesson(orders.root, run, *rows)
        return lesson.learn(grid, environments, orders.anew, spent, orders.progress)

    fit, asked = protocols.candidates(rows, run.protocol)
    fit = learnt_rows(orders.root, run) if run.learns else fit
    units, truth = learn((fit, asked), run.grid), asked["label"].tolist()
    scores = [_primary(run.task, pick["metric"], truth, unit["answers"]) for unit in units]
    best = protocols.pick(scores, pick["best"])
    strict = run.protocol == "strict"
    unit = learn(protocols.picked(rows), [run.grid[best]])[0] if strict else units[best]
    grid: list[Mapping[str, Any]] = [
        {**params, "score": score, "seconds": candidate["cost"]["seconds"]}
        for params, score, candidate in zip(run.grid, scores, units, strict=True)
    ]
    says: Details = {"chosen": dict(run.grid[best]), "grid": grid, "cost": spent.cost()}
    if "inference" in unit:
        says["inference"] = unit["inference"]
    if "told" in unit:
        says["told"] = unit["told"]
    versions = environments.versions(run)
    path = results.write_run(orders, run, rows, results.Made(unit["answers"], versions, spent.started, says))
    line = results.score_line(run, record.read_scores(run.folder))
    orders.progress(f"{run.name}: {line}, {says['cost']['wall_seconds']:.0f} s")
    return path


def learnt_rows(root: Path, run: Planned) -> pd.DataFrame:
    """Read the train rows of the tasks that a run learns from, each saying of which task and kind it is."""
    import pandas as pd

    found = []
    for task in run.learns:
        rows = prepared.rows_of(root, task, run.fields["data"]["text"], run.protocol)
        fit, _ = protocols.candidates(rows, run.protocol)
        texts: Any = [{**row, "task": task.id, "kind": str(task.kind)} for row in fit["text"]]
        found.append(fit.assign(text=texts))
    return pd.concat(found, ignore_index=True)


def _primary(task: Task, metric: str, truth: Sequence[object], answers: Sequence[object]) -> float:
    """Return the score by which candidates are picked."""
    if spec := kinds.added(task.kind):
        return float(spec.evaluate(truth, answers, [label.name for label in task.labels])[metric])
    return protocols.primary(Kind(task.kind), len(task.labels), metric, truth, answers)


@dataclass
class Spent:
    """The cost of a run's units, and when the run began."""

    started: float = field(default_factory=time.time)
    clock: float = field(default_factory=time.perf_counter)
    energy: int | None = field(default_factory=resources.energy)
    units: list[Unit] = field(default_factory=list)
    taken: int = 0

    def cost(self) -> Mapping[str, float | None]:
        """Sum up the cost of the run: the fits' own seconds, and what this execution took."""
        return {
            "wall_seconds": time.perf_counter() - self.clock,
            "unit_seconds": sum(unit["cost"]["seconds"] for unit in self.units),
            "cpu_seconds": sum(unit["cost"]["cpu"] for unit in self.units),
            "peak_memory_bytes": max(unit["memory"] for unit in self.units),
            "joules": None if self.taken else resources.joules(self.energy, time.perf_counter() - self.clock),
            "units": len(self.units),
            "units_taken": self.taken,
        }


class Lesson:
    """Rows to learn from and to answer, in a folder of their own, with one sealed file per unit."""

    def __init__(self, root: Path, planned: Planned, fit: pd.DataFrame, asked: pd.DataFrame) -> None:
        self._planned, self._asked = planned, len(asked)
        task = planned.task
        self._fields = protocols.lesson(fit, asked, cast(Kind, task.kind), len(task.labels), planned.seed)
        depends = {
            "lesson": hashlib.sha256(identities.canonical(self._fields)).hexdigest(),
            "system": planned.system,
            "source": planned.source,
            "packages": planned.fields["packages"],
        }
        self._key = identities.identity(depends)
        self._folder = root / SCRATCH / "units" / self._key[:32]

    def learn(
        self,
        grid: Sequence[Mapping[str, object]],
        environments: Environments,
        anew: bool,
        spent: Spent,
        progress: Progress,
    ) -> list[Unit]:
        """Fit one unit per candidate, in the order of the grid; those that are there already are taken."""
        paths = [self._folder / f"{identities.identity(params)[:16]}.json" for params in grid]
        units = [None if anew else self._kept(path, params) for path, params in zip(paths, grid, strict=True)]
        todo = [i for i, unit in enumerate(units) if unit is None]
        spent.taken += len(grid) - len(todo)
        if todo:
            lesson = self._folder / f"lesson-{os.getpid()}.{threading.get_ident()}.json"
            write_atomic(lesson, identities.canonical(self._fields))
            requests: list[FitRequest] = [
                {
                    "lesson": str(lesson),
                    "learner": self._planned.learner,
                    "source": self._planned.source,
                    "local": dict(self._planned.local),
                    "unit": str(paths[i]),
                    "key": self._key,
                    "params": dict(grid[i]),
                }
                for i in todo
            ]
            try:
                _fit(environments.start_workers(self._planned), requests, len(grid), progress)
            finally:
                lesson.unlink(missing_ok=True)  # the rows of others are kept in one place only
            for i in todo:
                units[i] = self._kept(paths[i], grid[i])
        found = [unit for unit in units if unit is not None]
        if len(found) < len(grid):
            raise MachineError(f"a unit in {self._folder} was removed while the run went on: run it again.")
        spent.units += found
        return found

    def _kept(self, path: Path, params: Mapping[str, object]) -> Unit | None:
        """Return a unit that is complete and of this training; None for a damaged or a foreign one."""
        try:
            unit = cast("Unit", seals.read_sealed(path, "a unit"))
        except SeluError:
            return None
        same = unit.get("key") == self._key and unit.get("params") == dict(params)
        return unit if same and len(unit.get("answers", ())) == self._asked else None


def _fit(workers: Workers, requests: Sequence[FitRequest], total: int, progress: Progress) -> None:
    """Fit the units, and report from time to time the progress and the time left."""
    began = reported = time.perf_counter()
    for done, _ in enumerate(workers.each(requests), start=1):
        now, left = time.perf_counter(), len(requests) - done
        if now - reported >= 5 and left:
            reported = now
            progress(f"  {total - left}/{total} candidates, about {(now - began) / done * left:.0f} s left")
