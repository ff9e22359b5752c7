"""How the site prints numbers and symbols."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup, escape

from selu.names import DASH, word
from selu.vocabulary import Verdict

VERDICT_SYMBOLS = {
    Verdict.HOLDS.value: "✓",
    Verdict.CAVEAT.value: "✓*",
    Verdict.FAILS.value: "✗",
    Verdict.NOT_CHECKABLE.value: "?",
}


def missing(value: object) -> bool:
    """Return whether a record's number is absent (None in JSON, nan before)."""
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


def matrix(
    counts: Sequence[Sequence[int | None]],
    labels: Sequence[str],
    columns: Sequence[str],
    right: int | None = None,
) -> Markup:
    """Write counts as lines of text below their columns, right answers in bold: light where a page has many.

    Args:
        right: the column of right answers; by default that of the row's own place.
    """
    rows = [[DASH if count is None else f"{count:,}" for count in row] for row in counts]
    first = max(map(len, labels), default=0)
    wide = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    head = [" " * first, *(name.rjust(width) for name, width in zip(columns, wide, strict=True))]
    lines = [str(escape("  ".join(head)))]
    for at, (label, row) in enumerate(zip(labels, rows, strict=True)):
        cells = [text.rjust(width) for text, width in zip(row, wide, strict=True)]
        bold = at if right is None else right
        if bold < len(cells):
            bare = cells[bold].lstrip()
            cells[bold] = f"{cells[bold][: -len(bare)]}<b>{bare}</b>"
        lines.append("  ".join([str(escape(label.ljust(first))), *cells]))
    return Markup("\n".join(lines))


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
    "matrix": matrix,
}
