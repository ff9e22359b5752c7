"""In which categories Dopamin has a higher F1 than STACC (3.4, 4).

Both published lists leave digits out. Where whole counts of test rows tell whether a list rounds or cuts off
(``linting.printing``), its F1 is taken so, else as either; a category whose gain may have both signs is open.
All claims here follow this one rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from selu.boards.rounding import Range, behind
from selu.papers.claims import claim, finding, listed, portion, rounding
from selu.papers.nlbse24 import linting
from selu.papers.nlbse24.claims._known import COMMENTS
from selu.papers.nlbse24.material import WINNER, Material
from selu.vocabulary import Caveat, Finding

QUESTION = COMMENTS

STACC, DOPAMIN = "stacc", "dopamin"


@dataclass(frozen=True)
class _Gain:
    """F1 of Dopamin minus that of STACC: as published, and the range that missing digits allow."""

    published: float
    possible: Range

    @property
    def sure(self) -> bool:
        return self.possible.low > 0

    @property
    def open(self) -> bool:
        return self.possible.low <= 0 < self.possible.high


def _gains(paper: Material) -> Mapping[str, _Gain]:
    """Return the gain of each category."""
    how = {results: linting.printing(paper, results) for results in (STACC, DOPAMIN)}
    found = {}
    for row, place in paper.categories.items():
        old, new = (behind(paper.result(results, place, "f1"), how[results]) for results in (STACC, DOPAMIN))
        published = paper.number(DOPAMIN, place, "f1") - paper.number(STACC, place, "f1")
        found[row] = _Gain(round(published, 6), Range(new.low - old.high, new.high - old.low))
    return found


def _numbers(gains: Mapping[str, _Gain]) -> Mapping[str, float]:
    return {row: gain.published for row, gain in gains.items()}


def _won(gains: Mapping[str, _Gain]) -> tuple[int, int, str]:
    """Count the categories that are won and those that may be, and state the latter."""
    sure, undecided = (sum(getattr(gain, what) for gain in gains.values()) for what in ("sure", "open"))
    return sure, undecided, f", and {undecided} more may be won" if undecided else ""


def _open(gains: Mapping[str, _Gain]) -> Caveat | None:
    rows = [row for row, gain in gains.items() if gain.open]
    return rounding(f"Digits that were left out could turn {listed(rows)}.") if rows else None


@claim(
    "N50",
    "3.4",
    "Dopamin wins 11 categories and does not win 8.",
    weight="detail",
    quote="came mostly from a subset of 11 categories as Dopamin was not able to outperform the baseline "
    "for 8 categories",
    holds="By published F1 it wins as many of the 19 categories as section 3.4 and Table 3 state, whatever "
    "digits were left out.",
    caveat="Whether it wins as many depends on digits that were left out.",
    fails="It wins another number of categories, whatever digits were left out, or section 3.4 and Table 3 "
    "state different numbers.",
    thresholds={"19": "section 3.1"},
)
def eleven_won(paper: Material) -> Finding:
    """Compare the categories with a higher published F1 with the text and Table 3."""
    gains = _gains(paper)
    sure, undecided, possible = _won(gains)
    won, lost = int(paper.text("3.4", "Categories won")), int(paper.text("3.4", "Categories not won"))
    published = paper.published("table3", WINNER, "Outperformed Categories")
    agree = won + lost == len(gains) and published == f"{won}/{len(gains)}"
    return finding(
        agree and sure <= won <= sure + undecided,
        f"Dopamin wins {sure} of {len(gains)} categories{possible}. Section 3.4 says {won} won and {lost} not "
        f"won, and Table 3 {published}.",
        caveat=_open(gains),
        gains=_numbers(gains),
    )


@claim(
    "N51",
    "3.4",
    "Dopamin is better in Summary, Usage and Ownership.",
    weight="conclusion",
    if_it_fails="Who classifies comments of one of these three categories would have no reason to prefer "
    "Dopamin.",
    quote="Dopamin works better in categories that require context and semantics understanding such as "
    "Summary, Usage, and Ownership",
    holds="In every language that has the category its published F1 is higher, whatever digits were left out.",
    caveat="Whether it is depends on digits that were left out.",
    fails="In one of them its F1 is no higher, whatever digits were left out.",
)
def better_in_three(paper: Material) -> Finding:
    """Compare the gains in every language that has the category."""
    gains = {
        row: gain
        for row, gain in _gains(paper).items()
        if row.split("/")[1] in ("Summary", "Usage", "Ownership")
    }
    better = [row for row, gain in gains.items() if gain.sure or gain.open]
    smallest = min(gains, key=lambda row: gains[row].published)
    return finding(
        len(better) == len(gains),
        f"{portion(len(better), len(gains))} such categories have a higher F1 with Dopamin. The smallest gain "
        f"is that in {smallest} ({gains[smallest].published:+.4f}).",
        caveat=_open(gains),
        gains=_numbers(gains),
    )


@claim(
    "N52",
    "3.4",
    "Python's Parameters, Summary and Usage improve, and these are Java categories as well.",
    weight="detail",
    quote="The Python categories Parameters, Summary, and Usage presented performance improvement compared "
    "to the baseline, and the fact that they are also Java categories",
    holds="All three have a higher published F1 in Python, whatever digits were left out, and Table 2 has all "
    "three for Java.",
    caveat="Whether they have a higher F1 depends on digits that were left out.",
    fails="One has no higher F1, whatever digits were left out, or Table 2 does not have it for Java.",
)
def python_and_java(paper: Material) -> Finding:
    """Compare the gains with Table 2's categories of Java."""
    names, gains = ("Parameters", "Summary", "Usage"), _gains(paper)
    own = {f"Python/{name}": gains[f"Python/{name}"] for name in names}
    up = [row for row, gain in own.items() if gain.sure or gain.open]
    in_java = [name for name in names if f"Java/{name}" in paper.categories]
    return finding(
        len(up) == len(in_java) == len(names),
        f"{portion(len(up), len(names))} improve, and {len(in_java) or 'none'} of them are categories of Java"
        f"{f': {listed(in_java)}' if in_java else ''}.",
        caveat=_open(own),
        improved=[row.partition("/")[2] for row in up],
        in_java=in_java,
    )


@claim(
    "N55",
    "4",
    "Dopamin beats STACC in most categories.",
    weight="conclusion",
    if_it_fails="Dopamin would owe its higher average to a few categories.",
    quote="allowed Dopamin to beat STACC in most categories",
    holds="Its published F1 is higher in more than half of the categories, whatever digits were left out.",
    caveat="Whether it is depends on digits that were left out.",
    fails="It is higher in no more than half of them, whatever digits were left out.",
    thresholds={"half": "the plain meaning of 'most': more than half"},
)
def most_categories(paper: Material) -> Finding:
    """Check that more than half of the categories are won."""
    gains = _gains(paper)
    won, undecided, possible = _won(gains)
    return finding(
        2 * (won + undecided) > len(gains),
        f"Dopamin wins {won} of {len(gains)} categories{possible}.",
        caveat=_open(gains) if 2 * won <= len(gains) else None,
        won=won,
        categories=len(gains),
    )
