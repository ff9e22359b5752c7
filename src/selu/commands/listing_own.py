"""``selu list`` and ``selu show`` of one's own tasks, and of what was run of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from selu.benchmarks import own
from selu.benchmarks.own import Own, names
from selu.commands import listing_extra, listing_prompt, planning, planning_baselines
from selu.commands import planning_finetune as finetune
from selu.commands.listing import nearest
from selu.commands.planned import Wanted
from selu.commands.planning_prompt import known as prompted
from selu.commands.recomputing import Scores
from selu.commands.tasks import is_own, record_of, tasks_of
from selu.vocabulary import Task

STATE = "a task of one's own, in no table of the paper"
Row = dict[str, Any]

__all__ = ["cell", "find", "names", "task", "tasks"]


def tasks(root: Path, fields: Sequence[str]) -> list[Row]:
    """Rows of ``selu list tasks``."""
    return [
        {field: getattr(task, field) for field in fields}
        | {
            "instances": task.instances or None,
            "data": own.STANDING if record_of(root, task.id).is_file() else None,
        }
        for task in tasks_of(root)
        if is_own(task.id)
    ]


def find(root: Path, name: str) -> Own | None:
    """The task of this id, whatever its case.

    Raises:
        SeluError: its record is wrong.
    """
    id = name.lower()
    if id not in names(root):
        return None
    task = tasks_of(root, [id])[-1]
    return own.read(root, id, task.instances)


def task(mine: Own) -> Row:
    """The record of a task."""
    declared = dataclasses.asdict(mine.record) | {
        "labels": [dataclasses.asdict(one) for one in mine.task.labels]
    }
    shown = {name: value for name, value in declared.items() if value is not None and name != "file"}
    return {
        "id": mine.task.id,
        "state": STATE,
        **shown,
        "metric": mine.task.metric,
        "instances": mine.task.instances or None,
        "rows": str(mine.csv),
    }


def cell(root: Path, task: Task, name: str) -> Row:
    """A cell of such a task: its runs under the current parameters.

    Raises:
        SeluError: an unknown system, or a task that is not prepared.
    """
    models, asked = finetune.known(root), prompted(root)
    every = [*planning_baselines.SYSTEMS, *models, *asked]
    ids = {id.lower(): id for id in every} | {system.name.lower(): id for id, (system, _) in models.items()}
    if name.lower() not in ids:
        raise nearest(name, every, "system that can be run")
    system = ids[name.lower()]
    shown: Row = {
        "cell": f"{task.id}/{system}",
        "state": STATE,
        "metric": task.metric,
        "question": task.question,
    }
    if system in asked:
        return shown | (listing_prompt.runs(root, task, system) or {"runs": "none yet: 'selu run' makes them"})
    runs = planning.plan(root, Wanted((task.id,), (system,)))
    scores = Scores(root, bounds=False)
    return shown | {"data": runs[0].standing, "runs": [listing_extra.run_of(scores, run) for run in runs]}
