"""The authors' result files (``test_results.json``), read into counts, with contradictions in a file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from selu.papers.selu.recounts.counts import Labels, Matrix
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_TOLERANCE = 1e-9  # files hold the shortest text of a float, so that equal numbers differ by less
_WHOLE = 1e-6  # how far a count that is recovered from ratios may be from a whole number
_ENTITY = {"precision", "recall", "f1", "number"}


def read_counts(
    content: bytes, place: str, support: Sequence[int] | None, rows: int | None = None
) -> Matrix | Labels | None:
    """Read the counts of a result file.

    Args:
        place: path of the file, for messages.
        support: items of each label in the test part; needed where a file has per-label precision and recall
            but no counts.
        rows: items of the test part, which such a file does not say.

    Returns:
        None where the file holds no counts and none follow: regression, masked words, or no support known.

    Raises:
        SeluError: the file is damaged, or its counts are not whole, not square or not possible.
    """
    try:
        fields = {name.removeprefix("eval_"): value for name, value in json.loads(content).items()}
    except (ValueError, AttributeError):
        raise SeluError(f"{place} is not a result file: get it again from the authors' repository.") from None
    if "confusion_matrix" in fields:
        return _matrix(fields, place)
    if "confusion_matrices" in fields:
        return _matrices(fields["confusion_matrices"], place)
    if "precision_None" in fields and support is not None:
        found = _recovered(fields["precision_None"], fields["recall_None"], support, place)
        return replace(found, rows=_enough(rows, found, place))
    entities = {
        name: value for name, value in fields.items() if isinstance(value, dict) and set(value) == _ENTITY
    }
    if entities:
        numbers = [value["number"] for value in entities.values()]
        precision, recall = ([value[name] for value in entities.values()] for name in ("precision", "recall"))
        found = _recovered(precision, recall, _whole(numbers, f"{place}: number"), place)
        given = sum(found.right) / fields["overall_precision"] if fields["overall_precision"] else 0.0
        if abs(given - round(given)) > _WHOLE:
            raise SeluError(f"{place}: overall_precision is not a ratio of {sum(found.right)} right answers.")
        return replace(found, answered_in_all=round(given))
    return None


def epoch_of(content: bytes) -> float | None:
    """Read after how many epochs a training ended; None where the file does not say it.

    Args:
        content: a file that ``read_counts`` has read.
    """
    epoch = json.loads(content).get("epoch")
    return float(epoch) if type(epoch) in (int, float) and math.isfinite(epoch) else None


def contradictions(content: bytes, counts: Matrix | Labels) -> list[str]:
    """Name the scores of a result file that do not follow from its counts."""
    fields = {name.removeprefix("eval_"): value for name, value in json.loads(content).items()}
    found = []
    if "f1_None" in fields:
        stored = fields["f1_None"][1:] if len(fields["f1_None"]) > len(counts.f1()) else fields["f1_None"]
        if len(stored) != len(counts.f1()) or not _near(stored, counts.f1()):
            found.append("f1_None")
        if not _near([fields["f1_macro"]], [counts.macro_f1()]):
            found.append("f1_macro")
    elif isinstance(counts, Labels) and not _near([fields["overall_f1"]], [counts.micro_f1() or 0.0]):
        found.append("overall_f1")
    return found


def _near(stored: Sequence[float], computed: ArrayLike) -> bool:
    return bool(np.allclose(stored, computed, rtol=0, atol=_TOLERANCE))


def _whole(values: object, place: str) -> list[int]:
    if not isinstance(values, list) or any(type(value) is not int or value < 0 for value in values):
        raise SeluError(f"{place} holds something other than counts: get the file again.")
    return list(values)


def _matrix(fields: Mapping[str, object], place: str) -> Matrix:
    name = f"{place}: confusion_matrix"
    rows = fields["confusion_matrix"]
    rows = rows.get("confusion_matrix") if isinstance(rows, dict) else rows
    if not isinstance(rows, list) or not rows:
        raise SeluError(f"{name} is not a matrix: get the file again.")
    cells = [_whole(row, name) for row in rows]
    if any(len(row) != len(cells) for row in cells):
        raise SeluError(f"{name} is not square: get the file again.")
    square = np.array(cells, dtype=np.int64)
    unknown = fields.get("unknown_predictions") or 0
    if not unknown:
        return Matrix(np.hstack([square, np.zeros((len(square), 1), dtype=np.int64)]))
    # Replies that name no class stand first, as a class that no row has.
    if square[0].any() or int(square[:, 0].sum()) != unknown:
        raise SeluError(f"{place}: unknown_predictions is {unknown}, and confusion_matrix has another number.")
    return Matrix(np.hstack([square[1:, 1:], square[1:, :1]]))


def _matrices(found: Sequence[Sequence[object]], place: str) -> Labels:
    """Read one 2 x 2 matrix for each label: [[true negative, false positive], [false negative, right]]."""
    name = f"{place}: confusion_matrices"
    tables = [[_whole(row, name) for row in table] for table in found]
    if any(len(table) != 2 or any(len(row) != 2 for row in table) for table in tables):
        raise SeluError(f"{name} are not two by two: get the file again.")
    if len({sum(map(sum, table)) for table in tables}) != 1:
        raise SeluError(f"{name} count different numbers of rows: get the file again.")
    right, missed, wrong = ([table[i][j] for table in tables] for i, j in ((1, 1), (1, 0), (0, 1)))
    support = tuple(a + b for a, b in zip(right, missed, strict=True))
    answered = tuple(a + b for a, b in zip(right, wrong, strict=True))
    return Labels(tuple(right), support, answered, rows=sum(map(sum, tables[0])))


def _enough(rows: int | None, found: Labels, place: str) -> int | None:
    """Return the items of the test part; refuse counts that this many items can't give."""
    for right, support, answered in zip(found.right, found.support, found.answered, strict=True):
        if rows is not None and support + (answered or right) - right > rows:
            raise SeluError(f"{place}: precision and recall give more answers than the {rows:,} rows have.")
    return rows


def _recovered(
    precision: Sequence[float], recall: Sequence[float], support: Sequence[int], place: str
) -> Labels:
    """Recover counts from ratios: recall times support is a whole number, and so is that by precision."""
    if not len(precision) == len(recall) == len(support):
        raise SeluError(f"{place}: {len(recall)} labels, and the test part has {len(support)}.")
    right, answered = [], []
    for index, (p, r, n) in enumerate(zip(precision, recall, support, strict=True)):
        found = r * n
        given = found / p if p else math.nan
        for value in (found, *([given] if p else [])):
            if abs(value - round(value)) > _WHOLE:
                raise SeluError(
                    f"{place}: precision and recall of label {index} are not ratios of counts over {n} rows."
                )
        right.append(round(found))
        answered.append(round(given) if p else None)
    return Labels(tuple(right), tuple(support), tuple(answered))
