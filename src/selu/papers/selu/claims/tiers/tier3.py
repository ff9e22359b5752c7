"""Tier 3, StarCoder2 7B and TF-IDF+XGBoost, and the systems ranked below it (V-A)."""

from __future__ import annotations

from itertools import combinations, pairwise

from selu.papers.claims import claim, exceptions, finding, joined, listed, noted, percent, rounding
from selu.papers.selu.claims._questions import TIERS
from selu.papers.selu.claims._sources import CHANCE, DECIDED, MOST, NEAR, NEARLY_ALL, NO_TIERS
from selu.papers.selu.claims._systems import XGBOOST, error, named
from selu.papers.selu.claims._tiers import (
    by_name,
    chance_of,
    decided_pairs,
    decided_range,
    hangs_on,
    named_tiers,
    near_threshold,
    pair_name,
    with_tiers,
)
from selu.papers.selu.claims._unrounded import settled
from selu.papers.selu.material import Material
from selu.vocabulary import Approach, Finding

QUESTION = TIERS


@claim(
    "C060",
    "V-A tier 3",
    "StarCoder2 7B and TF-IDF+XGBoost belong to one tier.",
    weight="conclusion",
    if_it_fails="Tier 3 would not exist as a tier: one of its two systems would belong elsewhere.",
    kind="implied",
    holds="By Table IV they alone have means from .645 to below .709, and the test finds neither of them the "
    "clear winner (probabilities below .95).",
    fails="Another system has such a mean, or one of the two has not, or the test finds one of them the "
    f"clear winner, whatever the Monte-Carlo error. {NO_TIERS}",
    caveat="The higher probability lies within three Monte-Carlo errors of the threshold.",
    thresholds={
        ".645": "section V-A: the lower of the two means",
        ".709": "section V-A: the lowest mean of tier 2",
        **DECIDED,
    },
)
@with_tiers
def tier_3_is_one_tier(paper: Material) -> Finding:
    """Look at both directions of the pair."""
    third = named_tiers(paper)[2]
    p = {pair: paper.p_better(*pair) for a, b in combinations(third, 2) for pair in ((a, b), (b, a))}
    top = max(p, key=lambda pair: p[pair])
    gaps = [float(paper.means[a] - paper.means[b]) for a, b in pairwise(third)]
    slack = 3 * error(paper, p[top])
    same = set(third) == {"starcoder2-7b", XGBOOST}
    members = "" if same else f"Tier 3 has {named(paper, third)}. "
    return finding(
        same and p[top] - slack < paper.settings.threshold,
        f"{members}The test gives {pair_name(paper, top)} a probability of {percent(p[top])} (Monte-Carlo "
        "error "
        f"{percent(error(paper, p[top]))}, threshold {percent(paper.settings.threshold)}), at a "
        "difference in mean of "
        f"{gaps[0]:+.3f}.",
        caveat=rounding("That is within three Monte-Carlo errors of the threshold.")
        if p[top] + slack > paper.settings.threshold
        else None,
        p=by_name(paper, p),
        error=error(paper, p[top]),
        steps_in_mean=gaps,
    )


