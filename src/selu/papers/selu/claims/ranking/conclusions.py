"""Abstract, threats and conclusions on the best systems (Abstract, VII-C, VIII)."""

from __future__ import annotations

import numpy as np

from selu.papers.claims import claim, exceptions, finding, joined, listed, rounding, wording
from selu.papers.selu.claims._followers import followers, lost_to, near_the_top, shown
from selu.papers.selu.claims._questions import LEADERS
from selu.papers.selu.claims._scales import MEDIUM
from selu.papers.selu.claims._sources import COHEN, GROUP, OUTPERFORMS
from selu.papers.selu.claims._systems import LEADING_SERIES, finetuned, mean_of, name_of, scores_of, sd_of
from selu.papers.selu.claims._tiers import decided_pairs, decided_range, hangs_on, near_threshold
from selu.papers.selu.claims._unrounded import DEVIATION, MEANS, d_range, margin
from selu.papers.selu.material import Material
from selu.stats.effect import cohen_d
from selu.vocabulary import Approach, Caveat, Finding

QUESTION = LEADERS


@claim(
    "C102",
    "VIII",
    "The decoder-only GPT-2 and Llama 3.2 form the top tier, with low spread over tasks.",
    weight="conclusion",
    if_it_fails="The top tier would have other members, or would be less steady over tasks.",
    quote="decoder-only LLMs (GPT-2 and Llama 3.2 series) form a top performance tier, yielding the "
    "highest mean performance with relatively low across-task variance",
    holds="All their models have higher means than every other system and a standard deviation below the "
    "median of all systems (low), and the test finds each better (P from .95 up) than each other "
    "fine-tuned model with a mean from .709 up.",
    fails="Another system has a higher mean than one of them, or one of them has a standard deviation above "
    "the median, by more than the rounding of the scores explains.",
    caveat="They lead by mean with low spread, but the test finds no clear winner in a pair; or rounding or "
    "three Monte-Carlo errors could turn one of these.",
    thresholds={
        ".95": OUTPERFORMS,
        ".709": GROUP,
        "median": "our choice: low is relative in section VIII, so the lower half of the systems",
    },
)
def top_tier_has_low_spread(paper: Material) -> Finding:
    """Take the next group from the published means, or all others where none reaches .709."""
    members = finetuned(paper, *LEADING_SERIES)
    rest = [name for name in paper.order if name not in members]
    sd = {name: sd_of(paper, name) for name in paper.order}
    middle = float(np.median(list(sd.values())))
    widest = max(sd[name] for name in members)
    last = min(members, key=lambda name: mean_of(paper, name))
    lead = mean_of(paper, last) - mean_of(paper, rest[0])
    group = near_the_top(paper) or followers(paper)
    won, pairs = decided_pairs(paper, members, group)
    least, most = decided_range(paper, members, group)
    near = near_threshold(paper, members, group)
    caveats: list[Caveat] = []
    if least < pairs:
        spread = f" ({least} to {most} within three Monte-Carlo errors: {hangs_on(near)})" if near else ""
        sentence = (
            f"The test finds a clear winner in only {won} of their {pairs} pairs with the next group{spread}."
        )
        caveats.append(wording(sentence))
    if lead <= margin(paper, last, rest[0]):
        caveats.append(
            rounding(f"Rounding of the scores could turn the lead in mean on {name_of(paper, rest[0])}.")
        )
    if widest >= middle - 2 * DEVIATION:
        caveats.append(rounding("Rounding of the scores could lift an SD above the median."))
    return finding(
        lead >= -margin(paper, last, rest[0]) and widest < middle + 2 * DEVIATION,
        f"The last of the {len(members)} models leads the next system by {lead:+.5f} in mean. Their SDs are "
        f"{min(sd[n] for n in members):.3f} to {widest:.3f} (median of all {middle:.3f}).",
        caveat=joined(caveats),
        sd=sd,
        lead=lead,
        decided_against_next_group=won,
        at_least_and_at_most=[least, most],
        near_the_threshold=near,
        pairs=pairs,
    )


@claim(
    "C103",
    "VIII",
    "Twelve other LLMs, ModernBERT base and BERT base among them, are not far behind.",
    weight="conclusion",
    if_it_fails="Another list of models, a longer or a shorter one, would be an alternative to the best ones.",
    quote="other 12 LLMs are not far behind, including, e.g., the comparatively small encoder-only "
    "ModernBERT and BERT in their base versions",
    holds="Twelve fine-tuned models outside the two leading series have a published mean from .709 up; the two "
    "examples are among them; and each is less than a medium effect (d below .5) behind the best system. That "
    "the test finds it better than one of them is a remark: a small distance can be a clear one.",
    fails="Their number is another one, or an example is not among them, or one is .5 or more behind by more "
    "than rounding explains.",
    caveat="They are not far behind, but rounding could turn that.",
    thresholds={".709": GROUP, ".5": COHEN},
)
def twelve_others_are_not_far_behind(paper: Material) -> Finding:
    """Take the models from Table IV and their distance from the scores."""
    count, examples = 12, ("modernbert-base", "bert-base")
    best, near = paper.order[0], near_the_top(paper)
    d = {name: cohen_d(scores_of(paper, best), scores_of(paper, name)) for name in near}
    far = max(near, key=lambda name: d[name], default=best)
    low, high = d_range(paper, best, far)
    lost = lost_to(paper, best, near)
    turns = f"Rounding of the scores could move {name_of(paper, far)} across d = .5."
    return finding(
        len(near) == count and set(examples) <= set(near) and low < MEDIUM,
        f"{len(near) or 'No'} fine-tuned models outside the leading series have a mean of at least .709, at "
        f"most d = {max(d.values(), default=0.0):.2f} behind {name_of(paper, best)}. Of the two examples "
        f"{len(set(examples) & set(near)) or 'none'} are among them.",
        caveat=rounding(turns) if high >= MEDIUM else None,
        remark=f"By the test, {name_of(paper, best)} outperforms {shown(lost)}." if lost else None,
        d=d,
        decided_against=lost,
    )


