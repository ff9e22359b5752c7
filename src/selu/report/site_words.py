"""How the site prints numbers and symbols."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from selu.names import DASH, word
from selu.vocabulary import Verdict

VERDICT_SYMBOLS = {
    Verdict.HOLDS.value: "✓",
    Verdict.CAVEAT.value: "✓*",
    Verdict.FAILS.value: "✗",
    Verdict.NOT_CHECKABLE.value: "?",
}


def missing(value: object) -> bool:
    """Say whether a record's number is absent (None in JSON, nan before)."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def fixed(value: float | str | None, digits: int = 3) -> str:
    """Write a number with that many decimals, or a dash."""
    return DASH if value is None or missing(value) else f"{float(value):.{digits}f}".replace("-", "−")


def percent(value: float | str | None, digits: int = 1) -> str:
    """Write a share as a percentage without its sign, or a dash."""
    return DASH if value is None or missing(value) else f"{100 * float(value):.{digits}f}"


def short(value: object) -> str:
    """Write any single value of a record: up to six significant digits; yes or no; a dash for nothing."""
    if missing(value):
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < 1e15
        return (f"{value:.0f}" if whole else f"{value:.6g}").replace("-", "−")
    return str(value)


def count(number: int, noun: str) -> str:
    """Write ``1 task``, ``2 tasks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def slug(value: object) -> str:
    """Write a fixed word as a CSS class: ``not checkable`` becomes "not-checkable"."""
    return "".join(letter if letter.isalnum() else "-" for letter in str(value))


def number_name(key: object, names: Mapping[str, str]) -> str:
    """Write the name of a claim's number: of systems as in the paper, ``p_a_better`` as "P(a better)".

    Args:
        names: id of a system to its name.
    """
    text = str(key)
    if any(part in names for part in text.split("/")):
        return ", ".join(names.get(part) or word(part) for part in text.split("/"))
    chance = re.fullmatch(r"p_(.*(?:better|equal|worse))", text)
    return f"P({word(chance[1])})" if chance else word(text)


FILTERS: dict[str, Callable[..., str]] = {
    "word": word,
    "number_name": number_name,
    "fixed": fixed,
    "percent": percent,
    "short": short,
    "slug": slug,
    "counted": count,
}
