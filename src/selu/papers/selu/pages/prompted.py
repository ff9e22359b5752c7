"""Runs of prompted systems on the site: scores by both protocols, and beside them the invalid replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selu.papers.selu.pages.absences import absences
from selu.papers.selu.records.prompted import PromptedCell, PromptedRun
from selu.papers.selu.records.reruns import PARTS, Part
from selu.vocabulary import WHOLE, CellState


def view(cells: Sequence[PromptedCell]) -> Mapping[str, object]:
    """Return scores of which a protocol is present, with their invalid replies, and why others are missing.

    Args:
        cells: ``cells`` of prompted.json.
    """
    gone = (cell for cell in cells if cell["state"] not in (CellState.PRESENT, CellState.ABSENT_BY_DESIGN))
    names = {cell["system"]: cell["name"] for cell in cells}
    rows = [_row(cell, runs) for cell in cells if (runs := _present(cell))]
    return {"rows": rows, "absent": absences(gone, names)}


def _present(cell: PromptedCell) -> Mapping[Part, PromptedRun]:
    runs = ((part, cell[part]) for part in PARTS)
    return {part: run for part, run in runs if run and run["state"] == CellState.PRESENT}


def _row(cell: PromptedCell, runs: Mapping[Part, PromptedRun]) -> Mapping[str, object]:
    """Return a score whose replies, and so the invalid ones, both protocols share."""
    invalid = next(iter(runs.values()))["invalid"]
    return {
        **cell,
        **{part: runs.get(part) for part in PARTS},
        "invalid": invalid,
        "reasons": sorted(invalid["reasons"].items(), key=lambda pair: (-pair[1], pair[0])),
        "partial": cell["standing"] not in WHOLE,
    }
