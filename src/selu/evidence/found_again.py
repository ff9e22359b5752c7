"""What was found when a cell that a paper prints was run again, in the few fields that are shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from selu import registry
from selu.benchmarks.api import Scored
from selu.evidence.evidence import Evidence
from selu.evidence.tracked import interval_of, tracked_cells
from selu.vocabulary import Cell, CellState

Row = dict[str, Any]


def found_again(root: Path, scored: Scored, cell: Cell, here: bool) -> Row:
    """Show what was run again of a cell, as its runs stand now; where none is here, as the report has it.

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
        return _earned(tracked_cells(root, task.benchmark, needed=True).get(key))
    shown, reported = _earned(now), tracked_cells(root, task.benchmark).get(key)
    if shown == _earned(reported):
        return shown
    value = reported and reported["value"]
    said = "has no such score" if value is None else f"says {value:.4f}"
    return shown | {"report": f"cells.json is older and {said}: 'selu report cells' makes it anew"}


def _earned(cell: Row | None) -> Row:
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
        "rows": f"{cell['rows']:,} test rows ({cell['standing']})",
    }
    if cell["reason"]:
        shown["reason"] = cell["reason"]
    shown |= {part: cell[part]["value"] for part in ("strict", "current") if cell[part]}
    return shown | {name: cell[name] for name in ("run", "chosen", "seeds") if cell[name]}
