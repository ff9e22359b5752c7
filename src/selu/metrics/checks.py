"""What every family asks of its arrays before it counts: plain types, one length, values that are declared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

INVALID = -1  # an answer outside the declared set


def indices(values: ArrayLike, labels: int, name: str, invalid: bool) -> NDArray[Any]:
    """Read label indices as an array of whole numbers.

    Args:
        values: shape (rows,), each in 0..labels-1, or ``INVALID`` where that is allowed.
        labels: number of declared labels, >= 1.
        name: how messages call the values.
        invalid: whether ``INVALID`` may stand among them.

    Returns:
        shape (rows,), of the integer type they came in (bool becomes int8).

    Raises:
        ValueError: another shape or type, or an index that is not declared.
    """
    if labels < 1:
        raise ValueError(f"at least one label must be declared, not {labels}")
    array = whole(values, name, 1)
    lowest = INVALID if invalid else 0
    if array.size and not (lowest <= array.min() and array.max() < labels):
        wrong = array[(array < lowest) | (array >= labels)][0]
        allowed = f"0..{labels - 1}" + (f", or {INVALID} for an invalid answer" if invalid else "")
        raise ValueError(f"{name} holds {wrong}, but each must be a declared label index {allowed}")
    return array


def whole(values: ArrayLike, name: str, dimensions: int) -> NDArray[Any]:
    """Read an integer array of that many dimensions; rows that came as separate arrays are put together.

    Raises:
        ValueError: another number of dimensions, rows of several lengths, or values that are no whole numbers.
    """
    array = np.asarray(values)
    if array.dtype == object and len(array) and dimensions == 2:
        array = np.stack([np.asarray(row) for row in array])
    if len(array) == 0:
        return np.empty((0,) * dimensions, dtype=np.int8)
    if array.dtype.kind not in "iub":
        raise ValueError(f"{name} must be whole numbers, not {array.dtype}")
    if array.ndim != dimensions:
        raise ValueError(f"{name} must have {dimensions} dimension(s), not shape {array.shape}")
    return array.astype(np.int8) if array.dtype == bool else array


def same_length(truth: Sequence[Any] | NDArray[Any], predicted: Sequence[Any] | NDArray[Any]) -> None:
    """Refuse a truth and predictions that are not row by row.

    Raises:
        ValueError: their lengths differ.
    """
    if len(truth) != len(predicted):
        raise ValueError(f"there are {len(truth)} true values but {len(predicted)} predictions")
