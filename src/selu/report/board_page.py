"""A page of one table of scores: a single file, which opens from disk and loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from markupsafe import Markup

from selu import __version__
from selu.boards.found import Found, SystemFound, TaskFound
from selu.boards.sentence import depending
from selu.names import DASH
from selu.report.site_assets import STATIC, scale_css, step, templates
from selu.report.site_words import fixed

SHOWN, TASKS = 50, 60  # systems and tasks that a page shows; a record has all of them


def page_of(name: str, systems: Sequence[str], found: Found) -> str:
    """Write the page of what ``boards.findings`` found in a table.

    Args:
        name: of the file that was read.
        systems: in the order of the rows of ``found["scores"]``.
    """
    names = ("site.css", "board.css", "site.js")
    static = {file: Markup((STATIC / file).read_text("utf-8")) for file in names}
    return (
        templates()
        .get_template("board.html.j2")
        .render(
            view_of(systems, found),
            name=name,
            version=__version__,
            css=static["site.css"] + static["board.css"] + Markup(scale_css()),
            js=static["site.js"],
        )
    )


class HeatCell(TypedDict):
    """A score, the step of its colour, and whether it is best; ``page``: where it comes from."""

    text: str
    step: str
    best: bool
    page: NotRequired[str]


class HeatLine(TypedDict):
    """The scores of a system."""

    system: str
    cells: list[HeatCell]
    page: NotRequired[str]


class View(TypedDict):
    """A board as a page shows it: the first systems and tasks, and how many are left out."""

    found: Found
    shown: list[SystemFound]
    left: int
    axis: tuple[float, float]
    depending: list[str]
    heat: list[HeatLine]
    tasks: list[TaskFound]


def view_of(systems: Sequence[str], found: Found) -> View:
    """Prepare findings for a page; arguments as in ``page_of``."""
    shown = found["systems"][:SHOWN]
    return {
        "found": found,
        "shown": shown,
        "left": len(found["systems"]) - len(shown),
        "axis": _axis(shown),
        "depending": depending(found),
        "heat": _heat(systems, found),
        "tasks": found["tasks"][:TASKS],
    }


def _axis(rows: Sequence[SystemFound]) -> tuple[float, float]:
    """Return the ends of the axis on which means and their intervals are drawn."""
    values = [end for row in rows for end in (row["low"], row["mean"], row["high"]) if end is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _heat(systems: Sequence[str], found: Found) -> list[HeatLine]:
    """Return the scores of the shown systems by rank, each coloured between its task's worst and best."""
    rows, tasks = dict(zip(systems, found["scores"], strict=True)), found["tasks"][:TASKS]
    columns = [[v for row in found["scores"] if (v := row[at]) is not None] for at in range(len(tasks))]
    ends = [(min(column, default=0.0), max(column, default=0.0)) for column in columns]
    lines: list[HeatLine] = []
    for row in found["systems"][:SHOWN]:
        cells: list[HeatCell] = []
        for at, task in enumerate(tasks):
            value, (low, high) = rows[row["system"]][at], ends[at]
            share = None if value is None else 0.5 if high == low else (value - low) / (high - low)
            if share is not None and task["lower_is_better"]:
                share = 1 - share
            text = DASH if value is None else fixed(value, min(task["decimals"], 4))
            cells.append({"text": text, "step": step(share), "best": row["system"] in task["best"]})
        lines.append({"system": row["system"], "cells": cells})
    return lines
