"""The boards of a paper, read from its published tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from selu.boards.board import Board, Score, board_of
from selu.boards.declared import Declared, Source
from selu.boards.numbers import number
from selu.vocabulary import Published, SeluError

Tables = Mapping[str, Mapping[tuple[str, str], Published]]


def read_board(declared: Declared, tables: Tables) -> Board:
    """Read the scores of a board from published tables.

    Raises:
        SeluError: a table is missing, no place of it fits, two fit one score, or a score is no number.
    """
    scores: dict[tuple[str, str], Score] = {}
    for source in declared.sources:
        if source.table not in tables:
            raise SeluError(f"paper.yaml, {declared.id}: there is no table {source.table}: correct its name.")
        found = list(_scores(source, tables[source.table]))
        if not found:
            raise SeluError(
                f"paper.yaml, {declared.id}: no place of {source.table} has the row {source.row!r} and the "
                f"column {source.column!r}: correct them."
            )
        for one in found:
            other = scores.setdefault((one.system, one.task), one)
            if other is not one:
                raise SeluError(
                    f"paper.yaml, {declared.id}: {one.place} and {other.place} are both the score of "
                    f"{one.system} on {one.task}: leave one of them out."
                )
    if wrong := sorted(set(declared.lower) - {task for _, task in scores}):
        raise SeluError(f"paper.yaml, {declared.id}, lower: there is no task {wrong[0]}: correct its name.")
    return board_of(scores.values(), lower=declared.lower, source=declared.title, notes=declared.notes)


def _scores(source: Source, table: Mapping[tuple[str, str], Published]) -> Iterator[Score]:
    row, column = _pattern(source.row), _pattern(source.column)
    for (row_text, column_text), cell in table.items():
        across, down = row.fullmatch(row_text), column.fullmatch(column_text)
        if across is None or down is None:
            continue
        names = {"system": source.system, "task": source.task, **across.groupdict(), **down.groupdict()}
        place = f"{source.table}, row {row_text}, column {column_text}"
        if set(names.values()) & set(source.without):
            continue
        try:
            found = number(cell.printed)
        except ValueError as error:
            raise SeluError(f"{place}: {error}; leave it out in paper.yaml.") from None
        if found is not None:
            yield Score(names["system"], names["task"], found.value, found.digits, place, text=cell.printed)


def _pattern(text: str) -> re.Pattern[str]:
    parts = re.split(r"(\{system\}|\{task\})", text)
    return re.compile(
        "".join(f"(?P<{part[1:-1]}>.+?)" if part[:1] == "{" else re.escape(part) for part in parts)
    )
