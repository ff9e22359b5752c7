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
