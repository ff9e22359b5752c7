"""A table with one row per score: system, task, score, and columns that distinguish several of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from selu.boards.board import Board, Score, board_of
from selu.boards.readers import words
from selu.boards.readers.grid import Grid
from selu.boards.readers.numbers import Number, hold_to_percent, number
from selu.vocabulary import SeluError


def long_board(grid: Grid, system: int, task: int, comma: bool) -> Board:
    """Read a table with a row for each score.

    A column of seeds or folds is averaged over; columns of metrics, splits or languages make tasks of their own
    where a system has several scores on a task.

    Raises:
        SeluError: naming row and column of a score that comes twice, an empty name, or what is not a number.
    """
    names = [words.called(name) for name in grid.head]
    score = _score_column(grid, names, (system, task), comma)
    seeds = [at for at, name in enumerate(names) if name in words.SEED]
    parts = _parts(grid, names, (system, task, *seeds), score)
    parting = sorted({at for columns in parts.values() for at in columns})
    versions = _versions(grid, names, (system, task, *seeds, *parting))
    rows = next((at for at, name in enumerate(names) if at != score and name in words.ROWS), None)
    found: dict[tuple[str, str, str], Score] = {}
    lower: dict[str, None] = {}
    again, percents = 0, dict[str, tuple[bool, str, str]]()
    every_task, every_system = dict[str, None](), dict[str, None]()
    for line, row in grid.rows:
        place = f"row {line}, column {words.name_of(grid.head[score])}"
        name = versions.get(line) or words.name_of(row[system])
        part = ", ".join(filter(None, (row[at] for at in parts.get(row[task], ()))))
        full_name = f"{row[task]} ({part})" if part else row[task]
        if not name or not words.task_name(row[task]):
            at = system if not name else task
            raise SeluError(f"row {line}, column {words.name_of(grid.head[at])} is empty: name it.")
        key = (name, words.task_name(full_name), ", ".join(row[at] for at in seeds))
        every_system[name] = every_task[key[1]] = None
        if words.is_lower_better(full_name):
            lower[key[1]] = None
        value = _value(row[score], comma, place)
        if value is None:
            continue
        hold_to_percent(percents, key[1], value, row[score], place)
        if key in found and found[key].value == value.value:
            again += 1
            continue
        if key in found:
            raise SeluError(
                f"{place}: the score of {name[:80]!r} on {key[1][:80]!r} is in {found[key].place}, too; keep "
                "one, or tell them apart by a column seed, metric or split."
            )
        count = 0 if rows is None else _rows(row[rows], comma, f"row {line}, column {grid.head[rows]}")
        found[key] = Score(*key[:2], value.value, value.digits, place, count, key[2], row[score])
    used = {system, task, score, rows, *seeds, *parting}
    used |= {at for at, name in enumerate(names) if versions and name in words.VERSION | words.SYSTEM}
    left = [repr(words.name_of(head)[:80]) for at, head in enumerate(grid.head) if at not in used]
    notes = [*grid.notes]
    if left:
        notes.append(f"Not read: the columns {', '.join(left)}.")
    if again:
        notes.append(f"{again:,} scores occur twice, and are read once.")
    if seeds and len({key[2] for key in found}) > 1:
        notes.append(f"A score is the mean over the column {grid.head[seeds[0]]!r}.")
    return board_of(
        found.values(),
        lower=lower,
        systems=list(every_system),
        tasks=list(every_task),
        source=f"{grid.form}, a row for each score",
        notes=notes,
    )


def _parts(grid: Grid, names: list[str], key: tuple[int, ...], score: int) -> Mapping[str, list[int]]:
    """Return the columns that split a task's scores, by task; empty if each (system, task, seed) has one."""
    task = key[1]
    rows = [row for _, row in grid.rows]
    if len({tuple(row[at] for at in key) for row in rows}) == len(rows):
        return {}
    known = words.PART | words.TASK
    possible = [at for at, name in enumerate(names) if at not in (*key, score) and name in known]
    values: dict[tuple[str, int], set[str]] = {}
    for row in rows:
        for at in possible:
            values.setdefault((row[task], at), set()).add(row[at])
    return {row[task]: [at for at in possible if len(values[row[task], at]) > 1] for row in rows}


def _versions(grid: Grid, names: list[str], key: tuple[int, ...]) -> Mapping[int, str]:
    """Names of systems with their version, by row, where only the version tells scores of a system apart."""
    known = words.VERSION | words.SYSTEM
    keys = Counter(tuple(row[place] for place in key) for _, row in grid.rows)
    doubled = [row for _, row in grid.rows if keys[tuple(row[place] for place in key)] > 1]
    for at in (at for at, name in enumerate(names) if at not in key and name in known):
        distinct = {(*(row[place] for place in key), row[at]) for row in doubled}
        if len(distinct) > len({tuple(row[place] for place in key) for row in doubled}):
            break
    else:
        return {}
    again = {row[key[0]] for row in doubled}
    pairs = {(row[key[0]], row[at]) for _, row in grid.rows if row[key[0]] in again}
    several = {system for system, count in Counter(system for system, _ in pairs).items() if count > 1}
    return {
        line: f"{words.name_of(row[key[0]])} ({row[at][:40] or 'no version'})"
        for line, row in grid.rows
        if row[key[0]] in several
    }


def _score_column(grid: Grid, names: list[str], taken: tuple[int, int], comma: bool) -> int:
    """Return the column named score, else the only column that holds numbers."""
    for at, name in enumerate(names):
        if name in words.SCORE:
            return at
    known = words.SEED | words.ROWS | words.RANK | words.OTHER | words.PART
    numeric = [at for at, name in enumerate(names) if at not in taken and name not in known]
    numeric = [at for at in numeric if _mostly_numbers(grid, at, comma)]
    if len(numeric) == 1:
        return numeric[0]
    what = ", ".join(repr(grid.head[at]) for at in numeric[:5]) or "none of numbers"
    raise SeluError(
        f"row {grid.line} has a column for systems and one for tasks, and {what} beside them: call the column "
        "of the scores 'score'."
    )


def _mostly_numbers(grid: Grid, at: int, comma: bool) -> bool:
    kinds: Counter[bool] = Counter()
    for _, row in grid.rows:
        try:
            kinds[number(row[at], comma) is not None] += 1
        except ValueError:
            kinds[False] += 1
    return kinds[True] > kinds[False]


def _value(text: str, comma: bool, place: str) -> Number | None:
    try:
        return number(text, comma)
    except ValueError:
        raise SeluError(
            f"{place}: {text[:80]!r} is not a number; write it like 0.81, or leave it empty."
        ) from None


def _rows(text: str, comma: bool, place: str) -> int:
    value = _value(text, comma, place)
    if value is None:
        return 0
    if not value.value.is_integer() or value.value < 1:
        raise SeluError(f"{place}: {text[:80]!r} is not a count of rows; write it like 200.")
    return int(value.value)
