"""Tier 3, StarCoder2 7B and TF-IDF+XGBoost, and the systems ranked below it (V-A)."""

from __future__ import annotations

from itertools import combinations, pairwise

from selu.benchmarks.claims import claim, finding, listed, noted, percent
from selu.benchmarks.selu.claims._systems import XGBOOST, error
from selu.benchmarks.selu.claims._tiers import (
    by_name,
    decided_pairs,
    named_tiers,
    near_threshold,
    pair_name,
    probabilities,
    with_tiers,
)
from selu.benchmarks.selu.material import Material
from selu.stats.rounding import as_printed
from selu.vocabulary import Approach, Finding


@claim("C060", "V-A tier 3 (implied)", "StarCoder2 7B and TF-IDF+XGBoost belong to one tier.")
@with_tiers
def tier_3_is_one_tier(m: Material) -> Finding:
    """One tier: tier 3 has these two, and the test decides for neither."""
    third = named_tiers(m)[2]
    p = {pair: m.p_better(*pair) for a, b in combinations(third, 2) for pair in ((a, b), (b, a))}
    top = max(p, key=lambda pair: p[pair])
    gaps = [float(m.ranking["M"][a] - m.ranking["M"][b]) for a, b in pairwise(third)]
    return finding(
        set(third) == {"starcoder2-7b", XGBOOST} and p[top] < m.knobs.threshold,
        f"The test gives {pair_name(m, top)} a probability of {percent(p[top])} (Monte-Carlo error "
        f"{percent(error(m, p[top]))}, threshold {percent(m.knobs.threshold)}), at a difference in mean of "
        f"{gaps[0]:+.3f}.",
        p=by_name(m, p),
        error=error(m, p[top]),
        steps_in_mean=gaps,
    )


@claim("C061", "V-A tier 3", "The test confirms that both systems of tier 3 are better than all ranked below.")
@with_tiers
def tier_3_is_above_tier_4(m: Material) -> Finding:
    """Confirms: decided for tier 3 in every pair; nearly all (95 %) is a caveat."""
    nearly_all = 0.95
    _, _, third, fourth = named_tiers(m)
    p = probabilities(m, third, fourth)
    won = {name: decided_pairs(m, [name], fourth) for name in third}
    wins, pairs = decided_pairs(m, third, fourth)
    low = min(p, key=lambda pair: p[pair])
    behind = {pair: value for pair, value in p.items() if m.p_better(pair[1], pair[0]) > value}
    near = near_threshold(m, third, fourth)
    note = f"{pairs - wins} pairs are not decided" + (
        f"; within three Monte-Carlo errors of the threshold: {len(near)}." if near else "."
    )
    return noted(
        wins >= nearly_all * pairs,
        f"{wins} of {pairs} pairs are decided, "
        + listed(f"{w} of {n} for {m.system(name).name}" for name, (w, n) in won.items())
        + f"; the lowest probability is {percent(p[low])} ({pair_name(m, low)}), and in {len(behind)} pairs "
        "the system of tier 4 is the likelier to be better.",
        note=note if wins < pairs else None,
        p=by_name(m, p),
        more_likely_the_other_way=by_name(m, behind),
        near_the_threshold=near,
    )


@claim("C062", "V-A tier 3", "Tier 3 is better than each proprietary LLM with a probability of at least 69 %.")
@with_tiers
def tier_3_over_proprietary_models(m: Material) -> Finding:
    """At least 69 % as printed: to the whole percentage point."""
    stated = 0.69
    p = probabilities(m, named_tiers(m)[2], m.names(approach=Approach.PROMPTED))
    low = min(p, key=lambda pair: p[pair])
    mc = error(m, p[low])
    caveat = (
        f"Unrounded it is {100 * p[low]:.2f} %, and its Monte-Carlo error of {percent(mc)} is larger than the "
        "distance."
    )
    return finding(
        float(as_printed(p[low], 2)) >= stated,
        f"The lowest of {len(p)} probabilities is {percent(p[low])} ({pair_name(m, low)}).",
        caveat=caveat if abs(p[low] - stated) < mc else None,
        p=by_name(m, p),
        error_of_lowest=mc,
    )


@claim("C063", "V-A tier 3", "Many of these probabilities are above the threshold of 95 %.")
@with_tiers
def many_of_tier_3_are_decided(m: Material) -> Finding:
    """Many: at least half of the pairs of tier 3 and a proprietary LLM."""
    third, prompted = named_tiers(m)[2], m.names(approach=Approach.PROMPTED)
    won = {name: decided_pairs(m, [name], prompted) for name in third}
    wins, pairs = decided_pairs(m, third, prompted)
    return finding(
        2 * wins >= pairs,
        f"{wins} of {pairs} are above it, "
        + listed(f"{w} of {n} for {m.system(name).name}" for name, (w, n) in won.items())
        + ".",
        decided={name: list(counts) for name, counts in won.items()},
        p=by_name(m, probabilities(m, third, prompted)),
    )
