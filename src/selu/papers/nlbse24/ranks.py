"""Pairwise comparisons and ranks over joint resamples of the test rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from selu.metrics.percentiles import bounds
from selu.papers.nlbse24 import formulas
from selu.papers.nlbse24.records import Compared, Difference, Rank
from selu.papers.nlbse24.resampled import FloatArray
from selu.papers.records import interval


def compared(drawn: Mapping[str, FloatArray], values: Mapping[str, float], level: float) -> Compared:
    """Ranks, best first, and every paired difference, the better one first.

    Args:
        drawn: of those that are ranked, shape (draws,): the score on the same resamples.
        values: score on all test rows, of those that are not ranked, too.
        level: of the intervals.
    """
    order = formulas.ranking({name: values[name] for name in drawn})
    return {
        "differences": [_difference(drawn, values, *pair, level) for pair in combinations(order, 2)],
        "ranking": _ranks(drawn, order, level),
        "not_ranked": [name for name in values if name not in drawn],
    }


def _difference(
    drawn: Mapping[str, FloatArray], values: Mapping[str, float], first: str, second: str, level: float
) -> Difference:
    apart = drawn[first] - drawn[second]
    better = float((apart > 0).mean())
    return {
        "first": first,
        "second": second,
        "value": values[first] - values[second],
        **interval(bounds(apart, level)),
        "probability": better,
        "probability_error": _share_error(better, len(apart)),
    }


def _ranks(drawn: Mapping[str, FloatArray], order: Sequence[str], level: float) -> list[Rank]:
    """Rank of each entrant in every resample; equal scores share the better rank."""
    if not order:
        return []
    table = np.array([drawn[name] for name in order])
    ranks = 1 + (table[None] > table[:, None]).sum(axis=1)
    tails = (1 - level) / 2, (1 + level) / 2
    found: list[Rank] = []
    for place, name in enumerate(order):
        shares = [float((ranks[place] == rank).mean()) for rank in range(1, len(order) + 1)]
        low, high = np.quantile(ranks[place], tails, method="inverted_cdf")
        found.append(
            {
                "id": name,
                "rank": place + 1,
                "low": int(low),
                "high": int(high),
                "probabilities": shares,
                "error": max(_share_error(share, table.shape[1]) for share in shares),
            }
        )
    return found


def _share_error(share: float, draws: int) -> float:
    """Return the Monte-Carlo standard error of a share of the draws."""
    return float(np.sqrt(share * (1 - share) / draws))
