"""What claims read from tables that runs or the data files will bring, and from the linter."""

from __future__ import annotations

from collections.abc import Iterator

from selu.benchmarks.nlbse24.linting import Entry, impossible
from selu.benchmarks.nlbse24.material import Material

FILES = "The data files are not read yet"


def of_rule(entries: Iterator[Entry], rule: str) -> tuple[list[Entry], list[Entry]]:
    """All entries under one rule, and the impossible ones among them."""
    own = [entry for entry in entries if entry.rule == rule]
    return own, impossible(own)


def shown(entries: list[Entry]) -> dict[str, str]:
    """Impossible entries as numbers behind a verdict: place -> what is printed, and the arithmetic."""
    return {f"{e.row}, {e.column}": f"{e.printed}: {e.arithmetic}" for e in entries}


def known(m: Material, table: str) -> bool:
    """Whether a table of later evidence is there."""
    return table in m.tables
