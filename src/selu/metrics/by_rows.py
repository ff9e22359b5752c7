"""Any score of rows, and its interval over resampled rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selu.metrics.percentiles import Resampling, bounds

Column = NDArray[Any]
# Takes true values and answers, one of each per row, and the labels as ``evaluate.evaluate`` does.
Metric = Callable[[Column, Column, Any], float]


def points(
    metrics: Mapping[str, Metric], truth: Sequence[object], answers: Sequence[object], labels: object
) -> dict[str, float]:
    """Compute scores of rows.

    Args:
        metrics: by the name of the score.
        truth, answers: one of each per row, as ``measured.points`` takes them.
        labels: as ``evaluate.evaluate``.

    Raises:
        ValueError: as the metric does.
    """
    known, given = _column(truth), _column(answers)
    return {name: metric(known, given, labels) for name, metric in metrics.items()}


def intervals(
    metrics: Mapping[str, Metric],
    truth: Sequence[object],
    answers: Sequence[object],
    labels: object,
    resampling: Resampling,
) -> dict[str, dict[str, float]]:
    """Draw bounds of the scores over resampled rows (Efron 1979); arguments as ``points``."""
    known, given = _column(truth), _column(answers)
    found = {}
    for name, metric in metrics.items():
        random = np.random.default_rng(resampling.seed)
        drawn = np.empty(resampling.draws)
        for draw in range(resampling.draws):
            rows = random.integers(0, len(known), size=len(known))
            drawn[draw] = metric(known[rows], given[rows], labels)
        found[name] = bounds(drawn, resampling.level)._asdict()
    return found


def _column(values: Sequence[object]) -> Column:
    """Put one value per row into an array, whatever a value is."""
    if values and isinstance(values[0], (int, float)):
        return np.asarray(values)
    return np.fromiter(values, dtype=object, count=len(values))
