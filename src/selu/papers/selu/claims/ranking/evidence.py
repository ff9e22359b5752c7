"""The strength of evidence on single pairs (V-A)."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from selu.papers.claims import claim, exceptions, finding, joined, rounding, unless_known, wording
from selu.papers.selu.claims._large_group import large_group, with_group
from selu.papers.selu.claims._questions import CERTAINTY
from selu.papers.selu.claims._sources import BEYOND, GROUP
from selu.papers.selu.claims._systems import error, name_of, sd_of
from selu.papers.selu.claims._unrounded import unrounded
from selu.papers.selu.material import Material
from selu.vocabulary import Caveat, Finding

QUESTION = CERTAINTY

MODERATE, DECISIVE = 10.0, 100.0
FACTORS = "bayes_factors"


def _odds(paper: Material, a: str, b: str) -> float:
    """Return the posterior odds of a pair's likelier winner against equal or worse, capped without draws."""
    up = max(paper.p_better(a, b), paper.p_better(b, a))
    return up / max(1 - up, 1 / paper.settings.draws)


def _factor(paper: Material, a: str, b: str) -> float:
    """Return the pair's Bayes factor for the likelier winner, whichever of the two has the row."""
    pairs = [
        pair for pair in ((a, b), (b, a)) if tuple(name_of(paper, n) for n in pair) in paper.tables[FACTORS]
    ]
    return max(paper.number(FACTORS, *(name_of(paper, n) for n in pair)) for pair in pairs or [(a, b)])


@claim(
    "C049",
    "V-A",
    "Within the large group, Bayes factors for the better model are only moderate, not decisive.",
    weight="detail",
    quote="this translates into only moderate Bayes factors in favor of the outperforming model, rather "
    "than 'decisive' evidence",
    holds="In each pair of the large group (means from .709 up), the Bayes factor for the better model is 10 "
    "or less.",
    fails="In half of the pairs or more it is above 10, or in one above 100.",
    caveat="It is above 10 in fewer than half of the pairs, and above 100 in none.",
    thresholds={
        "half": "our choice: strong evidence in half of the pairs is no exception",
        ".709": GROUP,
        "10": "Jeffreys 1961: above 10 evidence is strong; Lee and Wagenmakers 2013: from 3 to 10 moderate",
        "100": "Jeffreys 1961: above 100 evidence is decisive",
    },
)
@with_group
def evidence_in_the_large_group_is_moderate(paper: Material) -> Finding:
    """Check Bayes factors; needs bayes_factors.csv: rows and columns are systems, for each large-group pair.

    The prior of the test puts all mass on equality, so that its prior odds of better are 0: dividing posterior
    by prior odds gives no Bayes factor.
    """
    pairs = list(combinations(large_group(paper), 2))
    odds = [_odds(paper, a, b) for a, b in pairs]
    strong = sum(value > MODERATE for value in odds)
    missing = (
        "The test of IV-D gives posterior probabilities and no Bayes factors, and none are published. None "
        "follow from it, as its prior takes all systems for equal. Posterior odds are another quantity: "
        f"those of better against equal or worse are above {MODERATE:g} in {strong or 'none'} of the "
        f"{len(pairs)} pairs of the large group, and at most {max(odds):.0f}"
    )
    if not_checkable := unless_known(paper, FACTORS, missing):
        return replace(
            not_checkable,
            numbers={**not_checkable.numbers, "pairs": len(pairs), "posterior_odds_above_10": strong},
        )
    factors = {(a, b): _factor(paper, a, b) for a, b in pairs}
    above, highest = sum(value > MODERATE for value in factors.values()), max(factors.values())
    return finding(
        2 * above < len(pairs) and highest <= DECISIVE,
        f"The Bayes factor is above {MODERATE:g} in {above or 'none'} of the {len(pairs)} pairs of the "
        f"large group, and at most {highest:g}.",
        caveat=exceptions("That is strong evidence in these pairs, though decisive in none.")
        if above
        else None,
        pairs=len(pairs),
        above_10=above,
        highest=highest,
    )


def _share(inside: np.ndarray, clear: np.ndarray) -> float:
    """Return the share of the pairs inside a group of systems that are clear."""
    chosen = clear[np.ix_(inside, inside)][np.triu_indices(int(inside.sum()), 1)]
    return float(chosen.mean()) if len(chosen) else 0.0


@claim(
    "C139",
    "V-A",
    "Decisive evidence can be easily observed in lower-variance models.",
    weight="detail",
    quote="'decisive' evidence that can be easily observed in lower-variance models",
    holds="Among systems with a standard deviation below the median of all, the test finds a clear winner (P "
    "from .95 up) in more than half of the pairs, and in a larger share than among the others.",
    fails="The share is not larger than among the others, whatever rounding and three Monte-Carlo errors do.",
    caveat="The share is larger, but half or less, or these margins could turn one of the two.",
    thresholds={
        ".95": "section IV-D: the probability from which a system outperforms another; the Bayes factors "
        "behind the word decisive are not published",
        "median": "our choice: lower is relative, so the lower half of the systems",
        "half": "our choice: easily observed is at least in most pairs",
        "three Monte-Carlo errors": BEYOND,
    },
)
def decisive_evidence_lies_in_lower_variance_models(paper: Material) -> Finding:
    """Judge rounding by which systems fall below the median deviation in scores that round to the published."""
    top = np.fmax(paper.posterior.better, paper.posterior.better.T)
    by = 3 * np.vectorize(lambda p: error(paper, p))(np.nan_to_num(top))
    sd = np.array([sd_of(paper, name) for name in paper.order])
    lower = sd < np.median(sd)
    other = [spread < np.median(spread) for spread in unrounded(paper).std(axis=1, ddof=1)]
    ways = [(inside, sign) for inside in (lower, *other) for sign in (-1, 1)]
    threshold = paper.settings.threshold
    shares = [(_share(i, top + s * by >= threshold), _share(~i, top - s * by >= threshold)) for i, s in ways]
    share, rest = _share(lower, top >= threshold), _share(~lower, top >= threshold)
    decisive = [
        _share(i, top / np.maximum(1 - top, 1 / paper.settings.draws) > DECISIVE) for i in (lower, ~lower)
    ]
    means = paper.means.to_numpy()
    gaps = [float(np.mean([abs(a - b) for a, b in combinations(means[i], 2)])) for i in (lower, ~lower)]
    caveats: list[Caveat] = []
    if share <= 0.5:
        caveats.append(wording("That is half of them or fewer, so not easily observed."))
    if any(a <= b or (share > 0.5 and a <= 0.5) for a, b in shares):
        caveats.append(rounding("Rounding of the scores or Monte-Carlo error could turn that."))
    return finding(
        any(a > b for a, b in shares),
        f"Among the {int(lower.sum())} systems with an SD below the median ({np.median(sd):.3f}), the test "
        f"finds a clear winner in {100 * share:.0f} % of the pairs. Among the others it does in "
        f"{100 * rest:.0f} %. Posterior odds above {DECISIVE:g} to 1 are in {100 * decisive[0]:.0f} % and "
        f"{100 * decisive[1]:.0f} % of their pairs. The means of the former are closer to each other, too "
        f"({gaps[0]:.3f} apart on average, against {gaps[1]:.3f}).",
        caveat=joined(caveats),
        systems=[name for name, inside in zip(paper.order, lower, strict=True) if inside],
        median_sd=float(np.median(sd)),
        share_of_clear_winners=share,
        share_among_the_others=rest,
        posterior_odds_above_100=decisive,
        mean_gaps=gaps,
    )
