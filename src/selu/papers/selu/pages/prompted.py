"""Runs of prompted systems on the site: scores by both protocols, and beside them the invalid replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selu.papers.selu.pages.absences import absences
from selu.vocabulary import CellState

Record = Mapping[str, Any]
_PARTS = ("strict", "paper")
_WHOLE = ("equal", "package")  # standings of rows that are the paper's


def view(cells: Sequence[Record]) -> dict[str, Any]:
    """Return cells of which a protocol stands, with their invalid replies, and why others are not there.

    Args:
        cells: ``cells`` of prompted.json.
    """
    gone = (cell for cell in cells if cell["state"] not in (CellState.PRESENT, CellState.ABSENT_BY_DESIGN))
    return {"rows": [_row(cell) for cell in cells if _standing(cell)], "absent": absences(gone)}


def _standing(cell: Record) -> list[str]:
    return [part for part in _PARTS if (cell[part] or {}).get("state") == CellState.PRESENT]


def _row(cell: Record) -> dict[str, Any]:
    """A cell whose replies, and so what is invalid of them, both protocols share."""
    there = _standing(cell)
    invalid = cell[there[0]]["invalid"]
    return {
        **cell,
        **{part: cell[part] if part in there else None for part in _PARTS},
        "invalid": invalid,
        "reasons": sorted(invalid["reasons"].items(), key=lambda pair: (-pair[1], pair[0])),
        "partial": cell["standing"] not in _WHOLE,
    }
