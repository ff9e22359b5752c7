"""Reading a column of a published table, and counting its values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from selu.papers.claims import listed
from selu.papers.selu.material import Material

UNITS = {"M": 1e6, "B": 1e9}  # of parameters, as in Table III


def published_column(paper: Material, table: str, column: str) -> Mapping[str, str]:
    """Return one column of a printed table, row by row."""
    return {row: cell.published for (row, name), cell in paper.tables[table].items() if name == column}


def tally(values: Iterable[str]) -> Mapping[str, int]:
    """Count how often each value occurs, in the order of first occurrence."""
    return dict(Counter(str(value) for value in values))


def tallied(counts: Mapping[str, int]) -> str:
    """Return a tally as the sentences print it, for example '3 binary, 2 multi label'."""
    return listed(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())


def open_source_rows(paper: Material) -> list[str]:
    """Return rows of Table III in an open-source compartment."""
    compartments = published_column(paper, "table3", "Compartment")
    return [row for row, text in compartments.items() if text.endswith("open-source")]
