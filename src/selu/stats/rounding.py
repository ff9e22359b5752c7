"""Effects of rounded inputs: the range of a statistic when every input may be off by half a digit."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
from numpy.typing import NDArray

from selu.vocabulary import CellVerdict


def reachable(
    statistic: Callable[[NDArray[np.float64]], float],
    values: NDArray[np.float64],
    half_width: float | NDArray[np.floating],
) -> tuple[float, float]:
    """Find the smallest and the largest value that rounding of the inputs can explain.

    Every input moves by ``half_width`` in the direction of the statistic's gradient, or against it;
    exact for a mean, and to first order for the smooth statistics used here (the step is 0.0005).

    Args:
        statistic: maps an array shaped like ``values`` to one number.
        values: the inputs as printed.
        half_width: half a unit of the last printed digit, of all inputs or of each; 0 where one is not rounded.
    """
    values = np.asarray(values, dtype=np.float64)
    widths = np.broadcast_to(half_width, values.shape)
    gradient = np.zeros_like(values)
    for index in zip(*np.nonzero(widths), strict=True):
        moved, step = values.copy(), widths[index] / 10
        moved[index] += step
        up = statistic(moved)
        moved[index] -= 2 * step
        gradient[index] = up - statistic(moved)
    direction = np.sign(gradient) * widths
    ends = (statistic(values - direction), statistic(values + direction))
    return min(ends), max(ends)


def to_digits(value: float, digits: int = 3) -> str:
    """Print a number as a table does, halves rounded away from zero after removing float noise."""
    clean = Decimal(repr(round(float(value), 12)))
    rounded = clean.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    return str(abs(rounded) if rounded == 0 else rounded)


def agrees(value: float, published: str) -> bool:
    """Return whether ``value`` rounds to the published text at the number of digits that the text has."""
    digits = len(published.partition(".")[2])
    return Decimal(to_digits(value, digits)) == Decimal(published)


def verdict(text: str, exact: float | None, value: float, low: float, high: float) -> CellVerdict:
    """Return how a value compares with the published one.

    Args:
        text: the published number, as in the table.
        exact: the same number at full digits, where it is known.
        value: ours; of several seeds their mean.
        low, high: bounds of ours; of several seeds the lowest and the highest: the seeds' spread counts.

    Returns:
        reproduced where both read the same at three digits (halves away from zero); within noise
        where the published number lies in low..high; deviates otherwise.
    """
    if Decimal(to_digits(value)) == Decimal(text):
        return CellVerdict.REPRODUCED
    at = float(text) if exact is None else exact
    return CellVerdict.WITHIN_NOISE if low <= at <= high else CellVerdict.DEVIATES
