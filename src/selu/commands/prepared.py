"""The prepared rows of a task, held to its record and to its declaration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.commands import planning, protocols, tasks
from selu.commands.planned import Planned
from selu.project import read_json
from selu.vocabulary import Kind, MachineError, SeluError

if TYPE_CHECKING:
    import pandas as pd


def rows_of(root: Path, planned: Planned) -> pd.DataFrame:
    """Rows of a task as the protocol sees them: id, text, label, part (train, validation, test) and grouped.

    Raises:
        SeluError: they are missing or not those that the task's record vouches for, or labels are not declared.
    """
    from selu.sources import clean
    from selu.splits import files

    task, made_by = planned.task, f"selu prepare {planned.task.id}"
    known = read_json(tasks.record_of(root, task.id), made_by, ("hashes",))
    if not planning.has_data(root, task.id):
        raise MachineError(f"{task.id} has no prepared rows here: run '{made_by}'.")
    path = tasks.splits_of(root, task.id) / "split.csv"
    try:
        table = clean.read(tasks.rows_of(root, task.id), known["hashes"]["clean"], made_by)
        split = files.read_split(path.read_bytes(), table["id"].tolist(), str(path))
    except SeluError as error:  # files that are not the recorded ones say nothing of the cell
        raise MachineError(str(error)) from None
    rows = protocols.view(table, split, planned.fields["data"]["text"], planned.protocol)
    if task.kind in (Kind.ENTITIES, Kind.MASKED):
        check_tags(rows, planned)
    else:
        check_labels(rows["label"].tolist(), task.kind, len(task.labels), task.id)
    return rows


def check_labels(labels: Sequence[Any], kind: str, declared: int, name: str) -> None:
    """Refuse labels that the task does not declare, and targets that are no numbers.

    Raises:
        SeluError: naming the task and the first such label.
    """
    again = f"the rows of {name} and its declaration in tasks.yaml differ; run 'selu prepare {name}'"
    if kind == "regression":
        if any(not isinstance(value, (int, float)) or not math.isfinite(value) for value in labels):
            raise SeluError(f"a target of {name} is not a finite number: run 'selu prepare {name}'.")
        return
    if kind == "multi_label":
        if any(len(row) != declared or set(row) - {0, 1} for row in labels):
            raise SeluError(f"a row has not {declared} labels of 0 or 1: {again}.")
        return
    if foreign := {value for value in labels if value not in range(declared)}:
        raise SeluError(f"a row has the label {min(foreign)}, not one of 0 to {declared - 1}: {again}.")


def check_tags(rows: pd.DataFrame, planned: Planned) -> None:
    """Refuse rows of a token task without a tag for each word, and entities of types that are not declared.

    Raises:
        SeluError: naming the task and the first such row or tag.
    """
    task, again = planned.task, f"run 'selu prepare {planned.task.id}'"
    for name, words, tags in zip(rows["id"], rows["text"], rows["label"], strict=True):
        if len(words) != len(tags):
            raise SeluError(
                f"the row {name} of {task.id} has {len(words)} words and {len(tags)} tags: {again}."
            )
    if task.kind is Kind.ENTITIES:
        declared = {"O", *(f"{part}-{label.name}" for label in task.labels for part in "BI")}
        if foreign := {tag for tags in rows["label"] for tag in tags} - declared:
            raise SeluError(f"a word of {task.id} has the tag {min(foreign)}, which is not declared: {again}.")