@claim(
    "C104",
    "VII-C",
    "The top-ranked systems are not the best on every task.",
    weight="detail",
    quote="this does not imply that top-ranked ones are automatically the best in all covered tasks",
    holds="On at least one task, the published score of the system with the best mean is below that of "
    "another.",
    fails="It has the highest published score of every task.",
    caveat="It is beaten on no task, but another system has the same published score on at least one.",
)
def top_ranked_are_not_best_everywhere(paper: Material) -> Finding:
    """Count equal published scores as shared."""
    best = paper.order[0]
    highest = paper.ranked.max(axis=1)
    winners = {
        str(task): [s for s in paper.ranked if paper.ranked[s][task] == highest[task]]
        for task in paper.ranked.index
    }
    won = [task for task, systems in winners.items() if best in systems]
    shared = [task for task in won if len(winners[task]) > 1]
    different = {system for systems in winners.values() for system in systems}
    return finding(
        len(won) < len(winners) or bool(shared),
        f"{name_of(paper, best)} is the best on {len(won) or 'none'} of the {len(winners)} tasks "
        f"({listed(won)}). "
        f"{len(different)} different systems are the best on some task.",
        caveat=rounding(f"It shares the best score on {listed(shared)} only.")
        if len(won) == len(winners)
        else None,
        winners=winners,
    )


@claim(
    "C124",
    "Abstract",
    "Fine-tuned models have high means, combined with a low spread over tasks.",
    weight="conclusion",
    if_it_fails="Fine-tuned models would have lower scores than other systems, or be less reliable from task "
    "to task than prompted ones.",
    quote="fine-tuned models across various sizes and architectures perform best, exhibiting high mean "
    "performance and low across-task variance",
    holds="On average over the systems, fine-tuned models have a higher mean and a lower standard deviation "
    "than prompted systems and than baselines, and none of them has the highest deviation of all.",
    fails="Their average mean is below that of prompted systems or of baselines, or their average deviation "
    "above that of prompted systems, by more than the rounding of the scores explains.",
    caveat="Means are the highest and deviations below those of prompted systems, but not below those of "
    "baselines; or a fine-tuned model has the highest deviation of all; or rounding could turn one of these.",
)
def fine_tuned_models_are_high_and_steady(paper: Material) -> Finding:
    """Average mean and SD over the systems of each approach."""
    groups = {approach: paper.names(approach=approach) for approach in Approach}
    means = {str(a): float(np.mean([mean_of(paper, name) for name in names])) for a, names in groups.items()}
    spread = {str(a): float(np.mean([sd_of(paper, name) for name in names])) for a, names in groups.items()}
    tuned, prompted, baseline = map(str, (Approach.FINETUNED, Approach.PROMPTED, Approach.BASELINE))
    kinds = {tuned: "fine-tuned", prompted: "prompted", baseline: "baselines"}
    widest = sorted(paper.order, key=lambda name: -sd_of(paper, name))
    lead = means[tuned] - max(means[prompted], means[baseline])
    gain = spread[prompted] - spread[tuned]
    caveats: list[Caveat] = []
    turns: list[Caveat] = []
    if min(lead - MEANS, gain - 2 * DEVIATION) <= 0:
        turns.append(rounding("Rounding of the scores could turn one of these comparisons."))
    if spread[tuned] >= spread[baseline] - 2 * DEVIATION:
        caveats.append(wording("Spread is not lower than with the baselines."))
    if widest[0] in groups[Approach.FINETUNED]:
        sentence = (
            f"The highest SD of all systems is that of a fine-tuned model: {name_of(paper, widest[0])} "
            f"({sd_of(paper, widest[0]):.3f})."
        )
        caveats.append(exceptions(sentence))
    return finding(
        lead >= -MEANS and gain >= -2 * DEVIATION,
        "On average over the systems, mean and SD are "
        + listed(f"{means[a]:.3f} and {spread[a]:.3f} ({kind})" for a, kind in kinds.items())
        + ".",
        caveat=joined([*caveats, *turns]),
        means=means,
        sd=spread,
        widest={name: sd_of(paper, name) for name in widest[:5]},
    )
