"""How the site prints words and numbers: labels for the fixed words, symbols, rounding."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from selu.vocabulary import Approach, CellVerdict, Evidence, Family, Kind, Metric, Verdict

DASH = "–"
LABELS: dict[StrEnum, str] = {
    Kind.MULTI_CLASS: "multi-class",
    Kind.MULTI_LABEL: "multi-label",
    Kind.ENTITIES: "named entities",
    Kind.MASKED: "masked tokens",
    Family.CODE_ADJACENT: "code-adjacent",
    Family.CORE_NON_CODE: "core non-code",
    Approach.FINETUNED: "fine-tuned",
    Metric.F1_MACRO: "macro F1",
    Metric.F1_MICRO: "micro F1",
    Metric.ONE_MINUS_SMAPE: "1 − SMAPE",
    **{verdict: verdict.said for verdict in Verdict},
    Evidence.PRINTED: "published",
    Evidence.RE_EARNED: "re-run",
    CellVerdict.REPRODUCED: "equal",
    CellVerdict.DEVIATES: "differs",
}
# What rows of a task are here, by the standing that their record names.
DATA = {
    "equal": "original data",
    "package": "original data",
    "partial": "part of the data",
    "synthetic": "stand-in data",
}
PROTOCOLS = {"paper": "authors' procedure", "strict": "validation-selected"}
# Words of ours in the names of numbers, and those of the field.
_FOR = {
    "printed": "published",
    "cell": "score",
    "cells": "scores",
    "rope": "equivalence threshold (ROPE)",
    "inconclusive": "no clear winner",
    "decided pairs": "clear winners",
    "strict": "validation-selected",
}
_OURS = re.compile(rf"\b({'|'.join(_FOR)})\b")
_LABEL_OF = {str(key): label for key, label in LABELS.items()}

VERDICT_SYMBOLS = {
    Verdict.HOLDS.value: "✓",
    Verdict.CAVEAT.value: "✓*",
    Verdict.FAILS.value: "✗",
    Verdict.NOT_CHECKABLE.value: "?",
}


def word(value: Any) -> str:
    """Write a fixed word as a reader expects it: ``multi_class`` becomes "multi-class", None a dash."""
    if value is None or value == "":
        return DASH
    return _LABEL_OF.get(str(value)) or _OURS.sub(lambda of: _FOR[of[0]], str(value).replace("_", " "))


def missing(value: Any) -> bool:
    """Say whether a record's number is absent (None in JSON, nan before)."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def fixed(value: Any, digits: int = 3) -> str:
    """Write a number with that many decimals, or a dash."""
    return DASH if missing(value) else f"{float(value):.{digits}f}".replace("-", "−")


def percent(value: Any, digits: int = 1) -> str:
    """Write a share as a percentage without its sign, or a dash."""
    return DASH if missing(value) else f"{100 * float(value):.{digits}f}"


def short(value: Any) -> str:
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


def slug(value: Any) -> str:
    """Write a fixed word as a CSS class: ``not checkable`` becomes "not-checkable"."""
    return "".join(letter if letter.isalnum() else "-" for letter in str(value))


FILTERS: dict[str, Callable[..., str]] = {
    "word": word,
    "fixed": fixed,
    "percent": percent,
    "short": short,
    "slug": slug,
    "counted": count,
}
