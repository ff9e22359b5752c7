"""The boards of a paper, read from its published tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from selu.boards.board import Board, Score, Summaries, Summary, board_of
from selu.boards.declared import Declared, Source
from selu.boards.readers.numbers import number
from selu.vocabulary import Published, SeluError

_NUMBERED = re.compile(r"\d+[a-z]?|[IVXLC]+")  # as a paper numbers its tables
Tables = Mapping[str, Mapping[tuple[str, str], Published]]


class Ranked(NamedTuple):
    """A ranking of a paper: its id, the paper's name, the tables that it is read from, their scores.

    ``declared`` says what else is known of its tasks and systems.
    """

    id: str
    paper: str
    title: str
    board: Board
    declared: Declared = Declared("", "", ())

    @property
    def named(self) -> str:
        """The name to use where the paper is not named before."""
        return f"{self.paper}, {self.title}"


def is_here(declared: Declared, tables: Tables) -> bool:
    """Return whether the tables of a board are here: those that a run computes are empty without it."""
    return all(tables.get(source.table, True) for source in declared.sources)


def systems_of(declared: Declared, tables: Tables) -> list[str]:
    """Name the systems of a board without reading its scores."""
    rows = (row for source in declared.sources for row in _named(source, tables.get(source.table, {})))
    return list(dict.fromkeys(system for system, _, _ in rows if system != declared.rows))


def read_board(declared: Declared, tables: Tables) -> Board:
    """Read the scores of a board from published tables.

    Raises:
        SeluError: a table is missing, no place of it fits, two fit one score, or a score is not a number.
    """
    scores: dict[tuple[str, str], Score] = {}
    for source in declared.sources:
        if source.table not in tables:
            raise SeluError(f"paper.yaml, {declared.id}: there is no table {source.table}: correct its name.")
        beside = {declared.mean, declared.rank, declared.rows} - {""}
        if not tables[source.table]:
            raise SeluError(f"The scores of {declared.title!r} are not here: get them with 'dvc pull'.")
        found = [
            score for score in _scores(source, tables[source.table]) if not beside & {score.system, score.task}
        ]
        if not found:
            raise SeluError(
                f"paper.yaml, {declared.id}: no place of {source.table} has the row {source.row!r} and the "
                f"column {source.column!r}: correct them."
            )
        for score in found:
            other = scores.setdefault((score.system, score.task), score)
            if other is not score:
                raise SeluError(
                    f"paper.yaml, {declared.id}: {score.place} and {other.place} are both the score of "
                    f"{score.system} on {score.task}: leave one of them out."
                )
    if wrong := sorted(set(declared.lower) - {task for _, task in scores}):
        raise SeluError(f"paper.yaml, {declared.id}, lower: there is no task {wrong[0]}: correct its name.")
    source = declared.sources[0]
    first = tables[source.table]
    rows = _stated(first, 0, declared.rows, source.column)
    return board_of(
        [
            score._replace(rows=int(rows[score.task].value)) if score.task in rows else score
            for score in scores.values()
        ],
        lower=declared.lower,
        summaries=Summaries(
            _stated(first, 1, declared.mean, source.row), _stated(first, 1, declared.rank, source.row)
        ),
        source=declared.title,
        notes=declared.notes,
    )


def _stated(
    table: Mapping[tuple[str, str], Published], side: int, name: str, across: str
) -> Mapping[str, Summary]:
    """Return the values in the row (side 0) or column (side 1) of this name, by the task or system of each.

    Args:
        across: how the other side names it, as ``Source.row`` and ``Source.column`` do.
    """
    found: dict[str, Summary] = {}
    pattern = _pattern(across)
    for place, cell in table.items():
        fits = pattern.fullmatch(place[1 - side])
        if not name or place[side] != name or fits is None:
            continue
        where = _where(cell, *place)
        try:
            value = number(cell.published)
        except ValueError as error:
            raise SeluError(f"{where}: {error}; correct it.") from None
        if value is not None:
            found[next(iter(fits.groupdict().values()), place[1 - side])] = Summary(
                value.value, value.digits, where
            )
    return found


def _named(
    source: Source, table: Mapping[tuple[str, str], Published]
) -> Iterator[tuple[str, str, tuple[str, str]]]:
    """Yield system, task and place (row and column) of each entry that fits a source."""
    row, column = _pattern(source.row), _pattern(source.column)
    for place in table:
        across, down = row.fullmatch(place[0]), column.fullmatch(place[1])
        if across is None or down is None:
            continue
        names = {"system": source.system, "task": source.task, **across.groupdict(), **down.groupdict()}
        if not set(names.values()) & set(source.without):
            yield names["system"], names["task"], place


def _scores(source: Source, table: Mapping[tuple[str, str], Published]) -> Iterator[Score]:
    for system, task, place in _named(source, table):
        cell = table[place]
        try:
            found = number(cell.published)
        except ValueError as error:
            where = f"{source.table}, row {place[0]}, column {place[1]}"
            raise SeluError(f"{where}: {error}; leave it out in paper.yaml.") from None
        if found is not None:
            named = source.place.replace("{system}", system).replace("{task}", task)
            where = named or _where(cell, *place)
            yield Score(system, task, found.value, found.digits, where, text=cell.published)


def _where(cell: Published, row: str, column: str) -> str:
    """Return where the paper has a number, in the words that a reader looks for."""
    table = f"Table {cell.table}" if _NUMBERED.fullmatch(cell.table) else cell.table
    return f"{table}, row {row}, column {column}"


def _pattern(text: str) -> re.Pattern[str]:
    parts = re.split(r"(\{system\}|\{task\})", text)
    return re.compile(
        "".join(f"(?P<{part[1:-1]}>.+?)" if part[:1] == "{" else re.escape(part) for part in parts)
    )
