"""The posterior matrices as a whole (V-A, Figure 5)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise
from typing import TypeAlias

from selu.papers.claims import claim, exceptions, finding, joined, listed, noted, percent, rounding, wording
from selu.papers.selu.claims._questions import TIERS
from selu.papers.selu.claims._sources import BEYOND, OUTPERFORMS
from selu.papers.selu.claims._systems import error, named
from selu.papers.selu.claims._tiers import (
    decided_pairs,
    decided_range,
    hangs_on,
    named_tiers,
    near_threshold,
    with_tiers,
)
from selu.papers.selu.material import Material
from selu.stats.compare import EQUAL
from selu.stats.tiers import tiers
from selu.vocabulary import Caveat, Finding

QUESTION = TIERS
Pairs: TypeAlias = dict[tuple[str, str], float]


def _shown(paper: Material, p: Pairs, pairs: Iterable[tuple[str, str]]) -> str:
    """Pairs with their probabilities for a sentence."""
    return listed(f"{named(paper, pair)} ({percent(p[pair])})".replace(", ", " and ", 1) for pair in pairs)


@claim(
    "C071",
    "V-A, Figure 5",
    "The test finds pairs of systems that are practically equivalent.",
    weight="detail",
    kind="implied",
    holds="At least one in a hundred pairs of systems is equivalent by section IV-D (P(A=B) from .95 up).",
    fails="No pair is, beyond three Monte-Carlo errors.",
    caveat="At least one pair is, but fewer than one in a hundred, or three Monte-Carlo errors could turn "
    "that.",
    thresholds={
        ".95": "section IV-D: the probability from which two systems are equivalent",
        "one in a hundred": "our choice: Figure 5 has a matrix of its own for such pairs, so more than a "
        "rarity",
        "three Monte-Carlo errors": BEYOND,
    },
)
def some_pairs_are_equivalent(paper: Material) -> Finding:
    """Count the pairs of Figure 5 (c)."""
    p = {(a, b): paper.p_equal(a, b) for a, b in combinations(paper.order, 2)}
    found = [(a, b) for a, b in p if str(paper.decisions.loc[a, b]) == EQUAL]
    near = [pair for pair in p if abs(p[pair] - paper.settings.threshold) < 3 * error(paper, p[pair])]
    sure = [pair for pair in found if pair not in near]
    top = max(p, key=lambda pair: p[pair])
    which = f": {_shown(paper, p, found)}" if found and len(found) <= 3 else ""
    highest = "" if which else f" The highest probability is that of {_shown(paper, p, [top])}."
    caveats: list[Caveat] = []
    if 100 * len(sure) < len(p):
        caveats.append(wording("That is fewer than one in a hundred."))
    if near and not (sure and 100 * len(sure) >= len(p)):
        verb = "is" if len(near) == 1 else "are"
        sentence = f"{_shown(paper, p, near)} {verb} within three Monte-Carlo errors of the threshold."
        caveats.append(rounding(sentence))
    return finding(
        bool(found or near),
        f"{len(found) or 'None'} of the {len(p)} pairs {'is' if len(found) < 2 else 'are'} equivalent by "
        f"the threshold of IV-D{which}.{highest}",
        caveat=joined(caveats),
        equivalent=[list(pair) for pair in found],
        pairs=len(p),
        highest=[*top, p[top], error(paper, p[top])],
        near_the_threshold=[list(pair) for pair in near],
    )


@claim(
    "C072",
    "V-A",
    "The matrices set four tiers of systems apart.",
    weight="conclusion",
    if_it_fails="The four tiers would not follow from the test, and the ranking would have another shape.",
    quote="Through the analysis of the matrices, we determine four tiers of models",
    holds="In each pair of systems from neighbouring tiers, the test finds that of the upper tier better (P "
    "from .95 up).",
    fails="Between at least two neighbouring tiers it does so in half of the pairs or fewer, beyond three "
    "Monte-Carlo errors.",
    caveat="It does so in most pairs of all neighbouring tiers, but not in each; or three Monte-Carlo errors "
    "could turn the verdict.",
    thresholds={
        ".95": OUTPERFORMS,
        "half": "our choice: tiers without a clear winner in most pairs are not set apart",
        "three Monte-Carlo errors": BEYOND,
    },
)
@with_tiers
def matrices_show_four_tiers(paper: Material) -> Finding:
    """Show beside it a grouping by results alone: a tier ends where its first system is found to be better."""
    groups = named_tiers(paper)
    pairs = {f"{i} and {i + 1}": two for i, two in enumerate(pairwise(groups), 1)}
    won = {which: decided_pairs(paper, *two) for which, two in pairs.items()}
    ends = {which: decided_range(paper, *two) for which, two in pairs.items()}
    near = {which: near_threshold(paper, *two) for which, two in pairs.items()}
    greedy = [[paper.order[i] for i in rows] for rows in tiers(paper.decisions.to_numpy())]
    hangs = "; ".join(
        f"{ends[which][0]} to {ends[which][1]} of tiers {which}, by {hangs_on(close)}"
        for which, close in near.items()
        if close
    )
    undecided = any(ends[which][0] < n for which, (_, n) in won.items())
    notes: list[Caveat] = []
    if any(wins < n for wins, n in won.values()):
        number = sum(n - wins for wins, n in won.values())
        notes.append(exceptions(f"{number} pairs of neighbouring tiers have no clear winner."))
    if hangs:
        notes.append(rounding(f"Within three Monte-Carlo errors the counts are {hangs}."))
    return noted(
        all(2 * ends[which][1] > n for which, (_, n) in won.items()),
        "The test finds the upper system better in "
        + listed(f"{wins or 'none'} of {n} pairs (tiers {which})" for which, (wins, n) in won.items())
        + f". Its results alone give {len(greedy)} tiers of {listed(str(len(names)) for names in greedy)} "
        f"systems, against the paper's {listed(str(len(names)) for names in groups)}.",
        note=joined(notes) if undecided else None,
        named=[list(names) for names in groups],
        by_decisions=greedy,
        same=greedy == [list(names) for names in groups],
        decided_between={which: list(counts) for which, counts in won.items()},
        decided_at_least_and_at_most={which: list(two) for which, two in ends.items()},
        decided_inside={str(i): decided_pairs(paper, names, names)[0] for i, names in enumerate(groups, 1)},
        near_the_threshold=near,
    )
