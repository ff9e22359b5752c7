"""Shared by the readers: a task's rows are parts, one per file, concatenated in the published order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from selu.vocabulary import SeluError, Task

Raw = Mapping[str, pd.DataFrame | list[str]]  # file name -> what sources.tables read from it
Reader = Callable[[Raw, Task], pd.DataFrame]
Row = Mapping[str, Any]
Record = tuple[str, Any, Any, str, str]  # id, text or tokens, label, group, source
Label = Callable[[Row, Task], Any]  # raises ValueError with the reason


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one file.

    Args:
        file: its name without ending: ``x.csv.gz`` of a mirror and ``x.csv`` of the source are both ``x``.
        text: the column of the text, or what makes the text of a row.
        label: what makes the label of a row from the row and the task.
        group: what makes the group of a row; without it the group is empty.
        first: published position of the first row; without it the rows follow those of the part before.
        placed: whether the published position is known; else the ids are x000000, x000001, ...
        order: the row of the file, from 0, that stands at each published position of the part; without it the
            file is in the published order.
    """

    file: str
    text: str | Callable[[Row], str]
    label: Label
    group: Callable[[Row], str] = lambda _: ""
    first: int | None = None
    placed: bool = True
    order: Callable[[], Sequence[int]] | None = None


def stacked(*parts: Part) -> Reader:
    """Return a reader that puts the parts below each other."""

    def read(raw: Raw, task: Task) -> pd.DataFrame:
        records: list[Record] = []
        positions = {True: 0, False: 0}
        for part in parts:
            if part.first is not None:
                positions[part.placed] = part.first
            for text, label, group, place in _rows(part, raw, task):
                identity = f"p{positions[part.placed]:06d}" if part.placed else f"x{positions[part.placed]:06d}"
                positions[part.placed] += 1
                records.append((identity, text, label, group, place))
        return rows_table(records, "text")

    return read


def _rows(part: Part, raw: Raw, task: Task) -> list[tuple[str, Any, str, str]]:
    """List text, label, group and source of each row of a part, in the published order."""
    name, table = find(raw, part.file)
    rows = []
    for number, row in enumerate(records_of(name, table), 1):
        place = f"{name}:{number}"
        rows.append((*content(part, row, task, place), part.group(row), place))
    if part.order is None:
        return rows
    order = part.order()
    if len(order) != len(rows):
        raise SeluError(f"{name} has {len(rows)} rows where {len(order)} are known: fetch it again.")
    return [rows[number] for number in order]


def content(part: Part, row: Row, task: Task, place: str) -> tuple[str, Any]:
    """Return text and label of a row.

    Raises:
        SeluError: a column is missing or the label is unknown; names the place.
    """
    try:
        text = row[part.text] if isinstance(part.text, str) else part.text(row)
        return text, part.label(row, task)
    except KeyError as error:
        reason = f"no column {error}"
    except ValueError as error:
        reason = str(error)
    raise SeluError(f"{task.id}: {place}: {reason}; fetch it again with 'selu fetch {task.id}'.")


def rows_table(records: list[Record], content_column: str) -> pd.DataFrame:
    """Return records (id, content, label, group, source) as the one table of rows."""
    names = ["id", content_column, "label", "group", "source"]
    table = pd.DataFrame(records, columns=names, dtype=object)
    if len(table) and all(type(label) is int for label in table["label"]):
        table["label"] = table["label"].astype("int64")
    elif len(table) and all(type(label) is float for label in table["label"]):
        table["label"] = table["label"].astype("float64")
    return table


def stem(name: str) -> str:
    """Return a file name without its ending and without .gz."""
    return name.removesuffix(".gz").rpartition(".")[0] or name


def find(raw: Raw, file: str) -> tuple[str, pd.DataFrame | list[str]]:
    """Name (without .gz) and content of the file of that stem.

    Raises:
        SeluError: it does not exist.
    """
    for name, table in raw.items():
        if stem(name) == file:
            return name.removesuffix(".gz"), table
    raise SeluError(f"the file {file} is missing (there are: {', '.join(raw) or 'none'}); correct the pin.")


def records_of(name: str, table: pd.DataFrame | list[str]) -> list[dict[str, Any]]:
    """Return rows of a table as mappings.

    Raises:
        SeluError: it was read as lines.
    """
    if isinstance(table, list):
        raise SeluError(f"{name} was read as lines where a table is needed; correct its form in the pin.")
    names = list(map(str, table.columns))
    return [dict(zip(names, row, strict=True)) for row in table.itertuples(index=False, name=None)]


def index_of(task: Task, name: str) -> int:
    """Index of a label of the task; ValueError names the known ones."""
    names = [label.name for label in task.labels]
    if name not in names:
        raise ValueError(f"unknown label {name!r} (known: {', '.join(names)})")
    return names.index(name)


def coded(column: str, codes: Mapping[str, str] | None = None) -> Label:
    """Return a label that one column holds, as its name or as a code of its name."""

    def label(row: Row, task: Task) -> int:
        value = row[column]
        if codes is None:
            return index_of(task, value)
        if value not in codes:
            raise ValueError(f"unknown label {value!r} in {column} (known: {', '.join(codes)})")
        return index_of(task, codes[value])

    return label


def flagged(columns: Mapping[str, str]) -> Label:
    """Return labels given as 0 or 1 in a column each (column -> label name)."""

    def label(row: Row, task: Task) -> list[int]:
        flags = [0] * len(task.labels)
        for column, name in columns.items():
            flags[index_of(task, name)] = flag(column, row[column])
        return flags

    return label


def flag(column: str, value: Any) -> int:
    """Return 0 or 1 from its text or number; raise ValueError for anything else."""
    if str(value) not in ("0", "1"):
        raise ValueError(f"unknown label {value!r} in {column} (known: 0, 1)")
    return int(value)


def number(column: str) -> Label:
    """Return a number that one column holds; ``rows.check`` refuses one that is not finite."""

    def label(row: Row, _: Task) -> float:
        try:
            return float(row[column])
        except ValueError:
            raise ValueError(f"{column} is {row[column]!r}, not a number") from None

    return label
