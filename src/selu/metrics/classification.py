"""Scores of answers that name one label each (binary and multi-class tasks)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from selu.metrics.checks import indices, same_length
from selu.metrics.counts import Counts, all_scores


def scores(truth: ArrayLike, predicted: ArrayLike, labels: int) -> dict[str, Any]:
    """Compute every score of one label per row, all from one table of counts.

    An invalid answer (-1) is wrong: its row counts in accuracy and in the recall of its class, and in the
    prediction of no class. It stands in no cell of the confusion matrix.

    Args:
        truth: shape (rows,), label indices.
        predicted: shape (rows,), label indices, or -1 for an answer outside the declared set.
        labels: number of declared labels; classes that never occur count as 0 in averages over classes.

    Returns:
        the names of ``counts.all_scores``, ``confusion_matrix`` (rows truth, columns predicted, in index order)
        and ``invalid``, the number of invalid answers. All scores are 0 when there are no rows.

    Raises:
        ValueError: lengths that differ, or a value that is not a declared label.
    """
    known, answered = checked(truth, predicted, labels)
    counted = table(known, answered, labels)
    return {
        **all_scores(of_table(counted)),
        "confusion_matrix": counted[:, 1:].tolist(),
        "invalid": int(counted[:, 0].sum()),
    }


def checked(truth: ArrayLike, predicted: ArrayLike, labels: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read truth and predictions as whole numbers of one length.

    Raises:
        ValueError: as ``scores``.
    """
    known = indices(truth, labels, "truth", invalid=False)
    answered = indices(predicted, labels, "predicted", invalid=True)
    same_length(known, answered)
    return known, answered


def table(truth: NDArray[Any], predicted: NDArray[Any], labels: int) -> NDArray[np.int64]:
    """Count rows per (truth, answer): shape (labels, 1 + labels), invalid answers in the first column."""
    cell = np.multiply(truth, labels + 1, dtype=np.int64)
    cell += predicted
    cell += 1
    return np.bincount(cell, minlength=labels * (labels + 1)).reshape(labels, labels + 1)


def of_table(counted: NDArray[np.int64]) -> Counts:
    """Count per class in a table as ``table`` gives it."""
    valid = counted[:, 1:]
    hits = valid.diagonal()
    return Counts(hits, valid.sum(axis=0), counted.sum(axis=1), hits.sum(), counted.sum())


def contributions(truth: NDArray[Any], predicted: NDArray[Any], labels: int) -> Counts:
    """Return what each row adds to the counts: arrays of shape (rows, labels), and (rows,) for the whole."""
    classes = np.arange(labels)
    actual, answered = truth[:, None] == classes, predicted[:, None] == classes
    return Counts(actual & answered, answered, actual, truth == predicted, np.ones(len(truth), dtype=bool))
