"""``selu list`` and ``selu show`` of systems that are not in the paper, and of what was run of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from selu.benchmarks.catalogue import Extra
from selu.benchmarks.selu.cells import turned
from selu.commands import planning, planning_finetune, scoring
from selu.commands.planned import Planned, Wanted, metric_of
from selu.commands.recomputing import Scores
from selu.runs import record
from selu.vocabulary import CellState, Task

STATE = "not in the paper"
Row = dict[str, Any]


def systems(root: Path, fields: Sequence[str]) -> list[Row]:
    """Rows of ``selu list systems``."""
    return [
        {field: getattr(extra.system, field) for field in fields} | {"mean": None, "paper": False}
        for extra in planning_finetune.extras(root).values()
    ]


def find(root: Path, name: str) -> Extra | None:
    """The system of this id or printed name, whatever its case."""
    every = planning_finetune.extras(root).values()
    return next((e for e in every if name.lower() in (e.id.lower(), e.system.name.lower())), None)


def system(extra: Extra) -> Row:
    """The record of a system."""
    packaged = {"package": extra.package, "sha256": extra.revision}
    weights = packaged if extra.package else {"hub": extra.system.hub, "revision": extra.revision}
    return {**dataclasses.asdict(extra.system), "paper": STATE, "weights": weights}


def cell(root: Path, task: Task, extra: Extra) -> Row:
    """A cell that no table of the paper has: its runs under the current parameters."""
    shown: Row = {
        "cell": f"{task.id}/{extra.id}",
        "state": STATE,
        "metric": task.metric,
        "question": task.question,
    }
    absence = extra.system.absence(task)
    if absence is not None:
        return shown | {"state": CellState.ABSENT_BY_DESIGN, "reason": absence}
    runs, scores = planning.plan(root, Wanted((task.id,), (extra.id,))), Scores(root, bounds=False)
    return shown | {"data": runs[0].standing, "runs": [run_of(scores, run) for run in runs]}


def runs(root: Path, task: Task, name: str) -> Row:
    """Runs of an open model of the paper that are there; nothing where there are none."""
    found = planning_finetune.known(root).get(name)
    if found is None or found[0].absence(task) is not None:
        return {}
    scores = Scores(root, bounds=False)
    rows = [run_of(scores, run) for run in planning.plan(root, Wanted((task.id,), (name,)))]
    return {"runs": rows} if any(row["state"] != record.State.MISSING for row in rows) else {}


def run_of(reader: Scores, run: Planned) -> Row:
    """The state of a run and, where it stands and is scored, its score on Table VI's scale."""
    state = record.state(run.folder, run.identity)
    row: Row = {"run": run.folder.name, "state": str(state)}
    if state is record.State.FAILED:
        return row | {"error": record.read_run(run.folder)["error"]}
    if state is not record.State.PRESENT:
        return row
    if not scoring.current(reader.root, run):
        return row | {"state": "not scored"}
    scores, name = reader.read(run.folder), metric_of(run.task.kind)
    bounds = scores["intervals"][name]
    low, high = sorted(turned(name, bounds[end]) for end in ("low", "high"))
    row |= {"value": turned(name, scores["value"]), "interval": f"{low:.3f} to {high:.3f}"}
    return row | ({"constant": True} if scores["constant"] else {})
