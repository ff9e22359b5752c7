"""Tier 2 against the systems ranked below it (V-A)."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed, noted, percent
from selu.benchmarks.selu.claims._large_group import LOW, large_group, printed_mean
from selu.benchmarks.selu.claims._systems import XGBOOST, error, means_of
from selu.benchmarks.selu.claims._tiers import (
    by_name,
    decided_pairs,
    named_tiers,
    pair_name,
    probabilities,
    with_tiers,
)
from selu.benchmarks.selu.material import Material
from selu.stats.rounding import as_printed
from selu.vocabulary import Finding

TIER4_HIGH = 0.625  # cut-off below tier 2 that V-A gives


@claim("C056", "V-A tier 2", "Models with a mean of .709 or more are significantly above all of .625 or less.")
@with_tiers
def large_group_is_above_the_lowest(m: Material) -> Finding:
    """All pairs by printed mean; nearly all decided (95 %) is a caveat, fewer fails."""
    nearly_all = 0.95
    upper = large_group(m)
    lower = [name for name in m.order if printed_mean(m, name) <= TIER4_HIGH]
    wins, pairs = decided_pairs(m, upper, lower)
    p = probabilities(m, upper, lower)
    missed = {pair: value for pair, value in p.items() if value < m.knobs.threshold}
    second = named_tiers(m)[1]
    shown = listed(f"{pair_name(m, pair)} {percent(value)}" for pair, value in missed.items())
    worst = max((error(m, value) for value in missed.values()), default=0.0)
    caveat = f"Not decided: {shown}, with Monte-Carlo errors of up to {percent(worst)}."
    return finding(
        wins >= nearly_all * pairs,
        f"{wins} of the {pairs} pairs ({len(upper)} x {len(lower)}) are decided, "
        f"{decided_pairs(m, second, lower)[0]} of {len(second) * len(lower)} with tier 2 alone.",
        caveat=caveat if missed else None,
        decided=wins,
        pairs=pairs,
        not_decided=by_name(m, missed),
        error=worst,
    )


@claim("C057", "V-A tiers 2, 4 (implied)", "Below tier 3, no system has a mean above .625.")
@with_tiers
def cut_off_parts_tier_2_from_the_rest(m: Material) -> Finding:
    """Every system that is in none of the tiers 1 to 3 must have a recomputed mean of at most .625."""
    _, second, _, fourth = named_tiers(m)
    means = {name: float(as_printed(value)) for name, value in means_of(m, fourth).items()}
    between = {name: mean for name, mean in means.items() if mean > TIER4_HIGH}
    won = {name: decided_pairs(m, second, [name]) for name in between}
    shown = listed(
        f"{m.system(s).name} ({between[s]:.3f}, decided worse than {wins} of {n} models of tier 2)"
        for s, (wins, n) in won.items()
    )
    return finding(
        not between,
        f"{len(means) - len(between)} of the {len(means)} systems below tier 3 have a mean of at most "
        f"{TIER4_HIGH}" + (f"; between the cut-offs {TIER4_HIGH} and {LOW} falls {shown}." if between else "."),
        means=means,
        between=between,
        decided_by_tier_2={name: list(counts) for name, counts in won.items()},
        p={name: by_name(m, probabilities(m, second, [name])) for name in between},
    )


@claim("C058", "V-A tiers 2, 3 (implied)", "Tier 2 stands apart from tier 3.")
@with_tiers
def tier_2_is_apart_from_tier_3(m: Material) -> Finding:
    """Apart: more than half of tier 2 is decided better than each member of tier 3; not all is a caveat."""
    _, second, third, _ = named_tiers(m)
    won = {name: decided_pairs(m, second, [name]) for name in third}
    p = {name: probabilities(m, second, [name]) for name in third}
    highest = {name: max(values, key=values.__getitem__) for name, values in p.items()}
    open_pairs = sum(n - wins for wins, n in won.values())
    return noted(
        bool(third) and all(2 * wins > n for wins, n in won.values()),
        "Tier 2 is decided better in "
        + listed(f"{wins} of {n} pairs with {m.system(s).name}" for s, (wins, n) in won.items())
        + "; the highest probabilities are "
        + listed(f"{percent(p[name][pair])} ({pair_name(m, pair)})" for name, pair in highest.items())
        + ".",
        note=f"{open_pairs} pairs are not decided." if open_pairs else None,
        decided={name: list(counts) for name, counts in won.items()},
        p={name: by_name(m, values) for name, values in p.items()},
    )


@claim("C059", "V-A tiers 2, 3 (implied)", "Every model of tier 2 is better than TF-IDF+XGBoost.")
@with_tiers
def tier_2_is_above_xgboost(m: Material) -> Finding:
    """Better: decided by the test, in every pair."""
    second = named_tiers(m)[1]
    p = probabilities(m, second, [XGBOOST])
    lowest = min(p, key=lambda pair: p[pair])
    wins, pairs = decided_pairs(m, second, [XGBOOST])
    return finding(
        wins == pairs,
        f"{wins} of {pairs} models are decided better; the lowest probability is {percent(p[lowest])} "
        f"({pair_name(m, lowest)}).",
        p=by_name(m, p),
        error_of_lowest=error(m, p[lowest]),
    )
