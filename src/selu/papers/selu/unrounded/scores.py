"""Published scores before their rounding to three digits, as far as the authors' result files give them."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selu.files import read_json
from selu.vocabulary import plain_number

Key = tuple[str, str]  # (task id, system id)

# Values of result files that hold no counts of answers: regression and masked words.
STATED = Path(__file__).with_name("stated.csv")
ERROR = "smape"  # a stated error; the published score is 1 minus it
DIGITS = 3  # of Table VI


@dataclass(frozen=True, slots=True)
class Unrounded:
    """A score with more digits than the published one, which rounds to it.

    ``stated``: the authors' file says it; otherwise it is recounted from their counts.
    """

    value: float
    stated: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """A value given for a published score but not used.

    ``usable``: it is a score, but another one than the published.
    """

    value: Any
    why: str
    usable: bool


def read_unrounded(
    published: Mapping[Key, str], recounts: Path | None
) -> tuple[Mapping[Key, Unrounded], Mapping[Key, Refused]]:
    """Read the unrounded value of each published score that has one; none where nothing was recounted.

    Args:
        published: the scores as in Table VI.
        recounts: recounted.json, where it may lie.

    Returns:
        the values; and those that are given for a published score and not taken.

    Raises:
        SeluError: recounted.json is damaged.
    """
    if recounts is None or not recounts.is_file():
        return {}, {}
    entries = read_json(recounts, "selu report recounted", ("task", "system", "published", "value"))
    found: dict[Key, Unrounded] = {}
    refused: dict[Key, Refused] = {}
    given = {(entry["task"], entry["system"]): (entry["value"], False) for entry in entries}
    for key, (value, stated) in {**dict(_stated()), **given}.items():
        text = published.get(key)
        if text is None:
            continue
        where = f"{STATED.name if stated else recounts.name}, {key[0]}/{key[1]}, value"
        if not _is_score(value):
            refused[key] = Refused(str(value), f"{where}: {value!r} is not a score from 0 to 1.", False)
        elif not _rounds_to(value, text):
            why = f"{where}: {value:.4f} does not round to the published {text}."
            refused[key] = Refused(value, why, True)
        else:
            found[key] = Unrounded(float(value), stated)
    return found, refused


def _stated() -> Iterator[tuple[Key, tuple[float, bool]]]:
    with STATED.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            value = float(row["stated"])
            score = round(1 - value, 15) if row["field"].endswith(ERROR) else value
            yield (row["task"], row["system"]), (score, True)


def _is_score(value: object) -> bool:
    """Return whether a value is a finite number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and 0 <= value <= 1


def _rounds_to(value: float, published: str) -> bool:
    """Return whether a score rounds to a published one; an altered table may hold any text in its place."""
    from selu.stats.rounding import to_digits  # with numpy, which what lists and shows does without

    try:
        return to_digits(value, DIGITS) == to_digits(plain_number(published), DIGITS)
    except (ValueError, ArithmeticError):
        return False
