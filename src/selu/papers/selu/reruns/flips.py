"""How many answers differ between published predictions and the scores published beside them, and which.

The authors' trainer scores a model on texts padded to the longest input; a pipeline then answers the test rows
again in other batches, and those answers are what they publish. In bfloat16 the two can differ where a score
lies at the threshold (or two classes tie), so the fewest changed answers are sought there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from selu.papers.selu.reruns.predictions import THRESHOLD, answers
from selu.vocabulary import Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WHOLE = 1e-6  # how far a count that is computed back from a rounded share may be from a whole number


@dataclass(frozen=True, slots=True)
class Flip:
    """One answer to change: its row (from 0, among the test rows), its label where each label has an answer.

    ``score`` is the published sigmoid, or the probability of the class that would have to win; ``margin`` is
    its distance to the threshold, or to the winning class.
    """

    row: int
    label: int | None
    before: int
    after: int
    score: float
    margin: float


def needed(
    kind: str, truth: NDArray[np.number], scores: NDArray[np.float64], report: Mapping[str, object]
) -> tuple[Flip, ...] | None:
    """Return the fewest answers to change for the counts of the authors' report, the least certain ones first.

    Args:
        truth: label indices (rows,) or 0/1 per label (rows, labels).
        scores: published probabilities in index order (rows, labels).
        report: their scores, as ``predictions.read_report`` gives them.

    Returns:
        the changes; None where the report gives no counts (regression, another number of classes), or those
        of other labels than ``truth``.
    """
    if kind in (Kind.BINARY, Kind.MULTI_CLASS):
        return _of_classes(truth, scores, report.get("confusion_matrix"))
    if kind is Kind.MULTI_LABEL:
        return _of_labels(truth, scores, report.get("precision_per_class"), report.get("recall_per_class"))
    return None


def changed(kind: str, scores: NDArray[np.float64], flips: Iterable[Flip]) -> NDArray[np.number]:
    """Return the published answers with these changes."""
    altered = answers(kind, scores)
    for flip in flips:
        altered[flip.row if flip.label is None else (flip.row, flip.label)] = flip.after
    return altered


def _of_classes(
    truth: NDArray[np.number], scores: NDArray[np.float64], matrix: object
) -> tuple[Flip, ...] | None:
    import numpy as np

    classes = scores.shape[1]
    theirs = np.array(matrix if isinstance(matrix, list) else [], dtype=np.float64)
    ours = np.zeros((classes, classes))
    given = answers(Kind.MULTI_CLASS, scores)
    np.add.at(ours, (truth.astype(np.int64), given.astype(np.int64)), 1)
    if theirs.shape != ours.shape or (theirs.sum(axis=1) != ours.sum(axis=1)).any():
        return None
    missing = theirs - ours  # if above 0, the number of further answers of that class that are needed
    flips: list[Flip] = []
    for label in range(classes):
        moves = [
            Flip(int(row), None, int(given[row]), to, float(scores[row, to]), float(margin))
            for to in np.flatnonzero(missing[label] > 0).tolist()
            for row in np.flatnonzero((truth == label) & (missing[label, given] < 0))
            for margin in [scores[row, given[row]] - scores[row, to]]
        ]
        left = missing[label].copy()
        moved: set[int] = set()
        for flip in sorted(moves, key=lambda move: (move.margin, move.row)):
            if flip.row not in moved and left[flip.before] < 0 < left[flip.after]:
                left[flip.before] += 1
                left[flip.after] -= 1
                moved.add(flip.row)
                flips.append(flip)
    return _ordered(flips)


def _of_labels(
    truth: NDArray[np.number], scores: NDArray[np.float64], precision: object, recall: object
) -> tuple[Flip, ...] | None:
    import numpy as np

    labels = scores.shape[1]
    if not isinstance(precision, list) or not isinstance(recall, list):
        return None
    if not len(precision) == len(recall) == labels:
        return None
    given = answers(Kind.MULTI_LABEL, scores)
    flips: list[Flip] = []
    for label in range(labels):
        actual, answered = truth[:, label] == 1, given[:, label] == 1
        right = recall[label] * actual.sum()
        if precision[label] > 0:
            wrong = right / precision[label] - right
        elif right > 0:
            return None
        else:
            wrong = float((~actual & answered).sum())  # with no right answer the number of wrong ones is free
        if abs(right - round(right)) > _WHOLE or abs(wrong - round(wrong)) > _WHOLE:
            return None  # no whole counts: their labels are not these
        for part, wanted in ((actual, round(right)), (~actual, round(wrong))):
            change = wanted - int((part & answered).sum())
            rows = np.flatnonzero(part & (answered == (change < 0)))
            margins = np.abs(scores[rows, label] - THRESHOLD)
            if abs(change) > len(rows):
                return None
            for place in np.argsort(margins, kind="stable")[: abs(change)]:
                row, score = int(rows[place]), float(scores[rows[place], label])
                flips.append(Flip(row, label, int(change < 0), int(change > 0), score, float(margins[place])))
    return _ordered(flips)


def _ordered(flips: list[Flip]) -> tuple[Flip, ...]:
    return tuple(sorted(flips, key=lambda flip: (flip.margin, flip.row, flip.label or 0)))
