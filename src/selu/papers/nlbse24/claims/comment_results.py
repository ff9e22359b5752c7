"""Dopamin against STACC: averages and times (3.2, 3.4, Table 3)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from selu.boards.rounding import Printing, behind
from selu.papers.claims import claim, exceptions, finding, listed, portion, rounding
from selu.papers.nlbse24 import formulas, linting
from selu.papers.nlbse24.claims._known import COMMENTS, RUNTIME, inexact, of_rule, shown
from selu.papers.nlbse24.material import BASELINE, WINNER, Material
from selu.vocabulary import Finding

QUESTION = COMMENTS


def _text_and_table(paper: Material, name: str, column: str) -> tuple[bool, str, Mapping[str, list[float]]]:
    pairs = {
        system: [paper.text("3.4", f"{name}: {system}"), paper.comment(team, column)]
        for system, team in (("Dopamin", WINNER), ("STACC", BASELINE))
    }
    agree = all(text == table for text, table in pairs.values())
    words = listed(f"{system} {table:.2f} (section 3.4: {text:.2f})" for system, (text, table) in pairs.items())
    return agree, words, pairs


@claim(
    "N47",
    "3.4",
    "Dopamin has an average precision of 0.73, and STACC one of 0.69.",
    weight="detail",
    quote="Dopamin outperforms the baseline's avg. precision (0.73 vs. 0.69",
    holds="Table 3 has the two numbers of section 3.4, and every published category can come from whole "
    "counts of test rows with its columns as they are named.",
    caveat="The numbers are the same. Some categories can come from no counts, but no fewer would if precision "
    "and recall were exchanged.",
    fails="Table 3 has other numbers than section 3.4, or more categories can come from counts of test "
    "rows with precision and recall exchanged than as they are named.",
)
def precision(paper: Material) -> Finding:
    """Compare text and Table 3, and check that counts of test rows can give the columns as they are named."""
    agree, words, pairs = _text_and_table(paper, "Precision", "Average Precision")
    held = list(linting.categories(paper))
    entries, wrong = of_rule(held, linting.COUNTS_OF_CATEGORY)
    _, other = of_rule(held, linting.COUNTS_SWAPPED)
    exchanged = len(other) < len(wrong)
    why = (
        f"{portion(len(wrong), len(entries))} published rows of categories can come from no whole counts of "
        f"test rows. With precision and recall exchanged, that is so for {len(other) or 'none'} of "
        f"{len(entries)}"
    )
    return finding(
        agree and not exchanged,
        f"Table 3 has {words}. {why}{', so that what is called precision is recall' if exchanged else ''}.",
        caveat=exceptions("Some categories can come from no counts of test rows.") if wrong else None,
        text_and_table=pairs,
        of_no_counts=shown(wrong),
        of_no_counts_if_exchanged=shown(other),
    )


@claim(
    "N48",
    "3.4",
    "Average recall is similar: 0.74 and 0.74.",
    weight="detail",
    quote="while achieving a similar avg. recall (0.74 vs. 0.74)",
    holds="Table 3 has the two numbers that section 3.4 states.",
    fails="Table 3 has another number.",
)
def recall(paper: Material) -> Finding:
    """Compare the text with Table 3."""
    agree, words, pairs = _text_and_table(paper, "Recall", "Average Recall")
    return finding(agree, f"Table 3 has {words}.", text_and_table=pairs)


@claim(
    "N49",
    "3.4",
    "Dopamin has an average F1 of 0.74, and STACC one of 0.71.",
    weight="conclusion",
    if_it_fails="Dopamin's lead over STACC in F1 would be larger or smaller than three hundredths, or there "
    "would be none.",
    quote="thus leading to an overall higher avg. F1 score (0.74 vs 0.71)",
    holds="Table 3 has the two numbers that section 3.4 states, and they are the means of the published "
    "categories, rounded or cut off.",
    caveat="They are the means only with digits that were left out of the categories.",
    fails="Table 3 has another number, or the means are others, whatever digits were left out.",
)
def f1(paper: Material) -> Finding:
    """Compare the text, Table 3 and the mean of the categories."""
    agree, words, pairs = _text_and_table(paper, "F1", "Average F1-score")
    entries = [entry for entry in linting.means_of_categories(paper) if entry.column == "Average F1-score"]
    wrong, by_further_digits = linting.impossible(entries), inexact(entries)
    means = {name: formulas.mean(list(paper.per_category(name).values())) for name in ("dopamin", "stacc")}
    return finding(
        agree and not wrong,
        f"Table 3 has {words}. The categories have means of {means['dopamin']:.4f} and {means['stacc']:.4f}.",
        caveat=rounding("They agree only with digits that were left out.") if by_further_digits else None,
        text_and_table=pairs,
        means=means,
    )


@claim(
    "N53",
    "3.4",
    "Dopamin and STACC have similar inference times.",
    weight="conclusion",
    if_it_fails="One of the two tools would be noticeably slower, and a user would weigh its time against its "
    "F1.",
    quote="while achieving a similar inference runtime performance",
    holds="Dopamin's published time is within 10 % of STACC's.",
    caveat="Whether it is depends on digits that Table 3 leaves out.",
    fails="It is further away, whatever digits were left out.",
    thresholds={"10 %": "our choice: a tenth of the time is a fortieth of the score at most (section 3.2)"},
)
def similar_times(paper: Material) -> Finding:
    """Compare the two times, and the ranges that their digits leave."""
    stacc, dopamin = (paper.published("table3", team, RUNTIME) for team in (BASELINE, WINNER))
    old, new = behind(stacc, Printing.EITHER), behind(dopamin, Printing.EITHER)
    least, most = Fraction(9, 10), Fraction(11, 10)
    sure = new.low >= least * old.high and new.high <= most * old.low
    return finding(
        new.high >= least * old.low and new.low <= most * old.high,
        f"Dopamin takes {dopamin} s for a sample, and STACC {stacc} s.",
        caveat=None if sure else rounding("Digits that Table 3 leaves out could turn this."),
        seconds={"Dopamin": dopamin, "STACC": stacc},
    )
