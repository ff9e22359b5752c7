"""Somebody's scores or predictions as a file: read with the row and the column of what can't be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from selu.files import Json, JsonObject, take
from selu.names import nearest
from selu.sources import forms, questions
from selu.sources.forms import Row
from selu.vocabulary import SeluError, Target, plain_number

MOST = 1 << 28  # bytes of a file
LINES = 1_000  # of a file of scores, which takes one a task
_NAMES, _ANSWERS = ("system", "name", "model"), ("answer", "prediction")
_SCORES = ("score", "published")  # the latter in our own tables


class Scores(NamedTuple):
    """Scores in 0..1 by task, and what the file calls the system."""

    scores: dict[str, float]
    name: str


class Answers(NamedTuple):
    """Answers by row, as the file writes them, each with its line."""

    answers: Mapping[str, tuple[Json, int]]
    task: str | None


def read(content: bytes, tasks: Sequence[str]) -> Scores | Answers:
    """Read scores (a row a task, or a column a task) or predictions.

    Both come as CSV, as a Markdown table, as JSON objects a line, or as a JSON list of them.

    Args:
        tasks: ids that there are.

    Raises:
        SeluError: naming row and column of an unknown or doubled task or id, or of a value that is none.
    """
    if len(content) > MOST:
        raise SeluError(f"the file has more than {MOST:,} bytes: give one row for each answer, without texts.")
    questions.check_encoding(content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SeluError(f"row {line} is not UTF-8: convert the file first.") from None
    if not text.strip():
        raise SeluError("the file is empty: give a CSV with the columns task and score, or id and answer.")
    if "\0" in text:
        raise SeluError("row 1 holds zero bytes, as UTF-16 does: save the file as UTF-8.")
    if text.lstrip().startswith(("{", "[")):
        objects = forms.objects(text.strip())
        if any({"id", *_ANSWERS} & of.keys() for _, of in objects):
            return _answers(objects, tasks)
        return _scores(
            list(dict.fromkeys(name for _, of in objects for name in of)), 1, forms.texts(objects), tasks
        )
    head, line, rows = (forms.markdown if text.lstrip().startswith("|") else forms.table)(text)
    for place, name in enumerate(head):
        if name in head[:place]:
            raise SeluError(f"row {line} has the column {name[:80]!r} twice: keep one of them.")
    if "id" in head:
        if not set(head) & set(_ANSWERS):
            raise SeluError(f"row {line} has a column id, but no column answer: predictions have both.")
        take(rows, lambda row: _check_width(row, head, line))
        return _answers([(at, dict(zip(head, row, strict=True))) for at, row in rows], tasks)
    return _scores(head, line, rows, tasks)


def _check_width(row: Row, head: Sequence[str], line: int) -> None:
    if len(row[1]) != len(head):
        raise SeluError(
            f"row {row[0]} has {len(row[1])} columns, row {line} has {len(head)}: give every row as many."
        )


def _scores(head: Sequence[str], line: int, rows: Sequence[Row], tasks: Sequence[str]) -> Scores:
    if len(rows) > LINES:
        raise SeluError(f"the file has {len(rows):,} rows: scores take one row a task, at most {LINES:,} rows.")
    if not rows:
        raise SeluError(f"row {line} names the columns, and no row comes after it: give at least one score.")
    take(rows, lambda row: _check_width(row, head, line))
    if "task" not in head:
        return _wide(head, line, rows, tasks)
    score = next((name for name in _SCORES if name in head), None)
    if score is None:
        raise SeluError(
            f"row {line} has a column task, but no column score (it has {', '.join(head)[:120]}): name the "
            "column of your scores score."
        )
    return _long(head, rows, tasks, head.index(score))


def _long(head: Sequence[str], rows: Sequence[Row], tasks: Sequence[str], at: int) -> Scores:
    found: dict[str, float] = {}
    seen: dict[str, int] = {}
    named = [head.index(name) for name in _NAMES if name in head]
    name = rows[0][1][named[0]] if named else ""

    def score_of(one: Row) -> None:
        line, row = one
        if named and row[named[0]] != name:
            raise SeluError(
                f"row {line}, column {head[named[0]]}: {row[named[0]][:80]!r} is another system than "
                f"{name[:80]!r} in row {rows[0][0]}; submit one system a file."
            )
        task = _task(row[head.index("task")], tasks, line, "task")
        if task in seen:
            raise SeluError(
                f"row {line}, column task: {task} stands in row {seen[task]}, too; keep one of them."
            )
        seen[task] = line
        score = _score(row[at], line, head[at])
        if score is not None:
            found[task] = score

    take(rows, score_of)
    return _some(Scores(found, name))


def _wide(head: Sequence[str], line: int, rows: Sequence[Row], tasks: Sequence[str]) -> Scores:
    if any(_is_number(name) for name in head):
        raise SeluError(f"row {line} has numbers and names no columns: begin with a row task,score.")
    known = [None if column in _NAMES else _task(column, tasks, line, column) for column in head]
    if len(rows) > 1:
        raise SeluError(f"row {rows[1][0]} is a second system: submit one system a file.")
    place, row = rows[0]
    found: dict[str, float] = {}
    for column, task, text in zip(head, known, row, strict=True):
        if task in found:
            raise SeluError(f"row {line}, column {column[:80]}: {task} has a column already; keep one of them.")
        score = _score(text, place, column) if task else None
        if task and score is not None:
            found[task] = score
    name = next((text for column, text in zip(head, row, strict=True) if column in _NAMES), "")
    return _some(Scores(found, name))


def _some(found: Scores) -> Scores:
    if not found.scores:
        raise SeluError("every score of the file is empty: give at least one.")
    return found


def _task(text: str, tasks: Sequence[str], line: int, column: str) -> str:
    name = text.lower().replace(" ", "_").replace("-", "_")
    if name not in tasks:
        raise SeluError(f"row {line}, column {column[:80]}: {nearest(text, tasks, 'task')}")
    return name


def _is_number(text: str) -> bool:
    try:
        return plain_number(text) is not None
    except ValueError:
        return False


def _score(text: str, line: int, column: str) -> float | None:
    """A score in 0..1; None for an empty field."""
    if not text:
        return None
    place = f"row {line}, column {column[:80]}"
    try:
        value = plain_number(text)
    except ValueError:
        raise SeluError(f"{place}: {text[:80]!r} is no number; write it like 0.853.") from None
    if not 0 <= value <= 1:
        raise SeluError(f"{place}: {text[:80]} is not in 0 to 1, where all scores lie; write 85.3 % as 0.853.")
    return value


# -- predictions ------------------------------------------------------------------------------------


def _answers(rows: Sequence[tuple[int, JsonObject]], tasks: Sequence[str]) -> Answers:
    found: dict[str, tuple[Json, int]] = {}
    of: list[str] = []

    def answer(one: tuple[int, JsonObject]) -> None:
        line, row = one
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
            of.append(own)
            if own != of[0]:
                raise SeluError(f"row {line}, column task: {own} after {of[0]}; submit one task a file.")
        found[id] = row[column], line

    take(rows, answer)
    if not found:
        raise SeluError("row 1 names the columns, and no row comes after it: give at least one answer.")
    return Answers(found, of[0] if of else None)


def hold_to_split(found: Answers, test: Sequence[str], others: Sequence[str], task: str) -> None:
    """Refuse answers that are not those to a split's test rows, each once.

    Raises:
        SeluError: naming the first row that is of no or another part, or the first id that has no answer.
    """
    asked, known = set(test), set(others)

    def hold(one: tuple[str, tuple[object, int]]) -> None:
        id, (_, line) = one
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
    """Turn an answer as people write it into the one that is scored.

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
    """The index of a label, by its name whatever the case."""
    names = [label.lower() for label in labels]
    if str(value).strip().lower() not in names:
        raise SeluError(f"{place}: {nearest(str(value), labels, 'label')}")
    return names.index(str(value).strip().lower())


def _number(value: object, between: tuple[float, float] | None, place: str) -> float:
    try:
        number = plain_number(str(value).strip())
    except ValueError:
        _refuse(place, f"{str(value)[:80]!r} is no number; write it like 3.5")
    if between and not between[0] <= number <= between[1]:
        _refuse(place, f"{str(value)[:80]} is not in {between[0]:g} to {between[1]:g}, the task's range")
    return number


def _refuse(place: str, what: str) -> NoReturn:
    raise SeluError(f"{place}: {what}.")
