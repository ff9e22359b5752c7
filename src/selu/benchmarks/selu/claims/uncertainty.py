"""How firm the Bayesian comparison is: rope, odds, deviation across tasks (IV-D, V-A)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from selu.benchmarks.claims import claim, finding, percent
from selu.benchmarks.selu.aggregates import FloatArray
from selu.benchmarks.selu.claims._large_group import large_group, with_group
from selu.benchmarks.selu.claims._systems import XGBOOST, error, scores_of
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER, WORSE
from selu.stats.effect import pooled_sd
from selu.stats.signed_rank import posterior
from selu.vocabulary import Approach, Finding


def _rope_mass(differences: FloatArray, rope: float, prior: float = 0.5) -> float:
    """Expected share of the posterior that lies inside the rope: E[w' R w] of the Dirichlet weights, exact."""
    weights = np.concatenate(([prior], np.ones(len(differences))))
    z = np.concatenate(([0.0], differences))
    total = weights.sum()
    moments = (np.outer(weights, weights) + np.diag(weights)) / (total * (total + 1))
    return float(moments[np.abs(z[:, None] + z[None, :]) <= 2 * rope].sum())


@claim("C048", "V-A", "A substantial part of the posterior of the differences lies within the rope.")
@with_group
def much_posterior_mass_is_in_the_rope(m: Material) -> Finding:
    """Expected mass in the rope (exact, no draws), pairs of the large group; substantial: a quarter or more."""
    substantial = 0.25
    pairs = list(combinations(large_group(m), 2))
    rope = m.posterior.rope
    place = {name: i for i, name in enumerate(m.order)}
    mass = {
        (a, b): _rope_mass(scores_of(m, a) - scores_of(m, b), float(rope[place[a], place[b]])) for a, b in pairs
    }
    equal = [m.p_equal(a, b) for a, b in pairs]
    values = list(mass.values())
    low = min(mass, key=lambda pair: mass[pair])
    return finding(
        float(np.mean(values)) >= substantial,
        f"Over the {len(pairs)} pairs of the large group, {percent(float(np.mean(values)))} of the posterior "
        f"lies in the rope on average, at least {percent(mass[low])} ({m.system(low[0]).name} and "
        f"{m.system(low[1]).name}), and the probability of practical equivalence averages "
        f"{percent(float(np.mean(equal)))}.",
        pairs=len(pairs),
        mean_mass=float(np.mean(values)),
        lowest_mass=mass[low],
        highest_mass=max(values),
        mean_p_equal=float(np.mean(equal)),
        pairs_with_p_equal_below_5_percent=sum(p < 0.05 for p in equal),
    )


@claim("C049", "V-A", "Within the large group, the evidence for the better model is moderate, never decisive.")
@with_group
def evidence_in_the_large_group_is_moderate(m: Material) -> Finding:
    """Jeffreys' scale: moderate up to 10, decisive above 100.

    The test yields no Bayes factor: its prior puts all mass on equality. Taken in its place, with even prior
    odds: the posterior odds of "better" against equal or worse, and, where stronger, against worse alone.
    """
    moderate, decisive = 10.0, 100.0
    floor = 1 / m.knobs.draws  # a probability of 0 is one below a draw's share
    rest, worse = {}, {}
    for a, b in combinations(large_group(m), 2):
        up, down = sorted((m.p_better(a, b), m.p_better(b, a)), reverse=True)
        rest[a, b] = up / max(1 - up, floor)
        worse[a, b] = up / max(down, floor)
    top = max(rest, key=lambda pair: rest[pair])
    strong = [pair for pair, odds in rest.items() if odds > moderate]
    directional = sum(odds > decisive for odds in worse.values())
    caveat = (
        f"{len(strong)} pairs exceed {moderate:g}, which is strong, and against the worse model alone the odds "
        f"are decisive for {directional} pairs."
    )
    return finding(
        rest[top] <= decisive,
        "The odds of better against equal or worse have a median of "
        f"{float(np.median(list(rest.values()))):.1f} over {len(rest)} pairs and reach {rest[top]:.0f} "
        f"({m.system(top[0]).name} and {m.system(top[1]).name}).",
        caveat=caveat if strong or directional else None,
        pairs=len(rest),
        median_odds=float(np.median(list(rest.values()))),
        highest_odds=rest[top],
        strong={f"{a} / {b}": rest[a, b] for a, b in strong},
        decisive_against_worse_alone=directional,
        median_odds_against_worse_alone=float(np.median(list(worse.values()))),
    )


def _with_equal_tasks(m: Material, pairs: list[tuple[str, str]]) -> tuple[int, pd.DataFrame]:
    """Decided pairs if tasks were equally hard, and the scores then.

    Each task's mean over all systems is taken out of its scores. Paired differences stay, so only ropes move.
    """
    level = m.ranked.sub(m.ranked.mean(axis=1), axis=0)
    flat = {str(name): level[name].to_numpy(dtype=np.float64) for name in level.columns}
    ropes = np.array([m.knobs.rope * pooled_sd(flat[a], flat[b]) for a, b in pairs])
    differences = np.array([scores_of(m, b) - scores_of(m, a) for a, b in pairs])
    p = posterior(differences, ropes, draws=m.knobs.draws, seed=m.knobs.seed)
    return int(np.count_nonzero(np.maximum(p[:, 0], p[:, 2]) >= m.knobs.threshold)), level


@claim("C050", "V-A", "The high deviation across tasks is a key driver of the uncertainty of the test.")
@with_group
def deviation_across_tasks_drives_uncertainty(m: Material) -> Finding:
    """Key: if all tasks were equally hard, at least twice as many pairs of the group would be decided."""
    from scipy import stats

    group = large_group(m)
    pairs = list(combinations(group, 2))
    then, level = _with_equal_tasks(m, pairs)
    p = np.array([[m.p_better(a, b), m.p_equal(a, b), m.p_better(b, a)] for a, b in pairs])
    now = int(np.count_nonzero(np.maximum(p[:, 0], p[:, 2]) >= m.knobs.threshold))
    spread = [pooled_sd(scores_of(m, a), scores_of(m, b)) for a, b in pairs]
    test = stats.spearmanr(1 - p.max(axis=1), spread)
    related = bool(test.statistic > 0 and test.pvalue < m.knobs.alpha)
    sd, sd_flat = float(m.ranked[group].std().mean()), float(level[group].std().mean())
    caveat = (
        "It acts through the width of autorank's rope alone, for it cancels in the paired differences that "
        f"the test compares: {len(pairs) - then} pairs stay undecided, and over pairs the undecidedness has a "
        f"correlation of {float(test.statistic):+.2f} with the pooled SD."
    )
    return finding(
        then >= max(1, 2 * now),
        f"With the tasks' means taken out the average SD falls from {sd:.3f} to {sd_flat:.3f}, and the "
        f"decided pairs of the large group go from {now} to {then} of {len(pairs)}.",
        caveat=caveat if 2 * then < len(pairs) or not related else None,
        pairs=len(pairs),
        decided=now,
        decided_without_task_means=then,
        mean_sd=sd,
        mean_sd_without_task_means=sd_flat,
        spearman_undecidedness_pooled_sd=float(test.statistic),
        p=float(test.pvalue),
    )


def _stated_percentages(m: Material, better: FloatArray) -> dict[str, tuple[float, float]]:
    """The percentages V-A gives for single pairs, (stated, found) under a posterior in rank order."""
    at = {name: i for i, name in enumerate(m.order)}
    best = m.order[0]
    prompted = [at[name] for name in m.names(approach=Approach.PROMPTED)]
    return {
        "T5 large, the lower end": (0.53, float(better[at[best], at["t5-large"]])),
        "ModernBERT large, the upper end": (0.71, float(better[at[best], at["modernbert-large"]])),
        "the least of tier 3 over proprietary LLMs": (0.69, float(better[at[XGBOOST], prompted].min())),
    }


@claim("C051", "IV-D", "The rope of the printed analysis has a half-width of 0.1 d, with Cohen's d.")
def rope_is_a_tenth_of_d(m: Material) -> Finding:
    """Judged by the three percentages that V-A gives for a pair: met within half a point and three errors."""
    found, met, decided = {}, {}, {}
    for mode, result in (("text", m.posterior_paper_rope), ("autorank", m.posterior)):
        places = _stated_percentages(m, result.better)
        found[mode] = {name: p for name, (_, p) in places.items()}
        met[mode] = sum(abs(p - stated) <= 0.005 + 3 * error(m, p) for stated, p in places.values())
        decisions = result.decisions(m.knobs.threshold)
        decided[mode] = int(np.count_nonzero((decisions == BETTER) | (decisions == WORSE))) // 2
    upper = np.triu_indices(len(m.order), 1)
    widths = {"text": m.posterior_paper_rope.rope[upper], "autorank": m.posterior.rope[upper]}
    changed = int(
        np.count_nonzero(
            (m.posterior.decisions(m.knobs.threshold) != m.posterior_paper_rope.decisions(m.knobs.threshold))[
                upper
            ]
        )
    )
    stated = len(found["text"])
    return finding(
        met["text"] > met["autorank"] or met["text"] == stated,
        f"A rope of 0.1 d meets {met['text']} of the {stated} percentages that V-A gives for single pairs, "
        f"autorank's of 0.1 pooled SD {met['autorank']}; 0.1 d has a half-width of "
        f"{widths['text'].min():.4f} to {widths['text'].max():.4f}, the other of "
        f"{widths['autorank'].min():.4f} to {widths['autorank'].max():.4f}, and {changed} of "
        f"{len(upper[0])} decisions would differ ({decided['text']} against {decided['autorank']} decided "
        "pairs).",
        caveat=None if met["text"] == stated else f"Only {met['text']} of {stated} percentages are met.",
        percentages=found,
        met=met,
        decided_pairs=decided,
        changed_decisions=changed,
        median_half_width={mode: float(np.median(width)) for mode, width in widths.items()},
    )
