"""Averages of Table 3, and F1 against precision and recall, of the code comments."""

from __future__ import annotations

from selu.papers.claims import claim, finding, listed, rounding
from selu.papers.nlbse24 import linting
from selu.papers.nlbse24.claims._known import inexact, of, shown
from selu.papers.nlbse24.claims._questions import TABLES
from selu.papers.nlbse24.material import BASELINE, WINNER, Material
from selu.vocabulary import Finding

QUESTION = TABLES
RUNTIME = "Avg. Inference Runtime (secs.)"


def _means(paper: Material, team: str) -> Finding:
    entries = [
        means_of_category
        for means_of_category in linting.means_of_categories(paper)
        if means_of_category.row == team
    ]
    wrong, by_further_digits = linting.impossible(entries), inexact(entries)
    places = listed(f"{e.column} ({e.published}; {e.arithmetic})" for e in wrong or by_further_digits)
    fit = len(entries) - len(wrong) - (0 if wrong else len(by_further_digits))
    because = f"{of(fit, len(entries))} averages of Table 3 are means of the 19 categories"
    return finding(
        not wrong,
        f"{because} within rounding. These are not: {places}." if wrong else f"{because}.",
        caveat=rounding(f"These are only with digits that were left out of the categories: {places}.")
        if by_further_digits
        else None,
        averages={entry.column: f"{entry.published}: {entry.arithmetic}" for entry in entries},
    )


_MEANS = {
    "holds": "Average precision, recall, F1 and time in Table 3 are the means of the published rows, "
    "rounded or cut off.",
    "caveat": "Some are only with digits that were left out of the categories.",
    "fails": "One of them is not, whatever digits were left out.",
}


@claim(
    "N56",
    "Table 3",
    "The averages of STACC are the means of its 19 published rows.",
    weight="detail",
    kind="our check",
    holds=_MEANS["holds"],
    caveat=_MEANS["caveat"],
    fails=_MEANS["fails"],
)
def means_of_stacc(paper: Material) -> Finding:
    """Check the published means of precision, recall, F1 and time."""
    return _means(paper, BASELINE)


@claim(
    "N57",
    "Table 3",
    "The averages of Dopamin are the means of its 19 published rows.",
    weight="detail",
    kind="our check",
    holds=_MEANS["holds"],
    caveat=_MEANS["caveat"],
    fails=_MEANS["fails"],
)
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
        f"{of(fit, len(entries))} values of F1 follow from the published digits"
        f"{f', and {len(wrong)} from no digits that could be there' if wrong else ''}.",
        caveat=rounding(f"The other {len(by_further_digits)} follow only with digits that were left out.")
        if by_further_digits
        else None,
        impossible=shown(wrong),
        by_further_digits=shown(by_further_digits),
    )
