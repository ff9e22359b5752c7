"""The fixed words of records as people read them; files keep the ids, and filters take both."""

from __future__ import annotations

from collections.abc import Iterable

from selu.names import LABELS
from selu.vocabulary import CellVerdict, Evidence, RunState, Verdict

MISSING = "-"
VERDICTS = {verdict.value: verdict.label for verdict in Verdict}
_DATA = {"equal": "original", "partial": "part of it", "synthetic": "stand-in", "absent": "not available here"}
# By the field that they stand in, since other fields have the same words in another sense.
_OF_FIELD: dict[str, dict[str, str]] = {
    "data": _DATA,
    "standing": _DATA,
    "evidence": {Evidence.PUBLISHED.value: "published", Evidence.RE_RUN.value: "re-run"},
    "state": {RunState.STALE.value: "out of date"},
    "verdict": {**VERDICTS, CellVerdict.DEVIATES.value: "differs"},
}
_LABEL_OF = {str(key): label for key, label in LABELS.items()}
_UNDERSCORED = ("kind", "family", "activity", "metric", "sources")
_UNITS = {"gib": "GiB", "gb": "GB", "mb": "MB"}
TITLES = {
    "cell": "task/system",
    "score": "published",
    "value": "ours",
    "instances": "rows",
    "size_published": "size",
    "interval": "95 % interval",
    "paper": "in the paper",
    "usd": "USD",
    "usd_at_most": "USD at most",
}


def title(name: str) -> str:
    """Write the name of a field for people."""
    if name in TITLES or name.isupper():
        return TITLES.get(name, name)
    *words, unit = name.split("_")
    return " ".join([*words, _UNITS.get(unit, unit)])


def shown(name: str, value: object, digits: int | None = None) -> str:
    """Write a field's value for people.

    Args:
        digits: of a number that is not a whole one; by default as many as it has, and at most four.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value) if name == "year" else f"{value:,}"
    if isinstance(value, float):
        if value and abs(value) < 1e-3:
            return f"{value:.4g}"
        return f"{value:,.{digits_of([value]) if digits is None else digits}f}"
    if isinstance(value, (list, tuple)):
        return ", ".join(shown(name, item) for item in value) or MISSING
    if value is None or value == {}:
        return MISSING
    text = str(value)
    text = _OF_FIELD.get(name, {}).get(text, _LABEL_OF.get(text, text))
    return text.replace("_", " ") if name in _UNDERSCORED else text


def digits_of(values: Iterable[object]) -> int:
    """Count the decimals that the numbers of one column need, at most four."""
    decimals = [f"{value:.4f}".rstrip("0").partition(".")[2] for value in values if isinstance(value, float)]
    return max(map(len, decimals), default=0)