@claim(
    "C061",
    "V-A tier 3",
    "The test confirms that both systems of tier 3 are better than all ranked below.",
    weight="conclusion",
    if_it_fails="The systems of tier 3 could not be said to be better than those of tier 4.",
    quote="The Bayesian signed-rank test confirms that these are better than the models ranked below",
    holds="In every pair with a system of tier 4, the test finds tier 3 the clear winner (probability of .95 "
    "or more).",
    fails=f"It does so in fewer than 95 of 100 of these pairs, whatever the Monte-Carlo error. {NO_TIERS}",
    caveat=f"It finds no clear winner in some pairs, but in no more than that. {CHANCE}",
    thresholds={"4": "section V-A: the four tiers", **DECIDED, **MOST},
)
@with_tiers
def tier_3_is_above_tier_4(paper: Material) -> Finding:
    """Count the pairs of each system of tier 3."""
    _, _, third, fourth = named_tiers(paper)
    p = paper.chances(third, fourth)
    won = {name: decided_pairs(paper, [name], fourth) for name in third}
    wins, pairs = decided_pairs(paper, third, fourth)
    low = min(p, key=lambda pair: p[pair])
    behind = {pair: value for pair, value in p.items() if paper.p_better(pair[1], pair[0]) > value}
    near = near_threshold(paper, third, fourth)
    notes = [exceptions(f"In {pairs - wins} pairs tier 3 is not the clear winner.")] if wins < pairs else []
    notes += chance_of(near)
    return noted(
        decided_range(paper, third, fourth)[1] >= NEARLY_ALL * pairs,
        f"Tier 3 is the clear winner in {wins or 'none'} of {pairs} pairs, "
        + listed(f"{w or 'none'} of {n} for {paper.system(name).name}" for name, (w, n) in won.items())
        + f". The lowest probability is {percent(p[low])} ({pair_name(paper, low)}). In {len(behind) or 'no'} "
        "pairs the system of tier 4 is more likely to be the better one.",
        note=joined(notes),
        p=by_name(paper, p),
        more_likely_the_other_way=by_name(paper, behind),
        near_the_threshold=near,
    )


@claim(
    "C062",
    "V-A tier 3",
    "Tier 3 is better than each proprietary LLM with a probability of at least 69 %.",
    weight="detail",
    quote="there is at least a 69% probability that they outperform the proprietary LLMs",
    holds="Every pair's probability rounds to 69 % or more (.685), by three Monte-Carlo errors or more.",
    fails=f"At least one pair's probability rounds to less, whatever the Monte-Carlo error. {NO_TIERS}",
    caveat="The lowest probability lies within three Monte-Carlo errors of that limit.",
    thresholds={".685": "section V-A: the lowest number that rounds to its 69 %", **NEAR},
)
@settled
@with_tiers
def tier_3_over_proprietary_models(paper: Material) -> Finding:
    """Look at the pair with the lowest probability."""
    limit = 0.685
    p = paper.chances(named_tiers(paper)[2], paper.names(approach=Approach.PROMPTED))
    low = min(p, key=lambda pair: p[pair])
    mc = error(paper, p[low])
    return finding(
        p[low] + 3 * mc >= limit,
        f"The lowest of {len(p)} probabilities is {percent(p[low])} ({pair_name(paper, low)}).",
        caveat=rounding(
            f"Its Monte-Carlo error of {percent(mc)} can turn the verdict: from {percent(limit)} on it rounds "
            "to 69 %."
        )
        if p[low] - 3 * mc < limit
        else None,
        p=by_name(paper, p),
        error_of_lowest=mc,
    )


@claim(
    "C063",
    "V-A tier 3",
    "Many probabilities that tier 3 is better than a proprietary LLM are above the threshold of 95 %.",
    weight="detail",
    quote="with many values being above the significance threshold of 95%",
    holds="At least half of the pairs of a system of tier 3 and a proprietary LLM are above it.",
    fails=f"Fewer than half are, whatever the Monte-Carlo error. {NO_TIERS}",
    caveat=CHANCE,
    thresholds={"half": "our choice: the meaning of 'many'", "3": "section V-A: the four tiers", **NEAR},
)
@with_tiers
def many_of_tier_3_are_decided(paper: Material) -> Finding:
    """Count the pairs of each system of tier 3."""
    third, prompted = named_tiers(paper)[2], paper.names(approach=Approach.PROMPTED)
    won = {name: decided_pairs(paper, [name], prompted) for name in third}
    wins, pairs = decided_pairs(paper, third, prompted)
    least, most = decided_range(paper, third, prompted)
    near = near_threshold(paper, third, prompted)
    return finding(
        2 * most >= pairs,
        f"{wins or 'None'} of {pairs} probabilities are above it, "
        + listed(f"{w or 'none'} of {n} for {paper.system(name).name}" for name, (w, n) in won.items())
        + ".",
        caveat=rounding(f"The count hangs on {hangs_on(near)}.") if 2 * least < pairs else None,
        decided={name: list(counts) for name, counts in won.items()},
        near_the_threshold=near,
        p=by_name(paper, paper.chances(third, prompted)),
    )
