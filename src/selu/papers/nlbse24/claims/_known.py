"""What claims read from counted tables, runs and the linter, and the words that they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from selu.papers.claims import of as of  # read from here by the claims
from selu.papers.nlbse24.linting import CheckedEntry, impossible
from selu.papers.nlbse24.material import Material
from selu.vocabulary import Finding, Verdict

FILES = "The data files were not counted here ('selu prepare --paper nlbse24' does it)"
FASTTEXT, BAG_OF_WORDS = "fasttext-lines", "tfidf-logistic"  # systems of the table ``reruns``
UNIT = 0.001  # the last digit of Table 1: cut off or rounded, a number is off by less


def of_rule(entries: Iterable[CheckedEntry], rule: str) -> tuple[list[CheckedEntry], list[CheckedEntry]]:
    """Return all entries under one rule, and the impossible ones among them."""
    own = [entry for entry in entries if entry.rule == rule]
    return own, impossible(own)


def inexact(entries: Iterable[CheckedEntry]) -> list[CheckedEntry]:
    """Return the entries that only the digits left out of the others make possible."""
    return [entry for entry in entries if entry.possible and not entry.exact]


def shown(entries: list[CheckedEntry]) -> Mapping[str, str]:
    """Return impossible entries as numbers behind a verdict: place -> published number and arithmetic."""
    return {f"{entry.row}, {entry.column}": f"{entry.published}: {entry.arithmetic}" for entry in entries}


def known(paper: Material, table: str) -> bool:
    """Return whether a table of later evidence is here."""
    return table in paper.tables


def unless_counted(paper: Material, table: str) -> Finding | None:
    """Return ``not checkable`` unless the fact table that decides the claim was counted from the data files."""
    if known(paper, table):
        return None
    because = f"{FILES}; reports/{paper.benchmark}/data/facts/{table}.csv decides it."
    return Finding(Verdict.NOT_CHECKABLE, because, {"needs": table})
