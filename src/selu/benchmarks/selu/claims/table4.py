"""The columns of Table IV."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from selu.benchmarks.claims import claim, finding, listed, percent
from selu.benchmarks.selu.aggregates import HALF_WIDTH, FloatArray
from selu.benchmarks.selu.claims._scales import LARGE, MEDIUM, SMALL
from selu.benchmarks.selu.claims._systems import scores_of
from selu.benchmarks.selu.material import Material
from selu.stats.effect import cohen_d, magnitude
from selu.stats.intervals import autorank_level, bonferroni
from selu.stats.rounding import agrees, reachable
from selu.vocabulary import Finding

Statistic: TypeAlias = Callable[[FloatArray], float]
Sample: TypeAlias = Callable[[str], FloatArray]
ABBREVIATIONS = {"negligible": "neg.", "small": "sml.", "medium": "med.", "large": "lar."}


def _differing(m: Material, column: str, sample: Sample, statistic: Statistic) -> dict[str, dict[str, Any]]:
    """Systems whose recomputed value does not round to Table IV's text, with the range rounding can explain."""
    differing = {}
    for system in m.systems:
        printed, values = m.printed("table4", system.name, column), sample(system.id)
        computed = statistic(values)
        if agrees(computed, printed):
            continue
        low, high = reachable(statistic, values, HALF_WIDTH)
        half = 0.5 * 10.0 ** -len(printed.partition(".")[2])
        near = low - 1e-9 <= float(printed) + half and float(printed) - half <= high + 1e-9
        differing[system.name] = {
            "printed": printed,
            "computed": computed,
            "low": low,
            "high": high,
            "explained_by_rounding": near,
        }
    return differing


def _reproduced(m: Material, column: str, sample: Sample, statistic: Statistic) -> Finding:
    """Equal texts hold; texts that only the rounding of the scores explains are a caveat."""
    off = _differing(m, column, sample, statistic)
    beyond = [name for name, place in off.items() if not place["explained_by_rounding"]]
    n = len(m.systems)
    gap = max((abs(place["computed"] - float(place["printed"])) for place in off.values()), default=0.0)
    shown = listed(f"{name} {place['computed']:.5f} for {place['printed']}" for name, place in off.items())
    return finding(
        not beyond,
        f"{n - len(off)} of the {n} printed values of {column} equal the recomputed ones, and {len(beyond)} "
        "differ by more than the rounding of the scores explains"
        + (f" (differing: {shown}; at most {gap:.4f} apart)." if off else "."),
        caveat=f"{len(off)} are met only within the rounding of the scores to three digits." if off else None,
        equal=n - len(off),
        systems=n,
        differing=off,
        largest_difference=gap,
    )


@claim("C028", "Table IV", "The column M is the mean of each system's scores over the 20 ranked tasks.")
def means_are_reproduced(m: Material) -> Finding:
    """Equal means the same three printed digits."""
    return _reproduced(m, "M", lambda name: scores_of(m, name), lambda values: float(values.mean()))


@claim("C029", "Table IV", "The column SD is the sample standard deviation of each system's scores.")
def deviations_are_reproduced(m: Material) -> Finding:
    """Sample standard deviation: ddof 1."""
    return _reproduced(m, "SD", lambda name: scores_of(m, name), lambda values: float(values.std(ddof=1)))


def _bounds(m: Material, alpha: float) -> dict[str, dict[str, Any]]:
    """Printed interval bounds that a Student interval at this level does not give."""
    from scipy import stats

    n = len(m.ranked)
    factor = float(stats.t.ppf(1 - alpha / 2, n - 1) / np.sqrt(n))
    off: dict[str, dict[str, Any]] = {}
    for column, sign in (("CI lower", -1.0), ("CI upper", 1.0)):
        statistic = lambda v, s=sign: float(v.mean() + s * factor * v.std(ddof=1))  # noqa: E731
        places = _differing(m, column, lambda name: scores_of(m, name), statistic)
        off |= {f"{name}, {column}": place for name, place in places.items()}
    return off


