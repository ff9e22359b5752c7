"""The sample of tasks behind the comparison: its size, normality and power (IV-D, V-A, VII-D)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from selu.benchmarks.claims import claim, finding, listed, percent
from selu.benchmarks.selu.aggregates import HALF_WIDTH, FloatArray
from selu.benchmarks.selu.claims._systems import name_of, scores_of
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER, EQUAL, INCONCLUSIVE, WORSE, rope_width
from selu.stats.rounding import reachable
from selu.stats.signed_rank import monte_carlo_error, posterior
from selu.vocabulary import Finding

_DRAWS = 2_000  # of a variant, which are many; decisions too near for them count as neither


@claim("C034", "IV-D", "Each system enters the comparison with 20 scores.")
def every_system_has_twenty_scores(m: Material) -> Finding:
    """The ranked tasks that have a score, system by system."""
    stated = 20
    counts = {str(name): int(n) for name, n in m.ranked.notna().sum().items()}
    off = {name: n for name, n in counts.items() if n != stated}
    return finding(
        not off,
        f"{len(counts) - len(off)} of {len(counts)} systems have {stated} scores, the fewest "
        f"{min(counts.values())} and the most {max(counts.values())}.",
        scores=counts,
    )


@claim("C035", "V-A, IV-D, VII-D", "The comparison behind the tiers rests on a sample of 22 tasks.")
def the_test_uses_twenty_two_tasks(m: Material) -> Finding:
    """The number of tasks that enter the test, against the number that V-A gives for it."""
    stated, used = 22, len(m.ranked)
    out = [task.id for task in m.tasks if not task.ranked]
    return finding(
        used == stated,
        f"V-A gives {stated} tasks, and the test uses {used} of the {len(m.tasks)}: {listed(out)} left out, "
        "as sections IV-D and VII-D say.",
        used=used,
        tasks=len(m.tasks),
        left_out=out,
    )


@claim("C036", "V-A, IV-D", "The Shapiro-Wilk test rejects normality of the scores for none of the systems.")
def normality_is_not_rejected(m: Material) -> Finding:
    """At alpha / 28, the corrected level that autorank uses; the level of one test alone is shown, too."""
    from scipy import stats

    p = m.normality.sort_values()
    level = m.knobs.alpha / len(p)
    lowest = str(p.index[0])
    low, high = reachable(lambda v: float(stats.shapiro(v).pvalue), scores_of(m, lowest), HALF_WIDTH)
    single = [str(name) for name in p.index[p < m.knobs.alpha]]
    caveats = []
    if single:
        caveats.append(
            f"Without that correction, at {m.knobs.alpha}, it would be rejected for {len(single)} of {len(p)}."
        )
    if low < level <= high:
        caveats.append(
            f"The rounding of the scores alone moves the lowest p from {low:.5f} to {high:.5f}, across the "
            "level."
        )
    return finding(
        bool(p.iloc[0] >= level),
        f"The lowest p is {p.iloc[0]:.5f} ({m.system(lowest).name}), against a level of {level:.5f} "
        f"({m.knobs.alpha} / {len(p)}).",
        caveat=" ".join(caveats),
        p={str(name): float(value) for name, value in p.items()},
        level=level,
        rejected_at_alpha=single,
        lowest_p_within_rounding=[low, high],
    )


def _rank_correlations(a: FloatArray, b: FloatArray) -> FloatArray:
    """Spearman's correlation of each row of one array with that row of the other."""
    from scipy.stats import rankdata

    x, y = (rankdata(rows, axis=1) - (rows.shape[1] + 1) / 2 for rows in (a, b))
    return np.asarray((x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))


def _normal_tables(m: Material, tables: int) -> tuple[FloatArray, FloatArray]:
    """Means and medians, tables x systems, of normal scores with the means and covariances of the ranked."""
    scores = m.ranked[m.order].to_numpy(dtype=np.float64)
    n = len(scores)
    root = (scores - scores.mean(axis=0)) / np.sqrt(n - 1)  # root' root is the covariance of the systems
    drawn = scores.mean(axis=0) + np.random.default_rng(m.knobs.seed).standard_normal((tables, n, n)) @ root
    return drawn.mean(axis=1), np.median(drawn, axis=1)


