"""``selu reproduce --runs``: tracked runs made anew from the prepared rows, and held to the tracked ones.

Nothing that is tracked is written: runs are made in a folder of their own, whose inputs are links to the
clone's. What was made there stands until all is compared, so that an interrupted command goes on where it was.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from selu.data.prepared import has_data
from selu.execution import environments, runner
from selu.execution import plans as planning
from selu.execution.planned import FINETUNE_LOCKS, Planned, Wanted
from selu.execution.plans import family_of
from selu.package.stages import alone
from selu.runs import record
from selu.stats.budget import shortest
from selu.vocabulary import MachineError, SeluError

AGAIN = Path(".selu") / "again"
_INPUTS = ("data", "locks", "params.yaml", "reports", ".venv-authors")
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many runs were made anew, how many of them with equal predictions, and a sentence per difference."""

    made: int
    equal: int
    differences: list[str]


def reearn(root: Path, wanted: Wanted, minutes: float | None, jobs: int | None, progress: Progress) -> Outcome:
    """Make tracked runs anew and compare their predictions and scores with the tracked ones.

    Args:
        wanted: filters, as of ``selu run``.
        minutes: so long at most, by what the tracked runs took, the shortest first; by default all.

    Raises:
        SeluError: a filter that no tracked run passes, missing rows or environments, or runs that failed.
    """
    if minutes is not None and not minutes > 0:
        raise SeluError("--minutes takes a number above 0.")
    with alone(root):
        chosen = _chosen(root, wanted, minutes, progress)
        _check(root, chosen)
        again = _place(root)
        began = time.monotonic()
        plans = {run.name: run for run in planning.plan(again, _named(chosen))}
        for run in chosen:  # one that failed in an interrupted command gets another chance
            if record.state(plans[run.name].folder, plans[run.name].identity) is record.State.FAILED:
                shutil.rmtree(plans[run.name].folder)
        runner.make(again, [plans[run.name] for run in chosen], "missing", jobs, progress)
        found = _compared(chosen, plans, progress)
        took = (time.monotonic() - began) / 60
        progress(
            f"{found.made} runs made anew in {took:.0f} min: the predictions of {found.equal} are equal to the "
            f"byte, {len(found.differences)} deviate"
        )
        shutil.rmtree(again)
    return found


def _chosen(root: Path, wanted: Wanted, minutes: float | None, progress: Progress) -> list[Planned]:
    """The tracked runs that pass the filters and can be had in the time."""
    runs = [run for run in planning.plan(root, wanted) if not family_of(run).paid]
    present = [run for run in runs if record.state(run.folder, run.identity) is record.State.PRESENT]
    if not present:
        raise SeluError(
            "no tracked run passes these filters: 'dvc pull' brings what is tracked, 'selu plan' lists all."
        )
    cores = os.cpu_count() or 1
    seconds = {run.name: _seconds(run) / cores for run in present}
    if minutes is None:
        taken = present
    else:
        names = shortest(seconds, minutes * 60)
        if not names:
            raise SeluError(f"no run can be made in {minutes:g} min here: give --minutes more.")
        taken = [run for run in present if run.name in names]
    expected = sum(seconds[run.name] for run in taken) / 60
    progress(
        f"{len(taken)} of {len(present)} tracked runs, about {expected:.0f} min if the {cores} cores here are "
        "as fast as those that made them"
    )
    return taken


def _seconds(run: Planned) -> float:
    """Of one core, as the tracked run took."""
    return float(record.read_run(run.folder)["cost"]["unit_seconds"])


def _named(runs: Sequence[Planned]) -> Wanted:
    """Filters that these runs pass, and others may."""
    tasks = dict.fromkeys(run.task.id for run in runs)
    systems, environments = ({getattr(run, of): None for run in runs} for of in ("system", "environment"))
    return Wanted(tuple(tasks), tuple(systems), environments=tuple(environments))


def _check(root: Path, runs: Sequence[Planned]) -> None:
    """Refuse before hours are spent."""
    lacking = sorted({run.task.id for run in runs if not has_data(root, run.task.id)})
    if lacking:
        raise MachineError(
            f"{', '.join(lacking)} have no prepared rows here: 'make data' fetches and prepares them all."
        )
    for name in sorted({run.environment for run in runs}):
        environments.interpreter(root, name)


def _place(root: Path) -> Path:
    """The folder of the new runs: the clone's inputs as links, results of its own."""
    again = root / AGAIN
    again.mkdir(parents=True, exist_ok=True)
    for name in _INPUTS:
        link = again / name
        if (root / name).exists() and not link.is_symlink():
            link.symlink_to((root / name).absolute())
    return again


def _compared(runs: Sequence[Planned], plans: Mapping[str, Planned], progress: Progress) -> Outcome:
    equal, differences = 0, []
    for run in runs:
        said = _difference(run, plans[run.name])
        if said is None:
            equal += 1
        elif said[1]:
            differences.append(f"{run.name}: {said[0]}")
        else:
            progress(f"{run.name}: {said[0]}")
    return Outcome(len(runs), equal, differences)


def _difference(tracked: Planned, new: Planned) -> tuple[str, bool] | None:
    """None where predictions are equal; else a sentence, and whether it is a deviation.

    A training of floats gives the same bits on the same kind of processor only: its score may move within the
    interval that the tracked one has over its test rows. A baseline has no such excuse.
    """
    before, after = (record.read_run(run.folder) for run in (tracked, new))
    name = record.PREDICTIONS
    if before["files"][name] == after["files"][name]:
        return None
    changed, rows = _changed(tracked.folder, new.folder)
    scores, now = record.read_scores(tracked.folder), record.read_scores(new.folder)["value"]
    interval = scores["intervals"][scores["metric"]]
    inside = interval["low"] <= now <= interval["high"]
    where = "within" if inside else "outside"
    sentence = (
        f"{changed} of {rows} answers differ, {scores['metric']} is {now:.4f} where {scores['value']:.4f} is "
        f"tracked, {where} its interval [{interval['low']:.4f}, {interval['high']:.4f}]"
    )
    return sentence, not (inside and tracked.environment in FINETUNE_LOCKS)


def _changed(before: Path, after: Path) -> tuple[int, int]:
    """Count the answers that differ, and all."""
    answers = [record.read_predictions(folder)["prediction"] for folder in (before, after)]
    return sum(a != b for a, b in zip(*answers, strict=True)), len(answers[0])
