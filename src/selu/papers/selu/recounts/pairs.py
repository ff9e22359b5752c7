"""The result of McNemar's test that two confusion matrices of one task allow, whichever rows are right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from selu.papers.selu.recounts.counts import Matrix
from selu.stats.paired import mcnemar

DIFFERENT, ALIKE, OPEN = "differ", "not told apart", "open"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Two systems on the same rows, with the number of correct rows in each class by their matrices.

    Attributes:
        first_right, second_right: rows that each has right.
        fewest, most: rows that one of them alone has right, at least and at most.
        p_low, p_high: McNemar's exact p-value with the fewest and with the most such rows.
    """

    task: str
    first: str
    second: str
    first_right: int
    second_right: int
    fewest: int
    most: int
    p_low: float
    p_high: float

    def outcome(self, level: float) -> str:
        """Return whether the test finds a difference at that significance level, whichever rows are right."""
        if self.p_high <= level:
            return DIFFERENT
        return ALIKE if self.p_low > level else OPEN


def bounds(task: str, names: tuple[str, str], first: Matrix, second: Matrix) -> Bounds | None:
    """Bound McNemar's test on two systems; None where their matrices count other rows.

    Of n rows of a class, of which one system has a right and the other b, both have at least
    max(0, a + b - n) and at most min(a, b) right; every number between is possible. The more rows both have
    right, the fewer one alone has, with the same difference, and the smaller is the p-value.
    """
    if first.support != second.support:
        return None
    a, b = (np.diagonal(matrix.cells).astype(int) for matrix in (first, second))
    both_least = np.maximum(0, a + b - np.array(first.support)).sum()
    both_most = np.minimum(a, b).sum()
    right = int(a.sum()), int(b.sum())
    few, many = ([int(own - shared) for own in right] for shared in (both_most, both_least))
    return Bounds(task, *names, *right, sum(few), sum(many), mcnemar(*few), mcnemar(*many))


def every_pair(matrices: Mapping[str, Mapping[str, Matrix]]) -> list[Bounds]:
    """Bound McNemar's test on each two systems of each task, whose matrices are given by task and system."""
    return [
        found
        for task, systems in matrices.items()
        for first, second in combinations(systems, 2)
        if (found := bounds(task, (first, second), systems[first], systems[second])) is not None
    ]
