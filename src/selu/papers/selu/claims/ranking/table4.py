"""The columns of Table IV."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import TypeAlias, TypedDict

import numpy as np

from selu.papers.claims import claim, finding, listed, percent, rounding
from selu.papers.selu.analysis.aggregates import FloatArray, explain
from selu.papers.selu.claims._questions import NUMBERS
from selu.papers.selu.claims._scales import LARGE, MEDIUM, SMALL
from selu.papers.selu.claims._sources import OFF_BY
from selu.papers.selu.claims._systems import scores_of
from selu.papers.selu.claims._unrounded import d_range, margin, settled
from selu.papers.selu.material import Material
from selu.papers.selu.words import MAGNITUDES
from selu.stats.effect import cohen_d, magnitude
from selu.stats.intervals import autorank_level, bonferroni
from selu.stats.rounding import agrees
from selu.vocabulary import Finding, SeluError

QUESTION = NUMBERS
Statistic: TypeAlias = Callable[[FloatArray], float]
Sample: TypeAlias = Callable[[str], FloatArray]
WITHIN = "No value differs by more than that rounding explains, but some are met only within it."


def _published(paper: Material, name: str, column: str) -> str:
    """Return a number of Table IV as text.

    Raises:
        SeluError: an altered table has no number there.
    """
    if np.isnan(paper.number("table4", name, column)):
        raise SeluError(f"table4.csv, row {name!r}, column {column!r}: a dash is not a number; correct it.")
    return paper.published("table4", name, column)


class Apart(TypedDict):
    """A published number beside ours, and the range that rounding of the scores can explain."""

    printed: str
    computed: float
    low: float
    high: float
    explained_by_rounding: bool


def _differing(paper: Material, column: str, sample: Sample, statistic: Statistic) -> dict[str, Apart]:
    """Return systems whose recomputed value does not round to Table IV's text, with the range by rounding."""
    differing: dict[str, Apart] = {}
    for system in paper.systems:
        published, values = _published(paper, system.name, column), sample(system.id)
        computed = statistic(values)
        if agrees(computed, published):
            continue
        near, low, high = explain(statistic, values, published)
        differing[system.name] = {
            "printed": published,
            "computed": computed,
            "low": low,
            "high": high,
            "explained_by_rounding": near,
        }
    return differing


def _reproduced(paper: Material, column: str, sample: Sample, statistic: Statistic) -> Finding:
    """Return the finding for one column, by one rule for all columns."""
    off = _differing(paper, column, sample, statistic)
    beyond = [name for name, place in off.items() if not place["explained_by_rounding"]]
    n = len(paper.systems)
    gap = max((abs(place["computed"] - float(place["printed"])) for place in off.values()), default=0.0)
    shown = listed(f"{name} {place['computed']:.5f} for {place['printed']}" for name, place in off.items())
    return finding(
        not beyond,
        f"{n - len(off)} of the {n} published values of {column} equal the recomputed ones, and "
        + (f"{len(beyond)} differ" if beyond else "none differs")
        + " by more than the rounding of the scores explains"
        + (f" (differing: {shown}; at most {gap:.4f} apart)." if off else "."),
        caveat=rounding(f"{len(off)} are met only within the rounding of the scores to three digits.")
        if off
        else None,
        equal=n - len(off),
        systems=n,
        differing=off,
        largest_difference=gap,
    )


@claim(
    "C028",
    "Table IV, IV-D",
    "The column M is the mean of each system's scores over the 20 ranked tasks.",
    weight="detail",
    quote="we then compute the means, standard deviations, and confidence intervals",
    holds="Each published M is the mean of the system's published scores, to the last published digit.",
    fails="At least one M differs by more than the rounding of the scores to three digits explains.",
    caveat=WITHIN,
)
def means_are_reproduced(paper: Material) -> Finding:
    """Compare at the digits that Table IV has."""
    return _reproduced(paper, "M", lambda name: scores_of(paper, name), lambda values: float(values.mean()))


