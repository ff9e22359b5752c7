"""Tiers of systems: groups in rank order that the test separates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from selu.stats.compare import BETTER


def tiers(decisions: NDArray[np.str_]) -> list[list[int]]:
    """Group systems that are already in rank order into tiers, greedily.

    A new tier starts at the first system that the leader of the current tier is decided to beat. It is the
    coarsest reading of a decision matrix that never puts a decided pair with its leader into one tier.

    Args:
        decisions: shape (systems, systems), row against column, rows and columns in rank order.

    Returns:
        positions of the systems, tier by tier.
    """
    groups: list[list[int]] = []
    for position in range(len(decisions)):
        if groups and decisions[groups[-1][0], position] != BETTER:
            groups[-1].append(position)
        else:
            groups.append([position])
    return groups


def separated(decisions: NDArray[np.str_], upper: list[int], lower: list[int]) -> tuple[int, int]:
    """Count the pairs (upper, lower) that are decided for the upper system, and all of them."""
    wins = int(np.count_nonzero(decisions[np.ix_(upper, lower)] == BETTER))
    return wins, len(upper) * len(lower)
