"""H and U: how the distance of two embeddings follows the distance of two classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from selu.vocabulary import SeluError

Scores = Mapping[str, float]


def correlator(distance: ArrayLike, embedded: ArrayLike) -> Callable[[NDArray[Any]], Scores]:
    """Prepare the scores of pairs of classes, each weighted by a given count.

    The scores are Pearson's ``r`` and its two-sided ``p``; ``slope`` and ``intercept`` of the linear fit of
    embedding distance on class distance, its mean squared error ``mse`` and ``r2``. r is above 0 where classes
    that are farther apart are farther in embedding. Scores are nan for fewer than three pairs, and where a
    distance does not vary.

    Args:
        distance: of the classes, shape (pairs,).
        embedded: distance of the embeddings of their documentation, shape (pairs,).

    Raises:
        SeluError: lengths differ, or a distance is not finite (a pair without documentation has none).
    """
    x, y = np.asarray(distance, dtype=np.float64), np.asarray(embedded, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise SeluError(f"{y.size} embedding distances for {x.size} pairs: give one for each pair.")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise SeluError("the distance of a pair is not a finite number: leave out pairs without documentation.")

    def score(counts: NDArray[Any]) -> Scores:
        n = counts.sum()
        names = ("r", "p", "slope", "intercept", "mse", "r2")
        if n < 3:
            return dict.fromkeys(names, float("nan"))
        dx, dy = x - counts @ x / n, y - counts @ y / n
        xx, yy, xy = counts @ dx**2, counts @ dy**2, counts @ (dx * dy)
        if min(xx, yy) <= 0:
            return dict.fromkeys(names, float("nan"))
        r, slope = np.clip(xy / np.sqrt(xx * yy), -1, 1), xy / xx
        intercept = counts @ y / n - slope * (counts @ x / n)
        values = (r, significance(float(r), float(n)), slope, intercept, yy * (1 - r**2) / n, r**2)
        return {name: float(value) for name, value in zip(names, values, strict=True)}

    return score


def significance(r: float, pairs: float) -> float:
    """Return the two-sided p of Pearson's r over that many pairs, under a true correlation of 0."""
    from scipy.special import stdtr

    if abs(r) >= 1:
        return 0.0
    return float(2 * stdtr(pairs - 2, -abs(r) * np.sqrt((pairs - 2) / (1 - r * r))))


def correlate(distance: ArrayLike, embedded: ArrayLike) -> Scores:
    """Score pairs, each once; arguments, scores and errors as in ``correlator``."""
    return correlator(distance, embedded)(np.ones(np.size(embedded)))


def evaluate(truth: Sequence[Any], answers: Sequence[Any], _labels: Sequence[str] = ()) -> Scores:
    """Score class distances against embedding distances."""
    return correlate(truth, answers)
