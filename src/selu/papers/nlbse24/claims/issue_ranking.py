"""The order in Table 1, and its margins (2.3, 2.4, 4)."""

from __future__ import annotations

from itertools import pairwise

from selu.papers.claims import claim, finding, listed, portion, rounding
from selu.papers.nlbse24 import formulas
from selu.papers.nlbse24.claims._known import FIRST, ISSUES, OPEN, SETFIT, UNIT, spread_of_setfit
from selu.papers.nlbse24.material import Material, Track
from selu.vocabulary import Finding

QUESTION = ISSUES


def _above(paper: Material, baselines: list[str]) -> Finding:
    submissions = {team: paper.issue(team) for team in paper.teams(Track.ISSUES, baseline=False)}
    bar = max(paper.issue(team) for team in baselines)
    below = [team for team, f1 in submissions.items() if f1 <= bar]
    margin, spread = round(min(submissions.values()) - bar, 6), spread_of_setfit(paper)
    small = {
        f"less than the {spread:.4f} between the two published runs of SetFit": margin < spread,
        "no more than the digits that Table 1 leaves out": margin <= UNIT,
    }
    return finding(
        not below,
        f"{portion(len(submissions) - len(below), len(submissions))} submissions have a higher F1 than the "
        f"{bar:.3f} of the baseline. The lowest has {min(submissions.values()):.3f}.",
        caveat=next(
            (rounding(f"This margin of {margin:.3f} is {why}.") for why, holds in small.items() if holds), None
        ),
        margin=margin,
        spread_of_setfit=spread,
        not_above=below,
    )


@claim(
    "N10",
    "2.3",
    "Every submission has a higher average F1 than the SetFit baseline.",
    weight="conclusion",
    if_it_fails="A submission would not have improved on the baseline that it had to beat.",
    quote="all of the participants were able to outperform the SetFit baseline based on the competition's "
    "assessment metric",
    holds="Each submission's published F1 is higher.",
    caveat="It is, but for one of them by less than the two published runs of SetFit differ, or by one unit of "
    "the last digit.",
    fails="The published F1 of a submission is no higher.",
)
def above_setfit(paper: Material) -> Finding:
    """Averages of Table 1."""
    return _above(paper, [SETFIT])


@claim(
    "N11",
    "2.4",
    "Every submission has a higher average F1 than each of the three baselines.",
    weight="conclusion",
    if_it_fails="One of the baselines would be as good as a submission.",
    quote="All the proposed approaches were able to outperform the baselines.",
    holds="Each submission's published F1 is higher than that of the best baseline.",
    caveat="It is, but for one of them by less than the two published runs of SetFit differ, or by one unit of "
    "the last digit.",
    fails="The published F1 of a submission is no higher.",
)
def above_all_baselines(paper: Material) -> Finding:
    """Compare with the best of the three baselines, as for SetFit."""
    return _above(paper, paper.teams(Track.ISSUES, baseline=True))


@claim(
    "N12",
    "Table 1",
    "The rows are sorted by falling average F1.",
    weight="detail",
    quote="sorted by average F1-score",
    holds="No row has a higher published average F1 than the row above it, or the same.",
    caveat="Some neighbouring rows have the same published F1.",
    fails="A row has a higher published F1 than the row above it.",
)
def sorted_by_f1(paper: Material) -> Finding:
    """Check the order of the rows in the table."""
    rows = list(dict.fromkeys(row.partition("/")[0] for row, _ in paper.tables["table1"]))
    values = [paper.issue(team) for team in rows]
    steps = [above - below for above, below in pairwise(values)]
    rising = [team for team, step in zip(rows[1:], steps, strict=True) if step < 0]
    return finding(
        not rising,
        f"Of {len(rows)} rows, {listed(rising)} have a higher F1 than the row above."
        if rising
        else f"The F1 of the {len(rows)} rows falls from {values[0]:.3f} to {values[-1]:.3f}.",
        caveat=rounding("Some neighbours have the same published F1.") if not all(steps) else None,
        rows=rows,
        out_of_order=rising,
    )


