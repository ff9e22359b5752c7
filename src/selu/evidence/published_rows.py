"""Labels of a task's test rows, where the prepared rows are the authors' own in the published order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from selu.benchmarks.evidence import Truth
from selu.vocabulary import Kind, SeluError, Task


def read(root: Path, task: Task, say: Callable[[str], None]) -> Truth | str:
    """Read ids and labels of the test rows in published order, held to the task's tracked record.

    Args:
        say: told where and why rows could not be read.

    Returns:
        a sentence where the prepared rows are not there, or are not the authors' in the authors' order.
    """
    import numpy as np

    from selu.data import prepared
    from selu.registry import rows_of, splits_of
    from selu.splits.files import read_split

    made_by = f"selu prepare {task.id}"
    try:
        record = prepared.tracked_record(root, task.id)
        if other := _other_rows(task, record):
            return other
        table = prepared.read(rows_of(root, task.id), record["hashes"]["clean"], made_by)
        path = splits_of(root, task.id) / "split.csv"
        split = read_split(path.read_bytes(), table["id"].tolist(), str(path))
    except (SeluError, OSError) as error:
        say(f"{task.id}: {error}")
        return f"The prepared rows of {task.id} were not at hand: run '{made_by}'."
    if table["id"].tolist() != [f"p{number:06}" for number in range(task.instances)]:
        return f"The rows of {task.id} don't stand in the published order, which the answers follow."
    test = table[(split["paper"] == "test").to_numpy()]
    number = np.float64 if task.kind is Kind.REGRESSION else np.int64
    labels = np.array([list(of) if task.kind is Kind.MULTI_LABEL else of for of in test["label"]], dtype=number)
    return Truth(tuple(test["id"]), labels, record["standing"])


def _other_rows(task: Task, record: Mapping[str, Any]) -> str | None:
    """Say why the rows are not those that the authors answered, by their record."""
    if record["standing"] == "synthetic":
        return f"{task.id} stands on synthetic rows here, and the authors' answers are to real ones."
    if record["rows"] != task.instances or record["standing"] not in ("equal", "package"):
        return (
            f"Of {task.instances} rows of {task.id}, {record['rows']} are here, so the published order of its "
            "test rows, by which answers are told apart, does not fit."
        )
    return None
