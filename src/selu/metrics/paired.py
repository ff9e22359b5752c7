"""The difference of two systems' scores on the same rows, with a percentile interval over paired resamples.

Both systems are scored on the same resample of rows each time, so that what makes rows hard for both cancels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from selu.metrics import classification, entities, multi_label, percentiles, regression
from selu.metrics.bootstrap import blocks
from selu.metrics.counts import Counts, averaged, ratio, terms
from selu.metrics.evaluate import check

FloatArray = NDArray[np.float64]


class Paired(NamedTuple):
    """Two scores, the bounds of the first minus the second, and the standard error of that difference."""

    first: float
    second: float
    low: float
    high: float
    error: float


def compare(
    kind: str,
    truth: Any,
    first: Any,
    second: Any,
    labels: int | Sequence[str],
    name: str,
    resampling: percentiles.Resampling,
) -> Paired:
    """Score two systems on the same rows, and draw a percentile interval of the difference.

    Args:
        kind, truth, labels, name: as ``bootstrap.interval`` takes them; not ``masked``.
        first, second: the answers of either system.

    Raises:
        ValueError: as ``bootstrap.interval``, or masked tokens.
    """
    check(kind, labels)
    if kind == "masked":
        raise ValueError("masked tokens depend on a model's vocabulary: two models have no rows in common")
    if len(truth) == 0:
        raise ValueError("there are no rows to resample")
    parts = [part for answers in (first, second) for part in _parts(kind, truth, answers, labels, name)]
    widths = np.cumsum([part.shape[1] for part in parts])[:-1]
    rows, repeats = np.unique(np.hstack(parts), axis=0, return_counts=True)
    root = name == "rmse"
    rng, drawn = np.random.default_rng(resampling.seed), np.empty(resampling.draws)
    for block in blocks(resampling.draws, len(repeats)):
        weights = rng.multinomial(len(truth), repeats / len(truth), size=block.stop - block.start)
        ours, theirs = _scores(weights, rows, widths, root)
        drawn[block] = ours - theirs
    ours, theirs = _scores(repeats[None, :], rows, widths, root)
    bounds = percentiles.bounds(drawn, resampling.level)
    error = float(np.nanstd(drawn))
    return Paired(float(ours[0]), float(theirs[0]), bounds.low, bounds.high, error)


def right(kind: str, truth: Any, answers: Any, labels: int | Sequence[str]) -> NDArray[np.bool_] | None:
    """Return which rows are entirely right; None for regression, whose answers are neither right nor wrong."""
    if kind == "regression":
        return None
    if kind == "entities":
        return np.array([list(tags) == list(answer) for tags, answer in zip(truth, answers, strict=True)])
    return np.asarray(_counts(kind, truth, answers, labels).right, dtype=bool)


def _counts(kind: str, truth: Any, answers: Any, labels: Any) -> Counts:
    if kind == "entities":
        return entities.contributions(entities.code(truth, answers, labels), len(labels))
    if kind == "multi_label":
        return multi_label.contributions(*multi_label.checked(truth, answers, labels))
    return classification.contributions(*classification.checked(truth, answers, labels), labels)


def _parts(kind: str, truth: Any, answers: Any, labels: Any, name: str) -> tuple[FloatArray, FloatArray]:
    """Return what each row adds to numerators and denominators, of shape (rows, ratios)."""
    if kind == "regression":
        known, answered, valid = regression.checked(truth, answers)
        losses = np.where(valid, regression.loss(known, np.where(valid, answered, known), name), 0.0)
        return losses[:, None], valid[:, None].astype(np.float64)
    above, below = terms(_counts(kind, truth, answers, labels), name)
    return above.astype(np.float64), below.astype(np.float64)


def _scores(
    weights: NDArray[np.int64], rows: FloatArray, widths: NDArray[np.int64], root: bool
) -> tuple[FloatArray, FloatArray]:
    """Return both systems' scores, of shape (draws,), from how often each distinct row is drawn."""
    above, below, other_above, other_below = np.split(weights @ rows, widths, axis=1)
    first, second = averaged(ratio(above, below)), averaged(ratio(other_above, other_below))
    return (np.sqrt(first), np.sqrt(second)) if root else (first, second)
