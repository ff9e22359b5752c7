"""Tier 2 against the systems ranked below it (V-A)."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, joined, listed, noted, percent
from selu.papers.selu.claims._large_group import LOW, large_group, published_mean
from selu.papers.selu.claims._questions import TIERS
from selu.papers.selu.claims._sources import CHANCE, DECIDED, MOST, NEARLY_ALL, NO_TIERS
from selu.papers.selu.claims._systems import XGBOOST, error, finetuned, named
from selu.papers.selu.claims._tiers import (
    by_name,
    chance_of,
    decided_pairs,
    decided_range,
    named_tiers,
    near_threshold,
    pair_name,
    with_tiers,
)
from selu.papers.selu.material import Material
from selu.vocabulary import Finding

QUESTION = TIERS
TIER4_HIGH = 0.625  # cut-off below tier 2 that V-A gives
CUTS = {
    ".709": "section V-A: the lowest mean of tier 2",
    ".645": "section V-A: the lower mean of tier 3",
}


@claim(
    "C056",
    "V-A tier 2",
    "Models with a mean of .709 or more are significantly above all of .625 or less.",
    weight="conclusion",
    if_it_fails="The gap between the upper and the lower part of the ranking could be chance.",
    quote="the gap between these LLMs with a mean performance ≥ 0.709 and those ≤ 0.625 is significant",
    holds="In every pair of such systems, the test finds a clear winner (probability of .95 or more).",
    fails="It does so in fewer than 95 of 100 of these pairs; or there are no such pairs, by the means of "
    f"Table IV. {NO_TIERS}",
    caveat=f"It finds none in some pairs, but in no more than that. {CHANCE}",
    thresholds=DECIDED | MOST,
)
@with_tiers
def large_group_is_above_the_lowest(paper: Material) -> Finding:
    """Take the groups from Table IV's column M."""
    upper = large_group(paper)
    lower = [name for name in paper.order if published_mean(paper, name) <= TIER4_HIGH]
    wins, pairs = decided_pairs(paper, upper, lower)
    p = paper.chances(upper, lower)
    missed = {pair: value for pair, value in p.items() if value < paper.settings.threshold}
    near = near_threshold(paper, upper, lower)
    second = named_tiers(paper)[1]
    shown = listed(f"{pair_name(paper, pair)} {percent(value)}" for pair, value in list(missed.items())[:5])
    rest = f"The other {len(missed)} have none: {shown}{', ...' if len(missed) > 5 else ''}."
    notes = [exceptions(rest)] if missed else []
    notes += chance_of(near)
    return noted(
        bool(pairs) and decided_range(paper, upper, lower)[1] >= NEARLY_ALL * pairs,
        f"{wins or 'None'} of the {pairs} pairs ({len(upper)} x {len(lower)}) have a clear winner, "
        f"{decided_pairs(paper, second, lower)[0] or 'none'} of {len(second) * len(lower)} with tier 2 alone.",
        note=joined(notes),
        decided=wins,
        pairs=pairs,
        not_decided=by_name(paper, missed),
        near_the_threshold=near,
    )


@claim(
    "C057",
    "V-A tiers 2, 4",
    "Below tier 3, no system has a mean above .625.",
    weight="detail",
    kind="implied",
    holds="By Table IV, every system outside the tiers 1 to 3 (below .645) has a mean of .625 or less.",
    fails=f"At least one has a higher mean. {NO_TIERS}",
    thresholds={**CUTS, "1 to 3": "section V-A: the four tiers"},
)
@with_tiers
def cut_off_parts_tier_2_from_the_rest(paper: Material) -> Finding:
    """Take the means as Table IV publishes them."""
    _, second, _, fourth = named_tiers(paper)
    means = {name: published_mean(paper, name) for name in fourth}
    between = {name: mean for name, mean in means.items() if mean > TIER4_HIGH}
    won = {name: decided_pairs(paper, second, [name]) for name in between}
    shown = listed(
        f"{paper.system(s).name} ({between[s]:.3f}; the test finds {wins or 'none'} of {n} models of tier "
        "2 better)"
        for s, (wins, n) in won.items()
    )
    return finding(
        not between,
        f"{len(means) - len(between) or 'None'} of the {len(means)} systems below tier 3 have a mean of at "
        f"most {TIER4_HIGH}." + (f" Between {TIER4_HIGH} and {LOW} lies {shown}." if between else ""),
        means=means,
        between=between,
        decided_by_tier_2={name: list(counts) for name, counts in won.items()},
        p={name: by_name(paper, paper.chances(second, [name])) for name in between},
    )