@claim(
    "C029",
    "Table IV, IV-D",
    "The column SD is the sample standard deviation of each system's scores.",
    weight="detail",
    quote="we then compute the means, standard deviations, and confidence intervals",
    holds="Each published SD is the standard deviation (over n - 1) of the system's published scores, to the "
    "last published digit.",
    fails="At least one SD differs by more than the rounding of the scores to three digits explains.",
    caveat=WITHIN,
    thresholds={"1": "equation (5), section IV-D: the pooled deviation divides by n - 1"},
)
@settled
def deviations_are_reproduced(paper: Material) -> Finding:
    """Compare at the digits that Table IV has."""
    return _reproduced(
        paper, "SD", lambda name: scores_of(paper, name), lambda values: float(values.std(ddof=1))
    )


def _bounds(paper: Material, alpha: float) -> dict[str, Apart]:
    """Return published interval bounds that a Student interval at this level does not give."""
    from scipy import special

    n = len(paper.ranked)
    factor = float(special.stdtrit(n - 1, 1 - alpha / 2) / np.sqrt(n))
    off: dict[str, Apart] = {}
    for column, sign in (("CI lower", -1.0), ("CI upper", 1.0)):
        statistic = lambda v, s=sign: float(v.mean() + s * factor * v.std(ddof=1))  # noqa: E731
        places = _differing(paper, column, lambda name: scores_of(paper, name), statistic)
        off |= {f"{name}, {column}": place for name, place in places.items()}
    return off


@claim(
    "C030",
    "Table IV, IV-D",
    "The intervals are Student intervals at 95 % family-wise confidence by the Bonferroni correction.",
    weight="method",
    quote="confidence intervals (with Bonferroni correction [55] to maintain a 95% family-wise confidence "
    "level)",
    holds="Each published bound is that of the mean's Student interval at the level of .05, divided by the "
    "number of systems once.",
    fails="At least one bound differs by more than the rounding of the scores to three digits explains.",
    caveat="No bound differs by more than that rounding explains, but some are met only within it.",
    thresholds={".05": "section IV-D: 95 % family-wise confidence"},
)
def intervals_are_bonferroni_corrected(paper: Material) -> Finding:
    """Show autorank's level, alpha / k^2, beside that of the rule."""
    k, alpha = len(paper.systems), paper.settings.alpha
    plain, twice = _bounds(paper, bonferroni(alpha, k)), _bounds(paper, autorank_level(alpha, k))
    published = {
        s.name: paper.number("table4", s.name, "CI upper") - paper.number("table4", s.name, "CI lower")
        for s in paper.systems
    }
    widths = paper.ranking["bonferroni_upper"] - paper.ranking["bonferroni_lower"]
    ratio = float(np.mean([published[s.name] / widths[s.id] for s in paper.systems]))
    return finding(
        all(place["explained_by_rounding"] for place in plain.values()),
        f"{2 * k - len(plain) or 'None'} of the {2 * k} published bounds are those of alpha / {k}, "
        f"Bonferroni's level. {2 * k - len(twice)} are those of alpha / {k}^2: autorank corrects twice. The "
        f"published intervals are {ratio:.2f} times as wide as Bonferroni's, and at alpha / {k}^2 the "
        f"family-wise confidence is at least {percent(1 - alpha / k)}.",
        caveat=rounding(f"{len(plain)} bounds are met only within the rounding of the scores.")
        if plain
        else None,
        bounds=2 * k,
        equal_at_bonferroni=2 * k - len(plain),
        equal_at_autorank=2 * k - len(twice),
        mean_width_ratio_to_bonferroni=ratio,
        differing_from_autorank=twice,
        bonferroni={
            paper.system(str(name)).name: [float(row["bonferroni_lower"]), float(row["bonferroni_upper"])]
            for name, row in paper.ranking.iterrows()
        },
    )


@claim(
    "C031",
    "Table IV",
    "The column d is Cohen's d of the top-ranked system against each system.",
    weight="detail",
    quote="Ranking of models and Cohen's effect size ... compared to the top-ranked model.",
    holds="Each published d is that of equation 5 on the published scores, to the last published digit.",
    fails="At least one d differs by more than the rounding of both systems' scores to three digits explains.",
    caveat=WITHIN,
)
@settled
def effect_sizes_are_reproduced(paper: Material) -> Finding:
    """Move both systems' scores within their rounding."""
    best = scores_of(paper, paper.order[0])
    return _reproduced(
        paper,
        "d",
        lambda name: np.stack([best, scores_of(paper, name)]),
        lambda pair: cohen_d(pair[0], pair[1]),
    )


