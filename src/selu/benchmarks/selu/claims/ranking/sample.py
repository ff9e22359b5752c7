"""The sample of tasks behind the comparison: its size, normality and power (IV-D, V-A, VII-D)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from selu.benchmarks.claims import changed, claim, finding, listed, percent
from selu.benchmarks.printed import ABSENT
from selu.benchmarks.selu.analysis.aggregates import HALF_WIDTH, FloatArray
from selu.benchmarks.selu.claims._systems import error, name_of, scores_of
from selu.benchmarks.selu.claims._unrounded import MARGIN, unrounded
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER, EQUAL, INCONCLUSIVE, WORSE, rope_width
from selu.stats.ranks import mean_ranks
from selu.stats.rounding import reachable
from selu.stats.signed_rank import monte_carlo_error, posterior
from selu.vocabulary import Finding

_DRAWS = 2_000  # of a variant, which are many; decisions too near for them count as neither_NEAR = "near"
_NEAR = "near"
_ERRORS = {
    "three Monte-Carlo errors": "our choice: beyond three standard errors chance plays no part (p = .003)"
}


def _scored(m: Material) -> dict[str, list[str]]:
    """Task of the comparison -> the systems that have a published score on it, however Table VI was altered."""
    return {
        task.id: [s.id for s in m.systems if m.printed("table6", task.id, s.name) != ABSENT] for task in m.tasks
    }


@claim(
    "C034",
    "IV-D",
    "Each system enters the comparison with 20 scores.",
    holds="Each system has as many published scores on the classification and regression tasks of Table VI as "
    "section IV-D gives for n (20).",
    fails="At least one system has more or fewer.",
    changes=changed(
        "The number is read from the text, and dashes are counted in Table VI itself, so that altered "
        "tables can turn the verdict.",
        "holds: 28 of 28 systems have 20 scores, the fewest 20 and the most 20.",
    ),
)
def every_system_has_twenty_scores(m: Material) -> Finding:
    """Count what Table VI has, whether or not the comparison could be computed from it."""
    stated = m.number("text", "IV-D", "Scores of each model (n)")
    scored = [systems for task, systems in _scored(m).items() if m.task(task).ranked]
    counts = {s.id: sum(s.id in systems for systems in scored) for s in m.systems}
    off = [name for name, n in counts.items() if n != stated]
    return finding(
        not off,
        f"{len(counts) - len(off)} of {len(counts)} systems have {stated:g} scores."
        + (f" Not so {listed(f'{name_of(m, name)} ({counts[name]})' for name in off)}." if off else ""),
        scores=counts,
        stated=stated,
    )


@claim(
    "C035",
    "V-A, IV-D, VII-D",
    "The comparison behind the tiers rests on a sample of 22 tasks.",
    holds="As many tasks as V-A says (22) have a score of each compared system, which the test needs.",
    fails="More or fewer tasks have one.",
    changes=changed(
        "The number is read from the text, and the tasks are counted in Table VI itself, so that altered "
        "tables can turn the verdict.",
        "fails: V-A gives 22 tasks, and the test uses 20 of the 22: se_entities, "
        "requirement_completion left out, as sections IV-D and VII-D say.",
    ),
)
def the_test_uses_twenty_two_tasks(m: Material) -> Finding:
    """Count the tasks on which Table VI leaves out no system."""
    stated = m.number("text", "V-A", "Tasks that are compared")
    scored = _scored(m)
    out = [task for task, systems in scored.items() if len(systems) < len(m.systems)]
    used = len(scored) - len(out)
    return finding(
        used == stated,
        f'V-A explains the tiers by a "moderate sample size of {stated:g} tasks". {used} of the '
        f"{len(scored)} tasks of Table VI have a score of every system"
        + (f"; the exceptions are {listed(out)}, which IV-D leaves out." if out else "."),
        used=used,
        tasks=len(scored),
        left_out=out,
    )


def _lowest_p(m: Material) -> tuple[float, float]:
    """The lowest p of the normality tests if rounding did its worst, and if it did its best."""
    from scipy import stats

    p = m.normality
    near = [str(name) for name in p.index if p[name] < max(2 * float(p.min()), 2 * m.knobs.alpha / len(p))]
    test = lambda v: float(stats.shapiro(v).pvalue)  # noqa: E731
    ends = [reachable(test, scores_of(m, name), HALF_WIDTH) for name in near]
    return min(low for low, _ in ends), min(high for _, high in ends)


@claim(
    "C036",
    "V-A, IV-D",
    "The Shapiro-Wilk test rejects normality of the scores for none of the systems.",
    holds="No system's p is below .05, the level of a single test.",
    fails="At least one p is below .05 divided by the number of systems, whatever the rounding of the scores.",
    caveat="No p is below .05 divided by the number of systems, but at least one is below .05, or rounding of "
    "the scores could move one across the divided level.",
    thresholds={
        ".05": "section IV-D: 95 % confidence; autorank's documentation: the level is divided by the number of "
        "systems (Bonferroni)"
    },
    changes=changed(
        MARGIN,
        "holds with caveat: The lowest p is 0.00186 (StarCoder2 7B), against a level of 0.00179 (0.05 / 28).",
    ),
)
def normality_is_not_rejected(m: Material) -> Finding:
    """Judge at autorank's corrected level, the one behind Table IV."""
    p = m.normality.sort_values()
    level = m.knobs.alpha / len(p)
    lowest = str(p.index[0])
    low, high = _lowest_p(m)
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
        high >= level,
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
    x, y = (mean_ranks(rows) - (rows.shape[1] + 1) / 2 for rows in (a, b))
    return np.asarray((x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))


