"""Shares of rows and chance-corrected agreement, each with its interval."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TypedDict


class Share(TypedDict):
    """A share of rows with its interval."""

    count: int
    rows: int
    share: float
    low: float
    high: float


class Kappa(TypedDict):
    """Cohen's kappa with its interval."""

    value: float
    low: float
    high: float


def share(count: int, rows: int, level: float) -> Share:
    """Return a share of rows with Wilson's interval (1927), which keeps a width if the share is 0 or 1."""
    from scipy import stats

    bounds = stats.binomtest(count, rows).proportion_ci(level, method="wilson")
    low, high = float(bounds.low), float(bounds.high)
    return {"count": count, "rows": rows, "share": count / rows, "low": low, "high": high}


def kappa(pairs: Sequence[tuple[object, object]], level: float) -> Kappa | None:
    """Compute Cohen's kappa (1960) with the large-sample interval of Fleiss, Cohen and Everitt (1969).

    Bounds are cut at -1 and 1. None where both always give one and the same answer, of which it is not defined.
    """
    from scipy import stats

    n = len(pairs)
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    chance = math.fsum(first[a] * second[a] for a in first) / n**2
    if chance == 1:
        return None
    value = (sum(a == b for a, b in pairs) / n - chance) / (1 - chance)
    terms = []
    for (a, b), count in Counter(pairs).items():
        weight = (second[a] + first[b]) / n * (1 - value)
        terms.append(count / n * (1 - weight if a == b else weight) ** 2)
    spread = math.fsum(terms) - (value - chance * (1 - value)) ** 2
    error = math.sqrt(max(spread, 0.0) / n) / (1 - chance)
    half = float(stats.norm.ppf((1 + level) / 2)) * error
    return {"value": value, "low": max(value - half, -1.0), "high": min(value + half, 1.0)}