@claim(
    "C058",
    "V-A tiers 2, 3",
    "Tier 2 is better than tier 3.",
    weight="conclusion",
    if_it_fails="Tiers 2 and 3 would be one tier, and a model of tier 2 no safe improvement over StarCoder2 7B "
    "or TF-IDF+XGBoost.",
    kind="implied",
    holds="In every pair the test finds the model of tier 2 the clear winner (probability of .95 or more).",
    fails="For at least one system of tier 3, it does so in at most half of the pairs with tier 2, whatever "
    f"the Monte-Carlo error. {NO_TIERS}",
    caveat=f"It does so in more than half of the pairs with each system of tier 3, but not in all. {CHANCE}",
    thresholds={"half": "our choice: below it, most pairs say nothing of a step between the tiers", **DECIDED},
)
@with_tiers
def tier_2_is_apart_from_tier_3(paper: Material) -> Finding:
    """Count the pairs with each system of tier 3."""
    _, second, third, _ = named_tiers(paper)
    won = {name: decided_pairs(paper, second, [name]) for name in third}
    p = {name: paper.chances(second, [name]) for name in third}
    highest = {name: max(values, key=values.__getitem__) for name, values in p.items()}
    open_pairs = sum(n - wins for wins, n in won.values())
    near = near_threshold(paper, second, third)
    notes = [exceptions(f"In {open_pairs} pairs tier 2 is not the clear winner.")] if open_pairs else []
    notes += chance_of(near)
    return noted(
        all(2 * decided_range(paper, second, [name])[1] > n for name, (_, n) in won.items()),
        "The test finds tier 2 the clear winner in "
        + listed(f"{wins or 'none'} of {n} pairs with {paper.system(s).name}" for s, (wins, n) in won.items())
        + ". The highest probabilities are "
        + listed(f"{percent(p[name][pair])} ({pair_name(paper, pair)})" for name, pair in highest.items())
        + ".",
        note=joined(notes),
        decided={name: list(counts) for name, counts in won.items()},
        near_the_threshold=near,
        p={name: by_name(paper, values) for name, values in p.items()},
    )


@claim(
    "C059",
    "V-A tiers 2, 3",
    "Every model of tier 2 is better than TF-IDF+XGBoost.",
    weight="conclusion",
    if_it_fails="A model of tier 2 would not be a safe improvement over TF-IDF with XGBoost.",
    kind="implied",
    holds="In every pair the test finds the model of tier 2 the clear winner (probability of .95 or more).",
    fails=f"In at least one pair it is not, whatever the Monte-Carlo error. {NO_TIERS}",
    caveat="A probability lies within three Monte-Carlo errors of that threshold.",
    thresholds=DECIDED,
)
@with_tiers
def tier_2_is_above_xgboost(paper: Material) -> Finding:
    """Read the pairs with TF-IDF+XGBoost."""
    second = named_tiers(paper)[1]
    p = paper.chances(second, [XGBOOST])
    lowest = min(p, key=lambda pair: p[pair])
    wins, pairs = decided_pairs(paper, second, [XGBOOST])
    near = near_threshold(paper, second, [XGBOOST])
    return finding(
        decided_range(paper, second, [XGBOOST])[1] == pairs,
        f"The test finds {wins or 'none'} of {pairs} models better. The lowest probability is "
        f"{percent(p[lowest])} ({pair_name(paper, lowest)}).",
        caveat=joined(chance_of(near)),
        p=by_name(paper, p),
        error_of_lowest=error(paper, p[lowest]),
    )


@claim(
    "C140",
    "V-A tier 2",
    "Tier 2 is most of the other fine-tuned LLMs.",
    weight="detail",
    quote="Tier 2: Most other fine-tuned LLMs.",
    holds="Of the fine-tuned LLMs outside tier 1, more than half are in tier 2: by Table IV they have a mean "
    "of .709 or more.",
    fails=f"At most half of them are. {NO_TIERS}",
    thresholds={
        "half": "our choice: the meaning of 'most'",
        **CUTS,
        "1": "section V-A: tier 1 is GPT-2 and Llama 3.2",
        "2": "section V-A: tier 2 is 'Most other fine-tuned LLMs'",
    },
)
@with_tiers
def tier_2_is_most_other_finetuned_models(paper: Material) -> Finding:
    """Take the means from Table IV, which settles their last digit."""
    first, second, third, fourth = named_tiers(paper)
    others = [name for name in finetuned(paper) if name not in first]
    left = [name for name in others if name not in second]
    lower = {f"tier {i}": [n for n in left if n in names] for i, names in enumerate((third, fourth), 3)}
    return finding(
        2 * len(second) > len(others),
        f"{len(second)} of the {len(others)} fine-tuned LLMs outside tier 1 are in tier 2. The others are "
        + ("; ".join(f"{named(paper, names)} ({tier})" for tier, names in lower.items() if names) or "none")
        + ".",
        tier_2=second,
        others=left,
    )
