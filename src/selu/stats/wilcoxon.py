"""Wilcoxon's signed-rank test for few pairs, exact (Biometrics Bulletin 1(6), 1945)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from selu.stats.ranks import mean_ranks

MOST = 12  # pairs: 4,096 patterns
_SAME = 10  # decimals: differences of printed scores that differ only in the last bits are equal


def signed_rank_p(differences: ArrayLike) -> NDArray[np.float64]:
    """Compute the two-sided p-value of each row of paired differences; zeros are left out, ties share a rank.

    Args:
        differences: finite, shape (rows, n) with n of at most ``MOST``.

    Raises:
        ValueError: n is larger.
    """
    d = np.round(np.atleast_2d(np.asarray(differences, dtype=np.float64)), _SAME)
    n = d.shape[1]
    if n > MOST:
        raise ValueError(f"the exact test takes at most {MOST} pairs, not {n}")
    zeros = (d == 0).sum(axis=1, keepdims=True)
    ranks = np.where(d == 0, 0.0, mean_ranks(np.abs(d)) - zeros)
    patterns = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    sums = ranks @ patterns.T  # of the positive ranks, under each pattern of signs
    seen = (ranks * (d > 0)).sum(axis=1, keepdims=True)
    below, above = ((sums <= seen + 1e-9).mean(axis=1), (sums >= seen - 1e-9).mean(axis=1))
    p: NDArray[np.float64] = np.minimum(1.0, 2 * np.minimum(below, above))
    return p


def least_p(n: int) -> float:
    """Return the smallest p-value that n pairs can give."""
    return float(min(1.0, 2.0 ** (1 - n)))
