"""Rows of the user's own task: read from its CSV; errors name the line that can't be used."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selu.files import TornError, read_csv, take
from selu.papers.own.record import BETWEEN, Own, Record, read_file
from selu.vocabulary import Kind, SeluError, plain_number

if TYPE_CHECKING:
    import pandas as pd

ID = "id"  # the column of ids, where there is one
_NAME = re.compile(r"[^\s,\"]+")  # split files quote nothing
_LEAST = 10  # rows of a label that surely fall into each part
_LARGEST = 1 << 30  # bytes of the CSV
_PARTS = ("train", "validation", "test")


def read(own: Own) -> pd.DataFrame:
    """Return the rows of the task in the one form of all rows (``selu.sources.rows``).

    Ids are those of the column ``id``, else o000001 for the first row and so on.

    Raises:
        SeluError: the CSV is missing, not UTF-8 or torn, lacks a column, or has a row that can't be used (names
            the line) or too few of a label.
    """
    import pandas as pd

    from selu.splits.algorithm import FOLDS

    record, path = own.record, own.csv
    names = [label.name for label in own.task.labels]
    seen: dict[str, int] = {}

    def prepared(numbered: tuple[int, tuple[int, list[str]]]) -> tuple[str, str, object, str, str]:
        number, (line, fields) = numbered
        if len(fields) != len(header):
            raise _refused(path, line, f"there are {len(fields)} fields instead of {len(header)}")
        row = dict(zip(header, fields, strict=True))
        id = row[ID].strip() if ID in row else f"o{number:06}"
        if not _NAME.fullmatch(id):
            raise _refused(
                path, line, f"the id {id[:60]!r} is empty or holds a blank, a comma or a quotation mark"
            )
        if id in seen:
            raise _refused(path, line, f"the id {id!r} stands in line {seen[id]}, too")
        seen[id] = line
        text = " ".join(part for column in record.texts if (part := row[column].strip()))
        if not text:
            raise _refused(path, line, f"the text ({' + '.join(record.texts)}) is empty")
        label = _label(row[record.label].strip(), record, names, path, line)
        group = row[record.group].strip() if record.group else ""
        return id, text, label, group, f"{path.name}:{line}"

    try:
        table = read_csv(_text(path))
        header = table.head
        _check_header(path, header, record)
        found = take(enumerate(table.rows, start=1), prepared)
    except TornError as error:
        raise _refused(path, error.line, f"the CSV is damaged ({error})") from None
    _check_rows(own, [row[1] for row in found], [row[2] for row in found])
    rows = pd.DataFrame(found, columns=["id", "text", "label", "group", "source"])
    for label, has in _having(own, rows):
        if sum(has) <= FOLDS:
            raise _too_few(own, label, sum(has), "a split")
    return rows


def _check_rows(own: Own, texts: Sequence[str], labels: Sequence[object]) -> None:
    """Refuse rows from which nothing can be learnt: too few, all of one text, or all of one number."""
    path, rows = own.csv, len(texts)
    if rows < _LEAST:
        raise SeluError(f"{path} has {rows} rows: give at least {_LEAST}, so that they can be split.")
    if len({" ".join(text.casefold().split()) for text in texts}) == 1:
        raise SeluError(f"{path}: all {rows:,} rows have the same text: give rows of different texts.")
    if own.task.kind is Kind.REGRESSION and len(set(labels)) == 1:
        raise SeluError(
            f"{path}: all {rows:,} rows have the number {labels[0]:g}, so that there is nothing to learn: "
            "give rows with different numbers."
        )


def check_parts(own: Own, table: pd.DataFrame, parts: Sequence[str]) -> None:
    """Refuse a split in which a label is missing somewhere.

    Args:
        parts: of each row of the table, under protocol ``strict``.

    Raises:
        SeluError: naming the label and how many rows have it.
    """
    for label, has in _having(own, table):
        counts = Counter(part for part, mine in zip(parts, has, strict=True) if mine)
        if lacking := [part for part in _PARTS if not counts[part]]:
            raise _too_few(own, label, sum(has), f"one of them in {' and '.join(lacking)}")


def _having(own: Own, table: pd.DataFrame) -> Iterator[tuple[str, list[bool]]]:
    """Yield each label, and which rows have it."""
    several = own.task.kind is Kind.MULTI_LABEL
    for index, label in enumerate(own.task.labels):
        yield label.name, [bool(target[index]) if several else target == index for target in table["label"]]


def _too_few(own: Own, label: str, rows: int, what: str) -> SeluError:
    return SeluError(
        f"{own.csv}: {rows} rows have the label {label!r}, too few for {what}: give it at least {_LEAST}, or "
        f"take it out of {own.path.name}."
    )


def fingerprint(own: Own) -> Mapping[str, str]:
    """Return what the prepared rows were made from: hashes of the CSV, and of the record and its template.

    Raises:
        SeluError: the CSV is missing.
    """
    return {"csv": hashlib.sha256(_content(own.csv)).hexdigest(), "declared": _declared(own)}


def check_current(own: Own, made_of: Mapping[str, str]) -> None:
    """Refuse prepared rows of another record, template or CSV; one that is gone says nothing.

    Raises:
        SeluError: naming the file that changed.
    """
    found = fingerprint(own) if own.csv.is_file() else {**made_of, "declared": _declared(own)}
    for what, path in (("declared", own.path), ("csv", own.csv)):
        if found[what] != made_of.get(what):
            name = own.task.id
            raise SeluError(f"{path} changed since {name} was prepared: run 'selu prepare {name}'.")


def _declared(own: Own) -> str:
    template = own.path.with_suffix(".j2")
    content = own.path.read_bytes() + (template.read_bytes() if template.is_file() else b"")
    return hashlib.sha256(content).hexdigest()


def _content(path: Path) -> bytes:
    try:
        return read_file(path, _LARGEST)
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or error
        reason = "is missing" if isinstance(error, FileNotFoundError) else f"can't be read ({why})"
        raise SeluError(f"{path} {reason}: put the rows there, or name their file in the record.") from None


def _text(path: Path) -> str:
    content = _content(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise _refused(path, line, f"the byte 0x{content[error.start]:02x} is not UTF-8: save it so") from None


def _check_header(path: Path, names: list[str], record: Record) -> None:
    wanted = [*record.texts, record.label, *([record.group] if record.group else [])]
    shown = ", ".join(names[:10]) or "none"
    if missing := [name for name in wanted if name not in names]:
        raise SeluError(
            f"{path} has no column {missing[0]!r}, which the record names (it has {shown}): fix either."
        )
    if twice := [name for name in (*wanted, ID) if names.count(name) > 1]:
        raise SeluError(f"{path} has the column {twice[0]!r} twice: rename one of them.")


def _label(cell: str, record: Record, names: Sequence[str], path: Path, line: int) -> object:
    """Index of a label, a 0 or 1 for each, or a number."""
    if record.kind is Kind.REGRESSION:
        return _number(cell, record, path, line)
    given = [cell]
    if record.kind is Kind.MULTI_LABEL:
        given = [name.strip() for name in cell.split(BETWEEN) if name.strip()]
    if foreign := [name for name in given if name not in names]:
        what = f"the label {foreign[0][:60]!r} is none of the record's ({', '.join(names)})"
        raise _refused(path, line, what)
    return [int(name in given) for name in names] if record.kind is Kind.MULTI_LABEL else names.index(cell)


def _number(cell: str, record: Record, path: Path, line: int) -> float:
    assert record.range is not None
    low, high = record.range
    try:
        value = plain_number(cell)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise _refused(
            path, line, f"{cell[:60]!r} is not a number from {low:g} to {high:g}, the record's range"
        )
    return value


def _refused(path: Path, line: int, what: str) -> SeluError:
    return SeluError(f"{path}, line {line}: {what}: fix the line.")
