"""What claims read from tables that the data files or runs bring, and from the linter."""

from __future__ import annotations

from collections.abc import Iterator

from selu.benchmarks.nlbse24.linting import Entry, impossible
from selu.benchmarks.nlbse24.material import Material
from selu.vocabulary import Finding, Verdict

FILES = "The data files were not counted here ('selu prepare --benchmark nlbse24' does it)"
FASTTEXT, BAG_OF_WORDS = "fasttext-lines", "tfidf-logistic"  # systems of the table ``reruns``


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


def unless_counted(m: Material, table: str) -> Finding | None:
    """``not checkable`` while the fact table that decides the claim was not counted from the data files."""
    if known(m, table):
        return None
    because = f"{FILES}; reports/{m.benchmark}/data/facts/{table}.csv decides it."
    return Finding(Verdict.NOT_CHECKABLE, because, {"needs": table})
