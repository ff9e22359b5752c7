"""``selu run``: cells from prepared rows to predictions and scores, resumable at every candidate of a grid.

A lesson is what a learner is given: rows to learn from and texts to answer. Each candidate of the grid is a
unit, fitted by one of several worker processes and kept, sealed, below ``.selu``; a restart takes what is
there. Under protocol ``paper`` the candidates answer the test rows and the best of them is the run. Under
``strict`` they answer the validation rows, and the one picked is fitted anew on train and validation together.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.commands import lessons, planning, protocols, scoring
from selu.commands.environments import Environments
from selu.commands.lessons import Lesson, Spent
from selu.commands.planning import Planned, Wanted
from selu.commands.preparation import CLEAN, RECORDS, SPLITS
from selu.project import read_json
from selu.runs import record, resources
from selu.vocabulary import MachineError, SeluError

if TYPE_CHECKING:
    import pandas as pd

ONLY = ("missing", "failed", "all", "none")
Progress = Callable[[str], None]


def run(root: Path, wanted: Wanted, only: str, jobs: int | None, progress: Progress) -> list[Path]:
    """Run what the filters and ``only`` ask for, the rest when one fails; returns the folders written.

    Args:
        only: missing (whatever does not stand under its present identity), failed, all, or none.
        jobs: worker processes; by default one a core.

    Raises:
        SeluError: a wrong filter, a missing environment, or runs that failed (after the others were done).
    """
    if only not in ONLY:
        raise SeluError(f"--only takes {', '.join(ONLY)}, not {only!r}.")
    if jobs is not None and jobs < 1:
        raise SeluError("--jobs takes a number from 1 on.")
    chosen = [(planned, _work(planned, only)) for planned in planning.plan(root, wanted)]
    todo = [planned for planned, work in chosen if work]
    written, failed = [], {}
    lessons.sweep(root)
    with Environments(root, jobs or os.cpu_count() or 1) as environments:
        for number, planned in enumerate(todo, start=1):
            progress(f"[{number}/{len(todo)}] {planned.name} ({planned.environment})")
            try:
                written.append(_run(root, planned, environments, only == "all", progress))
            except (SeluError, ValueError, OSError) as error:
                failed[planned.name] = sentence = _sentence(error)
                progress(f"{planned.name}: {sentence}")
                if not isinstance(error, (MachineError, OSError)):
                    _record_failure(planned, sentence)
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


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}; nothing is half-written."
    return (str(error).splitlines() or [type(error).__name__])[0]


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
        if anew or (not scoring.current(root, planned) and planning.has_data(root, planned.task.id)):
            progress(f"scoring {planned.name}")
            written.append(scoring.score(root, planned, rows_of(root, planned)))
    return written


def rows_of(root: Path, planned: Planned) -> pd.DataFrame:
    """Rows of a task as the protocol sees them: id, text, label, part (train, validation, test) and grouped.

    Raises:
        SeluError: they are missing or not those that the task's record vouches for, or labels are not declared.
    """
    from selu.sources import clean
    from selu.splits import files

    task, made_by = planned.task, f"selu prepare {planned.task.id}"
    known = read_json(root / RECORDS / task.id / "record.json", made_by, ("hashes",))
    if not planning.has_data(root, task.id):
        raise MachineError(f"{task.id} has no prepared rows here: run '{made_by}'.")
    path = root / SPLITS / task.id / "split.csv"
    try:
        table = clean.read(root / CLEAN / f"{task.id}.parquet", known["hashes"]["clean"], made_by)
        split = files.read_split(path.read_bytes(), table["id"].tolist(), str(path))
    except SeluError as error:  # files that are not the recorded ones say nothing of the cell
        raise MachineError(str(error)) from None
    rows = protocols.view(table, split, planned.fields["data"]["text"], planned.protocol)
    check_labels(rows["label"].tolist(), task.kind, len(task.labels), task.id)
    return rows


def check_labels(labels: Sequence[Any], kind: str, declared: int, name: str) -> None:
    """Refuse labels that the task does not declare, and targets that are no numbers.

    Raises:
        SeluError: naming the task and the first such label.
    """
    again = f"the rows of {name} and its declaration in tasks.yaml differ; run 'selu prepare {name}'"
    if kind == "regression":
        if any(not isinstance(value, (int, float)) or not math.isfinite(value) for value in labels):
            raise SeluError(f"a target of {name} is not a finite number: run 'selu prepare {name}'.")
        return
    if kind == "multi_label":
        if any(len(row) != declared or set(row) - {0, 1} for row in labels):
            raise SeluError(f"a row has not {declared} labels of 0 or 1: {again}.")
        return
    if foreign := {value for value in labels if value not in range(declared)}:
        raise SeluError(f"a row has the label {min(foreign)}, not one of 0 to {declared - 1}: {again}.")


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
        **_provenance(planned, environments, spent),
        "state": "present",
        "chosen": dict(planned.grid[best]),
        "grid": grid,
        "cost": spent.cost(),
    }
    _check_unchanged(root, planned)
    record.write_run(planned.folder, {record.PREDICTIONS: predictions}, content)
    path = scoring.score(root, planned, rows)
    value, seconds = record.read_scores(planned.folder)["value"], content["cost"]["wall_seconds"]
    progress(f"{planned.name}: {metric} {value:.4f}{_on(planned)}, {seconds:.0f} s")
    return path


def _on(planned: Planned) -> str:
    """What a score stands on, where that is not all of the paper's rows."""
    return {"synthetic": " on synthetic rows", "partial": " on part of the rows"}.get(planned.standing, "")


def _check_unchanged(root: Path, planned: Planned) -> None:
    """Sources are hashed when a run is planned and again at its end (DESIGN, rule 3)."""
    try:
        same = planned.identity == planning.plan_again(root, planned).identity
    except SeluError:
        same = False
    if not same:
        raise MachineError(f"the sources or parameters changed while {planned.name} ran: run it again.")


def _provenance(planned: Planned, environments: Environments, spent: Spent) -> dict[str, Any]:
    return {
        "identity": planned.identity,
        "fields": dict(planned.fields),
        "standing": planned.standing,
        "environment": planned.environment,
        "picked_on": planned.fields["pick"]["on"],
        "versions": environments.versions(planned),
        "machine": resources.machine(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(spent.started)),
    }


def _record_failure(planned: Planned, error: str) -> None:
    if record.state(planned.folder, planned.identity) is record.State.PRESENT:
        return
    record.write_failed(
        planned.folder,
        {
            "state": "failed",
            "error": error,
            "identity": planned.identity,
            "fields": dict(planned.fields),
            "standing": planned.standing,
            "environment": planned.environment,
        },
    )
