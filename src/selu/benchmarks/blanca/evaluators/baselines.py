"""What scores are without any knowledge of what texts say: answers in random order, and lengths alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from selu.benchmarks.blanca.evaluators import ranking


def random_order(votes: Sequence[Sequence[float | None]]) -> Mapping[str, float | int]:
    """Return the expected scores of R where answers stand in random order: exact, nothing is drawn."""
    return ranking.average([ranking.rank(each, np.zeros(len(each))) for each in votes])


def longest_first(
    votes: Sequence[Sequence[float | None]], answers: Sequence[Sequence[str]]
) -> Mapping[str, float | int]:
    """Score R where an answer is the nearer the longer it is, whatever it says."""
    return ranking.evaluate(votes, [[-float(len(text)) for text in texts] for texts in answers])


def similar_length(one: Sequence[str], other: Sequence[str]) -> NDArray[np.float64]:
    """Return as distance of two texts the difference of the logarithms of their lengths, whatever they say."""
    lengths = np.log1p([[len(text) for text in texts] for texts in (one, other)])
    apart: NDArray[np.float64] = np.abs(lengths[0] - lengths[1])
    return apart
