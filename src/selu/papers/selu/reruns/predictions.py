"""Reader of the predictions that SELU's authors publish, and of the scores they publish beside them.

``test_predictions.csv`` holds a line per test row in the order of the published split. Its header names the
class of each column by index, in whatever order the first row's scores had (so it must be read); the values
are softmax probabilities (binary, multi-class), sigmoids (multi-label) or, under the one column 0, the answer
itself (regression). ``test_results.json`` holds the scores that the authors' trainer computed before it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from selu.vocabulary import Kind, SeluError, Task, plain_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

THRESHOLD = 0.5  # of a sigmoid; the answer is yes above it, not at it (authors' evaluation script)
_KINDS = (Kind.BINARY, Kind.MULTI_CLASS, Kind.MULTI_LABEL, Kind.REGRESSION)
_SUM = 1e-4  # how far a row of softmax probabilities, written as float32, may be from 1
_REPORTED = {
    "eval_accuracy": "accuracy",
    "eval_confusion_matrix": "confusion_matrix",
    "eval_mae": "mae",
    "eval_mape": "mape",
    "eval_rmse": "mse",  # their script asks for the squared error and calls it rmse
    "eval_smape": "smape",
} | {
    f"eval_{score}_{theirs}": f"{score}_{ours}"
    for score in ("f1", "precision", "recall")
    for theirs, ours in (("micro", "micro"), ("macro", "macro"), ("None", "per_class"))
}


def read_predictions(content: bytes, task: Task, rows: int, name: str) -> NDArray[np.number]:
    """Read the authors' answers, one per test row.

    Args:
        content: bytes of a ``test_predictions.csv``.
        rows: number of test rows of the task.
        name: how messages call the file.

    Returns:
        label indices (rows,), 0/1 per label (rows, labels), or floats (rows,) for regression.

    Raises:
        SeluError: as ``read_scores``.
    """
    return answers(task.kind, read_scores(content, task, rows, name))


def read_scores(content: bytes, task: Task, rows: int, name: str) -> NDArray[np.float64]:
    """Read the values of the file with its columns put into index order, shape (rows, labels) or (rows, 1).

    Raises:
        SeluError: the task's kind has no such file; it is not text, cut short or of another number of rows; a
            class is missing, unknown or given twice; a value is not a number, not finite or not a probability;
            or the probabilities of a row don't add up to 1. Names the file, the line and what to do.
    """
    import numpy as np

    if task.kind not in _KINDS:
        raise SeluError(f"{name}: the authors publish no predictions of {task.kind} tasks such as {task.id}.")
    lines = _lines(content, name)
    order = _order(lines[0], 1 if task.kind is Kind.REGRESSION else len(task.labels), name)
    if len(lines) - 1 != rows:
        _refuse(name, f"it holds {len(lines) - 1} predictions where {task.id} has {rows} test rows")
    table = np.empty((rows, len(order)), dtype=np.float64)
    for number, line in enumerate(lines[1:], start=2):
        table[number - 2, order] = _values(line, len(order), task.kind, f"line {number}", name)
    return table


def answers(kind: str, scores: NDArray[np.float64]) -> NDArray[np.number]:
    """Return what the authors' script makes of scores in index order.

    Equal probabilities give the class of the lowest index, as argmax over the model's outputs does, whatever
    the order of the file's columns. A sigmoid must lie above 0.5.
    """
    import numpy as np

    if kind is Kind.REGRESSION:
        return scores[:, 0].copy()
    if kind is Kind.MULTI_LABEL:
        return (scores > THRESHOLD).astype(np.int8)
    best: NDArray[np.int32] = np.argmax(scores, axis=1).astype(np.int32)
    return best


def read_report(content: bytes, name: str) -> Mapping[str, object]:
    """Read the scores of a ``test_results.json`` under our names: numbers, lists per class, a matrix.

    Their ``rmse`` is the mean squared error and is called ``mse`` here; the accuracy of multi-label tasks lies
    one level deeper than that of the others. Times and losses are left out.

    Raises:
        SeluError: it is not JSON, or a score is not made of finite numbers, or none is known.
    """
    try:
        record = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        _refuse(name, "it is not whole JSON")
    if not isinstance(record, dict):
        _refuse(name, "it is not a record of scores")
    found: dict[str, Any] = {}
    for theirs, ours in _REPORTED.items():
        if theirs not in record:
            continue
        value = record[theirs]
        if theirs == "eval_accuracy" and isinstance(value, dict):
            value = value.get("accuracy")
        if not _finite(value):
            _refuse(name, f"{theirs} is not made of numbers")
        found[ours] = value
    if not found:
        _refuse(name, "it holds none of the scores that the authors report")
    return found


def same(ours: Any, theirs: Any, digits: int = 12) -> bool:
    """Return whether two scores (or lists of them) agree to ``digits`` (absolute; relative above 1)."""
    if isinstance(theirs, list) or isinstance(ours, list):
        alike = isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours)
        return alike and all(same(a, b, digits) for a, b in zip(ours, theirs, strict=True))
    return bool(abs(ours - theirs) <= 10.0**-digits * max(1.0, abs(theirs)))


def apart(ours: Mapping[str, object], report: Mapping[str, object]) -> list[str]:
    """Return names of the scores in the authors' report that ours lack or don't equal to 12 digits."""
    return [name for name, value in report.items() if name not in ours or not same(ours[name], value)]


def _lines(content: bytes, name: str) -> list[str]:
    try:
        text = content.decode("ascii")
    except UnicodeDecodeError as error:
        _refuse(name, f"it is not plain text (byte {error.start})")
    lines = text.replace("\r\n", "\n").split("\n")
    if lines.pop() != "":
        _refuse(name, f"it is cut short in line {len(lines) + 1}")
    if not lines:
        _refuse(name, "it is empty")
    return lines


def _order(header: str, classes: int, name: str) -> list[int]:
    """Return the class index of each column."""
    known = [str(index) for index in range(classes)]
    fields = header.split(",")
    for field in fields:
        if field not in known:
            _refuse(name, f"line 1 has the column {field[:40]!r} where classes are 0 to {classes - 1}")
        if fields.count(field) > 1:
            _refuse(name, f"line 1 has the class {field} twice")
    for index in known:
        if index not in fields:
            _refuse(name, f"line 1 has no column for class {index} of {classes}")
    return [int(field) for field in fields]


def _values(line: str, classes: int, kind: str, where: str, name: str) -> list[float]:
    fields = line.split(",")
    if len(fields) != classes:
        _refuse(name, f"{where} has {len(fields)} values where {classes} were expected")
    values = []
    for field in fields:
        try:
            value = plain_number(field)
        except ValueError:
            _refuse(name, f"{where} has {field[:40]!r} where a finite number was expected")
        values.append(value)
        if kind is not Kind.REGRESSION and not 0 <= value <= 1:
            _refuse(name, f"{where} has {field[:40]!r}, which is not a probability")
    if kind in (Kind.BINARY, Kind.MULTI_CLASS) and abs(sum(values) - 1) > _SUM:
        _refuse(name, f"the probabilities of {where} add up to {sum(values):.6g}, not to 1")
    return values


def _finite(value: object) -> bool:
    if isinstance(value, list):
        return all(_finite(item) for item in value)
    return not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value)


def _refuse(name: str, what: str) -> NoReturn:
    raise SeluError(f"{name}: {what}; fetch the authors' file again, or leave this cell out.")
