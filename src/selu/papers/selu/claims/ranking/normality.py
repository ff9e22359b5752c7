"""Whether the scores are normal, so that means can rank the systems (IV-D, V-A)."""

from __future__ import annotations

import numpy as np

from selu.papers.claims import claim, finding, joined, percent, rounding, wording
from selu.papers.selu.analysis.aggregates import HALF_WIDTH, FloatArray
from selu.papers.selu.claims._questions import CERTAINTY
from selu.papers.selu.claims._sources import BEYOND
from selu.papers.selu.claims._systems import scores_of
from selu.papers.selu.claims._unrounded import rounded, unrounded
from selu.papers.selu.material import Material
from selu.stats.ranks import mean_ranks
from selu.stats.rounding import reachable
from selu.stats.signed_rank import monte_carlo_error
from selu.vocabulary import Caveat, Finding

QUESTION = CERTAINTY


def _lowest_p(paper: Material) -> tuple[float, float]:
    """Return the lowest p of the normality tests in the worst and the best case of rounding."""
    from scipy import stats

    p = paper.normality
    near = [
        str(name) for name in p.index if p[name] < max(2 * float(p.min()), 2 * paper.settings.alpha / len(p))
    ]
    test = lambda v: float(stats.shapiro(v).pvalue)  # noqa: E731
    ends = [reachable(test, scores_of(paper, name), HALF_WIDTH * rounded(paper, [name])[:, 0]) for name in near]
    return min(low for low, _ in ends), min(high for _, high in ends)


@claim(
    "C036",
    "V-A, IV-D",
    "The Shapiro-Wilk test rejects normality of the scores for none of the systems.",
    weight="method",
    quote="we fail to reject the null hypothesis that the distribution is normal for all models",
    holds="No system's p is below .05, the level of a single test.",
    fails="At least one p is below .05 divided by the number of systems, whatever the rounding of the scores.",
    caveat="No p is below .05 divided by the number of systems, but at least one is below .05, or rounding of "
    "the scores could move one across the divided level.",
    thresholds={
        ".05": "section IV-D: 95 % confidence; autorank's documentation: the level is divided by the number of "
        "systems (Bonferroni)"
    },
)
def normality_is_not_rejected(paper: Material) -> Finding:
    """Judge at autorank's corrected level, the one behind Table IV."""
    p = paper.normality.sort_values()
    level = paper.settings.alpha / len(p)
    lowest = str(p.index[0])
    low, high = _lowest_p(paper)
    single = [str(name) for name in p.index[p < paper.settings.alpha]]
    caveats: list[Caveat] = []
    if single:
        rejected = f"rejected for {len(single)} of {len(p)}"
        sentence = f"Without that correction, at {paper.settings.alpha}, it would be {rejected}."
        caveats.append(wording(sentence))
    if low < level <= high:
        sentence = (
            f"The rounding of the scores alone moves the lowest p from {low:.5f} to {high:.5f}, across the "
            "level."
        )
        caveats.append(rounding(sentence))
    return finding(
        high >= level,
        f"The lowest p is {p.iloc[0]:.5f} ({paper.system(lowest).name}), against a level of {level:.5f} "
        f"({paper.settings.alpha} / {len(p)}).",
        caveat=joined(caveats),
        p={str(name): float(value) for name, value in p.items()},
        level=level,
        rejected_at_alpha=single,
        lowest_p_within_rounding=[low, high],
    )


def _rank_correlations(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return Spearman's correlation of each row of one array with that row of the other."""
    x, y = (mean_ranks(rows) - (rows.shape[1] + 1) / 2 for rows in (a, b))
    return np.asarray((x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))


def _normal_tables(paper: Material, tables: int) -> tuple[FloatArray, FloatArray]:
    """Return means and medians, tables x systems, of normal scores with the ranked scores' covariances."""
    scores = paper.ranked[paper.order].to_numpy(dtype=np.float64)
    n = len(scores)
    root = (scores - scores.mean(axis=0)) / np.sqrt(n - 1)  # root' root is the covariance of the systems
    drawn = (
        scores.mean(axis=0) + np.random.default_rng(paper.settings.seed).standard_normal((tables, n, n)) @ root
    )
    return drawn.mean(axis=1), np.median(drawn, axis=1)


@claim(
    "C037",
    "V-A",
    "As normality is not rejected, the mean is a sound basis for the ranking.",
    weight="method",
    quote="we fail to reject the null hypothesis that the distribution is normal for all models, allowing "
    "us to rank them by mean performance",
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
        "three Monte-Carlo errors": BEYOND,
    },
)
def the_mean_is_a_sound_basis(paper: Material) -> Finding:
    """Simulate normal scores with the means and covariances of the published ones."""
    unusual, tables, k = 0.05, 2_000, len(paper.order)
    means, medians = (paper.ranking[column].to_numpy(dtype=np.float64) for column in ("M", "median"))
    rho = float(_rank_correlations(means[None], medians[None])[0])
    others = unrounded(paper)
    rhos = np.append(_rank_correlations(others.mean(axis=1), np.median(others, axis=1)), rho)
    above = int((medians > means + 1e-9).sum())  # equal up to float noise is not above
    drawn = _normal_tables(paper, tables)
    simulated = _rank_correlations(*drawn)
    as_low, worst, best = (float(np.mean(simulated <= value)) for value in (rho, rhos.min(), rhos.max()))
    as_skewed = float(np.mean((drawn[1] > drawn[0]).sum(axis=1) >= above))
    margin = 3 * float(monte_carlo_error(np.array(unusual), tables))
    level = paper.settings.alpha / k
    low, high = _lowest_p(paper)
    rejected = int((paper.normality < level).sum())
    single = int((paper.normality < paper.settings.alpha).sum())
    caveats: list[Caveat] = []
    if as_skewed < unusual + margin:
        sentence = (
            f"The median is above the mean for {above} of {k} systems ({percent(as_skewed)} of the "
            f"tables have as many). Without the correction, normality is rejected for {single} systems. With "
            f"{len(paper.ranked)} scores, not rejecting it is no proof."
        )
        caveats.append(wording(sentence))
    if low < level:
        sentence = "Whether normality is rejected for a system depends on the rounding of the scores."
        caveats.append(rounding(sentence))
    if worst < unusual + margin:
        sentence = "The correlation is so low that rounding or Monte-Carlo error could make it unusual."
        caveats.append(rounding(sentence))
    return finding(
        high >= level and best >= unusual - margin,
        f"The rank correlation of mean and median, {rho:.2f}, "
        f"{'is not unusual' if as_low >= unusual else 'would be unusual'} for normal scores "
        f"({percent(as_low)} of {tables:,} simulated tables have as low a one); normality is rejected for "
        f"{rejected or 'none'} of {k} systems.",
        caveat=joined(caveats),
        spearman=rho,
        simulated_with_as_low_a_correlation=as_low,
        median_above_mean=above,
        simulated_with_as_many_medians_above=as_skewed,
        simulated_tables=tables,
        systems_with_normality_rejected=rejected,
        rejected_at_alpha=single,
        medians={str(n): float(v) for n, v in paper.ranking["median"].items()},
    )
