"""SELU's scores for the pages of tasks and systems: published, and beside them what was made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selu.papers.declared import read_mapping
from selu.papers.evidence import Record
from selu.papers.page import Page
from selu.papers.selu.records.reruns import RecountedCell, RerunCell
from selu.papers.selu.records.statistics import CheckedStatistics, TaskEntry
from selu.papers.task_pages import Published
from selu.vocabulary import CellState

SYSTEM_PAGE = "systems/{}.html"


def published_scores(statistics: CheckedStatistics) -> Mapping[str, Sequence[Published]]:
    """List each task's scores in the order of the systems.

    Args:
        statistics: as of ``reruns.merged``: each cell with what was ``checked`` of it, or None.
    """
    names = {system["id"]: system["name"] for system in statistics["systems"]}
    found: dict[str, list[Published]] = {}
    for cell in statistics["cells"]:
        present = cell["state"] == CellState.PRESENT
        one = Published(
            cell["system"],
            names[cell["system"]],
            cell["printed"] if present else None,
            None if present else f"{cell['state']}: {cell['reason']}",
            _checked(cell["checked"]),
            f"Table VI, row {cell['task']}, column {names[cell['system']]}" if present else "",
        )
        found.setdefault(cell["task"], []).append(one)
    return found


def _checked(checked: RerunCell | RecountedCell | None) -> Record | None:
    if checked is None:
        return None
    shown = ("evidence", "verdict", "reason", "value", "low", "high", "rows", "about_interval")
    return {name: checked.get(name) for name in shown}


def examples() -> Mapping[str, Sequence[Record]]:
    """Read the rows made up for this project, by task."""
    return read_mapping("selu.papers.selu", "prompts/examples.yaml")


def system_pages(statistics: CheckedStatistics) -> Mapping[str, Page]:
    """Make a page for each system of the paper, by its address: what it is, and its place on every task."""
    scores = published_scores(statistics)
    overall = {row["system"]: row for row in statistics["leaderboards"][0]["rows"]}
    pages = {}
    for system in statistics["systems"]:
        rows = [_place(task, scores[task["id"]], system["id"]) for task in statistics["tasks"]]
        ranked = sorted((row for row in rows if row["rank"]), key=lambda row: (row["rank"], row["id"]))
        view = {
            "system": system,
            "overall": overall.get(system["id"]),
            "of": len(overall),
            "rows": rows,
            "best": ranked[:3],
            "first": sum(row["rank"] == 1 for row in ranked),
            "checked": sum(row["checked"] is not None for row in rows),
        }
        pages[SYSTEM_PAGE.format(system["id"])] = Page("system", view)
    return pages


def _place(task: TaskEntry, scores: Sequence[Published], system: str) -> dict[str, Any]:
    """A system's place on a task: its rank, and where it and all others lie between lowest and highest."""
    (own,) = (one for one in scores if one.system == system)
    values = [float(one.score) for one in scores if one.score is not None]
    shown = {"id": task["id"], "metric": task["metric"], "score": own.score, "reason": own.reason}
    if own.score is None:
        return {**shown, "rank": None, "checked": None, "of": len(values)}
    value, low, high = float(own.score), min(values), max(values)
    width = high - low or 1.0
    return {
        **shown,
        "checked": own.checked,
        "rank": 1 + sum(other > value for other in values),
        "of": len(values),
        "behind": high - value,
        "at": f"{100 * (value - low) / width:.1f}",
        "others": [f"{100 * (other - low) / width:.1f}" for other in values],
    }
