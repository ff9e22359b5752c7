"""Averages of Table 3, and F1 against precision and recall, of the code comments."""

from __future__ import annotations

from collections.abc import Callable

from selu.papers.claims import Check, claim, finding, portion, rounding
from selu.papers.nlbse24 import linting
from selu.papers.nlbse24.claims._known import TABLES, are_means, inexact, shown
from selu.papers.nlbse24.material import BASELINE, WINNER, Material
from selu.vocabulary import Claim, Finding

QUESTION = TABLES


def _means(paper: Material, team: str) -> Finding:
    entries = [entry for entry in linting.means_of_categories(paper) if entry.row == team]
    return are_means(
        entries,
        "of Table 3 are means of the 19 categories",
        "categories",
        lambda entry: f"{entry.column} ({entry.published}; {entry.arithmetic})",
        {"averages": {entry.column: f"{entry.published}: {entry.arithmetic}" for entry in entries}},
    )


def _means_of_rows(id: str, system: str) -> Callable[[Check], Claim]:
    return claim(
        id,
        "Table 3",
        f"The averages of {system} are the means of its 19 published rows.",
        weight="detail",
        kind="our check",
        holds="Average precision, recall, F1 and time in Table 3 are the means of the published rows, "
        "rounded or cut off.",
        caveat="Some are only with digits that were left out of the categories.",
        fails="One of them is not, whatever digits were left out.",
    )


@_means_of_rows("N56", "STACC")
def means_of_stacc(paper: Material) -> Finding:
    """Check the published means of precision, recall, F1 and time."""
    return _means(paper, BASELINE)


@_means_of_rows("N57", "Dopamin")
def means_of_dopamin(paper: Material) -> Finding:
    """Check the published means of precision, recall, F1 and time."""
    return _means(paper, WINNER)


@claim(
    "N58",
    "STACC's table",
    "Every F1 of STACC follows from its precision and recall.",
    weight="detail",
    kind="our check",
    holds="Each published F1 is the harmonic mean of its published precision and recall, rounded or cut off.",
    caveat="Some are only with digits that were left out of precision and recall.",
    fails="One of them is not, whatever digits were left out.",
)
def f1_of_stacc(paper: Material) -> Finding:
    """Check F1 of each category; exchanging precision and recall does not change it."""
    entries = [linting.f1_of_category(paper, "stacc", place) for place in paper.categories.values()]
    wrong, by_further_digits = linting.impossible(entries), inexact(entries)
    fit = len(entries) - len(wrong) - len(by_further_digits)
    return finding(
        not wrong,
        f"{portion(fit, len(entries))} values of F1 follow from the published digits"
        f"{f', and {len(wrong)} from no digits that could be there' if wrong else ''}.",
        caveat=rounding(f"The other {len(by_further_digits)} follow only with digits that were left out.")
        if by_further_digits
        else None,
        impossible=shown(wrong),
        by_further_digits=shown(by_further_digits),
    )
