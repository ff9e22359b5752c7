"""The large group of models with similar means (V-A)."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from selu.papers.claims import claim, finding, listed, rounding
from selu.papers.selu.claims._large_group import LOW, large_group, published_mean, with_group
from selu.papers.selu.claims._questions import LEADERS
from selu.papers.selu.claims._scales import MEDIUM, SMALL
from selu.papers.selu.claims._sources import COHEN, GROUP
from selu.papers.selu.claims._systems import LEADING_SERIES, name_of, named, scores_of
from selu.papers.selu.claims._unrounded import MEANS, d_range, unrounded
from selu.papers.selu.material import Material
from selu.stats.effect import MAGNITUDES, cohen_d, magnitude
from selu.stats.rounding import agrees
from selu.vocabulary import Approach, Finding

QUESTION = LEADERS
HIGH = 0.755  # the highest mean of the large group, as V-A gives it


@claim(
    "C039",
    "V-A",
    "Eighteen models have means from .709 to .755.",
    weight="detail",
    quote="a large group of eighteen models with a mean performance between 0.709 and 0.755",
    holds="By Table IV's column M, eighteen systems have a mean in that range, and both of its ends occur.",
    fails="Their number is another one, or an end of the range is not the mean of any of them.",
)
def eighteen_models_form_the_large_group(paper: Material) -> Finding:
    """Read Table IV alone."""
    stated = 18
    means = {s.id: published_mean(paper, s.id) for s in paper.systems}
    inside = {name: mean for name, mean in means.items() if LOW <= mean <= HIGH}
    return finding(
        len(inside) == stated and min(inside.values()) == LOW and max(inside.values()) == HIGH,
        f"{len(inside) or 'No'} systems have a published mean from {LOW} to {HIGH}, the lowest "
        f"{min(inside.values(), default=0):.3f} and the highest {max(inside.values(), default=0):.3f}. The "
        f"next below has {max((v for v in means.values() if v < LOW), default=0):.3f}.",
        inside=inside,
    )


@claim(
    "C040",
    "V-A",
    "A small gap separates the large group from StarCoder2 7B (.679) and TF-IDF+XGBoost (.645), the next two.",
    weight="detail",
    quote="After this group, there is a small gap before StarCoder2 7B (M=0.679) and our best performing "
    "baseline TF-IDF+XGBoost (M=0.645).",
    holds="These two have the next means below the large group (from .709 up), as stated; the gap before them "
    "is wider than any step between neighbours inside the group (a gap), and no larger than a negligible "
    "effect, d below .2 (small). That the step between the two systems after it is wider is a remark.",
    fails="The next two are others or have other means, or the gap is no wider than a step inside the group, "
    "or not small, by more than the rounding of the scores explains.",
    caveat="Rounding could turn one of the comparisons.",
    thresholds={".709": GROUP, ".2": COHEN},
)
@with_group
def a_small_gap_follows_the_large_group(paper: Material) -> Finding:
    """Take the group from Table IV and the steps from the scores."""
    stated = {"starcoder2-7b": "0.679", "tfidf-xgboost": "0.645"}
    group = large_group(paper)
    means = paper.means
    after = [name for name in paper.order if name not in group][: len(stated)]
    ordered = sorted((float(means[name]) for name in group), reverse=True)
    inside = max((a - b for a, b in pairwise(ordered)), default=0.0)
    last = min(group, key=lambda name: means[name])
    gap, within = float(means[last] - means[after[0]]), float(means[after[0]] - means[after[1]])
    d = cohen_d(scores_of(paper, last), scores_of(paper, after[0]))
    low, high = d_range(paper, last, after[0])
    same = all(agrees(float(means[name]), text) for name, text in stated.items())
    sure = same and gap - inside > 2 * MEANS and high < SMALL
    return finding(
        after == list(stated)
        and all(abs(means[name] - float(text)) <= MEANS for name, text in stated.items())
        and gap - inside > -2 * MEANS
        and low < SMALL,
        f"After the group come {listed(f'{paper.system(n).name} ({means[n]:.3f})' for n in after)}. The gap "
        f"before them is {gap:.4f} (d = {d:.2f}), the widest step inside the group {inside:.4f}.",
        caveat=None if sure else rounding("Rounding of the scores could turn one of the comparisons."),
        remark=f"The gap is smaller than the step between these two ({within:.4f})." if within > gap else None,
        after=after,
        means={name: float(means[name]) for name in [*group, *after]},
        gap=gap,
        d=d,
        widest_step_inside=inside,
        step_between_the_two=within,
    )


def _p_range(paper: Material) -> tuple[float, float]:
    """Return the lowest and highest p of the correlation of M and SD that rounding of the scores allows."""
    from scipy import stats

    tables = unrounded(paper)
    spreads = tables.std(axis=1, ddof=1)
    p = [stats.spearmanr(*pair).pvalue for pair in zip(tables.mean(axis=1), spreads, strict=True)]
    return float(np.min(p)), float(np.max(p))


@claim(
    "C046",
    "V-A",
    "A higher mean tends to go with a lower standard deviation across tasks.",
    weight="conclusion",
    if_it_fails="A system with a high mean could still be unreliable from task to task, so that the mean "
    "alone would mislead.",
    quote="models with higher mean performance tend to have relatively lower across-task variance",
    holds="Over all systems, Spearman's correlation of M and SD is negative with p below .05. That it is not "
    "so among those below the large group (means under .709) is a remark: the sentence says tend to.",
    fails="Over all systems it is not negative, or p is not below .05, whatever the rounding of the scores.",
    caveat="Rounding of the scores could move p across .05.",
    thresholds={".05": "section IV-D: 95 % confidence", ".709": GROUP},
)
@with_group
def higher_means_have_lower_deviation(paper: Material) -> Finding:
    """Judge rounding by random scores that round to the published ones."""
    from scipy import stats

    frame, group = paper.ranking, large_group(paper)
    below = [name for name in paper.order if name not in group]
    parts = {"all systems": paper.order, "the large group": group, "those below": below}
    tests = {part: stats.spearmanr(frame["M"][names], frame["SD"][names]) for part, names in parts.items()}
    rho = {part: float(test.statistic) for part, test in tests.items()}
    p = {part: float(test.pvalue) for part, test in tests.items()}
    sd = {name: float(frame["SD"][name]) for name in paper.order}
    steady = min(below, key=sd.__getitem__)
    place = 1 + sum(value < sd[steady] for value in sd.values())
    low, high = _p_range(paper)
    not_below = (
        f"Among the {len(below)} systems below the large group it does not show "
        f"({rho['those below']:+.2f}, p = {p['those below']:.2f}). Of these, {paper.system(steady).name} at "
        f"rank {frame['rank'][steady]} has the lowest SD ({sd[steady]:.3f}), by which it is number "
        f"{place} of all {len(paper.order)}."
    )
    shown = rho["those below"] < 0 and p["those below"] < paper.settings.alpha
    moves = f"Rounding of the scores moves p from {low:.2g} to {high:.2g}."
    return finding(
        rho["all systems"] < 0 and low < paper.settings.alpha,
        f"Spearman's correlation of M and SD is {rho['all systems']:+.2f} (p = {p['all systems']:.1g}) over "
        f"{len(paper.order)} systems and {rho['the large group']:+.2f} within the large group.",
        caveat=rounding(moves) if high >= paper.settings.alpha else None,
        remark=None if shown else not_below,
        spearman=rho,
        p=p,
        lowest_deviation_below_the_group=[steady, sd[steady], place],
    )


@claim(
    "C047",
    "V-A",
    "Within the large group, all effect sizes are small at best.",
    weight="conclusion",
    if_it_fails="Some models of the large group would be clearly better than others, and the choice among "
    "them would matter.",
    quote="the effect size for any potentially significant effect within the large group of fine-tuned "
    "LLMs is at best small",
    holds="The largest |d| of any pair of the large group (means from .709 up) is below .5.",
    fails="It is .5 or more by more than the rounding of the scores explains.",
    caveat="Rounding of the scores could move the largest |d| across .5.",
    thresholds={".709": GROUP, ".5": COHEN},
)
@with_group
def effects_in_the_large_group_are_small(paper: Material) -> Finding:
    """Look at all pairs of the group, not only those with the top-ranked model."""
    pairs = list(combinations(large_group(paper), 2))
    d = {(a, b): abs(cohen_d(scores_of(paper, a), scores_of(paper, b))) for a, b in pairs}
    (a, b) = max(d, key=lambda pair: d[pair])
    counts = {name: sum(magnitude(x) == name for x in d.values()) for name in MAGNITUDES}
    low, high = sorted(abs(end) for end in d_range(paper, a, b))
    return finding(
        low < MEDIUM,
        f"The largest |d| of {len(pairs)} pairs is {d[a, b]:.3f} ({name_of(paper, a)} and "
        f"{name_of(paper, b)}). "
        f"{counts['negligible']} effects are negligible and {counts['small']} small.",
        caveat=rounding(f"Rounding of the scores allows {low:.3f} to {high:.3f}.") if high >= MEDIUM else None,
        pairs=len(pairs),
        largest=[a, b, d[a, b]],
        classes=counts,
    )


@claim(
    "C117",
    "V-A",
    "Beside GPT-2 and Llama 3.2, the large group holds StarCoder2 3B, T5 but its smallest, CodeT5+, "
    "ModernBERT, CodeLlama, RoBERTa base and BERT base.",
    weight="detail",
    quote="that also includes StarCoder2 3B, the T5 series (except the smallest version), CodeT5+, "
    "ModernBERT, CodeLlama, and even the RoBERTa base and BERT base",
    holds="By Table IV's column M, all fine-tuned models that V-A lists have means from .709 up. That another "
    "one has is a remark: the group also includes those listed, says the sentence.",
    fails="A model that V-A lists has a lower mean.",
    thresholds={".709": GROUP},
)
def members_of_the_large_group(paper: Material) -> Finding:
    """Read the listed models from the records by series and size."""
    series: dict[str, list[str]] = {}
    for s in paper.systems:
        if s.approach is Approach.FINETUNED:
            series.setdefault(str(s.series), []).append(s.id)
    by_size = {s: sorted(names, key=lambda n: paper.system(n).parameters or 0) for s, names in series.items()}
    whole = [n for s in (*LEADING_SERIES, "CodeT5+", "ModernBERT", "CodeLlama") for n in by_size[s]]
    smallest = [by_size[s][0] for s in ("StarCoder2", "RoBERTa", "BERT")]
    stated = {*whole, *smallest, *by_size["T5"][1:]}
    group = set(large_group(paper))
    wrong, unnamed = sorted(stated - group), sorted(group - stated)
    return finding(
        not wrong,
        f"{len(stated & group)} of the {len(stated)} models listed are in the group of {len(group)}"
        + (f", but not {named(paper, wrong)}." if wrong else "."),
        remark=f"The list leaves out {named(paper, unnamed)}, which is in the group." if unnamed else None,
        listed=sorted(stated),
        group=sorted(group),
        not_in_group=wrong,
        not_listed=unnamed,
    )
