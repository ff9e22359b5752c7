"""Names and fixed words for people; addresses without secrets."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Protocol

from selu.vocabulary import Approach, CellVerdict, Evidence, Family, Kind, Metric, SeluError, Verdict

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
    Metric.F1_POSITIVE: "F1 of the positive label",
    Metric.ONE_MINUS_SMAPE: "1 − SMAPE",
    **{verdict: verdict.label for verdict in Verdict},
    Evidence.PUBLISHED: "published",
    Evidence.RE_RUN: "re-run",
    CellVerdict.REPRODUCED: "equal",
    CellVerdict.DEVIATES: "differs",
}
# The rows of a task that are here, by the availability in their record.
DATA = {
    "equal": "original data",
    "package": "original data",
    "partial": "part of the data",
    "synthetic": "stand-in data",
    "stand-in": "stand-in data",
}
STAND_IN = "these are not the paper's rows, so that answers say little about its task"
WORDING = {"ours": "in our words", "authors": "in the authors' words"}  # of prompts
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
    "sd": "SD",
    "f1": "F1",
    "smape": "SMAPE",
    "rmse": "RMSE",
    "mae": "MAE",
    "mse": "MSE",
    "mape": "MAPE",
    "mcc": "Matthews correlation",
    "gpus": "GPUs",
    "spearman": "Spearman correlation",
    "java": "Java",
    "pharo": "Pharo",
    "python": "Python",
    "se": "SE",
}
_STRANGE = re.compile(r"[^A-Za-z0-9._-]+")  # in the name of a folder
_OURS = re.compile(rf"\b({'|'.join(_FOR)})\b")
_LABEL_OF = {str(key): label for key, label in LABELS.items()}


def name_folder(called: str) -> str:
    """Return what a folder can be called: letters, digits, dots, underscores and hyphens of a name."""
    return _STRANGE.sub("-", called)


class Named(Protocol):
    """A record with an id, and perhaps a published name."""

    @property
    def id(self) -> str:
        """The id."""


def find(name: str, records: Sequence[Named], what: str) -> str:
    """Look up the id of a record by its id or its published name, ignoring case.

    Raises:
        SeluError: none of them is called so.
    """
    names = {getattr(record, "name", record.id).lower(): record.id for record in records}
    names |= {record.id.lower(): record.id for record in records}
    if name.lower() not in names:
        raise nearest(name, [record.id for record in records], what)
    return names[name.lower()]


def check(names: Iterable[str], known: Iterable[str], what: str) -> None:
    """Refuse the first name that is not known, with the nearest one."""
    every = list(known)
    for name in names:
        if name not in every:
            raise nearest(name, every, what)


def nearest(name: str, known: Iterable[str], what: str) -> SeluError:
    """Return the error for an unknown name, with the nearest known one."""
    names = list(known)
    lower = {candidate.lower(): candidate for candidate in names}
    close = difflib.get_close_matches(name.lower(), lower, n=1)
    rest = f" and {len(names) - 8} more" if len(names) > 8 else ""
    hint = f"did you mean {lower[close[0]]!r}?" if close else f"known: {', '.join(names[:8])}{rest}."
    return SeluError(f"there is no {what} {name[:80]!r}; {hint}")


def shown(text: str) -> str:
    """Show a URL, or a text with URLs, without what in them may be secret.

    That is what stands before the last ``@``, since a password may hold any sign, but for a plain name before a
    colon or that of another scheme than HTTP; and the query.
    """
    return re.sub(r"(://[^\s?]*)\?\S+", r"\1?...", re.sub(r"(\w+)://(\S*)@", _hidden, text))


def _hidden(found: re.Match[str]) -> str:
    scheme, (name, colon, _) = found[1], found[2].partition(":")
    if not colon and not scheme.startswith("http"):
        return found[0]
    plain = colon and re.fullmatch(r"[\w.-]+", name)
    return f"{scheme}://{name if plain else ''}:...@"


def word(value: object) -> str:
    """Write a fixed word as a reader expects it: ``multi_class`` becomes "multi-class", None a dash."""
    if value is None or value == "":
        return DASH
    return _LABEL_OF.get(str(value)) or _OURS.sub(lambda found: _FOR[found[0]], str(value).replace("_", " "))
