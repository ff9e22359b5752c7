"""Whether published precision, recall, F1, averages and scores can be true together: interval arithmetic.

A printed number stands for all numbers that are printed so. Everything is computed in exact fractions, so that
what is refused here is impossible, not a matter of floats; ends of a range count as inside it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeAlias

Number: TypeAlias = Fraction | int
HALF = Fraction(1, 2)
_FEWEST = 10**9  # no precision below 1 in so many is looked at: one near 0 allows any number of false positives


class Printing(StrEnum):
    """How the last digit was made; ``EITHER`` if a table does not say."""

    ROUNDED = "rounded"
    TRUNCATED = "truncated"
    EITHER = "rounded or truncated"


class Range(NamedTuple):
    """All numbers from ``low`` to ``high``."""

    low: Fraction
    high: Fraction

    def meets(self, other: Range) -> bool:
        """Return whether the two ranges have a number in common."""
        return self.low <= other.high and other.low <= self.high

    def reaches(self, value: Number) -> bool:
        """Return whether the number lies in the range."""
        return self.low <= value <= self.high


@lru_cache(4096)  # few texts, each compared with many numbers
def _read(published: str) -> tuple[Fraction, Fraction]:
    """Return the printed number, and one unit of its last digit."""
    return Fraction(published), Fraction(1, 10 ** len(published.partition(".")[2]))


def unit(published: str) -> Fraction:
    """Return one unit of the last printed digit."""
    return _read(published)[1]


def behind(published: str, how: Printing = Printing.ROUNDED) -> Range:
    """Return the numbers, not below zero, that are printed so.

    Raises:
        ValueError: the text is not a decimal number.
    """
    value, step = _read(published)
    low = value if how is Printing.TRUNCATED else value - HALF * step
    return Range(low, value + (HALF if how is Printing.ROUNDED else 1) * step)


def prints_as(value: Number, published: str, how: Printing) -> bool:
    """Return whether a number of 0 or more is published so; two equally near roundings are both allowed."""
    number, step = _read(published)
    off = value - number
    if how is not Printing.TRUNCATED and abs(off) <= HALF * step:
        return True
    return how is not Printing.ROUNDED and 0 <= off < step


def f1(precision: Number, recall: Number) -> Fraction:
    """Compute the harmonic mean; 0 if both are 0."""
    return Fraction(2 * precision * recall) / (precision + recall) if precision + recall else Fraction(0)


def f1_of(precision: Range, recall: Range) -> Range:
    """Bound the F1 that one classifier can have: the harmonic mean grows in both."""
    low = f1(max(precision.low, Fraction(0)), max(recall.low, Fraction(0)))
    return Range(low, f1(min(precision.high, Fraction(1)), min(recall.high, Fraction(1))))


def f1_of_means(precision: Range, recall: Range) -> Range:
    """Bound the mean F1 of several classifiers whose mean precision and mean recall are known.

    The harmonic mean is concave: the mean of F1 is at most the F1 of the means. Being concave, it is least,
    for given means, where classifiers have scores of 0 and 1 only; there it is at least P + R - 1.
    """
    low = max(Fraction(0), precision.low + recall.low - 1)
    return Range(low, f1_of(precision, recall).high)


def linear(terms: Iterable[tuple[Number, Range]], constant: Number = 0) -> Range:
    """Bound the sum of weight times number, plus a constant."""
    low = high = Fraction(constant)
    for weight, part in terms:
        ends = weight * part.low, weight * part.high
        low, high = low + min(ends), high + max(ends)
    return Range(low, high)


def mean_of(parts: Sequence[Range]) -> Range:
    """Bound the arithmetic mean.

    Raises:
        ValueError: there are no parts.
    """
    if not parts:
        raise ValueError("a mean of nothing")
    return linear((Fraction(1, len(parts)), part) for part in parts)


def missing_part(mean: Range, others: Sequence[Range]) -> Range:
    """Bound the one part of a mean that is not among the ``others``."""
    return linear([(len(others) + 1, mean), *((-1, other) for other in others)])


def shares(published: str, whole: int, how: Printing = Printing.ROUNDED) -> list[int]:
    """List every k from 0 to ``whole`` such that k / ``whole`` is published so.

    Raises:
        ValueError: ``whole`` is not positive.
    """
    if whole < 1:
        raise ValueError(f"a share of {whole}")
    ends = behind(published, how)
    first, last = math.ceil(ends.low * whole), math.floor(ends.high * whole)
    candidates = range(max(0, first), min(whole, last) + 1)
    return [k for k in candidates if prints_as(Fraction(k, whole), published, how)]


def number_of_counts(
    precision: str,
    recall: str,
    f1_published: str,
    positives: int,
    how: Printing = Printing.ROUNDED,
    negatives: int | None = None,
) -> int:
    """Count the pairs of true and false positives that give all three printed scores.

    They are not listed: a precision near 0 allows billions. Without true positives there are no false ones.

    Args:
        positives: test rows that belong to the class.
        negatives: test rows that do not, of which no more can be false positives.
    """
    found = 0
    for tp in shares(recall, positives, how):
        most = tp * (_FEWEST - 1)
        counts = range((most if negatives is None else min(most, negatives)) + 1)
        found += _count_false_positives(tp, positives, counts, precision, f1_published, how)
    return found


def _count_false_positives(
    tp: int, positives: int, counts: range, precision: str, f1_published: str, how: Printing
) -> int:
    """Count those among ``counts`` from 0 up that give precision and F1, which fall with every one of them."""

    def misses(fp: int, sign: int) -> bool:
        """Return whether a score is outside its published range: above it (1) or below it (-1)."""
        exact = Fraction(tp, tp + fp) if tp + fp else Fraction(0)
        pairs = (exact, precision), (f1(exact, Fraction(tp, positives)), f1_published)
        return any(
            (value > _read(published)[0] if sign > 0 else value < _read(published)[0])
            and not prints_as(value, published, how)
            for value, published in pairs
        )

    first = bisect_left(counts, True, key=lambda fp: not misses(fp, 1))
    stop = bisect_left(counts, True, key=lambda fp: misses(fp, -1))
    return max(0, stop - first)