def _normal_tables(m: Material, tables: int) -> tuple[FloatArray, FloatArray]:
    """Means and medians, tables x systems, of normal scores with the means and covariances of the ranked."""
    scores = m.ranked[m.order].to_numpy(dtype=np.float64)
    n = len(scores)
    root = (scores - scores.mean(axis=0)) / np.sqrt(n - 1)  # root' root is the covariance of the systems
    drawn = scores.mean(axis=0) + np.random.default_rng(m.knobs.seed).standard_normal((tables, n, n)) @ root
    return drawn.mean(axis=1), np.median(drawn, axis=1)


@claim(
    "C037",
    "V-A",
    "As normality is not rejected, the mean is a sound basis for the ranking.",
    holds="Normality is rejected for no system (C036). Of 2,000 simulated tables of normal scores, at least 5 "
    "% have rankings by mean and by median that agree as little, and at least 5 % have medians above means "
    "as often.",
    fails="Normality is rejected for a system, or fewer than 5 % of the tables have rankings that agree as "
    "little; both beyond rounding and three Monte-Carlo errors.",
    caveat="Fewer than 5 % of the tables have medians above means as often, or rounding or three Monte-Carlo "
    "errors could turn one of these.",
    thresholds={
        "5 %": "section IV-D: 95 % confidence",
        "2,000": "our choice: a share of 5 % then has a standard error of half a point",
        **_ERRORS,
    },
    changes=changed(
        MARGIN,
        "holds with caveat: The rank correlation of mean and median, 0.84, is not unusual for "
        "normal scores (13.5 % of 2000 simulated tables have as low a one); normality is rejected"
        " for 0 of 28 systems.",
    ),
)
def the_mean_is_a_sound_basis(m: Material) -> Finding:
    """Simulate normal scores with the means and covariances of the published ones."""
    unusual, tables, k = 0.05, 2_000, len(m.order)
    means, medians = (m.ranking[column].to_numpy(dtype=np.float64) for column in ("M", "median"))
    rho = float(_rank_correlations(means[None], medians[None])[0])
    others = unrounded(m)
    rhos = np.append(_rank_correlations(others.mean(axis=1), np.median(others, axis=1)), rho)
    above = int((medians > means + 1e-9).sum())  # equal but for float noise is not above
    drawn = _normal_tables(m, tables)
    simulated = _rank_correlations(*drawn)
    as_low, worst, best = (float(np.mean(simulated <= value)) for value in (rho, rhos.min(), rhos.max()))
    as_skewed = float(np.mean((drawn[1] > drawn[0]).sum(axis=1) >= above))
    margin = 3 * float(monte_carlo_error(np.array(unusual), tables))
    level = m.knobs.alpha / k
    low, high = _lowest_p(m)
    rejected = int((m.normality < level).sum())
    single = int((m.normality < m.knobs.alpha).sum())
    caveats = []
    if as_skewed < unusual + margin:
        caveats.append(
            f"But the median is above the mean for {above} of {k} systems ({percent(as_skewed)} of the "
            f"tables have as many), {single} would be rejected without the correction, and not rejecting is no "
            f"proof with {len(m.ranked)} scores."
        )
    if low < level:
        caveats.append("Whether normality is rejected for a system depends on the rounding of the scores.")
    if worst < unusual + margin:
        caveats.append("The correlation is so low that rounding or Monte-Carlo error could make it unusual.")
    return finding(
        high >= level and best >= unusual - margin,
        f"The rank correlation of mean and median, {rho:.2f}, "
        f"{'is not unusual' if as_low >= unusual else 'would be unusual'} for normal scores "
        f"({percent(as_low)} of {tables:,} simulated tables have as low a one); normality is rejected for "
        f"{rejected or 'none'} of {k} systems.",
        caveat=" ".join(caveats),
        spearman=rho,
        simulated_with_as_low_a_correlation=as_low,
        median_above_mean=above,
        simulated_with_as_many_medians_above=as_skewed,
        simulated_tables=tables,
        systems_with_normality_rejected=rejected,
        rejected_at_alpha=single,
        medians={str(n): float(v) for n, v in m.ranking["median"].items()},
    )


