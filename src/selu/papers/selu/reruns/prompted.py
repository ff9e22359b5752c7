"""Entries of prompted.json: which are present, and what both protocols share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from selu.names import WORDING
from selu.papers.selu.formats import count, percent
from selu.papers.selu.records.prompted import (
    Agreement,
    AskingCost,
    Invalid,
    Prompted,
    PromptedCell,
    PromptedRun,
)
from selu.papers.selu.records.reruns import PARTS, Part
from selu.papers.selu.reruns.cells import PRESENT, planned
from selu.papers.selu.words import EMPTY


def agreed(record: Prompted) -> list[Agreement]:
    """List the agreements whose runs are both present."""
    return [entry for entry in record["agreements"] if entry["state"] == PRESENT]


def replies(cell: PromptedCell) -> Invalid:
    """Return the counts of invalid replies, which both protocols share."""
    return _either(cell)["invalid"]


def any_theirs(cells: Sequence[PromptedCell]) -> bool:
    """Return whether any of these scores' prompts use the authors' words."""
    return any("wording" in cell for cell in cells)


def words_of(cell: PromptedCell, among: Sequence[PromptedCell]) -> Mapping[str, str]:
    """Return a column with whose words a cell was asked in, where not all of them were asked in ours."""
    return {"Prompts": WORDING[cell.get("wording", "ours")]} if any_theirs(among) else {}


def unread(cell: PromptedCell, among: Sequence[PromptedCell]) -> Mapping[str, str]:
    """Return a column with replies that hold no answer for the authors' scripts, as ``words_of`` does."""
    found = _either(cell).get("invalid_as_authors")
    shown = f"{count(found['count'])} of {count(found['rows'])} ({percent(found['share'])})" if found else EMPTY
    return {"Invalid as the authors read": shown} if any_theirs(among) else {}


def costs(cell: PromptedCell) -> AskingCost:
    """Return the cost of the replies, which both protocols share."""
    return _either(cell)["cost"]


def _either(cell: PromptedCell) -> PromptedRun:
    return next(run for part in PARTS if (run := cell[part]) and run["state"] == PRESENT)


def run_of(cell: PromptedCell, part: Part) -> PromptedRun:
    """Return a cell's run under a protocol, of a cell whose runs are planned."""
    run = cell[part]
    assert run is not None
    return run


def run_here(record: Prompted) -> list[PromptedCell]:
    """Return the scores of which at least one protocol is present."""
    return [
        cell
        for cell in planned(record["cells"])
        if any((run := cell[part]) and run["state"] == PRESENT for part in PARTS)
    ]


def none_yet(rows: Sequence[object]) -> str:
    """Return the caption's addition for a table without rows."""
    return "" if rows else " Nothing is run yet."


def total(values: Iterable[int | None]) -> int | None:
    """Sum the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
