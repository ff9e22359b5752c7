"""Correlation of labels and answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from selu.metrics import classification


def matthews(truth: ArrayLike, predicted: ArrayLike, labels: int) -> float:
    """Compute Matthews' correlation coefficient (1975), which Gorodkin (2004) extends to several labels.

    An invalid answer (-1) is a label of its own that no row has, as scikit-learn's function takes it too.

    Args:
        truth, predicted, labels: as ``classification.scores``.

    Returns:
        from -1 to 1; 0 if all rows have one label, or all answers are one.

    Raises:
        ValueError: as ``classification.scores``.
    """
    counted = classification.table(*classification.checked(truth, predicted, labels), labels)
    rows, right = int(counted.sum()), int(counted[:, 1:].trace())
    actual, answered = counted.sum(axis=1), counted.sum(axis=0)
    spread = [rows**2 - int(each @ each) for each in (actual, answered)]
    if not all(spread):
        return 0.0
    return float((right * rows - int(actual @ answered[1:])) / np.sqrt(float(spread[0]) * float(spread[1])))
