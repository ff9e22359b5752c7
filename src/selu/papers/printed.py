"""What a paper prints, by its places: the ground that every benchmark's material stands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from selu.vocabulary import Published, SeluError, plain_number

ABSENT = "-"


@dataclass(frozen=True)
class Printed:
    """Published tables of one benchmark.

    ``tables`` maps a table's file name (``table6``) to its places: (row, column) -> published number.
    """

    benchmark: ClassVar[str]

    tables: Mapping[str, Mapping[tuple[str, str], Published]]

    def printed(self, table: str, row: str, column: str) -> str:
        """Read the text that the paper prints at a place.

        Raises:
            SeluError: the table has no such place.
        """
        cell = self.tables.get(table, {}).get((row, column))
        if cell is None:
            raise SeluError(
                f"{table}.csv has no row {row!r}, column {column!r}; add it as the paper prints it."
            )
        return cell.printed

    def number(self, table: str, row: str, column: str) -> float:
        """Read the printed number at a place; nan where the paper prints a dash."""
        text = self.printed(table, row, column)
        if text == ABSENT:
            return float("nan")
        try:
            return plain_number(text.replace(",", "").replace("'", "").rstrip("* "))
        except ValueError:
            raise SeluError(
                f"{table}.csv, row {row!r}, column {column!r}: {text!r} is not a number; correct it."
            ) from None

    def with_printed(self, table: str, row: str, column: str, printed: str) -> Self:
        """Copy it with something else printed at one place (a new place is added)."""
        return self.with_places({(table, row, column): printed})

    def with_places(self, places: Mapping[tuple[str, str, str], str]) -> Self:
        """Copy it with other texts at these places: (table, row, column) -> what is printed there."""
        altered = {name: dict(self.tables.get(name, {})) for name, _, _ in places}
        for (name, row, column), text in places.items():
            table = altered[name]
            title = table[row, column].table if (row, column) in table else name
            table[row, column] = Published(title, row, column, text)
        return replace(self, tables={**self.tables, **altered})
