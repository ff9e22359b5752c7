"""Every score that follows from counts per class: accuracy, and F1, precision and recall in three averages.

The formulas, and the order of their operations, are those of scikit-learn's functions with all declared labels
and ``zero_division=0``, so the numbers agree to the last bit. Counts of a sample have no leading axis; what
each row adds to them has one, and the bootstrap takes the scores of all its draws from sums of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

MEASURES = ("f1", "precision", "recall")
AVERAGES = ("micro", "macro", "per_class")


@dataclass(frozen=True, slots=True)
class Counts:
    """Sufficient statistics of all scores here, of a sample or of each of its rows.

    Attributes:
        hits: shape (..., classes), rows of the class that were answered with it.
        predicted: shape (..., classes), rows answered with the class.
        actual: shape (..., classes), rows of the class, however answered.
        right: shape (...), rows answered right as a whole.
        rows: shape (...), all rows.
        harmonic: F1 as the harmonic mean of the rounded precision and recall, as seqeval takes it; otherwise
            2 TP / (2 TP + FP + FN) (SELU equations 1 and 3). They differ by rounding alone.
    """

    hits: NDArray[Any]
    predicted: NDArray[Any]
    actual: NDArray[Any]
    right: NDArray[Any]
    rows: NDArray[Any]
    harmonic: bool = False


def score(counts: Counts, name: str) -> FloatArray:
    """Compute one score by its name: ``accuracy``, or a measure and an average such as ``f1_macro``.

    Returns:
        shape (...), or (..., classes) for an average ``per_class``; 0 where nothing is there to divide by.

    Raises:
        ValueError: there is no score of that name.
    """
    above, below = terms(counts, name)
    values = ratio(above, below)
    if counts.harmonic and name.startswith("f1_"):
        average = name.removeprefix("f1_")
        precision, recall = (
            ratio(*terms(counts, f"{measure}_{average}")) for measure in ("precision", "recall")
        )
        values = ratio(2 * precision * recall, precision + recall)
    return values if name.endswith("_per_class") else averaged(values)


def terms(counts: Counts, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return numerators and denominators whose ratios, averaged, are the score; both add up over rows.

    Returns:
        two arrays of shape (..., classes), or (..., 1) for accuracy and micro averages.

    Raises:
        ValueError: as ``score``.
    """
    if name == "accuracy":
        return np.asarray(counts.right)[..., None], np.asarray(counts.rows)[..., None]
    measure, _, average = name.partition("_")
    if measure not in MEASURES or average not in AVERAGES:
        known = ", ".join(["accuracy", *(f"{each}_{a}" for each in MEASURES for a in AVERAGES)])
        raise ValueError(f"no score is called '{name}' here: choose one of {known}")
    hits, predicted, actual = counts.hits, counts.predicted, counts.actual
    if average == "micro":
        hits, predicted, actual = (part.sum(axis=-1, keepdims=True) for part in (hits, predicted, actual))
    if measure == "f1":
        return 2 * hits, np.add(predicted, actual, dtype=np.result_type(predicted, np.int64))
    return hits, predicted if measure == "precision" else actual


def averaged(values: FloatArray) -> FloatArray:
    """Average over classes, shape (...); of a single ratio, itself."""
    return np.asarray(values.mean(axis=-1))


def all_scores(counts: Counts) -> dict[str, Any]:
    """Compute every score of one sample, as plain floats and lists."""
    names = ["accuracy", *(f"{measure}_{average}" for average in AVERAGES for measure in MEASURES)]
    return {name: score(counts, name).tolist() for name in names}


def ratio(numerator: NDArray[Any], denominator: NDArray[Any]) -> FloatArray:
    """Divide, with 0 where the denominator is 0."""
    above, below = np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    return np.divide(above, below, out=np.zeros(np.broadcast(above, below).shape), where=below != 0)
