"""``selu reproduce --runs``: make tracked runs again from the prepared rows, and compare them.

Nothing that is tracked is written: runs are made in a folder of their own, whose inputs are links to the
clone's. What was made there stands until all is compared, so that an interrupted command goes on where it was.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from selu.data.prepared import has_data
from selu.execution import environments, runner
from selu.execution import plans as planning
from selu.execution.planned import FINETUNE_LOCKS, Planned, Wanted
from selu.execution.plans import family_of
from selu.package.stages import alone
from selu.runs import nvidia, record
from selu.stats.budget import shortest
from selu.vocabulary import MachineError, SeluError

AGAIN = Path(".selu") / "again"
_INPUTS = ("data", "locks", "params.yaml", "reports", ".venv-authors")
Progress = Callable[[str], None]


def reearn(
    root: Path, wanted: Wanted, minutes: float | None, jobs: int | None, progress: Progress
) -> list[str]:
    """Repeat tracked runs and compare their predictions and scores with the tracked ones.

    Args:
        minutes: so long at most, by what the tracked runs took, the shortest first; by default all.

    Returns:
        one sentence per run that differs; differences that are allowed are reported.

    Raises:
        SeluError: a filter that no tracked run passes, missing rows or environments, or runs that failed.
    """
    if minutes is not None and not minutes > 0:
        raise SeluError("--minutes takes a number above 0.")
    with alone(root):
        chosen = _chosen(root, wanted, minutes, progress)
        again = _prepare(root, chosen)
        began = time.monotonic()
        plans = {run.name: run for run in planning.plan(again, _named(chosen))}
        states = {run.name: record.state(plans[run.name].folder, plans[run.name].identity) for run in chosen}
        for name, state in states.items():  # one that failed in an interrupted command gets another chance
            if state is record.State.FAILED:
                shutil.rmtree(plans[name].folder)
        todo = [run for run in chosen if states[run.name] is not record.State.PRESENT]
        if todo:
            runner.make(again, [plans[run.name] for run in chosen], "missing", jobs, progress)
        apart = {run.name: found for run in chosen if (found := _difference(run, plans[run.name]))}
        for name, (difference, deviates) in apart.items():
            if not deviates:
                progress(f"{name}: {difference}")
        differences = [f"{name}: {difference}" for name, (difference, deviates) in apart.items() if deviates]
        progress(
            f"{_how_made(len(todo), len(chosen), (time.monotonic() - began) / 60)}: the predictions of "
            f"{len(chosen) - len(apart)} are equal to the byte, {len(differences)} differ"
        )
        shutil.rmtree(again)
    return differences


def _how_made(now: int, total: int, minutes: float) -> str:
    """State how many runs this command made, and how many an interrupted one before it."""
    if now == total:
        return f"{total} runs made again in {minutes:.0f} min"
    return f"{now} runs made again in {minutes:.0f} min, {total - now} by the interrupted command before"


def _chosen(root: Path, wanted: Wanted, minutes: float | None, progress: Progress) -> list[Planned]:
    """Return the tracked runs that pass the filters and fit into the time."""
    runs = [run for run in planning.plan(root, wanted) if not family_of(run).paid]
    present = [run for run in runs if record.state(run.folder, run.identity) is record.State.PRESENT]
    if not (wanted.tasks or wanted.systems or nvidia.has_gpu()):  # what is named is made here all the same
        by_cpu: list[Planned] = []
        by_gpu: list[Planned] = []
        for run in present:
            (by_cpu if record.device_of(record.read_run(run.folder)) == record.CPU else by_gpu).append(run)
        present = by_cpu
        if by_gpu:
            progress(f"{len(by_gpu)} runs that a GPU made are left out: '--task' or '--system' makes them here")
    if not present:
        raise SeluError(
            "no tracked run passes these filters: 'dvc pull' brings what is tracked, 'selu plan' lists all."
        )
    cores = os.cpu_count() or 1
    seconds = {run.name: _seconds(run) / cores for run in present}
    names = set(seconds) if minutes is None else shortest(seconds, minutes * 60)
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
    """Return the seconds of one core that the tracked run took."""
    return float(record.read_run(run.folder)["cost"]["unit_seconds"])


def _named(runs: Sequence[Planned]) -> Wanted:
    """Return filters that these runs pass (other runs may pass them, too)."""
    tasks = dict.fromkeys(run.task.id for run in runs)
    systems, environments = ({getattr(run, field): None for run in runs} for field in ("system", "environment"))
    return Wanted(tuple(tasks), tuple(systems), environments=tuple(environments))


def _prepare(root: Path, runs: Sequence[Planned]) -> Path:
    """Prepare the folder of the new runs: the clone's inputs as links, and its own results."""
    if lacking := sorted({run.task.id for run in runs if not has_data(root, run.task.id)}):
        have = "has" if len(lacking) == 1 else "have"
        raise MachineError(
            f"{', '.join(lacking)} {have} no prepared rows here: 'make data' fetches and prepares them all."
        )
    for name in sorted({run.environment for run in runs}):
        environments.interpreter(root, name)
    again = root / AGAIN
    again.mkdir(parents=True, exist_ok=True)
    for name in _INPUTS:
        link = again / name
        if (root / name).exists() and not link.is_symlink():
            link.symlink_to((root / name).absolute())
    return again


def _difference(tracked: Planned, new: Planned) -> tuple[str, bool] | None:
    """Return None if predictions are equal; else a sentence, and whether the scores differ.

    A training of floats gives the same bits on the same kind of processor only: its score may move within the
    interval that the tracked one has over its test rows. A baseline has no such excuse.
    """
    before, after = (record.read_run(run.folder) for run in (tracked, new))
    name = record.PREDICTIONS
    if before["files"][name] == after["files"][name]:
        return None
    old, answers = (record.read_predictions(run.folder)["prediction"] for run in (tracked, new))
    changed = sum(a != b for a, b in zip(old, answers, strict=True))
    scores, now = record.read_scores(tracked.folder), record.read_scores(new.folder)["value"]
    interval = scores["intervals"][scores["metric"]]
    inside = interval["low"] <= now <= interval["high"]
    where = "within" if inside else "outside"
    sentence = (
        f"{changed} of {len(old)} answers differ, {scores['metric']} is {now:.4f} where {scores['value']:.4f} "
        f"is tracked, {where} its interval [{interval['low']:.4f}, {interval['high']:.4f}]"
    )
    return sentence, not (inside and tracked.environment in FINETUNE_LOCKS)
