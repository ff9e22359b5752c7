"""Normality of the scores of each system (SELU section IV-D)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def shapiro_wilk(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Run the Shapiro-Wilk test of each column.

    Args:
        scores: shape (n, systems), 3 <= n; each column is one sample.

    Returns:
        shape (systems,): p-value of each column. A small value speaks against normality.
    """
    from scipy import stats

    return np.array([stats.shapiro(column).pvalue for column in np.asarray(scores, dtype=np.float64).T])