@claim(
    "C032",
    "Table IV",
    "The column Mag. classes d at .2, .5 and .8.",
    weight="detail",
    kind="implied",
    holds="Each published class is that of the d of equation 5, and rounding of the scores can't change it.",
    fails="At least one published class is not that of any d that the rounding of the scores allows.",
    caveat="Each published class is possible, but rounding of the scores could move at least one d over a cut.",
)
def magnitudes_follow_from_d(paper: Material) -> Finding:
    """Compare Table IV's abbreviations with the classes that scores within the rounding can have."""
    best = paper.order[0]
    ds = {paper.system(name).name: float(paper.ranking["d"][name]) for name in paper.order}
    ends = {paper.system(name).name: d_range(paper, best, name) for name in paper.order}
    published = {name: paper.published("table4", name, "Mag.") for name in ds}
    possible = {n: {MAGNITUDES[magnitude(d)] for d in (ds[n], *ends[n])} for n in ds}
    wrong = [name for name in ds if published[name] not in possible[name]]
    undecided = [name for name in ds if len(possible[name]) > 1]
    same = sum(published[name] == MAGNITUDES[magnitude(d)] for name, d in ds.items())
    cuts = (SMALL, MEDIUM, LARGE)
    nearest = min(ds, key=lambda name: min(abs(ds[name] - cut) for cut in cuts))
    others = f"; rounding does not explain {listed(wrong)}" if wrong else ""
    return finding(
        not wrong,
        f"{same} of the {len(ds)} published classes are those of the recomputed d{others}. "
        f"Nearest to a cut is {nearest} with d = {ds[nearest]:.4f} ({ends[nearest][0]:.4f} to "
        f"{ends[nearest][1]:.4f} within the rounding of the scores).",
        caveat=rounding(f"Rounding of the scores could change the class of {listed(undecided)}.")
        if undecided
        else None,
        differing={name: [published[name], sorted(possible[name]), ds[name]] for name in wrong},
        open_to_rounding=undecided,
        nearest_to_a_cut=nearest,
        d=ds,
    )


def _pairs(paper: Material, pairs: list[tuple[str, str]]) -> str:
    """Pairs of systems for a sentence."""
    return listed(" / ".join(paper.system(n).name for n in pair) for pair in pairs)


@claim(
    "C033",
    "Table IV, IV-D",
    "The systems are ranked by falling mean.",
    weight="method",
    quote="rank the models by mean performance",
    holds="Each system's mean is above that of the next rank by more than rounding of the scores explains.",
    fails="A system has a mean below that of a lower rank by more than the rounding explains (.001), or the "
    "ranks are not 1 to the number of systems.",
    caveat="No mean contradicts the ranks, but some neighbours' means are so close that rounding could turn "
    "their order.",
    thresholds={
        ".001": OFF_BY,
        "1": "Table IV: the first rank",
    },
)
@settled
def ranks_follow_the_means(paper: Material) -> Finding:
    """Compare every two ranks, not only neighbours."""
    ranks = {s.id: paper.number("table4", s.name, "Rank") for s in paper.systems}
    rows = sorted(ranks, key=lambda name: ranks[name])
    means = {name: round(float(paper.means[name]), 12) for name in rows}
    rising = [(a, b) for a, b in combinations(rows, 2) if means[b] - means[a] > margin(paper, a, b)]
    close = [(a, b) for a, b in pairwise(rows) if abs(means[a] - means[b]) <= margin(paper, a, b)]
    same = sum(a == b for a, b in zip(rows, paper.order, strict=True))
    caveat = (
        f"The order of {len(close)} pairs of neighbours could be turned by the rounding of the scores: "
        f"{_pairs(paper, close)}."
    )
    return finding(
        not rising and sorted(ranks.values()) == list(range(1, len(rows) + 1)),
        f"{same} of the {len(rows)} published ranks are the recomputed ones"
        + (f"; out of order beyond rounding: {_pairs(paper, rising)}." if rising else "."),
        caveat=rounding(caveat) if close else None,
        equal=same,
        out_of_order=[list(pair) for pair in rising],
        closer_than_rounding=[[a, b, means[a] - means[b]] for a, b in close],
        means=means,
    )
