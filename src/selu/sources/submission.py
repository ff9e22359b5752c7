"""Somebody's predictions as a file: read with the row and the column of what can't be used."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from selu.files import Json, JsonObject, take
from selu.names import nearest
from selu.sources import forms
from selu.sources.forms import Row
from selu.vocabulary import SeluError, Target, plain_number

MOST = 1 << 28  # bytes of a file
_ANSWERS = ("answer", "prediction")
_ID = re.compile(r"\bid\b", re.IGNORECASE)


class Answers(NamedTuple):
    """Answers by row, as the file writes them, each with its line."""

    answers: Mapping[str, tuple[Json, int]]
    task: str | None


def read(content: bytes, tasks: Sequence[str]) -> Answers | None:
    """Read predictions: a CSV, a Markdown table, JSON objects a line, or a JSON list of them.

    Args:
        tasks: ids that there are.

    Returns:
        None where the file holds none; ``selu.boards.readers.reading`` reads what holds scores.

    Raises:
        SeluError: naming row and column of an unknown task, a doubled id, or an answer that is missing.
    """
    if len(content) > MOST:
        raise SeluError(f"the file has more than {MOST:,} bytes: give one row for each answer, without texts.")
    try:
        text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        return None
    if not text.strip() or "\0" in text:
        return None
    if text.lstrip().startswith(("{", "[")):
        objects = forms.objects(text.strip())
        return _answers(objects, tasks) if any({"id", *_ANSWERS} & row.keys() for _, row in objects) else None
    if not _ID.search(text.lstrip().partition("\n")[0]):
        return None
    head, line, rows = (forms.markdown if text.lstrip().startswith("|") else forms.table)(text)
    for place, name in enumerate(head):
        if name in head[:place]:
            raise SeluError(f"row {line} has the column {name[:80]!r} twice: keep one of them.")
    if "id" not in head:
        return None
    if not set(head) & set(_ANSWERS):
        raise SeluError(f"row {line} has a column id, but no column answer: predictions have both.")
    take(rows, lambda row: _check_width(row, head, line))
    return _answers([(at, dict(zip(head, row, strict=True))) for at, row in rows], tasks)


def _check_width(row: Row, head: Sequence[str], line: int) -> None:
    if len(row[1]) != len(head):
        raise SeluError(
            f"row {row[0]} has {len(row[1])} columns, row {line} has {len(head)}: give every row as many."
        )


def _task(text: str, tasks: Sequence[str], line: int, column: str) -> str:
    name = text.lower().replace(" ", "_").replace("-", "_")
    if name not in tasks:
        raise SeluError(f"row {line}, column {column[:80]}: {nearest(text, tasks, 'task')}")
    return name


def _answers(rows: Sequence[tuple[int, JsonObject]], tasks: Sequence[str]) -> Answers:
    found: dict[str, tuple[Json, int]] = {}
    named: list[str] = []

    def answer(numbered: tuple[int, JsonObject]) -> None:
        line, row = numbered
        column = next((name for name in _ANSWERS if name in row), None)
        if column is None or "id" not in row:
            raise SeluError(f"row {line} has no {'id' if column else 'answer'}: give both.")
        id = str(row["id"])
        if id in found:
            raise SeluError(
                f"row {line}, column id: {id[:80]!r} stands in row {found[id][1]}, too; keep one of them."
            )
        if row[column] is None:
            raise SeluError(f"row {line}, column {column}: there is no answer.")
        if "task" in row:
            own = _task(str(row["task"]), tasks, line, "task")
            named.append(own)
            if own != named[0]:
                raise SeluError(f"row {line}, column task: {own} after {named[0]}; submit one task a file.")
        found[id] = row[column], line

    take(rows, answer)
    if not found:
        raise SeluError("row 1 names the columns, and no row comes after it: give at least one answer.")
    return Answers(found, named[0] if named else None)


def hold_to_split(found: Answers, test: Sequence[str], others: Sequence[str], task: str) -> None:
    """Refuse answers that are not those to a split's test rows, each once.

    Raises:
        SeluError: naming the first row that is of no or another part, or the first id that has no answer.
    """
    asked, known = set(test), set(others)

    def hold(item: tuple[str, tuple[object, int]]) -> None:
        id, (_, line) = item
        if id in known:
            raise SeluError(
                f"row {line}, column id: {id} is a training row of {task}; the file is for another split than "
                "the project's."
            )
        if id not in asked:
            raise SeluError(
                f"row {line}, column id: {task} has no row {id[:80]!r}; 'id' is that of its split.csv."
            )

    take(found.answers.items(), hold)
    if missing := [id for id in test if id not in found.answers]:
        raise SeluError(
            f"{len(missing):,} of {len(test):,} test rows of {task} have no answer, the first is {missing[0]}: "
            "answer all of them."
        )


def answer_of(
    value: object, line: int, kind: str, labels: Sequence[str], between: tuple[float, float] | None
) -> Target:
    """Convert an answer as people write it to the one that is scored.

    Raises:
        SeluError: naming the row: no such label, no number, or one out of range.
    """
    place = f"row {line}, column answer"
    if kind == "regression":
        return _number(value, between, place)
    if kind == "multi_label":
        names = value if isinstance(value, list) else str(value).replace(";", ",").split(",")
        chosen = {_label(name, labels, place) for name in names if str(name).strip()}
        return [int(index in chosen) for index in range(len(labels))]
    if kind == "entities":
        tags = {"O", *(f"{part}-{label}" for label in labels for part in "BI")}
        words = value if isinstance(value, list) else str(value).split()
        for tag in words:
            if tag not in tags:
                raise SeluError(f"{place}: {nearest(str(tag), sorted(tags), 'tag')}")
        return words
    return _label(value, labels, place)


def _label(value: object, labels: Sequence[str], place: str) -> int:
    """Return the index of a label by its name, ignoring case."""
    names = [label.lower() for label in labels]
    if str(value).strip().lower() not in names:
        raise SeluError(f"{place}: {nearest(str(value), labels, 'label')}")
    return names.index(str(value).strip().lower())


def _number(value: object, between: tuple[float, float] | None, place: str) -> float:
    try:
        number = plain_number(str(value).strip())
    except ValueError:
        raise SeluError(f"{place}: {str(value)[:80]!r} is not a number; write it like 3.5.") from None
    if between and not between[0] <= number <= between[1]:
        raise SeluError(
            f"{place}: {str(value)[:80]} is not in {between[0]:g} to {between[1]:g}, the task's range."
        )
    return number