@claim(
    "C030",
    "Table IV, IV-D",
    "The intervals are Student intervals at 95 % family-wise confidence by the Bonferroni correction.",
)
def intervals_are_bonferroni_corrected(m: Material) -> Finding:
    """Each of k intervals at confidence 1 - alpha / k; autorank's level, alpha / k^2, is shown beside it."""
    k, alpha = len(m.systems), m.knobs.alpha
    plain, twice = _bounds(m, bonferroni(alpha, k)), _bounds(m, autorank_level(alpha, k))
    printed = {
        s.name: m.number("table4", s.name, "CI upper") - m.number("table4", s.name, "CI lower")
        for s in m.systems
    }
    widths = m.ranking["bonferroni_upper"] - m.ranking["bonferroni_lower"]
    ratio = float(np.mean([printed[s.name] / widths[s.id] for s in m.systems]))
    return finding(
        all(place["explained_by_rounding"] for place in plain.values()),
        f"{2 * k - len(plain)} of the {2 * k} printed bounds are those of alpha / {k}, and "
        f"{2 * k - len(twice)} are those of alpha / {k}^2, where autorank corrects twice; the printed "
        f"intervals are {ratio:.2f} times as wide as Bonferroni's, and at alpha / {k}^2 the family-wise "
        f"confidence is at least {percent(1 - alpha / k)}.",
        caveat=f"{len(plain)} bounds are met only within the rounding of the scores." if plain else None,
        bounds=2 * k,
        equal_at_bonferroni=2 * k - len(plain),
        equal_at_autorank=2 * k - len(twice),
        mean_width_ratio_to_bonferroni=ratio,
        differing_from_autorank=twice,
        bonferroni={
            m.system(str(name)).name: [float(row["bonferroni_lower"]), float(row["bonferroni_upper"])]
            for name, row in m.ranking.iterrows()
        },
    )


@claim("C031", "Table IV", "The column d is Cohen's d of the top-ranked system against each system.")
def effect_sizes_are_reproduced(m: Material) -> Finding:
    """Equation 5, pooled standard deviation with ddof 1; both systems' scores may be rounded."""
    best = scores_of(m, m.order[0])
    return _reproduced(
        m, "d", lambda name: np.stack([best, scores_of(m, name)]), lambda both: cohen_d(both[0], both[1])
    )


@claim("C032", "Table IV", "The column Mag. classes d at .2, .5 and .8.")
def magnitudes_follow_from_d(m: Material) -> Finding:
    """The class of the recomputed d, and of the printed d, against the printed abbreviation."""
    ds = {m.system(name).name: float(m.ranking["d"][name]) for name in m.order}
    printed = {name: m.printed("table4", name, "Mag.") for name in ds}
    expected = {name: ABBREVIATIONS[magnitude(d)] for name, d in ds.items()}
    own = {name: ABBREVIATIONS[magnitude(m.number("table4", name, "d"))] for name in ds}
    wrong = [name for name in ds if printed[name] != expected[name]]
    cuts = (SMALL, MEDIUM, LARGE)
    nearest = min(ds, key=lambda name: min(abs(ds[name] - cut) for cut in cuts))
    others = f" (not {listed(wrong)})" if wrong else ""
    return finding(
        not wrong,
        f"{len(ds) - len(wrong)} of the {len(ds)} printed classes are those of the recomputed d{others}; "
        f"nearest to a cut is {nearest} with d = {ds[nearest]:.4f}.",
        differing={name: [printed[name], expected[name], ds[name]] for name in wrong},
        differing_from_printed_d=[name for name in ds if printed[name] != own[name]],
        nearest_to_a_cut=nearest,
        d=ds,
    )


def _pairs(m: Material, pairs: list[tuple[str, str]]) -> str:
    """Pairs of systems for a sentence."""
    return listed(" / ".join(m.system(n).name for n in pair) for pair in pairs)


@claim("C033", "Table IV", "The systems are ranked by falling mean.")
def ranks_follow_the_means(m: Material) -> Finding:
    """Along the printed ranks no recomputed mean may rise; equal means may stand either way."""
    ranks = {s.id: int(m.number("table4", s.name, "Rank")) for s in m.systems}
    rows = sorted(ranks, key=lambda name: ranks[name])
    means = {name: round(float(m.ranking["M"][name]), 12) for name in rows}
    rising = [(a, b) for a, b in pairwise(rows) if means[a] < means[b]]
    ties = [(a, b) for a, b in pairwise(rows) if means[a] == means[b]]
    close = [(a, b) for a, b in pairwise(rows) if 0 < means[a] - means[b] < 2 * HALF_WIDTH]
    same = sum(a == b for a, b in zip(rows, m.order, strict=True))
    shown = {"neighbours out of order": rising, "equal means": ties}
    return finding(
        not rising and sorted(ranks.values()) == list(range(1, len(rows) + 1)),
        f"{same} of the {len(rows)} printed ranks are the recomputed ones"
        + "".join(f"; {what}: {_pairs(m, pairs)}" for what, pairs in shown.items() if pairs)
        + ".",
        equal=same,
        rising=[list(pair) for pair in rising],
        ties=[list(pair) for pair in ties],
        neighbours_closer_than_rounding=[[a, b, means[a] - means[b]] for a, b in close],
        means=means,
    )
