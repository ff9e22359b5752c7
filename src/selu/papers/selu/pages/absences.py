"""Scores that are absent, on the pages: grouped by reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict


class Absence(TypedDict):
    """Scores that are absent for one reason, by tasks and names of systems."""

    state: str
    reason: str
    count: int
    tasks: list[str]
    systems: list[str]


class Absent(TypedDict):
    """An absent score, or any record of a score."""

    task: str
    system: str
    state: str
    reason: str | None


def absences(cells: Iterable[Absent], names: Mapping[str, str]) -> list[Absence]:
    """Group scores by state and reason, each group with its tasks and the names of its systems.

    Args:
        names: of systems, by id.
    """
    found: dict[tuple[str, str], list[Absent]] = {}
    for cell in cells:
        found.setdefault((str(cell["state"]), cell["reason"] or "no reason recorded"), []).append(cell)
    return [
        {
            "state": state,
            "reason": reason,
            "count": len(group),
            "tasks": list(dict.fromkeys(cell["task"] for cell in group)),
            "systems": list(dict.fromkeys(names[cell["system"]] for cell in group)),
        }
        for (state, reason), group in found.items()
    ]
