"""Reader of the authors' package: one parquet file per task with id, text and label or label_* columns.

Written from the package's scripts; the files lie behind large-file storage and were never available here, so it
has only met files that were made like them.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from selu.papers.selu.readers._parts import Raw, Record, flag, records_of, rows_table
from selu.vocabulary import Kind, SeluError, Task


def package(raw: Raw, task: Task) -> pd.DataFrame:
    """Return the rows in the file's order, their ``label_*`` columns in the declared order of the labels.

    Raises:
        SeluError: there is another number of files than one, a column is missing, or a label is unknown.
    """
    if len(raw) != 1:
        raise SeluError(f"{task.id}: one file is needed, not {len(raw)}; correct the pin.")
    ((name, table),) = raw.items()
    rows, records = records_of(name, table), list[Record]()
    columns = _label_columns(list(rows[0]) if rows else [], task, name)
    for position, row in enumerate(rows):
        place = f"{name}:{position + 1}"
        try:
            label = _label([row[column] for column in columns], task)
        except (TypeError, ValueError) as error:
            again = f"fetch it again with 'selu fetch {task.id}'"
            raise SeluError(f"{task.id}: {place}: {error}; {again}.") from None
        records.append((f"p{position:06d}", row["text"], label, str(row.get("project") or ""), place))
    return rows_table(records, "text")


def _label_columns(names: list[str], task: Task, file: str) -> list[str]:
    """Return the column of each label in the declared order; column names may be cut or joined."""
    columns = ["label"]
    if task.kind is Kind.MULTI_LABEL:
        found = {_key(name.removeprefix("label_")): name for name in names if name.startswith("label_")}
        fits = [[name for key, name in found.items() if _alike(key, _key(label.name))] for label in task.labels]
        columns = [fit[0] for fit in fits if len(fit) == 1]
    wanted = len(task.labels) if task.kind is Kind.MULTI_LABEL else 1
    if len(set(columns)) != wanted or not {"text", *columns} <= set(names):
        listed, again = ", ".join(names) or "none", f"fetch it again with 'selu fetch {task.id}'"
        raise SeluError(f"{task.id}: {file} has the columns {listed}, not text and {wanted} of label; {again}.")
    return columns


def _key(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _alike(first: str, second: str) -> bool:
    return bool(first) and (first.startswith(second) or second.startswith(first))


def _label(values: list[Any], task: Task) -> Any:
    if task.kind is Kind.MULTI_LABEL:
        return [flag(label.name, value) for label, value in zip(task.labels, values, strict=True)]
    return float(values[0]) if task.kind is Kind.REGRESSION else int(values[0])