@claim("C037", "V-A", "As normality is not rejected, the mean is a sound basis for the ranking.")
def the_mean_is_a_sound_basis(m: Material) -> Finding:
    """Sound: medians rank the systems as much like means as they do in simulated tables of normal scores.

    Fails where fewer than 5 % of the tables correlate as little; medians as rarely above means are a caveat.
    """
    unusual, tables, k = 0.05, 2_000, len(m.order)
    means, medians = (m.ranking[column].to_numpy(dtype=np.float64) for column in ("M", "median"))
    rho = float(_rank_correlations(means[None], medians[None])[0])
    above = int((medians > means + 1e-9).sum())  # equal but for float noise is not above
    drawn = _normal_tables(m, tables)
    as_low = float(np.mean(_rank_correlations(*drawn) <= rho))
    as_skewed = float(np.mean((drawn[1] > drawn[0]).sum(axis=1) >= above))
    rejected = int((m.normality < m.knobs.alpha / k).sum())
    single = int((m.normality < m.knobs.alpha).sum())
    which = "is not unusual" if as_low >= unusual else "would be unusual"
    return finding(
        rejected == 0 and as_low >= unusual,
        f"The rank correlation of mean and median, {rho:.2f}, {which} for normal scores ({percent(as_low)} of "
        f"{tables} simulated tables have as low a one); normality is rejected for {rejected} of {k} systems.",
        caveat=f"But the median is above the mean for {above} of {k} systems ({percent(as_skewed)} of the "
        f"tables have as many), {single} would be rejected without the correction, and not rejecting is no "
        f"proof with {len(m.ranked)} scores."
        if as_skewed < unusual
        else None,
        spearman=rho,
        simulated_with_as_low_a_correlation=as_low,
        median_above_mean=above,
        simulated_with_as_many_medians_above=as_skewed,
        simulated_tables=tables,
        systems_with_normality_rejected=rejected,
        rejected_at_alpha=single,
        medians={str(n): float(v) for n, v in m.ranking["median"].items()},
    )


def _against_best(m: Material, scores: pd.DataFrame) -> dict[str, str]:
    """Decision of the best system against each other, "near" within two errors of the threshold."""
    draws, best = _DRAWS, m.order[0]
    others, first = m.order[1:], scores[best].to_numpy(dtype=np.float64)
    columns = [scores[name].to_numpy(dtype=np.float64) for name in others]
    widths = np.array([rope_width(first, column, "autorank", m.knobs.rope) for column in columns])
    p = posterior(np.array([column - first for column in columns]), widths, draws=draws, seed=m.knobs.seed)
    error = 2 * float(monte_carlo_error(np.array(m.knobs.threshold), draws))
    decisions = {}
    for name, row in zip(others, p, strict=True):
        top = int(row.argmax())
        decisions[name] = (BETTER, EQUAL, WORSE)[top] if row[top] >= m.knobs.threshold else INCONCLUSIVE
        if abs(row[top] - m.knobs.threshold) < error:
            decisions[name] = "near"
    return decisions


@claim("C105", "VII-D", "Twenty paired tasks leave the comparison with limited power.")
def twenty_tasks_limit_power(m: Material) -> Finding:
    """Twice the tasks would settle more against the best; most pairs are open or a decision hangs on one task.

    Few draws a variant; a decision counts as turned only beyond two Monte-Carlo errors of the threshold.
    """
    triangle = m.decisions.to_numpy()[np.triu_indices(len(m.order), 1)]
    undecided = float(np.mean(triangle == INCONCLUSIVE))
    base = _against_best(m, m.ranked)
    turned = {}
    for task in m.ranked.index:
        rest = _against_best(m, m.ranked.drop(index=task))
        names = [name for name in base if base[name] != rest[name] and "near" not in (base[name], rest[name])]
        if names:
            turned[str(task)] = names
    doubled = _against_best(m, pd.concat([m.ranked, m.ranked]))
    settled = [sum(x in (BETTER, EQUAL, WORSE) for x in d.values()) for d in (base, doubled)]
    return finding(
        settled[1] > settled[0] and (undecided > 0.5 or bool(turned)),
        f"{percent(undecided)} of the {len(triangle)} pairs are inconclusive; leaving out one task clearly "
        f"turns decisions against {name_of(m, m.order[0])} for {len(turned)} of the {len(m.ranked)} tasks, and "
        f"with every task counted twice, {settled[1]} and not {settled[0]} of the {len(base)} comparisons with "
        f"{name_of(m, m.order[0])} would clearly be settled (clearly: beyond two Monte-Carlo errors of "
        f"{_DRAWS:,} draws).",
        inconclusive=undecided,
        turned_by_leaving_out=turned,
        settled=settled[0],
        settled_with_twice_the_tasks=settled[1],
    )
