"""Ranks of values, equal ones sharing the mean of theirs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def mean_ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Rank the values of each row from 1, the smallest, up; as ``scipy.stats.rankdata``, whose import is slow.

    Args:
        values: finite, shape (columns,) or (rows, columns), with few columns.
    """
    rows = np.asarray(values)
    below = (rows[..., None, :] < rows[..., None]).sum(axis=-1)
    equal = (rows[..., None, :] == rows[..., None]).sum(axis=-1)
    ranks: NDArray[np.float64] = below + (equal + 1) / 2
    return ranks


def spearman(x: ArrayLike, y: ArrayLike) -> tuple[float, float]:
    """Return Spearman's correlation of two samples that vary, and its two-sided p-value by Student's t.

    As ``scipy.stats.spearmanr``, whose import takes longer than most of what is computed with it.
    """
    from scipy import special

    rho = np.corrcoef(mean_ranks(x), mean_ranks(y))[0, 1]
    degrees = np.size(x) - 2
    with np.errstate(divide="ignore"):  # a perfect correlation has an infinite t
        t_statistic = rho * np.sqrt((degrees / ((rho + 1) * (1 - rho))).clip(0))
    return float(rho), float(2 * special.stdtr(degrees, -abs(t_statistic)))
