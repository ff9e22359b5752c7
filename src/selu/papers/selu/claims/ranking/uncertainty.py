"""The robustness of the Bayesian comparison: equivalence (ROPE), deviation across tasks (IV-D, V-A)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from selu.papers.claims import claim, finding, joined, listed, percent, rounding, scope, wording
from selu.papers.selu.analysis.aggregates import FloatArray
from selu.papers.selu.claims._large_group import large_group, with_group
from selu.papers.selu.claims._questions import CERTAINTY
from selu.papers.selu.claims._sources import BEYOND, GROUP, OUTPERFORMS
from selu.papers.selu.claims._systems import XGBOOST, error, name_of, scores_of
from selu.papers.selu.claims._unrounded import MEANS, unrounded
from selu.papers.selu.material import Material
from selu.stats.choices import RopeMode
from selu.stats.compare import BETTER, WORSE, Posterior, rope_width
from selu.stats.effect import pooled_sd
from selu.stats.ranks import spearman
from selu.stats.signed_rank import posterior
from selu.vocabulary import Approach, Caveat, Finding

if TYPE_CHECKING:
    import pandas as pd

QUESTION = CERTAINTY
FOUR = ("t5-large", "t5-base", "codellama-7b", "modernbert-large")  # tier 2's exceptions, as V-A lists them
TIER3 = ("starcoder2-7b", XGBOOST)
LEAST = "Least probability of GPT-2 xl over four models of tier 2 (%)"
HIGHEST = "Highest probability of GPT-2 xl over four models of tier 2 (%)"
LEAST_OF_TIER3 = "Least probability of tier 3 over proprietary LLMs (%)"


def _rope_mass(differences: FloatArray, rope: float) -> float:
    """Return the expected posterior share inside the equivalence region: E[w' R w] of the Dirichlet weights."""
    weights = np.concatenate(([0.5], np.ones(len(differences))))  # 0.5 is the prior of the paper's test
    z = np.concatenate(([0.0], differences))
    total = weights.sum()
    moments = (np.outer(weights, weights) + np.diag(weights)) / (total * (total + 1))
    return float(moments[np.abs(z[:, None] + z[None, :]) <= 2 * rope].sum())


@claim(
    "C048",
    "V-A",
    "A substantial part of the posterior of the differences lies within the equivalence threshold (ROPE).",
    weight="detail",
    quote="a substantial fraction of the posterior mass of the differences between models falls within the "
    "ROPE",
    holds="Over the pairs of the large group (means from .709 up), a quarter or more of the posterior lies "
    "within the threshold on average.",
    fails="It is less than a quarter, by more than the rounding of the scores explains.",
    caveat="Rounding of the scores could move the average across a quarter.",
    thresholds={".709": GROUP, "a quarter": "our choice: the paper gives no number for substantial"},
)
@with_group
def much_posterior_mass_is_in_the_rope(paper: Material) -> Finding:
    """Compute the expected mass exactly, without draws; rounding acts as a narrower or wider threshold."""
    substantial = 0.25
    pairs = list(combinations(large_group(paper), 2))
    place = {name: i for i, name in enumerate(paper.order)}
    ropes = {(a, b): float(paper.posterior.rope[place[a], place[b]]) for a, b in pairs}
    differences = {(a, b): scores_of(paper, a) - scores_of(paper, b) for a, b in pairs}
    mass = {pair: _rope_mass(differences[pair], ropes[pair]) for pair in pairs}
    low, high = (
        float(np.mean([_rope_mass(differences[pair], max(ropes[pair] + by, 0.0)) for pair in pairs]))
        for by in (-MEANS, MEANS)
    )
    equal = [paper.p_equal(a, b) for a, b in pairs]
    average = float(np.mean(list(mass.values())))
    least = min(mass, key=lambda pair: mass[pair])
    return finding(
        high >= substantial,
        f"Over the {len(pairs)} pairs of the large group, {percent(average)} of the posterior lies within the "
        f"threshold on average, and at least {percent(mass[least])} ({name_of(paper, least[0])} and "
        f"{name_of(paper, least[1])}). The probability of practical equivalence averages "
        f"{percent(float(np.mean(equal)))}.",
        caveat=rounding(f"Rounding of the scores allows {percent(low)} to {percent(high)}.")
        if low < substantial
        else None,
        pairs=len(pairs),
        mean_mass=average,
        mean_mass_within_rounding=[low, high],
        lowest_mass=mass[least],
        highest_mass=max(mass.values()),
        mean_p_equal=float(np.mean(equal)),
        pairs_with_p_equal_below_5_percent=sum(p < 0.05 for p in equal),
    )


def _clear(paper: Material, p: FloatArray) -> tuple[int, int, int]:
    """Pairs with a clear winner: at least, as counted, and at most, by three Monte-Carlo errors."""
    top = np.maximum(p[:, 0], p[:, 2])
    by = np.array([3 * error(paper, value) for value in top])
    low, count, high = (int(np.count_nonzero(top + s * by >= paper.settings.threshold)) for s in (-1, 0, 1))
    return low, count, high


def _with_equal_tasks(paper: Material, pairs: list[tuple[str, str]]) -> tuple[FloatArray, pd.DataFrame]:
    """Return the posterior if tasks were equally hard, and the scores then.

    Each task's mean over all systems is taken out of its scores. Paired differences stay, so only the
    equivalence thresholds move.
    """
    level = paper.ranked.sub(paper.ranked.mean(axis=1), axis=0)
    flat = {str(name): level[name].to_numpy(dtype=np.float64) for name in level.columns}
    ropes = np.array([paper.settings.rope * pooled_sd(flat[a], flat[b]) for a, b in pairs])
    differences = np.array([scores_of(paper, b) - scores_of(paper, a) for a, b in pairs])
    return posterior(differences, ropes, draws=paper.settings.draws, seed=paper.settings.seed), level


@claim(
    "C050",
    "V-A",
    "The high deviation across tasks is a key driver of the uncertainty of the test.",
    weight="conclusion",
    if_it_fails="The doubt about the order of the models would have another main reason, for example that "
    "there are only 22 tasks.",
    quote="high across-task variance is a key driver of uncertainty",
    holds="If all tasks were equally hard (each task's mean taken out), at least twice as many pairs of the "
    "large group (means from .709 up) would have a clear winner (P from .95 up), and at least half of them "
    "all; and over pairs, less clear results go with a larger deviation (Spearman, p below .05).",
    fails="Fewer than twice as many pairs would have one, whatever three Monte-Carlo errors do.",
    caveat="Twice as many would, but not half of all, or the results over pairs do not go with the deviation; "
    "or those errors could turn the verdict.",
    thresholds={
        ".709": GROUP,
        ".95": OUTPERFORMS,
        ".05": "section IV-D: 95 % confidence",
        "twice": "our choice: a key driver is at least as strong as all others together",
        "half": "our choice: by the same reading",
        "three Monte-Carlo errors": BEYOND,
    },
)
@with_group
def deviation_across_tasks_drives_uncertainty(paper: Material) -> Finding:
    """Compare the test on the published scores with the test on scores without the tasks' means."""
    group = large_group(paper)
    pairs = list(combinations(group, 2))
    p = np.array([[paper.p_better(a, b), paper.p_equal(a, b), paper.p_better(b, a)] for a, b in pairs])
    equal, level = _with_equal_tasks(paper, pairs)
    (now_low, now, now_high), (then_low, then, then_high) = _clear(paper, p), _clear(paper, equal)
    undecidedness = 1 - p.max(axis=1)
    spread = [pooled_sd(scores_of(paper, a), scores_of(paper, b)) for a, b in pairs]
    rho, chance = spearman(undecidedness, spread) if np.ptp(undecidedness) and np.ptp(spread) else (0.0, 1.0)
    sd, sd_flat = float(paper.ranked[group].std().mean()), float(level[group].std().mean())
    caveats: list[Caveat] = []
    if 2 * then_low < len(pairs) or rho <= 0 or chance >= paper.settings.alpha:
        sentence = (
            "The deviation acts through the equivalence threshold alone, for it cancels in the paired "
            f"differences that the test compares. {len(pairs) - then} pairs still have no clear winner, and "
            f"over pairs the correlation of deviation and uncertainty is {rho:+.2f}."
        )
        caveats.append(wording(sentence))
    if then_low < max(1, 2 * now_high):
        caveats.append(rounding("Three Monte-Carlo errors could turn the verdict."))
    return finding(
        then_high >= max(1, 2 * now_low),
        f"With the tasks' means taken out, the average SD of the large group falls from {sd:.3f} to "
        f"{sd_flat:.3f}. Its pairs with a clear winner go from {now} to {then} of {len(pairs)}.",
        caveat=joined(caveats),
        pairs=len(pairs),
        decided=now,
        decided_at_least_and_at_most=[now_low, now_high],
        decided_without_task_means=then,
        decided_without_task_means_at_least_and_at_most=[then_low, then_high],
        mean_sd=sd,
        mean_sd_without_task_means=sd_flat,
        spearman_undecidedness_pooled_sd=rho,
        p=chance,
    )


def _ends(paper: Material) -> Mapping[str, tuple[list[tuple[str, str]], bool]]:
    """Map each percentage of V-A to its pairs, and to whether it is their highest."""
    four = [("gpt2-xl", name) for name in FOUR]
    eight = [(name, other) for name in TIER3 for other in paper.names(approach=Approach.PROMPTED)]
    return {LEAST: (four, False), HIGHEST: (four, True), LEAST_OF_TIER3: (eight, False)}


def percentages(paper: Material, result: Posterior) -> Mapping[str, float]:
    """Return V-A's three percentages under a posterior, as probabilities."""
    at = {name: i for i, name in enumerate(paper.order)}
    return {
        name: float((max if highest else min)(result.better[at[a], at[b]] for a, b in pairs))
        for name, (pairs, highest) in _ends(paper).items()
    }


def _within_rounding(paper: Material, mode: RopeMode) -> Mapping[str, tuple[float, float]]:
    """Return the range of each percentage over scores that round to the published ones."""
    at = {name: i for i, name in enumerate(paper.order)}
    tables, sought = unrounded(paper)[:20], _ends(paper)
    # every pair once, under one set of draws: two of the ends are over the same pairs
    every = list(dict.fromkeys(pair for pairs, _ in sought.values() for pair in pairs))
    columns = [(table[:, at[a]], table[:, at[b]]) for table in tables for a, b in every]
    widths = np.array([rope_width(a, b, mode, paper.settings.rope) for a, b in columns])
    p = posterior(
        np.array([b - a for a, b in columns]), widths, draws=paper.settings.draws, seed=paper.settings.seed
    )
    better = p[:, 0].reshape(len(tables), len(every))
    found = {}
    for name, (pairs, highest) in sought.items():
        each = better[:, [every.index(pair) for pair in pairs]]
        ends = each.max(axis=1) if highest else each.min(axis=1)
        found[name] = (float(ends.min()), float(ends.max()))
    return found


def _met(paper: Material, values: Mapping[str, float], mode: RopeMode) -> Mapping[str, str]:
    """Return whether each stated percentage is met: yes, within rounding and Monte-Carlo error, or no."""
    around, met = _within_rounding(paper, mode), {}
    for name, p in values.items():
        stated, margin = paper.number("text", "V-A", name) / 100, 0.005 + 3 * error(paper, p)
        low, high = min(p, around[name][0]) - margin, max(p, around[name][1]) + margin
        near = "within" if low <= stated <= high else "no"
        met[name] = "yes" if abs(p - stated) <= 0.005 else near
    return met


@claim(
    "C051",
    "IV-D",
    "The equivalence threshold (ROPE) of the published analysis is 0.1 d, with Cohen's d.",
    weight="method",
    quote="we define a Region of Practical Equivalence (ROPE) as ±0.1 · d",
    holds="With an equivalence threshold (ROPE) of 0.1 d, the test gives all three percentages of V-A for "
    "ranges of pairs as published, and with autorank's threshold, 0.1 pooled standard deviations, it does "
    "not.",
    fails="With 0.1 d, at least one of the three differs by more than the rounding of the scores and three "
    "Monte-Carlo errors explain.",
    caveat="With 0.1 d all three come out within these margins, but not all exactly, or with autorank's "
    "threshold all three do, too.",
    thresholds={
        "three percentages": "section V-A: 53 and 71 % as ends over four pairs, 69 % as the least of eight",
        "three Monte-Carlo errors": BEYOND,
    },
)
def rope_is_a_tenth_of_d(paper: Material) -> Finding:
    """Judge by the ends of the ranges of probabilities that V-A gives."""
    results = {"text": paper.posterior_paper_rope, "autorank": paper.posterior}
    found = {mode: percentages(paper, result) for mode, result in results.items()}
    met = {"text": _met(paper, found["text"], "paper"), "autorank": _met(paper, found["autorank"], "autorank")}
    decisions = {mode: result.decisions(paper.settings.threshold) for mode, result in results.items()}
    decided = {k: int(np.count_nonzero((d == BETTER) | (d == WORSE))) // 2 for k, d in decisions.items()}
    upper = np.triu_indices(len(paper.order), 1)
    changed = int(np.count_nonzero((decisions["text"] != decisions["autorank"])[upper]))
    count = {mode: sum(answer != "no" for answer in answers.values()) for mode, answers in met.items()}
    n = len(found["text"])
    caveats: list[Caveat] = []
    if set(met["text"].values()) != {"yes"}:
        caveats.append(rounding("Not all of them come out exactly."))
    if count["autorank"] == n:
        caveats.append(scope("The percentages don't tell the two thresholds apart."))
    shown = {mode: listed(percent(p) for p in values.values()) for mode, values in found.items()}
    least, highest, third = (paper.published("text", "V-A", name) for name in found["text"])
    return finding(
        count["text"] == n,
        f"V-A gives {least} % and {highest} % as the ends for four pairs of systems, and {third} % as the "
        f"least for eight. With a threshold of 0.1 d the test gives {shown['text']}; "
        f"{count['text'] or 'none'} of the {n} agree. With autorank's 0.1 pooled standard deviations it "
        f"gives {shown['autorank']}; {count['autorank'] or 'none'} of the {n} agree. The two thresholds "
        f"lead to different results for {changed or 'none'} of {len(upper[0])} pairs.",
        caveat=joined(caveats),
        percentages=found,
        met=met,
        decided_pairs=decided,
        changed_decisions=changed,
        median_half_width={mode: float(np.median(result.rope[upper])) for mode, result in results.items()},
    )
