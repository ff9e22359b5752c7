"""What claims read from counted tables, runs and the linter, and the words that they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from selu.papers.claims import finding, listed, portion, rounding
from selu.papers.nlbse24.linting import CheckedEntry, impossible
from selu.papers.nlbse24.material import Material
from selu.vocabulary import Finding, Verdict

# Questions that readers have about the paper; modules with the same question answer it together.
ISSUES = "Who leads on issue reports, and by how much?"
MODELS = "What do the results on issue reports say about kinds of models?"
COMMENTS = "Is Dopamin better than the baseline STACC on code comments?"
RULES = "Who took part, and how was the winner decided?"
DATA = "Are the data sets as the paper describes them?"
TABLES = "Are the numbers of the published tables right?"

FILES = "The data files were not counted here ('selu prepare --paper nlbse24' does it)"
FASTTEXT, BAG_OF_WORDS = "fasttext-lines", "tfidf-logistic"  # systems of the table ``reruns``
UNIT = 0.001  # the last digit of Table 1: cut off or rounded, a number is off by less
FIRST, SETFIT = "Ebrahim and Joy", "Kallis and Colavito"  # teams of Table 1
OPEN = rounding("The digits that Table 1 leaves out could turn this.")
RUNTIME = "Avg. Inference Runtime (secs.)"


def spread_of_setfit(paper: Material) -> float:
    """State how far apart the two published runs of the SetFit baseline are, in average F1."""
    first, second = (
        paper.number("baselines", f"{run}/overall/average", "f1") for run in ("setfit_readme", "setfit_output")
    )
    return abs(first - second)


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


def are_means(
    entries: list[CheckedEntry],
    what: str,
    parts: str,
    named: Callable[[CheckedEntry], str],
    numbers: Mapping[str, object],
) -> Finding:
    """Decide whether published averages are the means of their parts, by the entries that check them.

    Args:
        what: follows "3 of 4 averages"; ``parts`` is what they are the means of.
        named: an entry in a list of exceptions.
        numbers: of the finding.
    """
    wrong, by_further_digits = impossible(entries), inexact(entries)
    places = listed(map(named, wrong or by_further_digits))
    fit = len(entries) - len(wrong) - (0 if wrong else len(by_further_digits))
    because = f"{portion(fit, len(entries))} averages {what}"
    return finding(
        not wrong,
        f"{because} within rounding. These are not: {places}." if wrong else f"{because}.",
        caveat=rounding(f"These are only with digits that were left out of the {parts}: {places}.")
        if by_further_digits
        else None,
        **cast("dict[str, Any]", numbers),
    )


def unless_counted(paper: Material, table: str) -> Finding | None:
    """Return ``not checkable`` unless the fact table that decides the claim was counted from the data files."""
    if table in paper.tables:
        return None
    because = f"{FILES}; reports/{paper.benchmark}/data/facts/{table}.csv decides it."
    return Finding(Verdict.NOT_CHECKABLE, because, {"needs": table})
