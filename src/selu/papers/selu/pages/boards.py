"""Pages of tasks, systems and scores: summary, leaderboard, heat map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from selu.papers.selu.pages.absences import Absence, absences
from selu.papers.selu.records.statistics import CheckedScore, CheckedStatistics
from selu.report.site_assets import step
from selu.vocabulary import Approach, CellState, Evidence, Family, Kind

_REFERENCE = "all"
_CHECKED = (Evidence.RECOUNTED, Evidence.RE_SCORED, Evidence.RE_RUN)
_WIDEST = 0.3  # a distance from the best at which the scale of colours ends


def summary(statistics: CheckedStatistics) -> Mapping[str, object]:
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


def leaderboard(statistics: CheckedStatistics) -> Mapping[str, object]:
    """Return a row for each system, with its means by family and by type of task, and what these are over.

    Args:
        statistics: whose cells carry what was checked of them (``reruns.merged``).
    """
    boards = {(board["family"], board["kind"]): board for board in statistics["leaderboards"]}
    places = [(str(name), (str(name), _REFERENCE)) for name in Family]
    places += [(str(name), (_REFERENCE, str(name))) for name in Kind]
    parts = [(name, boards[place]) for name, place in places if place in boards]
    parts = [(name, board) for name, board in parts if len(board["tasks"]) > 1]
    means = {name: {row["system"]: row["M"] for row in board["rows"]} for name, board in parts}
    systems = {system["id"]: system for system in statistics["systems"]}
    checked = Counter(cell["system"] for cell in statistics["cells"] if cell["evidence"] in _CHECKED)
    whole = boards[_REFERENCE, _REFERENCE]
    rows = [
        {
            **row,
            "about": systems[row["system"]],
            "checked": checked[row["system"]],
            "means": [means[name].get(row["system"]) for name, _ in parts],
        }
        for row in whole["rows"]
    ]
    return {
        "rows": rows,
        "parts": [(name, board["tasks"]) for name, board in parts],
        "tasks": whole["tasks"],
        "left_out": [task["id"] for task in statistics["tasks"] if not task["ranked"]],
        "approaches": [str(word) for word in Approach if any(s["approach"] == word for s in systems.values())],
        "architectures": sorted({s["architecture"] for s in systems.values() if s["architecture"]}),
        "licences": sorted({s["licence"] for s in systems.values() if s["licence"]}),
    }


def heat_map(statistics: CheckedStatistics) -> Mapping[str, object]:
    """Return tasks by type across, systems by rank down with their means, and why cells are not there."""
    cells = {(cell["task"], cell["system"]): cell for cell in statistics["cells"]}
    kinds = [
        (kind.value, [task for task in statistics["tasks"] if task["kind"] == kind.value]) for kind in Kind
    ]
    kinds = [(kind, tasks) for kind, tasks in kinds if tasks]
    columns = [task for _, tasks in kinds for task in tasks]
    scores = {
        task["id"]: [
            float(c["printed"]) for c in statistics["cells"] if c["task"] == task["id"] and c["printed"]
        ]
        for task in columns
    }
    rows = [
        {
            "system": system,
            "cells": [_cell(cells[task["id"], system["id"]], scores[task["id"]]) for task in columns],
        }
        for system in statistics["systems"]
    ]
    return {"kinds": kinds, "columns": columns, "rows": rows, "reasons": _reasons(statistics)}


def _cell(cell: CheckedScore, scores: Sequence[float]) -> Mapping[str, object]:
    """Return a score with its rank on the task, its distance from the best, and the colour of that distance."""
    if cell["state"] != CellState.PRESENT or cell["printed"] is None:
        return {**cell, "present": False}
    value = float(cell["printed"])
    return {
        **cell,
        "present": True,
        "rank": 1 + sum(score > value for score in scores),
        "of": len(scores),
        "behind": max(scores) - value,
        "step": step(1 - (max(scores) - value) / _WIDEST),
        "checked": cell["evidence"] in _CHECKED,
    }


def _reasons(statistics: CheckedStatistics) -> list[Absence]:
    """List absent scores, by state and reason, with the tasks and systems they belong to."""
    names = {system["id"]: system["name"] for system in statistics["systems"]}
    return absences((c for c in statistics["cells"] if c["state"] != CellState.PRESENT), names)
