"""The published numbers of a paper, by place: the basis of every benchmark's material."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from selu.vocabulary import Published, SeluError, plain_number

ABSENT = "-"
_WORDS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class PublishedTables:
    """Published tables of one benchmark.

    ``tables`` maps a table's file name (``table6``) to its places: (row, column) -> published number.
    """

    benchmark: ClassVar[str]

    tables: Mapping[str, Mapping[tuple[str, str], Published]]

    def published(self, table: str, row: str, column: str) -> str:
        """Read the text that the paper prints at a place.

        Raises:
            SeluError: the table has no such place.
        """
        cell = self.tables.get(table, {}).get((row, column))
        if cell is None:
            raise SeluError(
                f"{table}.csv has no row {row!r}, column {column!r}; add it as the paper prints it."
            )
        return cell.published

    def number(self, table: str, row: str, column: str) -> float:
        """Read the printed number at a place; nan where the paper prints a dash."""
        text = self.published(table, row, column)
        if text == ABSENT:
            return float("nan")
        try:
            return plain_number(text.replace(",", "").replace("'", "").rstrip("* "))
        except ValueError:
            raise self.refused(table, row, column, "is not a number") from None

    def count(self, table: str, row: str, column: str) -> int:
        """Read a whole number, written with digits or as a word, in thousands (``K``) or rounded (``~``).

        Raises:
            SeluError: it is invalid.
        """
        text = self.published(table, row, column)
        if text and text.lower() in _WORDS:
            return _WORDS.index(text.lower())
        try:
            number = plain_number(re.sub(r"(?<=\d)K$", "e3", text.lstrip("~").replace(",", "")))
        except ValueError:
            number = -1
        if number < 0 or not number.is_integer():
            raise self.refused(table, row, column, "is not a count")
        return int(number)

    def row_names(self, table: str) -> list[str]:
        """List the rows of a table, in the published order; none of one that is not here."""
        return list(dict.fromkeys(row for row, _ in self.tables.get(table, {})))

    def column_names(self, table: str) -> list[str]:
        """List the columns of a table in the same way."""
        return list(dict.fromkeys(column for _, column in self.tables.get(table, {})))

    def has(self, table: str, row: str = "") -> bool:
        """Return whether a table, or a row of it, is here."""
        return any(not row or row == place for place, _ in self.tables.get(table, {}))

    def require_within(self, table: str, low: float, high: float, but: str = "\0") -> None:
        """Refuse a table with a number outside ``low`` to ``high``, except in columns with these endings.

        Raises:
            SeluError: a number is outside; names its place.
        """
        for row, column in self.tables.get(table, {}):
            if not column.endswith(but) and not low <= self.number(table, row, column) <= high:
                raise self.refused(table, row, column, f"is outside {low:g} to {high:g}")

    def refused(self, table: str, row: str, column: str, why: str) -> SeluError:
        """Return the error for a place that can't be read."""
        text = self.published(table, row, column)
        return SeluError(f"{table}.csv, row {row!r}, column {column!r}: {text!r} {why}; correct it.")

    def with_published(self, table: str, row: str, column: str, published: str) -> Self:
        """Copy it with something else printed at one place (a new place is added)."""
        return self.with_places({(table, row, column): published})

    def with_places(self, places: Mapping[tuple[str, str, str], str]) -> Self:
        """Return a copy with other texts at these places: (table, row, column) -> text."""
        altered = {name: dict(self.tables.get(name, {})) for name, _, _ in places}
        for (name, row, column), text in places.items():
            table = altered[name]
            title = table[row, column].table if (row, column) in table else name
            table[row, column] = Published(title, row, column, text)
        return replace(self, tables={**self.tables, **altered})
