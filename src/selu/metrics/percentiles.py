"""Percentile bounds of resampled values, with their Monte-Carlo error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Bounds(NamedTuple):
    """Bounds in the unit of the values, and the larger Monte-Carlo standard error of the two."""

    low: float
    high: float
    error: float


class Resampling(NamedTuple):
    """How an interval is drawn: resamples, seed of numpy's default generator, level of coverage in (0, 1)."""

    draws: int
    seed: int
    level: float


def bounds(drawn: NDArray[np.float64], level: float) -> Bounds:
    """Return percentile bounds of resampled values (Efron 1979); nan values are left out.

    The number of draws below a quantile is binomial; its standard deviation, put through the quantiles of the
    draws, is the Monte-Carlo error of the bound. It is 0 where values step so coarsely that the bound stays on
    its step.

    Args:
        drawn: shape (draws,).
        level: probability that the bounds are to cover, in (0, 1).
    """
    valid = drawn[~np.isnan(drawn)]
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    spread = np.sqrt(tails * (1 - tails) / len(valid))
    low, high = np.quantile(valid, tails)
    ends = [np.quantile(valid, np.clip(tails + sign * spread, 0, 1)) for sign in (1, -1)]
    return Bounds(float(low), float(high), float((ends[0] - ends[1]).max() / 2))
