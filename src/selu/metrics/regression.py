"""Scores of answers that are numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from selu.metrics.checks import same_length

FloatArray = NDArray[np.float64]

LARGEST = 1e150  # the square of anything larger, or a sum of such squares, is not a finite number
LOSSES = {"mae": "absolute", "mse": "squared", "rmse": "squared", "mape": "relative", "smape": "symmetric"}


def scores(truth: ArrayLike, predicted: ArrayLike) -> dict[str, Any]:
    """Compute mean losses over the rows with a valid answer.

    Unlike a wrong label, an invalid number has no loss: the row is left out of every mean and counted in
    ``invalid``, so these scores must not be read without it. Sums are rounded once, whatever their order.

    Args:
        truth: shape (rows,), finite.
        predicted: shape (rows,); NaN, infinite or beyond ``LARGEST`` in size means an invalid answer.

    Returns:
        ``mae``, ``mse``, ``rmse`` (of the unit of the truth, or its square), ``mape`` (a share of the truth,
        which is taken as at least 2.2e-16, as scikit-learn does), ``smape`` (0..2, SELU equation 2; 0 for a row
        where truth and answer are 0) and ``invalid``.

    Raises:
        ValueError: lengths that differ, a truth that is not a finite number, or no valid answer at all.
    """
    known, answered, valid = checked(truth, predicted)
    if not valid.any():
        raise ValueError(f"no mean loss exists: none of {len(known)} answers is a valid number")
    known, answered = known[valid], answered[valid]
    means = {
        name: math.fsum(loss(known, answered, name).tolist()) / len(known) for name in LOSSES if name != "rmse"
    }
    return {
        "mae": means["mae"],
        "mse": means["mse"],
        "rmse": math.sqrt(means["mse"]),
        "mape": means["mape"],
        "smape": means["smape"],
        "invalid": int(len(valid) - valid.sum()),
    }


def checked(truth: ArrayLike, predicted: ArrayLike) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Read truth and predictions as doubles, shape (rows,), and which predictions are valid.

    Raises:
        ValueError: lengths that differ, or a truth that is not a finite number below ``LARGEST``.
    """
    known, answered = np.asarray(truth, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    for name, array in (("truth", known), ("predicted", answered)):
        if array.ndim != 1:
            raise ValueError(f"{name} must have one dimension, not shape {array.shape}")
    same_length(known, answered)
    if not (np.abs(known) <= LARGEST).all():
        raise ValueError(f"truth holds a value that is no number of size {LARGEST:g} or less")
    return known, answered, np.abs(answered) <= LARGEST


def loss(truth: FloatArray, predicted: FloatArray, name: str) -> FloatArray:
    """Compute each row's loss, whose mean (for ``rmse`` its root) is the score of that name, shape (rows,).

    Raises:
        ValueError: there is no score of that name.
    """
    if name not in LOSSES:
        raise ValueError(f"no score is called '{name}' here: choose one of {', '.join(LOSSES)}")
    kind = LOSSES[name]
    error: FloatArray = np.abs(predicted - truth)
    if kind == "absolute":
        return error
    if kind == "squared":
        return error * error
    if kind == "relative":
        return np.asarray(error / np.maximum(np.abs(truth), np.finfo(np.float64).eps))
    size = np.abs(predicted) + np.abs(truth)
    terms: FloatArray = np.divide(2 * error, size, out=np.zeros_like(size), where=size != 0)
    return terms
