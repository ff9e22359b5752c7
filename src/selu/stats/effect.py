"""Effect sizes between paired columns (SELU equation 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAGNITUDES = ("negligible", "small", "medium", "large")
_CUTS = (0.2, 0.5, 0.8)
_MAD_TO_SD = 1.4826


def pooled_sd(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Pool the standard deviation (ddof 1) of two samples of length n >= 2, in score units."""
    na, nb = len(a), len(b)
    return float(np.sqrt(((na - 1) * variance(a) + (nb - 1) * variance(b)) / (na + nb - 2)))


def variance(sample: NDArray[np.float64]) -> float:
    """Return ``sample.var(ddof=1)`` to the bit, in less than half of its time on a few scores."""
    centred = sample - np.add.reduce(sample) / len(sample)
    return float(np.add.reduce(centred * centred) / (len(sample) - 1))


def pooled_mad(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Pool the median absolute deviation, scaled to the standard deviation of a normal sample."""
    na, nb = len(a), len(b)
    mads = [_MAD_TO_SD * float(np.median(np.abs(x - np.median(x)))) for x in (a, b)]
    return float(np.sqrt(((na - 1) * mads[0] ** 2 + (nb - 1) * mads[1] ** 2) / (na + nb - 2)))


def cohen_d(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Divide the difference of the means by the pooled standard deviation; nan where neither sample varies."""
    spread = pooled_sd(a, b)
    return float((a.mean() - b.mean()) / spread) if spread > 0 else float("nan")


def magnitude(d: float) -> str:
    """Name Cohen's class of an effect size: negligible, small, medium or large (cuts .2, .5, .8)."""
    return MAGNITUDES[sum(abs(d) >= cut for cut in _CUTS)]
