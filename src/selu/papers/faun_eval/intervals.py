"""Numbers with their intervals, as columns of a table and in sentences."""

from __future__ import annotations

from collections.abc import Callable

from selu.papers.faun_eval.records import Ends, Mean
from selu.papers.table import signed
from selu.stats.rounding import to_digits


def bounded(
    name: str, value: float, ends: Ends, write: Callable[[float, int], str] = to_digits
) -> dict[str, str]:
    """Write a number and the ends of its interval in three columns, at three digits."""
    numbers = {name: value, f"{name}: low": ends["low"], f"{name}: high": ends["high"]}
    return {title: write(number, 3) for title, number in numbers.items()}


def gap(name: str, value: float, ends: Ends) -> dict[str, str]:
    """Write a difference, with its sign, in the same way; the other two columns are Low and High."""
    return dict(zip((name, "Low", "High"), bounded(name, value, ends, signed).values(), strict=True))


def percent(found: Mean) -> str:
    """Write a share with its interval."""
    return f"{100 * found['score']:.1f} % ({100 * found['low']:.1f} % to {100 * found['high']:.1f} %)"


def verdict(
    ends: Ends,
    above: str = "more often than",
    below: str = "less often than",
    alike: str = "about as often as",
) -> str:
    """Say on which side of 0 an interval lies."""
    return above if ends["low"] > 0 else below if ends["high"] < 0 else alike
