"""``selu compare A.jsonl B.jsonl``: two systems' answers to the same rows, and the interval of the difference.

The interval, the test and the smallest detectable difference are of these rows, and say nothing of other tasks.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from selu import registry
from selu.app.ranking import submit
from selu.evidence.tracked import availability_of
from selu.execution import results
from selu.files import read_given
from selu.metrics import kinds, paired
from selu.metrics.percentiles import Resampling
from selu.names import word
from selu.sources import submission
from selu.stats.intervals import caution_of
from selu.stats.paired import detectable, mcnemar
from selu.vocabulary import WHOLE, Kind, SeluError, Target, Task

if TYPE_CHECKING:
    import pandas as pd

POWER = 0.8  # of the smallest detectable difference (Cohen 1988)
Row = dict[str, Any]


class _File(NamedTuple):
    path: Path
    sha256: str
    found: submission.Answers


def compare(root: Path, a: Path, b: Path, task: str | None) -> Row:
    """Compare two files of predictions of a task's test rows.

    Returns:
        the record: ``a`` and ``b`` with name, score and hash of either, ``tasks`` (one row: the difference of
        a minus b, its interval, the smallest detectable one, McNemar's counts and p-value), ``sentence``.

    Raises:
        SeluError: a file can't be read, answers other rows or names another task; or the labels are not here.
    """
    ids = [known.id for known in registry.tasks_of(root)]
    files = [_read(path, ids) for path in (a, b)]
    chosen_task = _task(root, [task, *(file.found.task for file in files)])
    held = [_held(root, chosen_task, file) for file in files]
    rows, availability = held[0][0], held[0][2]
    truth = rows.loc[rows["part"] == "test", "label"].tolist()
    names = [label.name for label in chosen_task.labels]
    labels = names if chosen_task.kind == Kind.ENTITIES else len(names)
    metric, is_lower_better = kinds.metric(chosen_task.kind)
    settings = results.read_bootstrap(root)
    answers = [answers for _, answers, _ in held]
    drawn = Resampling(settings.draws, settings.seed, settings.level)
    found = paired.compare(chosen_task.kind, truth, answers[0], answers[1], labels, metric, drawn)
    first, second, low, high = found.first, found.second, found.low, found.high
    if is_lower_better:  # a loss, which is shown as 1 minus itself
        first, second, low, high, metric = 1 - first, 1 - second, -high, -low, f"one_minus_{metric}"
    row: Row = {
        **{"task": chosen_task.id, "metric": metric, "rows": len(truth), "difference": first - second},
        **{"low": low, "high": high, "detectable": detectable(found.error, settings.level, POWER)},
        **_rights(chosen_task.kind, truth, answers, labels),
    }
    called = [file.path.stem for file in files]
    called = called if called[0] != called[1] else [str(file.path) for file in files]
    systems = [
        {"name": name, "score": score, "file": {"name": file.path.name, "sha256": file.sha256}}
        for name, score, file in zip(called, (first, second), files, strict=True)
    ]
    record = {
        **{"a": systems[0], "b": systems[1], "tasks": [row], "level": settings.level, "power": POWER},
        "data": "all of the paper's rows" if availability in WHOLE else "part of the data",
    }
    return record | {"sentence": _sentence(record)}


def _read(path: Path, tasks: list[str]) -> _File:
    content = read_given(path, submission.MOST)
    try:
        found = submission.read(content, tasks)
    except SeluError as error:
        raise SeluError(f"{path}: {error}") from None
    if not content.strip():
        raise SeluError(f"{path}: the file is empty: give predictions, with an id and an answer for each row.")
    if found is None:
        raise SeluError(
            f"{path} holds no predictions: give predictions, with an id and an answer for each row."
        )
    return _File(path, hashlib.sha256(content).hexdigest(), found)


def _task(root: Path, named: list[str | None]) -> Task:
    """Return the named task, if its rows have answers that can be compared."""
    names = list(dict.fromkeys(name.lower() for name in named if name))
    if not names:
        raise SeluError("the files hold predictions and name no task: give --task.")
    if len(names) > 1:
        raise SeluError(f"the predictions are of {names[0]} and of {names[1]}: compare those of one task.")
    task = registry.task_of(root, names[0])
    if task.kind == Kind.MASKED or kinds.added(task.kind):
        raise SeluError(
            f"{task.id} is not scored by one answer a row, so that files of answers can't be compared."
        )
    if not (registry.splits_of(root, task.id) / "split.csv").is_file():
        raise SeluError(f"the split of {task.id} is not here: run 'selu prepare {task.id}' first.")
    if availability_of(root, task.id) == "synthetic":
        raise SeluError(
            f"{task.id} has stand-in data here, on which a difference is meaningless: get its rows."
        )
    return task


def _held(root: Path, task: Task, file: _File) -> tuple[pd.DataFrame, list[Target], str]:
    try:
        return submit.answers_to_test(root, task, file.found)
    except SeluError as error:
        raise SeluError(f"{file.path}: {error}") from None


def _rights(kind: str, truth: list[Any], answers: list[list[Any]], labels: Any) -> Row:
    """Return McNemar's counts and p value; None for regression, whose answers are neither right nor wrong."""
    a, b = (paired.right(kind, truth, given, labels) for given in answers)
    if a is None or b is None:
        return dict.fromkeys(("both_right", "only_a", "only_b", "neither", "p_value"))
    both_right, only_a, only_b = (int(np.count_nonzero(which)) for which in (a & b, a & ~b, b & ~a))
    neither = len(truth) - both_right - only_a - only_b
    counts = {"both_right": both_right, "only_a": only_a, "only_b": only_b, "neither": neither}
    return counts | {"p_value": mcnemar(only_a, only_b)}


def _sentence(record: Row) -> str:
    a, b, (row,) = record["a"], record["b"], record["tasks"]
    metric = word(row["metric"])
    by, level = row["difference"], f"{100 * record['level']:g} %"
    caution = caution_of(row["rows"])
    interval = f"{level} interval {row['low']:+.3f} to {row['high']:+.3f}{f'; {caution}' if caution else ''}"
    is_clear = row["low"] > 0 or row["high"] < 0
    says = f"{a['name']} scores {'higher' if by > 0 else 'lower'}" if is_clear else "no clear difference"
    text = (
        f"On {row['rows']:,} test rows of {row['task']}, {a['name']} has {metric} {a['score']:.3f} and "
        f"{b['name']} {b['score']:.3f}: {says} (difference {by:+.3f}, {interval}). With so many rows "
        f"a true difference of {row['detectable']:.3f} is found in {100 * record['power']:.0f} of 100 cases."
    )
    if row["p_value"] is not None:
        text += (
            f" Only {a['name']} is right on {row['only_a']:,} rows and only {b['name']} on {row['only_b']:,} "
            f"(McNemar's exact test, p = {row['p_value']:.3g})."
        )
    return text + (" These are a part of the paper's rows." if record["data"] == "part of the data" else "")
