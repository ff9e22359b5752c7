"""The layout of a table: one row per score, per system, or per task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, NoReturn

from selu.boards.board import Board, Score, Summaries, Summary, board_of
from selu.boards.readers import words
from selu.boards.readers.grid import Grid
from selu.boards.readers.long import long_board
from selu.boards.readers.numbers import Number, has_decimal_comma, hold_to_percent, is_missing, number
from selu.vocabulary import SeluError


class _Beside(NamedTuple):
    """What a column or row holds beside scores, by the name of the other side."""

    means: dict[str, Summary]
    ranks: dict[str, Summary]
    rows: dict[str, int]


def shape(grid: Grid) -> Board:
    """Determine what a table's rows and columns are, and read its scores.

    Raises:
        SeluError: naming row and column of a name that comes twice, or of a text that is not a number.
    """
    comma = _has_comma(grid)
    grid = _named(grid, comma)
    names = [words.called(name) for name in grid.head]
    scored = any(name in words.SCORE for name in names)
    texts = [at for at in range(len(names)) if at == 0 or scored or not _is_numeric(grid, at, comma)]
    system = next((at for at in texts if names[at] in words.SYSTEM), None)
    task = next((at for at in texts if names[at] in words.TASK and at != system), None)
    if task is None and scored and system is not None:  # what else parts the scores of a system
        task = next((at for at in texts if names[at] in words.PART and at != system), None)
    if system is not None and task is not None:
        return long_board(grid, system, task, comma)
    first = _first_texts(grid, comma) if system is None else system
    return _wide(grid, first, comma, rows_are_tasks=system is None and first == task)


def _has_comma(grid: Grid) -> bool:
    """Return whether decimals follow a comma; a table may use one form only, since 1,234 could be both."""
    seen: dict[bool, tuple[int, str]] = {}
    for line, row in grid.rows:
        for field in row:
            kind = has_decimal_comma(field) if "," in field or "." in field else None
            if kind is not None and kind not in seen:
                seen[kind] = (line, field)
    if len(seen) == 2:
        (dotted, point), (line, with_comma) = seen[False], seen[True]
        raise SeluError(
            f"row {line} has {with_comma!r}, with a decimal comma, and row {dotted} {point!r}, with a decimal "
            "point: write all numbers in one way."
        )
    return True in seen


def _named(grid: Grid, comma: bool) -> Grid:
    """Insert a column of the name before the scores of one system, if the table does not name it."""
    (line, row), *others = grid.rows
    found = [_parsed(text, comma) for text in row]
    heads = [_parsed(name, comma) for name in grid.head]
    names_nothing = None not in heads and any(head.digits for head in heads if head is not None)
    if others or names_nothing or words.called(grid.head[0]) in words.SYSTEM | words.TASK or None in found[:1]:
        return grid
    if all(text and (parsed or is_missing(text)) for text, parsed in zip(row, found, strict=True)):
        return replace(grid, head=["system", *grid.head], rows=[(line, ["score", *row])])
    return grid


def _first_texts(grid: Grid, comma: bool) -> int:
    """Return the column of names: the first with texts and no decimal number, else one of numbers.

    Raises:
        SeluError: the first row holds scores, or no column holds names.
    """
    heads = [_parsed(name, comma) for name in grid.head[1:]]
    if None not in heads and any(head.digits for head in heads if head is not None):
        _refuse_head(grid)
    for at in range(len(grid.head)):
        is_of_texts = not _is_numeric(grid, at, comma) and any(row[at] for _, row in grid.rows)
        if is_of_texts and _first_number(grid, at, comma, 1) is None:
            return at
    if None not in heads:
        _refuse_head(grid)
    called = words.called(grid.head[0])
    digits = 1 if called in words.NUMBERED or words.kind_of(called, True) else 0
    if called not in words.TASK and (found := _first_number(grid, 0, comma, digits)):
        line, text = found
        raise SeluError(
            f"{_at(line, grid.head[0])}: {text[:80]!r} is a number: the table has {len(grid.rows):,} systems "
            "and no column of their names; put a column 'system' first."
        )
    return 0


def _refuse_head(grid: Grid) -> NoReturn:
    raise SeluError(f"row {grid.line} names no task: put a row with the names of the columns above the scores.")


def _first_number(grid: Grid, at: int, comma: bool, digits: int) -> tuple[int, str] | None:
    """Return the first number of a column with at least so many decimals, and its row."""
    for line, row in grid.rows:
        if (found := _parsed(row[at], comma)) and found.digits >= digits:
            return line, row[at]
    return None


def _parsed(text: str, comma: bool) -> Number | None:
    try:
        return number(text, comma)
    except ValueError:
        return None


def _is_numeric(grid: Grid, at: int, comma: bool) -> bool:
    """Return whether most fields of a column are numbers."""
    filled = [row[at] for _, row in grid.rows if not is_missing(row[at])]
    return 2 * sum(_parsed(text, comma) is not None for text in filled) >= len(filled)


# -- a row a system, or a row a task ---------------------------------------------------------------


def _wide(grid: Grid, first: int, comma: bool, rows_are_tasks: bool) -> Board:
    side, other = ("task", "system") if rows_are_tasks else ("system", "task")
    columns, kinds, left_out = _columns(grid, first, comma, rows_are_tasks)
    if not columns:
        raise SeluError(
            f"the table has no column of scores: give one for each {other}, beside {_quoted(grid.head[first])}."
        )
    named = _names(grid, first, columns, side, other, rows_are_tasks)
    scores: list[Score] = []
    below, fields = _Beside({}, {}, {}), dict(columns)
    beside = _Beside({}, {}, {})
    summaries, systems, percents = list[str](), list[str](), dict[str, tuple[bool, str, str]]()
    for line, row in grid.rows:
        kind = words.kind_of(row[first], rows_are_tasks)
        name = words.task_name(row[first]) if rows_are_tasks else words.name_of(row[first])
        if kind and (rows_are_tasks or kind != "rank"):
            _summarised(below, kind, {named[at]: (row[at], _at(line, fields[at])) for at in fields}, comma)
            (left_out if kind == "other" else summaries).append(row[first])
            continue
        systems.append(name)
        for at, what in kinds.items():
            _summarised(beside, what, {name: (row[at], _at(line, grid.head[at]))}, comma)
        for at, head in fields.items():
            found = _read(row[at], comma, _at(line, head))
            if found is not None:
                pair = (named[at], name) if rows_are_tasks else (name, named[at])
                hold_to_percent(percents, pair[1], found, row[at], _at(line, head))
                scores.append(Score(*pair, found.value, found.digits, _at(line, head), text=row[at]))
    if not systems:
        raise SeluError(f"row {grid.line} names the columns, and no {side} comes after it: give at least one.")
    by_column, by_row = (below, beside) if not rows_are_tasks else (beside, below)
    scores = [
        score._replace(rows=by_column.rows.get(score.task, by_row.rows.get(score.system, 0)))
        for score in scores
    ]
    texts = [row[first] for _, row in grid.rows] if rows_are_tasks else list(fields.values())
    order = {"systems": list(named.values()), "tasks": systems} if rows_are_tasks else {
        "systems": systems, "tasks": list(named.values())
    }  # fmt: skip
    notes = [*grid.notes]
    if words.called(grid.head[first]) not in words.SYSTEM | words.TASK:
        notes.append("A row is read as a system; call the first column 'task' where it is a task.")
    filled = [at for at in kinds if any(row[at] for _, row in grid.rows)]
    if compared := [*(_quoted(grid.head[at]) for at in filled), *(_quoted(row) for row in summaries)]:
        notes.append(f"Compared with the scores: {', '.join(compared)}.")
    if left_out:
        notes.append(f"Not read as {other}s: {', '.join(left_out)}.")
    return board_of(
        scores,
        lower=[words.task_name(text) for text in texts if words.is_lower_better(text)],
        **order,
        summaries=Summaries(by_row.means, by_row.ranks, by_column.means),
        source=f"{grid.form}, a row for each {side}",
        notes=notes,
    )


def _columns(
    grid: Grid, first: int, comma: bool, rows_are_tasks: bool
) -> tuple[list[tuple[int, str]], Mapping[int, str], list[str]]:
    """Return the columns of scores, the kind of each column beside them, and the names of the others."""
    columns, kinds, left_out = list[tuple[int, str]](), dict[int, str](), list[str]()
    for at, head in enumerate(grid.head):
        kind = words.kind_of(head, not rows_are_tasks)
        if at == first:
            continue
        if kind in ("mean", "rank") or (rows_are_tasks and kind == "rows"):
            kinds[at] = kind
        elif kind or not (words.called(head) in words.SCORE or _is_numeric(grid, at, comma)):
            left_out.append(_quoted(head))
        else:
            columns.append((at, head))
    return columns, kinds, left_out


def _names(
    grid: Grid, first: int, columns: Sequence[tuple[int, str]], side: str, other: str, rows_are_tasks: bool
) -> Mapping[int, str]:
    """Return the names of the columns; each name may occur once only, in columns and rows together."""
    read = words.name_of if rows_are_tasks else words.task_name
    named: dict[int, str] = {}
    for at, head in columns:
        name = read(head)
        if not name:
            raise SeluError(f"row {grid.line}, column {at + 1} has no name: name its {other}.")
        if name in named.values():
            raise SeluError(
                f"row {grid.line} has the column {_quoted(name)} twice: give each {other} its own name."
            )
        named[at] = name
    seen: dict[str, int] = {}
    for line, row in grid.rows:
        name = (words.task_name if rows_are_tasks else words.name_of)(row[first])
        if not name:
            raise SeluError(f"{_at(line, grid.head[first])} is empty: name the {side}.")
        if name in seen:
            raise SeluError(
                f"{_at(line, grid.head[first])}: {_quoted(name)} is given twice (rows {seen[name]} and "
                f"{line}): name each {side} once."
            )
        seen[name] = line
    return named


def _summarised(into: _Beside, kind: str, fields: Mapping[str, tuple[str, str]], comma: bool) -> None:
    """Keep what a column or row says beside the scores."""
    for name, (text, place) in fields.items():
        if kind == "rank":
            text = text.strip(" .=#T")  # 2=, 2., T2
        found = None if kind == "other" else _read(text, comma, place)
        if found is None:
            continue
        if kind == "rows":
            into.rows[name] = _count(found, text, place)
        else:
            group = into.means if kind == "mean" else into.ranks
            group[name] = Summary(found.value, found.digits, place)


def _count(found: Number, text: str, place: str) -> int:
    if not found.value.is_integer() or found.value < 1:
        raise SeluError(f"{place}: {text[:80]!r} is not a count of rows; write it like 200.")
    return int(found.value)


def _read(text: str, comma: bool, place: str) -> Number | None:
    try:
        return number(text, comma)
    except ValueError:
        _refuse(place, text)


def _refuse(place: str, text: str) -> NoReturn:
    raise SeluError(f"{place}: {text[:80]!r} is not a number; write it like 0.81, or leave it empty.")


def _at(line: int, head: str) -> str:
    return f"row {line}, column {words.name_of(head)[:80] or 1}"


def _quoted(name: str) -> str:
    return repr(words.name_of(name)[:80])
