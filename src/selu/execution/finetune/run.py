"""Trainings of fine-tuned systems, side by side: each is written and scored as it ends.

A training is one unit. What it found is kept, sealed, below ``.selu/units``, under everything that it depends
on, so that a mended record or score needs no new one. One that was killed goes on from its checkpoint in
``.selu/training``. The trained model comes to ``.selu/models``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.data.prepared import tracked_record
from selu.execution import predictions, recording, scoring
from selu.execution.environments import Environments
from selu.execution.finetune.trainings import Training, settle, sweep
from selu.execution.planned import Planned
from selu.runs import record
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[str], None]
Ended = Callable[[Planned, Path | Exception], None]
_NOT_RECORDED = (
    "answers",
    "cost",
)  # of an outcome: the former are the predictions, the latter is put in one form


@dataclass(frozen=True, slots=True)
class _Found:
    """What a training found, whether it was there already, and since when it was at work."""

    training: Training
    unit: Mapping[str, Any]
    taken: bool
    rows: pd.DataFrame
    started: float


def run_all(
    root: Path, runs: Sequence[Planned], jobs: int | None, anew: bool, progress: Progress, ended: Ended
) -> None:
    """Train what these runs need; ``ended`` is told of each run its scores, or why there are none.

    Args:
        jobs: trainings at once; by default one a core where models are small, else one.
        anew: whether outcomes and checkpoints that are there count.
    """
    sweep(root)
    settle(root)
    if not runs:
        return
    work = work_of(root, runs)
    ordered = sorted(runs, key=lambda run: (work[run.name], run.task.id, run.protocol != "strict", run.seed))
    estimate = _Estimate([work[run.name] for run in ordered])
    size = jobs or _jobs(runs)
    with Environments(root, size) as environments, ThreadPoolExecutor(size) as pool:
        futures: dict[Future[_Found], Planned] = {}
        try:
            for number, run in enumerate(ordered, start=1):
                head = f"[{number}/{len(ordered)}] {run.name} ({run.environment})"
                futures[pool.submit(_train, root, run, environments, anew, progress, head)] = run
            for future in as_completed(list(futures)):
                run = futures.pop(future)
                try:
                    found = future.result()
                    path = _write(root, run, found, environments)
                except (SeluError, ValueError, OSError) as error:
                    estimate.done(work[run.name], counts=False)
                    ended(run, error)
                    continue
                estimate.done(work[run.name], counts=not found.taken)
                progress(f"{run.name}: {_sentence(run, found)}{estimate}")
                ended(run, path)
        except BaseException:  # Ctrl-C: no thread may wait for trainings of minutes
            pool.shutdown(wait=False, cancel_futures=True)
            environments.stop()
            raise


def run_one(root: Path, run: Planned, environments: Environments, anew: bool, progress: Progress) -> Path:
    """Train and score one run; returns the path of its scores.

    Raises:
        SeluError, ValueError, OSError: it can't be learnt; a MachineError says nothing of the cell.
    """
    found = _train(root, run, environments, anew, progress, f"{run.name} ({run.environment})")
    path = _write(root, run, found, environments)
    progress(f"{run.name}: {_sentence(run, found)}")
    return path


def work_of(root: Path, runs: Sequence[Planned]) -> dict[str, float]:
    """How much there is to train, by run: rows times epochs times parameters."""
    rows = {run.task.id: 0 for run in runs}
    for task in rows:
        rows[task] = int(tracked_record(root, task)["rows"])
    return {run.name: float(rows[run.task.id] * run.grid[0]["epochs"] * (run.parameters or 1)) for run in runs}


def _jobs(runs: Sequence[Planned]) -> int:
    """Trainings at once where nobody says: of a package's small models one a core, of others one a machine."""
    if Path("/dev/nvidia0").exists() or not all(run.local["package"] for run in runs):
        return 1  # a training takes all GPUs
    threads: int = max(run.grid[0]["threads"] for run in runs)
    return max(1, (os.cpu_count() or 1) // threads)


def _train(
    root: Path, run: Planned, environments: Environments, anew: bool, progress: Progress, head: str
) -> _Found:
    """In a thread of its own: the rows, and what is found of them, now or before."""
    progress(head)
    started, rows = time.time(), predictions.rows_of(root, run)
    training = Training(root, run, rows)
    unit = None if anew else training.kept()
    taken = unit is not None
    if unit is None:
        workers = environments.of(run)
        unit = training.learn(workers, anew, lambda line: progress(f"  {run.name}: {line}"))
    return _Found(training, unit, taken, rows, started)


def _write(root: Path, run: Planned, found: _Found, environments: Environments) -> Path:
    """The run and its scores."""
    outcome, test = found.unit["outcome"], found.rows[found.rows["part"] == "test"]
    answers = predictions.to_parquet(test["id"].tolist(), outcome["answers"], run.task.kind)
    content = {
        **recording.provenance(run, environments.versions(run), found.started),
        "state": "present",
        "model": found.unit["model"],
        **{name: value for name, value in outcome.items() if name not in _NOT_RECORDED},
        "cost": _cost(outcome["cost"], found),
    }
    recording.check_unchanged(root, run)
    found.training.sign()
    record.write_run(run.folder, {record.PREDICTIONS: answers}, content)
    path = scoring.score(root, run, found.rows)
    found.training.put_away()
    return path


def _cost(cost: Mapping[str, Any], found: _Found) -> dict[str, Any]:
    """Cost of the training, under the names that runs of baselines have too, and what this execution took."""
    rest = {name: value for name, value in cost.items() if name not in ("seconds", "cpu")}
    return {
        "wall_seconds": time.time() - found.started,
        "unit_seconds": cost["seconds"],
        "cpu_seconds": cost["cpu"],
        "units": 1,
        "units_taken": int(found.taken),
        **rest,
    }


def _sentence(run: Planned, found: _Found) -> str:
    scores, outcome = record.read_scores(run.folder), found.unit["outcome"]
    text = f"{scores['metric']} {scores['value']:.4f}{recording.standing_of(run)}"
    if outcome["collapsed"] or scores["constant"]:
        text += ", one answer to everything"
    cut = outcome["truncated"].get("questions")
    if cut:
        text += f", {cut} of {scores['rows']} test texts cut"
    return f"{text}, {outcome['cost']['seconds']:.0f} s"


class _Estimate:
    """How far all trainings are and how long they may still take, judged by those that were timed."""

    def __init__(self, work: Sequence[float]) -> None:
        self._total, self._left, self._ended = len(work), sum(work), 0
        self._timed, self._started = 0.0, time.perf_counter()

    def done(self, work: float, counts: bool) -> None:
        """One more is over; it ``counts`` where it was trained just now."""
        self._ended += 1
        self._left -= work
        self._timed += work if counts else 0

    def __str__(self) -> str:
        text = f"; {self._ended} of {self._total} done"
        if self._timed and self._ended < self._total:
            left = (time.perf_counter() - self._started) / self._timed * self._left
            text += f", about {left / 60:.0f} min left"
        return text