def _against_best(m: Material, tables: Sequence[FloatArray]) -> list[dict[str, str]]:
    """Decision of the best system against each other, "near" within three errors of the threshold.

    Args:
        tables: scores of equally many tasks each, shape (tasks, systems in rank order), under the same draws.

    Returns:
        system -> decision, of each table.
    """
    draws, others = _DRAWS, m.order[1:]
    pairs = [(table[:, 0], column) for table in tables for column in table.T[1:]]
    widths = np.array([rope_width(first, column, "autorank", m.knobs.rope) for first, column in pairs])
    p = posterior(np.array([column - first for first, column in pairs]), widths, draws=draws, seed=m.knobs.seed)
    margin = 3 * float(monte_carlo_error(np.array(m.knobs.threshold), draws))
    tops = p.max(axis=1)
    words = np.array([BETTER, EQUAL, WORSE])[p.argmax(axis=1)]
    words = np.where(tops >= m.knobs.threshold, words, INCONCLUSIVE)
    words = np.where(np.abs(tops - m.knobs.threshold) < margin, _NEAR, words)
    return [dict(zip(others, map(str, row), strict=True)) for row in words.reshape(len(tables), -1)]


def _inconclusive(m: Material) -> tuple[float, float, float]:
    """Share of inconclusive pairs: at least, as counted, and at most, by three Monte-Carlo errors."""
    upper = np.triu_indices(len(m.order), 1)
    tops = np.maximum(m.posterior.equal, np.maximum(m.posterior.better, m.posterior.better.T))[upper]
    low, high = (np.mean([p + s * 3 * error(m, p) < m.knobs.threshold for p in tops]) for s in (1, -1))
    return float(low), float(np.mean(m.decisions.to_numpy()[upper] == INCONCLUSIVE)), float(high)


@claim(
    "C105",
    "VII-D",
    "Twenty paired tasks leave the comparison with limited power.",
    holds="With every task counted twice, more comparisons with the best system would have a clear result; and "
    "either most pairs of systems are inconclusive, or leaving out one task turns a result.",
    fails="Twice the tasks would settle no more, or most pairs are settled and no result hangs on one task.",
    caveat="Three Monte-Carlo errors of a probability could turn that.",
    thresholds={"most": "our choice: more than half of the pairs", **_ERRORS},
    changes=changed(
        "A result counts as clear beyond three Monte-Carlo errors, as everywhere, and no longer beyond "
        "two; where that can turn the verdict it is a caveat.",
        "holds: 56.1 % of the 378 pairs are inconclusive; leaving out one task clearly turns "
        "decisions against GPT-2 xl for 3 of the 20 tasks, and with every task counted twice, 16 "
        "and not 10 of the 27 comparisons with GPT-2 xl would clearly be settled (clearly: beyond"
        " two Monte-Carlo errors of 2,000 draws).",
    ),
)
def twenty_tasks_limit_power(m: Material) -> Finding:
    """Use few draws for each variant; a result counts as turned only where both are clear."""
    least, undecided, most = _inconclusive(m)
    scores = m.ranked[m.order].to_numpy(dtype=np.float64)
    (base,), (doubled,) = (_against_best(m, [table]) for table in (scores, np.vstack([scores, scores])))
    without = _against_best(m, [np.delete(scores, place, axis=0) for place in range(len(scores))])
    turned = {}
    for task, rest in zip(m.ranked.index, without, strict=True):
        names = [name for name in base if base[name] != rest[name] and _NEAR not in (base[name], rest[name])]
        if names:
            turned[str(task)] = names
    settled = [sum(x in (BETTER, EQUAL, WORSE) for x in d.values()) for d in (base, doubled)]
    near = [sum(x == _NEAR for x in d.values()) for d in (base, doubled)]
    sure = settled[1] > settled[0] + near[0] and (least > 0.5 or bool(turned))
    return finding(
        settled[1] + near[1] > settled[0] and (most > 0.5 or bool(turned)),
        f"{percent(undecided)} of the {len(m.order) * (len(m.order) - 1) // 2} pairs are inconclusive. "
        f"Leaving out one task turns a clear result against {name_of(m, m.order[0])} for "
        f"{len(turned) or 'none'} of the {len(m.ranked)} tasks. With every task counted twice, {settled[1]} "
        f"and not {settled[0]} of the {len(base)} comparisons with it would be clear (beyond three "
        f"Monte-Carlo errors of {_DRAWS:,} draws).",
        caveat=None if sure else "Three Monte-Carlo errors could turn that.",
        inconclusive=undecided,
        turned_by_leaving_out=turned,
        settled=settled[0],
        settled_with_twice_the_tasks=settled[1],
        too_near_to_tell=near,
    )
