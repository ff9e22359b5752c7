"""The runs of a cell under the current parameters: their states and, where they stand, their scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from selu.evidence.recomputing import Scores
from selu.execution import plans, results
from selu.execution.planned import Planned, Wanted, metric_of
from selu.execution.plans import family_of
from selu.runs import record
from selu.vocabulary import Metric, Task

Row = dict[str, Any]


def rows(root: Path, task: Task, system: str) -> tuple[str, list[Row]]:
    """How the task's rows stand to the paper's, and what stands of each run.

    Raises:
        SeluError: a task that is not prepared, or scores that are not those of their predictions.
    """
    planned, scores = plans.plan(root, Wanted((task.id,), (system,))), Scores(root, bounds=False)
    return planned[0].standing, [_row(scores, run) for run in planned]


def _row(reader: Scores, run: Planned) -> Row:
    """The state of a run and, where it stands and is scored, its score, higher where it is better."""
    state = record.state(run.folder, run.identity)
    row: Row = {"run": run.folder.name, "state": str(state)}
    if state is record.State.FAILED:
        return row | {"error": record.read_run(run.folder)["error"]}
    if state is not record.State.PRESENT:
        return row
    if not results.has_scores(reader.root, run):
        return row | {"state": "not scored"}
    row |= _scored(run, reader.read(run.folder))
    tell = family_of(run).tell
    return row | tell(record.read_run(run.folder, run.identity)) if tell else row


def _scored(run: Planned, scores: Row) -> Row:
    name = metric_of(run.task.kind)
    bounds = scores["intervals"][name]
    low, high = sorted(_turned(name, bounds[end]) for end in ("low", "high"))
    value, interval = _turned(name, scores["value"]), f"{low:.3f} to {high:.3f}"
    constant = {"constant": True} if scores["constant"] else {}
    if run.task.metric is not Metric.F1_POSITIVE:
        return {"value": value, "interval": interval, **constant}
    both = {"f1 of both classes": value, "its interval": interval}
    return {**constant, "value": scores["scores"]["f1_per_class"][1], **both}


def _turned(metric: str, value: float) -> float:
    """A score as papers print it, where higher is better."""
    return 1 - value if metric == "smape" else value