@claim(
    "N21",
    "2.4",
    "RoBERTa with adapters has the best average F1.",
    weight="conclusion",
    if_it_fails="Another team would have won the issue track.",
    quote="the approach based on RoBERTa with adapters proposed by Ebrahim and Joy [17] achieved the best "
    "results",
    holds="Its published F1 is higher than that of all others in Table 1.",
    caveat="Another one has the same published F1.",
    fails="Another one has a higher F1.",
)
def adapters_are_best(paper: Material) -> Finding:
    """Compare the first place with the recomputed ranking."""
    others = {team: f1 for team, f1 in paper.issue_f1.items() if team != FIRST}
    best = max(others, key=lambda team: others[team])
    lead = paper.issue_f1[FIRST] - others[best]
    return finding(
        lead >= 0,
        f"{FIRST} have an F1 of {paper.issue_f1[FIRST]:.3f}. The best of the others, {best}, have "
        f"{others[best]:.3f}.",
        caveat=OPEN if not lead else None,
        ranking=formulas.ranking(paper.issue_f1),
    )


def _field(paper: Material) -> tuple[float, float]:
    """Return the lead of the first submission, and the range of the other four."""
    others = [paper.issue(team) for team in paper.teams(Track.ISSUES, baseline=False) if team != FIRST]
    return round(paper.issue(FIRST) - max(others), 6), round(max(others) - min(others), 6)


@claim(
    "N26",
    "4",
    "Ebrahim and Joy lead by a considerable margin.",
    weight="conclusion",
    if_it_fails="The winner's lead could be chance.",
    quote="Ebrahim and Joy [17] have outranked the other contestants by a considerable margin",
    holds="Their lead over the next submission is larger than the range of F1 of the other four.",
    caveat="Whether it is depends on digits that Table 1 leaves out.",
    fails="Their lead is smaller, whatever digits were left out.",
    thresholds={
        "the range of F1 of the other four": "our choice: a lead is considerable if it is larger than all that "
        "divides the others"
    },
)
def considerable_lead(paper: Material) -> Finding:
    """Compare two differences of two published numbers, which together are off by less than two units."""
    lead, rest = _field(paper)
    return finding(
        lead - rest > -2 * UNIT,
        f"They lead by {lead:.3f}; the other four lie within {rest:.3f} of each other.",
        caveat=OPEN if lead - rest < 2 * UNIT else None,
        lead=lead,
        range_of_others=rest,
    )


@claim(
    "N27",
    "4",
    "Most of the other submissions are about equally good.",
    weight="conclusion",
    if_it_fails="The submissions behind the winner could be told apart.",
    quote="most of these classifiers achieved comparable average classification performance",
    holds="All submissions but the first lie within 0.02 of average F1.",
    caveat="Whether they do depends on digits that Table 1 leaves out.",
    fails="They lie further apart, whatever digits were left out.",
    thresholds={
        "0.02": "our choice: twice the standard error (0.0097) of a share of 0.83 of the 1,500 test reports"
    },
)
def others_are_comparable(paper: Material) -> Finding:
    """Check the range of the other four submissions."""
    lead, rest = _field(paper)
    return finding(
        rest - UNIT < 0.02,
        f"The other four submissions lie within {rest:.3f} of average F1.",
        caveat=OPEN if rest + UNIT > 0.02 else None,
        range_of_others=rest,
        lead=lead,
    )


@claim(
    "N28",
    "2.4",
    "The rank order of five teams and three baselines is as listed.",
    weight="conclusion",
    if_it_fails="The published order of the issue track would be another one.",
    quote="Based on the classification results, we rank the five contestant teams as follows",
    holds="Published average F1 falls from each place of section 2.4's list to the next.",
    caveat="It never rises, but some neighbours of the list have the same published F1.",
    fails="It rises from one place of the list to the next.",
)
def rank_order(paper: Material) -> Finding:
    """Compare the list of section 2.4, which is the declared order, with the average F1 of Table 1."""
    places, order = paper.teams(Track.ISSUES), formulas.ranking(paper.issue_f1)
    moved = [team for a, team in zip(places, order, strict=True) if a != team]
    return finding(
        not moved,
        f"{portion(len(order) - len(moved), len(order))} places of the list are those by average F1.",
        caveat=rounding("Some neighbours have the same published F1.")
        if len(set(paper.issue_f1.values())) < len(order)
        else None,
        ranking=order,
    )
