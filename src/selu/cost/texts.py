"""Number and lengths of a task's texts, as far as tracked, for estimates before any run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, cast

import numpy as np

from selu.files import read_json
from selu.registry import record_of
from selu.systems.finetune.cost.profiles import Assumed
from selu.vocabulary import Kind, System, Task

if TYPE_CHECKING:
    from selu.splits.record import DataRecord, Spread

_KNOTS = {"min": 0.0, "q25": 0.25, "median": 0.5, "q75": 0.75, "p90": 0.9, "p99": 0.99, "max": 1.0}
_DRAWN = 200  # a representative sample of texts
_SHARES = {"paper": (0.8, 0.2, 0.2), "strict": (0.64, 0.16, 0.2)}  # of rows, where no split is tracked
TRACKED = "tracked"
OWN = (TRACKED, "partial rows")  # bases of lengths that are of rows of the task itself, be it of a part of them
CONTEXT = 512  # of a model whose own is not known
Length = TypeVar("Length", float, int)


@dataclass(frozen=True, slots=True)
class Texts(Generic[Length]):
    """Rows to learn from, to pick a checkpoint on, and to answer; lengths of a representative sample.

    ``lengths``, and the ``longest`` of all rows, are in words and marks as tracked (float), or in a model's
    tokens (int); ``basis`` says where they are from.
    """

    train: int
    held: int
    asked: int
    lengths: tuple[Length, ...]
    longest: Length
    basis: str

    @property
    def mean(self) -> float:
        """Return the mean length."""
        return sum(self.lengths) / len(self.lengths)


def count_texts(root: Path, task: Task, protocol: str, assumed: Assumed) -> Texts[float]:
    """Count rows of the task as the paper counts them, and their lengths.

    Raises:
        SeluError: the tracked record of the task's data is damaged.
    """
    record = _record(root, task.id)
    train, held, asked = _rows(record, task, protocol)
    other, basis = record, TRACKED
    availability = record["standing"] if record else None
    if availability == "synthetic" and task.id in assumed.like:
        other, basis = _record(root, assumed.like[task.id]), f"like {assumed.like[task.id]}"
    elif availability in ("synthetic", "partial"):
        basis = f"{availability} rows"
    tracked = _tracked(other)
    if not tracked:
        return Texts(train, held, asked, (assumed.tokens,), assumed.tokens, "assumed")
    return Texts(train, held, asked, _lengths(tracked), tracked["max"], basis)


def count_tokens(found: Texts[float], task: Task, subwords: float, context: int) -> Texts[int]:
    """Return the texts with lengths in a model's tokens, two special ones among them.

    They are cut at its context; documents of masked verbs into as many stretches of it.
    """
    whole = [subwords * length + 2 for length in found.lengths]
    if task.kind is not Kind.MASKED:
        longest = min(context, round(subwords * found.longest + 2))
        lengths = scale(whole, 1, context)
        return Texts(found.train, found.held, found.asked, lengths, longest, found.basis)
    mean = sum(whole) / len(whole)
    train, held, asked = (-(-round(rows * mean) // context) for rows in (found.train, found.held, found.asked))
    return Texts(train, held, asked, (context,), context, found.basis)


def scale(lengths: Sequence[float], share: float, context: int) -> tuple[int, ...]:
    """Return whole numbers of tokens of texts that are so many times as long, cut at the context."""
    return tuple(min(context, max(1, round(share * length))) for length in lengths)


def find_width(task: Task, system: System, assumed: Assumed) -> int | None:
    """Return the tokens to which the authors' scripts pad a text, or None where nothing is padded.

    Documents of masked verbs fill their stretches, and the code of some systems takes padding out by itself.
    """
    if task.kind is Kind.MASKED or system.id in assumed.unpadded:
        return None
    return min(system.context or assumed.padded_tokens, assumed.padded_tokens)


def pad_batches(lengths: Sequence[int], batch: int, rows: int) -> tuple[float, float]:
    """Return the mean tokens to which a text is padded if each batch is padded to its own longest text.

    Args:
        lengths: texts of evenly spaced quantiles, the shortest first.
        rows: texts that batches are drawn from.

    Returns:
        for batches drawn at random: the expected longest of so many texts; and for batches grouped by length as
        the library's ``group_by_length`` does it, which sorts up to 50 batches at a time.
    """
    places = np.arange(len(lengths) + 1) / len(lengths)
    at_random = float(np.dot(lengths, np.diff(places**batch)))
    together = max(1, min(rows // (4 * batch), 50))
    tops = 1 - (np.arange(together) + 0.5 / batch) / together
    grouped = float(np.mean([lengths[int(top * len(lengths))] for top in tops]))
    return at_random, min(grouped, at_random)


def _record(root: Path, task: str) -> DataRecord | None:
    """Read the tracked record of a task's data, None where it isn't here."""
    path = record_of(root, task)
    if not path.is_file():
        return None
    return cast("DataRecord", read_json(path, f"selu prepare {task}", ("standing", "rows", "audit")))


def _rows(record: DataRecord | None, task: Task, protocol: str) -> tuple[int, int, int]:
    parts = record["audit"].get("parts") if record and record["audit"] else None
    if record and parts:
        names = ("train", "test" if protocol == "paper" else "validation", "test")
        times = task.instances / record["rows"]  # other than 1 where the rows are partial or synthetic
        train, held, asked = (round(parts[protocol][name] * times) for name in names)
    else:
        train, held, asked = (round(share * task.instances) for share in _SHARES[protocol])
    return train, held, asked


def _tracked(record: DataRecord | None) -> Spread | None:
    """Read mean and quantiles of the lengths, None where none are tracked."""
    lengths = record["audit"].get("lengths") if record and record["audit"] else None
    found = (lengths.get("cleaned") or lengths.get("raw")) if lengths else None
    return found["tokens"] if found and found["tokens"].get("count") else None


def _lengths(found: Spread) -> tuple[float, ...]:
    """Return lengths at evenly spaced quantiles, log-linear between the tracked ones, with the tracked mean."""
    places = (np.arange(_DRAWN) + 0.5) / _DRAWN
    values = cast("Mapping[str, float]", found)
    knots = np.log1p([values[name] for name in _KNOTS])
    drawn = np.expm1(np.interp(places, list(_KNOTS.values()), knots))
    return tuple(float(length) for length in drawn * found["mean"] / drawn.mean())
