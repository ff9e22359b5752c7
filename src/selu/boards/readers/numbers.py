"""A number as tables print it: with a percent sign, a decimal comma, a deviation, a mark or nothing."""

from __future__ import annotations

import re
from typing import NamedTuple

from selu.vocabulary import SeluError

MISSING = frozenset(
    (
        "",
        "-",
        "--",
        "---",
        "–",
        "—",
        "−",
        "?",
        "/",
        "\\",
        ".",
        "*",
        "n/a",
        "n.a.",
        "n.a",
        "na",
        "#n/a",
        "nan",
        "none",
        "null",
        "nil",
        "missing",
        "oom",
        "dnf",
        "tba",
        "tbd",
        "n/r",
        "nr",
        "not reported",
        "failed",
        "timeout",
        "error",
        "x",
        "✗",
        "×",
    )
)
MARKUP = re.compile(r"\*\*|__|`|~~|</?[a-zA-Z]+/?>|\\(?:textbf|underline|mathbf|emph|textit)|[{}$]")
MARKS = "*†‡§¶^_ᵃᵇᶜ¹²³"
AFTER = re.compile(r"\s*(?:±|\+/-|\+-|\\pm).*$|\s*\([^()]*\)$|\s*\[[^\[\]]*\]$")
NUMBER = re.compile(r"([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,3}))?\s*(%?)")
_SIMPLE = re.compile(r"[0-9]{1,9}(?:\.([0-9]*))?")
COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
GROUPS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
MOST_DIGITS = 15


class Number(NamedTuple):
    """A value and how many decimals it is published with; ``81.2 %`` is 0.812 with three."""

    value: float
    digits: int
    is_percent: bool = False


def plain(text: str) -> str:
    """Strip markup and marks from a text: ``**0.81**`` becomes 0.81."""
    return " ".join(MARKUP.sub("", text.replace("\\pm", "±")).replace("\\_", "_").split())


def is_missing(text: str) -> bool:
    """Return whether a text means that there is no score."""
    return plain(text).lower() in MISSING


def has_decimal_comma(text: str) -> bool | None:
    """Return whether a number has a decimal comma; None if it has no separator or an ambiguous one."""
    bare = _bare(text).rstrip("% ")
    if not COMMA.fullmatch(bare):
        return False if "." in bare and NUMBER.fullmatch(bare) else None
    return None if GROUPS.fullmatch(bare) and not bare.lstrip("+-").startswith("0") else True


def has_percent_sign(text: str) -> bool:
    """Return whether a number has a percent sign."""
    return _bare(text).endswith("%")


def number(text: str, comma: bool = False) -> Number | None:
    """Read a number; None if the text means that there is no score.

    Args:
        comma: whether a comma parts the decimals, as in ``0,81``.

    Raises:
        ValueError: it is neither.
    """
    if found := _SIMPLE.fullmatch(text):
        return Number(float(text), min(len(found[1] or ""), MOST_DIGITS))
    if is_missing(text):
        return None
    bare = _bare(text)
    if comma:
        bare = bare.replace(".", "").replace(",", ".", 1)
    elif GROUPS.fullmatch(bare):
        bare = bare.replace(",", "")
    found = NUMBER.fullmatch(bare)
    if found is None:
        raise ValueError(f"{text!r} is not a number")
    sign, digits, power, percent = found.groups()
    exponent = int(power or 0) - (2 if percent else 0)
    value = float(f"{sign}{digits}e{exponent}")
    if abs(value) > 1e12:
        raise ValueError(f"{text!r} is not a score")
    decimals = len(digits.partition(".")[2]) - exponent
    return Number(value, min(max(decimals, 0), MOST_DIGITS), bool(percent))


def hold_to_percent(
    seen: dict[str, tuple[bool, str, str]], task: str, found: Number, text: str, place: str
) -> None:
    """Refuse 79.9 beside 81.2 % among the scores of a task; ``seen`` keeps the first of either by task.

    Raises:
        SeluError: naming both.
    """
    if found.value <= 1 and not found.is_percent:
        return
    is_percent, other, there = seen.setdefault(task, (found.is_percent, text, place))
    if is_percent != found.is_percent:
        raise SeluError(
            f"{place}: {text[:80]!r} is beside {other[:80]!r} in {there}; write all scores of a task as "
            "percentages, or none."
        )


def _bare(text: str) -> str:
    """Keep only a number's sign, digits and percent sign: no markup, deviation, footnote or blank."""
    bare = AFTER.sub("", plain(text)).strip(MARKS + " ")
    percent = bare.endswith("%")
    bare = bare.rstrip("% ").strip(MARKS + " ") + ("%" if percent else "")
    return bare.replace("\u2212", "-").replace("\u00a0", "").replace("\u202f", "").replace(" ", "")


def written(value: float, digits: int) -> str:
    """Format a number with that many decimals, at most six, or with its own if it has fewer."""
    return f"{value:.{min(digits, 6)}f}"
