"""Does a metric tell patches whose tests pass from others? Areas under the curve, with tasks as clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from selu.metrics import percentiles
from selu.metrics.percentiles import Resampling
from selu.papers.faun_eval.records import Area, Difference

FloatArray = NDArray[np.float64]
_AT_ONCE = 250  # resamples


def area(values: FloatArray, resolved: NDArray[np.bool_], weights: FloatArray) -> FloatArray:
    """Compute the share of pairs of a resolved and another patch in which the former has the higher value.

    Equal values count half. The area is that of the ROC curve, and the statistic of Mann and Whitney.

    Args:
        values, resolved: of each patch, shape (patches,).
        weights: how often each patch counts, shape (draws, patches).

    Returns:
        shape (draws,); not a number where a draw has no patch of one kind.
    """
    order = np.argsort(values, kind="stable")
    ordered, weights = values[order], weights[:, order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    good = np.add.reduceat(weights * resolved[order], first, axis=1)
    bad = np.add.reduceat(weights * ~resolved[order], first, axis=1)
    below = np.cumsum(bad, axis=1) - bad
    with np.errstate(invalid="ignore"):
        found: FloatArray = (good * (below + bad / 2)).sum(axis=1) / (good.sum(axis=1) * bad.sum(axis=1))
    return found


def area_with_interval(
    values: Sequence[float], resolved: Sequence[bool], tasks: Sequence[str], draws: Resampling
) -> Area:
    """Compute the area of these patches, and an interval over resampled tasks, each with all its patches.

    Raises:
        ValueError: no patch is resolved, or every one.
    """
    drawn, whole = _areas(values, resolved, tasks, draws)
    low, high, error = percentiles.bounds(drawn, draws.level)
    return {"auc": whole, "low": low, "high": high, "error": error}


def area_difference(
    scores: Sequence[float],
    other: Sequence[float],
    resolved: Sequence[bool],
    tasks: Sequence[str],
    draws: Resampling,
) -> Difference:
    """Compute by how much the area of one metric is above another's on the same patches, in the same way.

    Raises:
        ValueError: no patch is resolved, or every one.
    """
    drawn, whole = _areas(scores, resolved, tasks, draws)
    drawn_other, whole_other = _areas(other, resolved, tasks, draws)
    low, high, error = percentiles.bounds(drawn - drawn_other, draws.level)
    return {"difference": whole - whole_other, "low": low, "high": high, "error": error}


def _areas(
    values: Sequence[float], resolved: Sequence[bool], tasks: Sequence[str], draws: Resampling
) -> tuple[FloatArray, float]:
    """Compute the area in each resample of the tasks, the same for all metrics, and over all patches."""
    scores, passed = np.asarray(values, dtype=np.float64), np.asarray(resolved, dtype=bool)
    if passed.all() or not passed.any():
        raise ValueError("an area needs resolved and other patches")
    task_of = np.unique(np.asarray(tasks), return_inverse=True)[1]
    clusters = int(task_of.max()) + 1
    random = np.random.default_rng(draws.seed)
    drawn = []
    for start in range(0, draws.draws, _AT_ONCE):
        size = min(_AT_ONCE, draws.draws - start)
        counts = random.multinomial(clusters, np.full(clusters, 1 / clusters), size=size)
        drawn.append(area(scores, passed, counts[:, task_of].astype(np.float64)))
    (whole,) = area(scores, passed, np.ones((1, len(scores))))
    return np.concatenate(drawn), float(whole)
