"""Trainings of fine-tuned systems in parallel: each is written and scored as it ends.

A training is one unit. What it found is kept, sealed, below ``.selu/units``, under everything that it depends
on, so that a fixed record or score needs no new one. One that was killed goes on from its checkpoint in
``.selu/training``. The trained model comes to ``.selu/models``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from selu.data.prepared import tracked_record
from selu.execution import results
from selu.execution.environments import Environments
from selu.execution.finetune.trainings import Training, put_away, settle
from selu.execution.planned import Orders, Planned
from selu.runs import nvidia, record

if TYPE_CHECKING:
    from selu.contents import Details

_NOT_RECORDED = ("answers", "cost")  # of an outcome: those are the predictions, this is put in one form


def make(orders: Orders, runs: Sequence[Planned]) -> None:
    """Make runs, several trainings in parallel: by default one per core for small models, else one."""
    settle(orders.root)
    if not runs:
        return
    work = work_of(orders.root, runs)
    ordered = sorted(runs, key=lambda run: (work[run.name], run.task.id, run.protocol != "strict", run.seed))
    heads = {run.name: f"[{number}/{len(ordered)}] " for number, run in enumerate(ordered, start=1)}
    left, timed, began = sum(work.values()), 0.0, time.perf_counter()
    with open_workers(orders.root, orders.jobs or _jobs(runs)) as environments:
        found = environments.side_by_side(
            ordered, lambda run: _make(orders, run, environments, heads[run.name]), environments.size
        )
        for ended, (run, result) in enumerate(found, start=1):
            left -= work[run.name]
            if isinstance(result, Exception):
                orders.ended(run, result)
                continue
            path, report, trained = result
            timed += work[run.name] if trained else 0
            report += f"; {ended} of {len(ordered)} done"
            if timed and ended < len(ordered):  # judged by those that were trained just now
                minutes = (time.perf_counter() - began) / timed * left / 60
                report += f", about {minutes:.0f} min left"
            orders.progress(report)
            orders.ended(run, path)


def open_workers(root: Path, size: int) -> Environments:
    """Open the processes that train; they may do without DeepSpeed."""
    return Environments(root, size, "selu.execution.finetune.worker", ("deepspeed",))


def make_one(orders: Orders, run: Planned, environments: Environments) -> Path:
    """Train and score one run; returns the path of its scores.

    Raises:
        SeluError, ValueError, OSError: it can't be learnt; a MachineError says nothing of the cell.
    """
    path, report, _ = _make(orders, run, environments)
    orders.progress(report)
    return path


def work_of(root: Path, runs: Sequence[Planned]) -> Mapping[str, float]:
    """Calculate the work of each training: rows times epochs times parameters."""
    rows = {task: int(tracked_record(root, task)["rows"]) for task in {run.task.id for run in runs}}
    return {run.name: float(rows[run.task.id] * run.grid[0]["epochs"] * (run.parameters or 1)) for run in runs}


def _jobs(runs: Sequence[Planned]) -> int:
    """Return the default number of parallel trainings: one per core for a package's small models, else one."""
    if nvidia.has_gpu() or not all(run.local["package"] for run in runs):
        return 1  # a training takes all GPUs
    threads: int = max(run.grid[0]["threads"] for run in runs)
    return max(1, (os.cpu_count() or 1) // threads)


def _make(orders: Orders, run: Planned, environments: Environments, head: str = "") -> tuple[Path, str, bool]:
    """Train, write and score; return the path of the scores, the message, and whether it was trained now."""
    orders.progress(f"{head}{run.name} ({run.environment})")
    started, rows = time.time(), results.read_rows(orders.root, run)
    training = Training(orders.root, run, rows)
    unit = None if orders.anew else training.kept()
    taken = unit is not None
    if unit is None:
        workers = environments.start_workers(run)
        unit = training.learn(workers, orders.anew, lambda line: orders.progress(f"  {run.name}: {line}"))
    outcome, cost = unit["outcome"], unit["outcome"]["cost"]
    says = {
        "model": unit["model"],
        **{name: value for name, value in outcome.items() if name not in _NOT_RECORDED},
        "cost": {  # under the names that other runs have too, and what this execution took
            "wall_seconds": time.time() - started,
            "unit_seconds": cost["seconds"],
            "cpu_seconds": cost["cpu"],
            "units": 1,
            "units_taken": int(taken),
            **{name: value for name, value in cost.items() if name not in ("seconds", "cpu")},
        },
    }
    versions = environments.versions(run)
    made = results.Made(outcome["answers"], versions, started, cast("Details", says))
    path = results.write_run(orders, run, rows, made, before=training.sign)
    put_away(orders.root, training.scratch, run.name)
    scores = record.read_scores(run.folder)
    report = f"{run.name}: {results.score_line(run, scores)}"
    if outcome["collapsed"] or scores["constant"]:
        report += ", one answer to everything"
    if cut := outcome["truncated"].get("questions"):
        report += f", {cut} of {scores['rows']} test texts cut"
    return path, f"{report}, {cost['seconds']:.0f} s", not taken
