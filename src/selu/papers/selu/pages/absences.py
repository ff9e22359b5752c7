"""Cells without a score on the pages: grouped by why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Record = Mapping[str, Any]


def absences(cells: Iterable[Record], names: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """Group cells by state and reason, each group with its tasks and the names of its systems.

    Args:
        names: of systems, by id; without it each cell has its own ``name``.
    """
    found: dict[tuple[str, str], list[Record]] = {}
    for cell in cells:
        found.setdefault((str(cell["state"]), cell["reason"] or "no reason recorded"), []).append(cell)
    return [
        {
            "state": state,
            "reason": reason,
            "count": len(group),
            "tasks": list(dict.fromkeys(cell["task"] for cell in group)),
            "systems": list(dict.fromkeys(names[cell["system"]] if names else cell["name"] for cell in group)),
        }
        for (state, reason), group in found.items()
    ]
