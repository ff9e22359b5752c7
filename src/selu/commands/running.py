"""``selu run``: cells from prepared rows to predictions and scores, resumable at every candidate of a grid.

A lesson is what a learner is given: rows to learn from and texts to answer. Each candidate of the grid is a
unit, fitted by one of several worker processes and kept, sealed, below ``.selu``; a restart takes what is
there. Under protocol ``paper`` the candidates answer the test rows and the best of them is the run. Under
``strict`` they answer the validation rows, and the one picked is fitted anew on train and validation together.

Fine-tuned systems come after the baselines, several trainings at once (``finetuning``), then prompted ones
(``prompting``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from selu.commands import evaluating, finetuning, lessons, planning, prompting, protocols, recording
from selu.commands.environments import Environments
from selu.commands.lessons import Lesson, Spent
from selu.commands.planned import Planned, Wanted
from selu.commands.prepared import rows_of
from selu.runs import record
from selu.vocabulary import MachineError, SeluError

__all__ = ["ONLY", "rows_of", "run", "score"]
ONLY = ("missing", "failed", "all", "none")
Progress = Callable[[str], None]


def run(
    root: Path, wanted: Wanted, only: str, jobs: int | None, progress: Progress, max_cost: float | None = None
) -> list[Path]:
    """Run what the filters and ``only`` ask for, the rest when one fails; returns the folders written.

    Args:
        only: missing (whatever does not stand under its present identity), failed, all, or none.
        jobs: worker processes; by default one a core (of fine-tuning: ``finetuning.run_all``).
        max_cost: USD that prompted systems may cost from now on.

    Raises:
        SeluError: a wrong filter, a missing environment, or runs that failed (after the others were done).
    """
    if only not in ONLY:
        raise SeluError(f"--only takes {', '.join(ONLY)}, not {only!r}.")
    if jobs is not None and jobs < 1:
        raise SeluError("--jobs takes a number from 1 on.")
    if max_cost is not None and not max_cost >= 0:
        raise SeluError("--max-cost takes an amount in USD from 0 on.")
    chosen = [(planned, _work(planned, only)) for planned in planning.plan(root, wanted)]
    todo = [planned for planned, work in chosen if work]
    written: list[Path] = []
    failed: dict[str, str] = {}

    def ended(planned: Planned, result: Path | Exception) -> None:
        if isinstance(result, Path):
            written.append(result)
            return
        failed[planned.name] = sentence = recording.sentence(result)
        progress(f"{planned.name}: {sentence}")
        if not isinstance(result, (MachineError, OSError)):
            recording.record_failure(planned, sentence)

    lessons.sweep(root)
    plain = [one for one in todo if not (one.finetuned or one.prompted)]
    _baselines(root, plain, only == "all", jobs, progress, ended)
    trainings = [one for one in todo if one.finetuned]
    finetuning.run_all(root, trainings, jobs, only == "all", progress, ended)
    prompting.run_all(root, [one for one in todo if one.prompted], max_cost, progress, ended)
    for planned in (planned for planned, work in chosen if not work and only == "missing"):
        try:
            written += score(root, [planned], progress)
        except SeluError as error:
            failed[planned.name] = str(error)
            progress(f"{planned.name}: {error}")
    done = sum(planned.name not in failed for planned in todo)
    progress(
        f"{len(chosen)} runs: {done} run, {len(chosen) - len(todo)} left as they are, {len(failed)} failed"
    )
    if failed:
        names = ", ".join(failed)
        raise SeluError(f"{len(failed)} of {len(chosen)} runs failed, for the reasons above: {names}.")
    return written


def _baselines(
    root: Path,
    runs: Sequence[Planned],
    anew: bool,
    jobs: int | None,
    progress: Progress,
    ended: finetuning.Ended,
) -> None:
    """Grids of baselines, one run after the other: the candidates of each go side by side."""
    with Environments(root, jobs or os.cpu_count() or 1) as environments:
        for number, planned in enumerate(runs, start=1):
            progress(f"[{number}/{len(runs)}] {planned.name} ({planned.environment})")
            try:
                ended(planned, _run(root, planned, environments, anew, progress))
            except (SeluError, ValueError, OSError) as error:
                ended(planned, error)


def _work(planned: Planned, only: str) -> bool:
    record.settle(planned.folder)  # what a killed run left must not be tracked
    state = record.state(planned.folder, planned.identity)
    if only == "missing":
        return state not in (record.State.PRESENT, record.State.FAILED)
    return only == "all" or (only == "failed" and state is record.State.FAILED)


def score(root: Path, runs: Sequence[Planned], progress: Progress, anew: bool = False) -> list[Path]:
    """Score the runs that stand and whose scores do not, for a metric or the intervals' knobs changed.

    Args:
        anew: all that stand. Otherwise a run whose rows are not here keeps its old scores.

    Raises:
        SeluError: ``anew``, and the rows are not here.
    """
    written = []
    for planned in runs:
        if record.state(planned.folder, planned.identity) is not record.State.PRESENT:
            if anew:
                state = record.state(planned.folder, planned.identity)
                progress(f"{planned.name}: its run is {state}: 'selu run' makes it")
            continue
        if anew or (not evaluating.current(root, planned) and planning.has_data(root, planned.task.id)):
            progress(f"scoring {planned.name}")
            written.append(evaluating.score(root, planned, rows_of(root, planned)))
    return written


def _run(root: Path, planned: Planned, environments: Environments, anew: bool, progress: Progress) -> Path:
    rows, spent = rows_of(root, planned), Spent()
    fit, asked = protocols.candidates(rows, planned.protocol)
    units = Lesson(root, planned, fit, asked).learn(planned.grid, environments, anew, spent, progress)
    truth = asked["label"].tolist()
    metric, kind, labels = planned.fields["pick"]["metric"], planned.task.kind, len(planned.task.labels)
    scores = [protocols.primary(kind, labels, metric, truth, unit["answers"]) for unit in units]
    best = protocols.pick(scores, planned.fields["pick"]["best"])
    fit, test = protocols.picked(rows)
    answers = units[best]["answers"]
    if planned.protocol == "strict":
        again = Lesson(root, planned, fit, test)
        answers = again.learn([planned.grid[best]], environments, anew, spent, progress)[0]["answers"]
    predictions = protocols.to_parquet(test["id"].tolist(), answers, planned.task.kind)
    grid = [
        {**params, "score": score, "seconds": unit["cost"]["seconds"]}
        for params, score, unit in zip(planned.grid, scores, units, strict=True)
    ]
    content = {
        **recording.provenance(planned, environments.versions(planned), spent.started),
        "state": "present",
        "chosen": dict(planned.grid[best]),
        "grid": grid,
        "cost": spent.cost(),
    }
    recording.check_unchanged(root, planned)
    record.write_run(planned.folder, {record.PREDICTIONS: predictions}, content)
    path = evaluating.score(root, planned, rows)
    value, seconds = record.read_scores(planned.folder)["value"], content["cost"]["wall_seconds"]
    progress(f"{planned.name}: {metric} {value:.4f}{recording.standing_of(planned)}, {seconds:.0f} s")
    return path
