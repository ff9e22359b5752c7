"""How SELU's tables write numbers, and a frame of such texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from selu.papers.selu.records.prompted import Ends
from selu.papers.selu.words import EMPTY

DIGITS = 3  # of Table VI


def number(value: float | None) -> str:
    """Format a number with four decimals, or as a dash."""
    return EMPTY if value is None else f"{value:.4f}"


def published(text: str | None) -> str:
    """Format a published score with Table VI's digits, of which it drops trailing zeros; or as a dash."""
    return f"{float(text):.{DIGITS}f}" if text else EMPTY


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


def span(low: float | None, high: float | None, digits: int = 3) -> str:
    """Return an interval, or a dash."""
    return EMPTY if low is None else f"{low:.{digits}f} to {high:.{digits}f}"


def to_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """Write records as CSV, with the digits of JSON."""
    return str(pd.DataFrame(rows).to_csv(index=False, lineterminator="\n", float_format="%.10g"))


def frame(rows: Sequence[Mapping[str, str]], columns: Sequence[str] = ("Task",)) -> pd.DataFrame:
    """Return rows as a frame of text; without any row, these columns."""
    return pd.DataFrame(rows, columns=None if rows else list(columns), dtype=object)
