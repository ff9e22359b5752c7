"""Lessons of runs: rows to learn from, texts to answer, and one sealed file per candidate fitted."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from selu.execution import protocols
from selu.execution.environments import SCRATCH, Environments
from selu.execution.planned import Planned
from selu.files import write_atomic
from selu.runs import identity as identities
from selu.runs import record, resources
from selu.vocabulary import Kind, MachineError, SeluError

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[str], None]


@dataclass
class Spent:
    """What the units of a run took, and when the run began."""

    started: float = field(default_factory=time.time)
    clock: float = field(default_factory=time.perf_counter)
    energy: int | None = field(default_factory=resources.energy)
    units: list[Mapping[str, Any]] = field(default_factory=list)
    taken: int = 0

    def cost(self) -> dict[str, Any]:
        """Cost of the run: the fits' own seconds, and what this execution took."""
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
        grid: Sequence[Mapping[str, Any]],
        environments: Environments,
        anew: bool,
        spent: Spent,
        progress: Progress,
    ) -> list[dict[str, Any]]:
        """One unit per candidate, in the order of the grid; those that are there already are taken."""
        paths = [self._folder / f"{identities.identity(params)[:16]}.json" for params in grid]
        units = [None if anew else self._kept(path, params) for path, params in zip(paths, grid, strict=True)]
        todo = [i for i, unit in enumerate(units) if unit is None]
        spent.taken += len(grid) - len(todo)
        if todo:
            lesson = self._folder / f"lesson-{os.getpid()}.json"
            write_atomic(lesson, identities.canonical(self._fields))
            requests = [
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
            estimate = Estimate(len(grid), len(todo), progress)
            try:
                for _ in environments.of(self._planned).each(requests):
                    estimate.done()
            finally:
                lesson.unlink(missing_ok=True)  # the rows of others are kept in one place only
            for i in todo:
                units[i] = self._kept(paths[i], grid[i])
        found = [unit for unit in units if unit is not None]
        if len(found) < len(grid):
            raise MachineError(f"a unit in {self._folder} was removed while the run went on: run it again.")
        spent.units += found
        return found

    def _kept(self, path: Path, params: Mapping[str, Any]) -> dict[str, Any] | None:
        """A unit that is whole and of this lesson; a damaged or foreign one is as good as none."""
        try:
            unit = record.read_sealed(path, "a unit")
        except SeluError:
            return None
        same = unit.get("key") == self._key and unit.get("params") == dict(params)
        return unit if same and len(unit.get("answers", ())) == self._asked else None


class Estimate:
    """Says, not too often, how far a run is and how long it may still take."""

    def __init__(self, total: int, todo: int, progress: Progress) -> None:
        self._total, self._todo, self._progress = total, todo, progress
        self._done, self._started, self._said = 0, time.perf_counter(), time.perf_counter()

    def done(self) -> None:
        """One more candidate is fitted."""
        self._done += 1
        now = time.perf_counter()
        if now - self._said >= 5 and self._done < self._todo:
            self._said = now
            left = (now - self._started) / self._done * (self._todo - self._done)
            at = self._total - self._todo + self._done
            self._progress(f"  {at}/{self._total} candidates, about {left:.0f} s left")


def sweep(root: Path) -> None:
    """Remove the rows of others that killed processes left among the units."""
    for path in (root / SCRATCH / "units").glob("*/*-*"):
        name = path.name.lstrip(".")
        if name.startswith(("lesson-", "train-", "words-")):
            process = name.partition("-")[2].partition(".")[0]
            if not (process.isdigit() and Path("/proc", process).exists()):
                path.unlink(missing_ok=True)
