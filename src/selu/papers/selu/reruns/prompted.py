"""Entries of prompted.json: which are present, and the number formats of tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from selu.names import WORDING
from selu.papers.selu.records.prompted import (
    Agreement,
    AskingCost,
    Ends,
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


def count(value: int | None) -> str:
    """Return a whole number, or a dash."""
    return EMPTY if value is None else f"{value:,}"


def percent(value: float, digits: int = 1) -> str:
    """Return a share in percent."""
    return f"{100 * value:.{digits}f} %"


def percents(found: Ends, digits: int = 1) -> str:
    """Return the bounds of a share in percent."""
    return f"{percent(found['low'], digits)} to {percent(found['high'], digits)}"


def usd(value: float | None) -> str:
    """Format USD with four significant digits, at least to cents; a dash for no bound."""
    return EMPTY if value is None else f"{value:,.2f}" if value >= 100 or value == 0 else f"{value:.4g}"


def span(low: float | None, high: float | None, digits: int) -> str:
    """Return an interval, or a dash."""
    return EMPTY if low is None else f"{low:.{digits}f} to {high:.{digits}f}"


def frame(rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> pd.DataFrame:
    """Return rows as a frame of text; without any row, these columns."""
    return pd.DataFrame(rows, columns=None if rows else list(columns), dtype=object)
