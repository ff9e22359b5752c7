"""The runs of a cell under the current parameters, and the result of a paper's re-run cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu import registry
from selu.evidence.evidence import Evidence
from selu.evidence.recomputing import Scores
from selu.evidence.tracked import interval_of, tracked_cells
from selu.execution import plans, results
from selu.execution.planned import Planned, Wanted
from selu.execution.plans import family_of
from selu.metrics import kinds
from selu.papers.api import Scored
from selu.papers.records import turned
from selu.runs import record
from selu.stats.intervals import caution_of
from selu.vocabulary import Cell, CellState, Metric, Task
from selu.vocabulary import Evidence as Depth

if TYPE_CHECKING:
    from selu.contents import ScoresContent

Row = dict[str, Any]


def read_runs(root: Path, task: Task, system: str) -> tuple[str, list[Row]]:
    """Read the availability of the task's rows, and the state of each run.

    Raises:
        SeluError: a task that is not prepared, or scores that are not those of their predictions.
    """
    planned, scores = plans.plan(root, Wanted((task.id,), (system,))), Scores(root, bounds=False)
    return planned[0].availability, [_row(scores, run) for run in planned]


def read_system(root: Path, benchmark: str, system: str) -> list[Row]:
    """Read the runs of one system over the tasks of a benchmark: those with a score."""
    tasks, reader = tuple(task.id for task in registry.tasks(benchmark)), Scores(root, bounds=False)
    every = ((run, _row(reader, run)) for run in plans.plan(root, Wanted(tasks, (system,))))
    return [{"task": run.task.id, **row} for run, row in every if "value" in row]


def _row(reader: Scores, run: Planned) -> Row:
    """Return the state of a run and, if it is present and scored, its score with higher as better."""
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
    return {**row, **tell(record.read_run(run.folder, run.identity))} if tell else row


def _scored(run: Planned, scores: ScoresContent) -> Row:
    name = kinds.metric(run.task.kind)[0]
    bounds = scores["intervals"][name]
    low, high = sorted(turned(name, bounds[end]) for end in ("low", "high"))
    value, interval = turned(name, scores["value"]), f"{low:.3f} to {high:.3f}"
    constant: Row = {"constant": True} if scores["constant"] else {}
    if caution := caution_of(scores["rows"]):
        constant |= {"caution": caution}
    if run.task.metric is not Metric.F1_POSITIVE:
        return {"value": value, "interval": interval, **constant}
    both_classes = {"f1 of both classes": value, "its interval": interval}
    return {**constant, "value": scores["scores"]["f1_per_class"][1], **both_classes}


def find_again(root: Path, scored: Scored, cell: Cell, here: bool) -> Row:
    """Return the re-run of a score by its current runs, or as in the report if no run is here.

    Raises:
        SeluError: there is no report, or scores are not those of their predictions.
    """
    (task,) = (task for task in scored.tasks if task.id == cell.task)
    (system,) = (system for system in scored.systems if system.id == cell.system)
    cell_now, key = registry.benchmark(task.benchmark).cell_now, (cell.task, cell.system)
    if cell_now is None:
        return {}
    now = cell_now(Evidence(root, task.benchmark, bounds=False), scored, task, system) if here else None
    if now is None:
        return _checked(tracked_cells(root, task.benchmark, needed=True).get(key))
    shown, reported = _checked(now), tracked_cells(root, task.benchmark).get(key)
    if shown == _checked(reported):
        return shown
    value = reported and reported["value"]
    report_says = "has no such score" if value is None else f"says {value:.4f}"
    return shown | {"report": f"cells.json is older and {report_says}: 'selu report cells' makes it again"}


def _checked(cell: Row | None) -> Row:
    """Show what was run again of a cell, or why nothing was."""
    if cell is None or cell["state"] == CellState.ABSENT_BY_DESIGN:
        return {}
    if cell["value"] is None:
        return {"rerun": f"{cell['state']}: {cell['reason']}"}
    shown: Row = {
        "evidence": cell["evidence"],
        "value": cell["value"],
        "interval": interval_of(cell),
        "verdict": cell["verdict"],
    }
    if about := cell.get("about_interval"):
        shown["about the interval"] = about
    if cell["rows"] is not None:
        whose = "counted by the authors" if cell["evidence"] == Depth.RECOUNTED else cell["standing"]
        shown["rows"] = f"{cell['rows']:,} test rows ({whose})"
    if cell["reason"]:
        shown["reason"] = cell["reason"]
    shown |= {part: cell[part]["value"] for part in ("strict", "current") if cell.get(part)}
    return shown | {name: cell[name] for name in ("run", "chosen", "seeds") if cell.get(name)}
