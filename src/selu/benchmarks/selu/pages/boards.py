"""What the pages show of tasks, systems and cells: summary, leaderboard, heat map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from selu.benchmarks.selu.pages.absences import absences
from selu.report.site_assets import step
from selu.report.site_words import missing
from selu.vocabulary import Approach, CellState, Evidence, Family, Kind

Record = Mapping[str, Any]
_REFERENCE = "all"


def summary(statistics: Record) -> dict[str, Any]:
    """Count for the head of the pages: tasks, systems, and cells by state and by evidence."""
    states = Counter(str(cell["state"]) for cell in statistics["cells"])
    evidence = Counter(str(cell["evidence"]) for cell in statistics["cells"] if cell["evidence"])
    return {
        "tasks": len(statistics["tasks"]),
        "ranked": sum(bool(task["ranked"]) for task in statistics["tasks"]),
        "systems": len(statistics["systems"]),
        "cells": len(statistics["cells"]),
        "states": {state.value: states[state] for state in CellState if states[state]},
        "evidence": {word.value: evidence[word] for word in Evidence if evidence[word]},
    }


def leaderboard(statistics: Record) -> dict[str, Any]:
    """Return rows of every scope in one list, the scopes with what their averages are over, and the filters."""
    systems = {system["id"]: system for system in statistics["systems"]}
    cells = _by_place(statistics)
    rows, scopes = [], []
    for board in statistics["leaderboards"]:
        scopes.append(_scope(board, statistics, cells))
        for row in board["rows"]:
            present = [task for task in board["tasks"] if task not in row["missing"]]
            rows.append(
                {
                    **row,
                    "family": board["family"],
                    "kind": board["kind"],
                    "about": systems[row["system"]],
                    "evidence": _evidence(cells[task, row["system"]] for task in present),
                    "bar": _bar(row),
                }
            )
    return {
        "rows": rows,
        "scopes": scopes,
        "default": (_REFERENCE, _REFERENCE),
        "families": _in_order(Family, (scope["family"] for scope in scopes)),
        "kinds": _in_order(Kind, (scope["kind"] for scope in scopes)),
        "approaches": _in_order(Approach, (system["approach"] for system in systems.values())),
        "architectures": sorted({s["architecture"] for s in systems.values() if s["architecture"]}),
    }


def _in_order(words: Iterable[str], used: Iterable[str]) -> list[str]:
    found = {str(item) for item in used}
    return [str(word) for word in words if str(word) in found]


def _by_place(statistics: Record) -> dict[tuple[str, str], Record]:
    return {(cell["task"], cell["system"]): cell for cell in statistics["cells"]}


def _scope(board: Record, statistics: Record, cells: Mapping[tuple[str, str], Record]) -> dict[str, Any]:
    """What the averages of one board are over, and who has none with the reasons that the cells give."""
    listed = {row["system"] for row in board["rows"]}
    absent: dict[str, list[str]] = {}
    for system in statistics["systems"]:
        if system["id"] not in listed:
            lost = [cells[task, system["id"]] for task in board["tasks"]]
            why = "; ".join(dict.fromkeys(f"{c['state']}: {c['reason'] or 'no reason recorded'}" for c in lost))
            absent.setdefault(why, []).append(system["name"])
    left_out = [
        task["id"]
        for task in statistics["tasks"]
        if board["kind"] == _REFERENCE
        and not task["ranked"]
        and board["family"] in (_REFERENCE, task["family"])
    ]
    return {
        "family": board["family"],
        "kind": board["kind"],
        "tasks": board["tasks"],
        "systems": len(listed),
        "absent": absent,
        "left_out": left_out,
    }


def _evidence(cells: Iterable[Record]) -> str:
    """The evidence of an average: every depth that its scores stand on."""
    used = {str(cell["evidence"]) for cell in cells}
    return ", ".join(word.value for word in Evidence if word.value in used)


def _bar(row: Record) -> dict[str, str] | None:
    """Interval and mean in percent of the axis 0..1, clipped to it; None without an interval."""
    if missing(row["ci_lower"]) or missing(row["ci_upper"]):
        return None
    low, high, at = (100 * min(max(row[key], 0.0), 1.0) for key in ("ci_lower", "ci_upper", "M"))
    return {"low": f"{low:.1f}", "width": f"{high - low:.1f}", "at": f"{at:.1f}"}


def heat_map(statistics: Record) -> dict[str, Any]:
    """Return tasks by kind across, systems by approach down, and why cells are not there."""
    cells = _by_place(statistics)
    kinds = [
        (kind.value, [task for task in statistics["tasks"] if task["kind"] == kind.value]) for kind in Kind
    ]
    kinds = [(kind, tasks) for kind, tasks in kinds if tasks]
    columns = [task for _, tasks in kinds for task in tasks]
    groups = []
    for approach in Approach:
        members = [system for system in statistics["systems"] if system["approach"] == approach.value]
        if members:
            rows = [
                {"system": system, "cells": [_cell(cells[task["id"], system["id"]]) for task in columns]}
                for system in members
            ]
            groups.append((approach.value, rows))
    return {"kinds": kinds, "columns": columns, "groups": groups, "reasons": _reasons(statistics)}


def _cell(cell: Record) -> dict[str, Any]:
    present = cell["state"] == CellState.PRESENT
    return {
        **cell,
        "present": present,
        "step": step(float(cell["printed"])) if present and cell["printed"] is not None else "",
    }


def _reasons(statistics: Record) -> list[dict[str, Any]]:
    """Cells that are not present, by state and reason, with the tasks and systems they belong to."""
    names = {system["id"]: system["name"] for system in statistics["systems"]}
    return absences((c for c in statistics["cells"] if c["state"] != CellState.PRESENT), names)
