"""Scores without any knowledge of the texts' content: lengths alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def similar_length(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
    """Return, as distance of two texts, the difference of the logarithms of their lengths."""
    lengths = np.log1p([[len(text) for text in texts] for texts in (first, second)])
    apart: NDArray[np.float64] = np.abs(lengths[0] - lengths[1])
    return apart
