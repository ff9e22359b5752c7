"""Scores of answers that say yes or no to every label (multi-label tasks)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from selu.metrics.checks import INVALID, same_length, whole
from selu.metrics.counts import Counts, all_scores


def scores(truth: ArrayLike, predicted: ArrayLike, labels: int) -> dict[str, Any]:
    """Compute every score of a yes or no per label, from three sums per label.

    An invalid answer (a row with -1 anywhere) is wrong: it matches no row, says yes to no label, and the labels
    that its row has count in recall. It stands in no cell of the matrices.

    Args:
        truth: shape (rows, labels), 0 or 1.
        predicted: shape (rows, labels), 0 or 1; a row with -1 is an invalid answer as a whole.
        labels: number of declared labels.

    Returns:
        the names of ``counts.all_scores``, where accuracy is the share of rows with every label right,
        ``confusion_matrices``, a 2x2 per label (rows truth no, yes; columns predicted no, yes), and
        ``invalid``. All scores are 0 when there are no rows.

    Raises:
        ValueError: shapes that do not fit, or another value.
    """
    known, answered, invalid = checked(truth, predicted, labels)
    rows, hits = known.shape[1], known & answered
    wrong = (known ^ answered).any(axis=0) | invalid
    bad = int(np.count_nonzero(invalid))
    correct, chosen, actual = _per_label(hits), _per_label(answered), _per_label(known)
    valid = actual - (_per_label(known & invalid) if bad else 0)
    matrices = np.array([[rows - bad - valid - chosen + correct, chosen - correct], [valid - correct, correct]])
    counts = Counts(correct, chosen, actual, np.asarray(rows - np.count_nonzero(wrong)), np.asarray(rows))
    return {
        **all_scores(counts),
        "confusion_matrices": matrices.transpose(2, 0, 1).tolist(),
        "invalid": bad,
    }


def checked(
    truth: ArrayLike, predicted: ArrayLike, labels: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Read true and predicted labels as booleans, shape (labels, rows), which is fast to count.

    The third, shape (rows,), says which answers are invalid; these are all no in the second.

    Raises:
        ValueError: as ``scores``.
    """
    if labels < 1:
        raise ValueError(f"at least one label must be declared, not {labels}")
    known, answered = _cells(truth, labels, "truth"), _cells(predicted, labels, "predicted")
    same_length(known, answered)
    if known.size and not (known.min() >= 0 and known.max() <= 1):
        raise ValueError("truth must hold only 0 and 1")
    lowest, highest = (int(answered.min()), int(answered.max())) if answered.size else (0, 0)
    if not (lowest >= INVALID and highest <= 1):
        raise ValueError(f"predicted must hold only 0 and 1, or {INVALID} in the rows of invalid answers")
    invalid = (answered == INVALID).any(axis=1) if lowest == INVALID else np.zeros(len(answered), dtype=bool)
    yes = np.ascontiguousarray((answered == 1).T)
    if lowest == INVALID:
        yes &= ~invalid
    return np.ascontiguousarray((known == 1).T), yes, invalid


def contributions(known: NDArray[np.bool_], answered: NDArray[np.bool_], invalid: NDArray[np.bool_]) -> Counts:
    """Return what each row adds to the counts: arrays of shape (rows, labels), and (rows,) for the whole.

    Args:
        known, answered, invalid: as ``checked`` gives them.
    """
    right = (known == answered).all(axis=0) & ~invalid
    return Counts((known & answered).T, answered.T, known.T, right, np.ones(len(right), dtype=bool))


def _cells(values: ArrayLike, labels: int, name: str) -> NDArray[Any]:
    array = whole(values, name, 2)
    if len(array) == 0:
        return np.empty((0, labels), dtype=np.int8)
    if array.shape[1] != labels:
        raise ValueError(f"{name} has {array.shape[1]} columns, but {labels} labels are declared")
    return array


def _per_label(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.array([np.count_nonzero(label) for label in cells], dtype=np.int64)
