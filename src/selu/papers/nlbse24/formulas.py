"""The competition's formulas: averages of sections 2.2, 2.3 and 3.2, the score of section 3.2, ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from selu.boards.rounding import Printing, Range, linear, prints_as


@dataclass(frozen=True, slots=True)
class Score:
    """``weight_f1`` F1 + ``weight_runtime`` (``longest`` - runtime) / ``longest``, runtime in seconds (3.2)."""

    weight_f1: float
    weight_runtime: float
    longest: float

    def compute(self, f1: float, runtime: float) -> float:
        """Return the score; it falls below zero for slow models, which section 3.2 does not cut off."""
        return self.weight_f1 * f1 + self.weight_runtime * (self.longest - runtime) / self.longest

    def range(self, f1: Range, runtime: Range) -> Range:
        """Return all scores that F1 and runtime within these ranges can give."""
        exact = [Fraction(str(part)) for part in (self.weight_f1, self.weight_runtime, self.longest)]
        return linear([(exact[0], f1), (-exact[1] / exact[2], runtime)], exact[1])


def ways(value: float, published: str) -> list[str]:
    """Name the ways in which a number is printed so: rounded, cut off, both or neither."""
    exact = Fraction(repr(round(value, 12)))
    return [str(how) for how in (Printing.ROUNDED, Printing.TRUNCATED) if prints_as(exact, published, how)]


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean: over labels, over repositories (2.3), over categories (3.2)."""
    return sum(values) / len(values)


def weighted(values: Sequence[float], support: Sequence[int]) -> float:
    """Return the mean weighted by rows of each class (2.2); with equal classes it is the arithmetic mean."""
    return sum(value * rows for value, rows in zip(values, support, strict=True)) / sum(support)


def ranking(scores: Mapping[str, float]) -> list[str]:
    """Return names by falling score; equal scores keep their order."""
    return sorted(scores, key=lambda name: -scores[name])
