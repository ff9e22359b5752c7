"""Labels of a task's test rows, where the prepared rows are the authors' own in the published order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.vocabulary import Kind, SeluError, Task

if TYPE_CHECKING:
    from selu.benchmarks.selu.rescored import Truth


class UnusableError(Exception):
    """The task's rows are not those that published predictions answer; the message is a whole sentence."""


def read(root: Path, task: Task, say: Callable[[str], None]) -> Truth:
    """Ids and labels of the test rows in published order, held to the task's tracked record.

    Args:
        say: told where and why rows could not be read.

    Raises:
        UnusableError: the prepared rows are not there, or are not the authors' in the authors' order.
    """
    import numpy as np

    from selu.benchmarks.selu.rescored import Truth
    from selu.commands.preparation import CLEAN, SPLITS, tracked_record
    from selu.sources import clean
    from selu.splits.files import read_split

    made_by = f"selu prepare {task.id}"
    try:
        record = tracked_record(root, task.id)
        _require_published(task, record)
        table = clean.read(root / CLEAN / f"{task.id}.parquet", record["hashes"]["clean"], made_by)
        path = root / SPLITS / task.id / "split.csv"
        split = read_split(path.read_bytes(), table["id"].tolist(), str(path))
    except (SeluError, OSError) as error:
        say(f"{task.id}: {error}")
        raise UnusableError(f"The prepared rows of {task.id} were not at hand: run '{made_by}'.") from None
    if table["id"].tolist() != [f"p{number:06}" for number in range(task.instances)]:
        raise UnusableError(
            f"The rows of {task.id} don't stand in the published order, which the answers follow."
        )
    test = table[(split["paper"] == "test").to_numpy()]
    number = np.float64 if task.kind is Kind.REGRESSION else np.int64
    labels = np.array([list(of) if task.kind is Kind.MULTI_LABEL else of for of in test["label"]], dtype=number)
    return Truth(tuple(test["id"]), labels, record["standing"])


def digest(truth: Truth) -> str:
    """sha256 over the ids and labels of the rows."""
    rows = [[name, label] for name, label in zip(truth.ids, truth.labels.tolist(), strict=True)]
    return hashlib.sha256(json.dumps(rows, separators=(",", ":")).encode()).hexdigest()


def _require_published(task: Task, record: Mapping[str, Any]) -> None:
    if record["standing"] == "synthetic":
        raise UnusableError(
            f"{task.id} stands on synthetic rows here, and the authors' answers are to real ones."
        )
    if record["rows"] != task.instances or record["standing"] not in ("equal", "package"):
        raise UnusableError(
            f"Of {task.instances} rows of {task.id}, {record['rows']} are here, so the published order of its "
            "test rows, by which answers are told apart, does not fit."
        )
