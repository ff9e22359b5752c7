"""Tier 4: its members, its spread, and why some systems are in it (V-A)."""

from __future__ import annotations

from itertools import combinations, permutations

from selu.papers.claims import claim, exceptions, finding, joined, listed, percent, rounding
from selu.papers.selu.claims._questions import TIERS
from selu.papers.selu.claims._scales import MEDIUM
from selu.papers.selu.claims._sources import COHEN, DECIDED, NO_TIERS, ROUNDING
from selu.papers.selu.claims._systems import error, means_of, named
from selu.papers.selu.claims._tiers import by_name, chance_of, named_tiers, pair_name, with_tiers
from selu.papers.selu.claims._unrounded import DEVIATION, MEANS, d_range
from selu.papers.selu.material import Material
from selu.stats.effect import cohen_d
from selu.vocabulary import Approach, Finding

QUESTION = TIERS
STATED = ("bert-large", "roberta-large", "t5-small", "fasttext")  # of tier 4, beside the proprietary LLMs


@claim(
    "C064",
    "V-A tier 4",
    "The test finds no big differences among the systems of tier 4.",
    weight="conclusion",
    if_it_fails="Tier 4 would hide clear differences, and its systems would have to be told apart.",
    quote="The Bayesian signed-rank test does not find big differences between the lowest ranked models",
    holds="In no pair of these systems, the test finds a clear winner (probability of .95 or more).",
    fails="It finds one in more than half of the pairs, or with at least a medium effect (|d| of .5 or more), "
    f"whatever the Monte-Carlo error and the rounding of the scores. {NO_TIERS}",
    caveat="It finds one in some pairs, but none of that kind; or a margin can turn the verdict.",
    thresholds={"half": "our choice: then differences are the rule", ".5": COHEN, **DECIDED},
)
@with_tiers
def tier_4_has_no_big_differences(paper: Material) -> Finding:
    """Count the decisions in both directions."""
    fourth = named_tiers(paper)[3]
    p = {pair: paper.p_better(*pair) for pair in permutations(fourth, 2)}
    n, bar = len(p) // 2, paper.settings.threshold
    near = {pair: value for pair, value in p.items() if abs(value - bar) < 3 * error(paper, value)}
    decided = {pair: value for pair, value in p.items() if value >= bar}
    sure = {pair: value for pair, value in decided.items() if pair not in near}
    least = max((min(map(abs, d_range(paper, *pair))) for pair in sure), default=0.0)
    d = {pair: cohen_d(paper.ranked[pair[0]].to_numpy(), paper.ranked[pair[1]].to_numpy()) for pair in decided}
    shown = listed(f"{pair_name(paper, pair)} ({percent(value)})" for pair, value in decided.items())
    close = {pair_name(paper, pair): [value, error(paper, value)] for pair, value in near.items()}
    caveats = [exceptions(f"These are {shown}.")] if decided else []
    caveats += chance_of(close)
    return finding(
        2 * len(sure) <= n and least < MEDIUM,
        f"{len(decided) or 'None'} of {n} pairs have a clear winner"
        + (f", with effects of |d| = {max(map(abs, d.values())):.2f} at most." if d else "."),
        caveat=joined(caveats),
        decided=by_name(paper, decided),
        d=by_name(paper, d),
        pairs=n,
        near_the_threshold=[pair_name(paper, pair) for pair in near],
    )


@claim(
    "C065",
    "V-A tier 4",
    "The means of tier 4 differ little, while their deviation across tasks is high.",
    weight="detail",
    quote="the relatively small absolute difference in mean performance and high inter-task variance",
    holds="No two systems of tier 4 differ by a medium effect (|d| below .5), and their average SD is higher "
    "than that of each other tier.",
    fails="Two systems differ by .5 or more, or another tier has a higher average SD, whatever the rounding of "
    f"the scores. {NO_TIERS}",
    caveat="The rounding of the scores can turn one of the two comparisons.",
    thresholds={".5": COHEN, "4": "section V-A: the four tiers"},
)
@with_tiers
def tier_4_means_differ_little(paper: Material) -> Finding:
    """Take the largest effect of all pairs of tier 4."""
    groups = named_tiers(paper)
    fourth = groups[3]
    means, sds = means_of(paper, fourth), [float(paper.ranking["SD"][list(names)].mean()) for names in groups]
    d = {
        (a, b): abs(cohen_d(paper.ranked[a].to_numpy(), paper.ranked[b].to_numpy()))
        for a, b in combinations(fourth, 2)
    }
    top = max(d, key=lambda pair: d[pair])
    low, high = sorted(map(abs, d_range(paper, *top)))
    lead, span = sds[3] - max(sds[:3]), max(means.values()) - min(means.values())
    return finding(
        low < MEDIUM and lead > -2 * DEVIATION,
        f"The means span {span:.3f}, and the largest effect is |d| = {d[top]:.2f}. The average SD is "
        f"{sds[3]:.3f} against {listed(f'{sd:.3f} (tier {i})' for i, sd in enumerate(sds[:3], 1))}.",
        caveat=rounding(
            f"Rounding of the scores allows |d| from {low:.3f} to {high:.3f}, and moves an SD by up to "
            f"{DEVIATION:.4f}."
        )
        if high >= MEDIUM or lead <= 2 * DEVIATION
        else None,
        means=means,
        span=span,
        largest_effect=[*top, d[top]],
        mean_sd_by_tier=sds,
    )


@claim(
    "C141",
    "V-A tier 4",
    "The systems of tier 4 (both proprietary LLMs with 3-shot and zero-shot prompts, BERT large, RoBERTa "
    "large, T5 small, FastText) are the lowest ranked.",
    weight="detail",
    quote="Tier 4: 3-shot and zero-shot prompting strategies ... does not find big differences between the "
    "lowest ranked models",
    holds="By their means over the ranked tasks these eight have the eight lowest ranks.",
    fails="Another system has a lower mean than one of them, by more than rounding explains (.001).",
    caveat="The mean of another system is so close that rounding could put it among the eight lowest.",
    thresholds=ROUNDING,
)
def tier_4_is_the_lowest_ranks(paper: Material) -> Finding:
    """Compare the best of the eight with the worst of the others."""
    stated = [name for name in paper.order if name in STATED or name in paper.names(approach=Approach.PROMPTED)]
    means = means_of(paper, paper.order)
    others = [name for name in paper.order if name not in stated]
    gap = means[others[-1]] - means[stated[0]]
    lower = [name for name in others if means[name] < means[stated[0]]]
    return finding(
        gap >= -MEANS,
        f"The best of the {len(stated)} is {named(paper, stated[:1])} at rank "
        f"{paper.order.index(stated[0]) + 1} of "
        f"{len(paper.order)} (mean {means[stated[0]]:.3f}). "
        + (f"Below it is also {named(paper, lower)}." if lower else "")
        + (
            f"All others are above it, the nearest being {named(paper, others[-1:])} ({means[others[-1]]:.3f})."
            if not lower
            else ""
        ),
        caveat=rounding("Rounding of the scores could turn that.") if gap <= MEANS else None,
        ranks={name: paper.order.index(name) + 1 for name in stated},
        lower_than_the_best_of_them=lower,
        gap=gap,
    )
