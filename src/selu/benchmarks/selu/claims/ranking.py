"""Table IV and what the paper says of it (V-A)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from itertools import combinations, pairwise
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from selu.benchmarks.selu.claims._claim import Check, claim, finding, listed, percent
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER, WORSE
from selu.stats.effect import cohen_d, magnitude, pooled_sd
from selu.stats.intervals import autorank_level, bonferroni
from selu.stats.rounding import agrees, as_printed, reachable
from selu.stats.signed_rank import monte_carlo_error, posterior
from selu.vocabulary import Approach, Finding

FloatArray: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[FloatArray], float]
Sample: TypeAlias = Callable[[str], FloatArray]

LOW, HIGH = 0.709, 0.755  # means between which V-A sees a large group of models
HALF_WIDTH = 0.0005  # scores are printed with three digits
TOP_SERIES = ("GPT-2", "Llama 3.2")
SMALL, MEDIUM = 0.2, 0.5  # Cohen's cuts, the ones of Table IV's last column
ABBREVIATIONS = {"negligible": "neg.", "small": "sml.", "medium": "med.", "large": "lar."}


def printed_mean(m: Material, system: str) -> float:
    """M as Table IV prints it."""
    return m.number("table4", m.system(system).name, "M")


def large_group(m: Material) -> list[str]:
    """Fine-tuned models whose printed mean is at least .709, in rank order: V-A's large group."""
    tuned = m.names(approach=Approach.FINETUNED)
    return [name for name in m.order if name in tuned and printed_mean(m, name) >= LOW]


def _with_group(check: Check) -> Check:
    """A check that fails with a reason where altered printed means leave no group to look at."""

    @wraps(check)
    def guarded(m: Material) -> Finding:
        size = len(large_group(m))
        if size < 3:
            return finding(False, f"By the printed means the large group has {size} models.", group=size)
        return check(m)

    return guarded


def error(m: Material, probability: float) -> float:
    """Monte-Carlo standard error of a posterior probability."""
    return float(monte_carlo_error(np.array(probability), m.knobs.draws))


def _scores(m: Material, system: str) -> FloatArray:
    return m.ranked[system].to_numpy(dtype=np.float64)


def _named(m: Material, systems: list[str]) -> str:
    return listed(m.system(name).name for name in systems)


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
    return _reproduced(m, "M", lambda name: _scores(m, name), lambda values: float(values.mean()))


@claim("C029", "Table IV", "The column SD is the sample standard deviation of each system's scores.")
def deviations_are_reproduced(m: Material) -> Finding:
    """Sample standard deviation: ddof 1."""
    return _reproduced(m, "SD", lambda name: _scores(m, name), lambda values: float(values.std(ddof=1)))


def _bounds(m: Material, alpha: float) -> dict[str, dict[str, Any]]:
    """Printed interval bounds that a Student interval at this level does not give."""
    from scipy import stats

    n = len(m.ranked)
    factor = float(stats.t.ppf(1 - alpha / 2, n - 1) / np.sqrt(n))
    off: dict[str, dict[str, Any]] = {}
    for column, sign in (("CI lower", -1.0), ("CI upper", 1.0)):
        statistic = lambda v, s=sign: float(v.mean() + s * factor * v.std(ddof=1))  # noqa: E731
        places = _differing(m, column, lambda name: _scores(m, name), statistic)
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
    best = _scores(m, m.order[0])
    return _reproduced(
        m, "d", lambda name: np.stack([best, _scores(m, name)]), lambda both: cohen_d(both[0], both[1])
    )


@claim("C032", "Table IV", "The column Mag. classes d at .2, .5 and .8.")
def magnitudes_follow_from_d(m: Material) -> Finding:
    """The class of the recomputed d, and of the printed d, against the printed abbreviation."""
    ds = {m.system(name).name: float(m.ranking["d"][name]) for name in m.order}
    printed = {name: m.printed("table4", name, "Mag.") for name in ds}
    expected = {name: ABBREVIATIONS[magnitude(d)] for name, d in ds.items()}
    own = {name: ABBREVIATIONS[magnitude(m.number("table4", name, "d"))] for name in ds}
    wrong = [name for name in ds if printed[name] != expected[name]]
    cuts = (SMALL, MEDIUM, 0.8)
    nearest = min(ds, key=lambda name: min(abs(ds[name] - cut) for cut in cuts))
    return finding(
        not wrong,
        f"{len(ds) - len(wrong)} of the {len(ds)} printed classes are those of the recomputed d (others: "
        f"{listed(wrong)}); nearest to a cut is {nearest} with d = {ds[nearest]:.4f}.",
        differing={name: [printed[name], expected[name], ds[name]] for name in wrong},
        differing_from_printed_d=[name for name in ds if printed[name] != own[name]],
        nearest_to_a_cut=nearest,
        d=ds,
    )


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
    return finding(
        not rising and sorted(ranks.values()) == list(range(1, len(rows) + 1)),
        f"{same} of the {len(rows)} printed ranks are the recomputed ones; neighbours out of order: "
        f"{listed(' / '.join(m.system(n).name for n in pair) for pair in rising)}; equal means: "
        f"{listed(' / '.join(m.system(n).name for n in pair) for pair in ties)}.",
        equal=same,
        rising=[list(pair) for pair in rising],
        ties=[list(pair) for pair in ties],
        neighbours_closer_than_rounding=[[a, b, means[a] - means[b]] for a, b in close],
        means=means,
    )


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
    low, high = reachable(lambda v: float(stats.shapiro(v).pvalue), _scores(m, lowest), HALF_WIDTH)
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


@claim("C037", "V-A", "As normality is not rejected, the mean is a sound basis for the ranking.")
def the_mean_is_a_sound_basis(m: Material) -> Finding:
    """Sound: medians, which near-normal scores would share with means, rank alike.

    Alike: Spearman at least .9, and no system moves by more than a quarter of the table.
    """
    from scipy import stats

    alike, k = 0.9, len(m.order)
    frame = m.ranking
    rho = float(stats.spearmanr(frame["M"], frame["median"]).statistic)
    ranks = frame["median"].rank(ascending=False, method="average")
    moves = {m.system(str(n)).name: float(frame["rank"][n] - ranks[n]) for n in frame.index}
    far = sorted((n for n in moves if abs(moves[n]) > k / 4), key=lambda n: -abs(moves[n]))
    above = int((frame["median"] > frame["M"]).sum())
    rejected = int((m.normality < m.knobs.alpha / k).sum())
    return finding(
        rejected == 0 and rho >= alike and not far,
        f"Ranks by mean and by median correlate with {rho:.2f}, {len(far)} systems move by more than {k // 4} "
        f"places ({listed(f'{n} {moves[n]:+g}' for n in far)}), and the median is above the mean for {above} "
        f"of {k}.",
        spearman=rho,
        places_gained_by_median=moves,
        median_above_mean=above,
        systems_with_normality_rejected=rejected,
        medians={str(n): float(v) for n, v in frame["median"].items()},
    )


@claim("C038", "V-A", "The GPT-2 and Llama 3.2 series have the highest means.")
def top_series_have_the_highest_means(m: Material) -> Finding:
    """The two series fill the first ranks; a lead that the rounding of the scores explains is a caveat."""
    top = [s.id for s in m.systems if s.series in TOP_SERIES and s.approach is Approach.FINETUNED]
    first = m.order[: len(top)]
    rest = [name for name in m.order if name not in top]
    last = min(top, key=lambda name: m.ranking["M"][name])
    lead = float(m.ranking["M"][last] - m.ranking["M"][rest[0]])
    p, q = m.p_better(last, rest[0]), m.p_better(rest[0], last)
    a, b = m.system(last).name, m.system(rest[0]).name
    caveat = (
        f"That is less than the rounding of the scores explains ({2 * HALF_WIDTH}), and the test sees {b} "
        f"ahead of {a} with {percent(q)} against {percent(p)}."
    )
    return finding(
        set(first) == set(top),
        f"The {len(top)} best means belong to {_named(m, first)}; {a} has a lead of {lead:+.5f} on {b}.",
        caveat=caveat if lead < 2 * HALF_WIDTH else None,
        first=first,
        top_series=top,
        lead=lead,
        p_last_better=p,
        p_next_better=q,
        error=error(m, q),
    )


@claim("C039", "V-A", "Eighteen models have means from .709 to .755.")
def eighteen_models_form_the_large_group(m: Material) -> Finding:
    """Recomputed means, rounded as Table IV prints them; the ends are the lowest and the highest of them."""
    stated = 18
    means = {name: float(as_printed(float(m.ranking["M"][name]))) for name in m.order}
    inside = {name: mean for name, mean in means.items() if LOW <= mean <= HIGH}
    return finding(
        len(inside) == stated and min(inside.values()) == LOW and max(inside.values()) == HIGH,
        f"{len(inside)} systems have a mean from {LOW} to {HIGH}, the lowest "
        f"{min(inside.values(), default=0):.3f} and the highest {max(inside.values(), default=0):.3f}; the "
        f"next below has {max((v for v in means.values() if v < LOW), default=0):.3f}.",
        inside=inside,
    )


@claim(
    "C040",
    "V-A",
    "A small gap parts the large group from StarCoder2 7B (.679) and TF-IDF+XGBoost (.645), the next two.",
)
@_with_group
def a_small_gap_follows_the_large_group(m: Material) -> Finding:
    """A gap: wider than every step inside the group. Small: a negligible effect (d below .2)."""
    stated = {"starcoder2-7b": "0.679", "tfidf-xgboost": "0.645"}
    group = large_group(m)
    means = m.ranking["M"]
    after = [name for name in m.order if name not in group][: len(stated)]
    ordered = sorted((float(means[name]) for name in group), reverse=True)
    inside = max((a - b for a, b in pairwise(ordered)), default=0.0)
    last = min(group, key=lambda name: means[name])
    gap, within = float(means[last] - means[after[0]]), float(means[after[0]] - means[after[1]])
    d = cohen_d(_scores(m, last), _scores(m, after[0]))
    return finding(
        after == list(stated)
        and all(agrees(float(means[name]), text) for name, text in stated.items())
        and gap > inside
        and d < SMALL,
        f"After the group come {listed(f'{m.system(n).name} ({means[n]:.3f})' for n in after)}; the gap "
        f"before them is {gap:.4f} (d = {d:.2f}), the widest step inside the group {inside:.4f}, the step "
        f"between the two {within:.4f}.",
        after=after,
        means={name: float(means[name]) for name in [*group, *after]},
        gap=gap,
        d=d,
        widest_step_inside=inside,
        step_between_the_two=within,
    )


@claim("C041", "V-A", "TF-IDF+XGBoost is the better of the baselines.")
def xgboost_is_the_best_baseline(m: Material) -> Finding:
    """By mean, with the test's probability beside it."""
    best, baselines = "tfidf-xgboost", m.names(approach=Approach.BASELINE)
    means = {name: float(m.ranking["M"][name]) for name in baselines}
    others = [name for name in baselines if name != best]
    p = {name: m.p_better(best, name) for name in others}
    undecided = [name for name in others if p[name] < m.knobs.threshold]
    return finding(
        all(means[best] > means[name] for name in others),
        f"{m.system(best).name} has a mean of {means[best]:.3f}; "
        + listed(f"{m.system(n).name} {means[n]:.3f} (P = {percent(p[n])})" for n in others)
        + ".",
        caveat=f"The test does not decide it against {_named(m, undecided)}." if undecided else None,
        means=means,
        p_better=p,
    )


@claim("C042", "V-A", "All proprietary LLMs stand in the bottom third of the ranking.")
def proprietary_models_are_in_the_bottom_third(m: Material) -> Finding:
    """Below two thirds of the 28 ranks."""
    line = len(m.order) * 2 / 3
    ranks = {name: int(m.ranking["rank"][name]) for name in m.names(approach=Approach.PROMPTED)}
    return finding(
        all(rank > line for rank in ranks.values()),
        f"Their ranks are {listed(f'{rank} ({m.system(name).name})' for name, rank in ranks.items())} of "
        f"{len(m.order)}; the bottom third starts below {line:.1f}.",
        ranks=ranks,
    )


def _stated_means(m: Material, shots: int, stated: dict[str, str]) -> Finding:
    """Means that V-A's text gives for the prompted models, by series, against the recomputed ones."""
    found = {series: m.names(approach=Approach.PROMPTED, shots=shots, series=series) for series in stated}
    means = {series: [float(m.ranking["M"][name]) for name in names] for series, names in found.items()}
    met = {s: len(v) == 1 and agrees(v[0], stated[s]) for s, v in means.items()}
    return finding(
        all(met.values()),
        listed(f"{s} has {means[s][0]:.5f} for {stated[s]}" for s in stated if means[s]) + ".",
        stated=stated,
        means=means,
        met=met,
    )


@claim("C043", "V-A", "With three shots, the means are .601 (GPT-4o) and .592 (Claude 3.7).")
def three_shot_means(m: Material) -> Finding:
    """Rounded as Table IV prints them."""
    return _stated_means(m, 3, {"GPT-4o": "0.601", "Claude 3.7": "0.592"})


@claim("C044", "V-A", "Without shots, the means are .573 (GPT-4o) and .572 (Claude 3.7).")
def zero_shot_means(m: Material) -> Finding:
    """Rounded as Table IV prints them."""
    return _stated_means(m, 0, {"GPT-4o": "0.573", "Claude 3.7": "0.572"})


@claim("C045", "V-A", "For both proprietary LLMs, zero-shot is slightly worse than 3-shot.")
def zero_shot_is_slightly_worse(m: Material) -> Finding:
    """Worse: a lower mean. Slightly: a negligible effect (|d| below .2)."""
    rows: dict[str, dict[str, float]] = {}
    for name in m.names(approach=Approach.PROMPTED, shots=3):
        (other,) = m.names(approach=Approach.PROMPTED, shots=0, series=m.system(name).series)
        three, zero = _scores(m, name), _scores(m, other)
        rows[str(m.system(name).series)] = {
            "difference": float(three.mean() - zero.mean()),
            "d": cohen_d(three, zero),
            "p_three_shot_better": m.p_better(name, other),
            "p_equal": m.p_equal(name, other),
            "error": error(m, m.p_better(name, other)),
            "tasks_where_three_shot_is_ahead": int(np.sum(three > zero)),
        }
    likely_equal = [s for s, row in rows.items() if row["p_equal"] > row["p_three_shot_better"]]
    undecided = [s for s, row in rows.items() if row["p_three_shot_better"] < m.knobs.threshold]
    caveat = (
        f"The test does not decide it for {listed(undecided)}, and practical equivalence is the likeliest for "
        f"{listed(likely_equal)} ({listed(percent(rows[s]['p_equal']) for s in likely_equal)})."
    )
    return finding(
        all(row["difference"] > 0 and row["d"] < SMALL for row in rows.values()),
        "The mean falls "
        + listed(
            f"by {r['difference']:.3f} for {s} (d = {r['d']:.2f}, P = {percent(r['p_three_shot_better'])})"
            for s, r in rows.items()
        )
        + ".",
        caveat=caveat if likely_equal else None,
        pairs=rows,
    )


@claim("C046", "V-A", "A higher mean tends to go with a lower standard deviation across tasks.")
@_with_group
def higher_means_have_lower_deviation(m: Material) -> Finding:
    """Spearman's correlation of M and SD over all systems is negative, with p below alpha."""
    from scipy import stats

    frame, group = m.ranking, large_group(m)
    below = [name for name in m.order if name not in group]
    parts = {"all systems": m.order, "the large group": group, "those below": below}
    tests = {part: stats.spearmanr(frame["M"][names], frame["SD"][names]) for part, names in parts.items()}
    rho = {part: float(test.statistic) for part, test in tests.items()}
    p = {part: float(test.pvalue) for part, test in tests.items()}
    caveat = (
        f"Among the {len(below)} systems below the large group it does not show ({rho['those below']:+.2f})."
    )
    return finding(
        rho["all systems"] < 0 and p["all systems"] < m.knobs.alpha,
        f"Spearman's correlation of M and SD is {rho['all systems']:+.2f} (p = {p['all systems']:.1g}) over "
        f"{len(m.order)} systems and {rho['the large group']:+.2f} within the large group.",
        caveat=caveat if rho["those below"] >= 0 else None,
        spearman=rho,
        p=p,
    )


@claim("C047", "V-A", "Within the large group, no effect size is more than small.")
@_with_group
def effects_in_the_large_group_are_small(m: Material) -> Finding:
    """All pairs of the group, not only those with the top-ranked model; at best small is |d| below .5."""
    pairs = list(combinations(large_group(m), 2))
    d = {(a, b): abs(cohen_d(_scores(m, a), _scores(m, b))) for a, b in pairs}
    (a, b) = max(d, key=lambda pair: d[pair])
    counts = {name: sum(magnitude(x) == name for x in d.values()) for name in ABBREVIATIONS}
    return finding(
        d[a, b] < MEDIUM,
        f"The largest |d| of {len(pairs)} pairs is {d[a, b]:.3f} ({m.system(a).name} and {m.system(b).name}); "
        f"{counts['negligible']} are negligible and {counts['small']} small.",
        pairs=len(pairs),
        largest=[a, b, d[a, b]],
        classes=counts,
    )


def _rope_mass(differences: FloatArray, rope: float, prior: float = 0.5) -> float:
    """Expected share of the posterior that lies inside the rope: E[w' R w] of the Dirichlet weights, exact."""
    weights = np.concatenate(([prior], np.ones(len(differences))))
    z = np.concatenate(([0.0], differences))
    total = weights.sum()
    moments = (np.outer(weights, weights) + np.diag(weights)) / (total * (total + 1))
    return float(moments[np.abs(z[:, None] + z[None, :]) <= 2 * rope].sum())


@claim("C048", "V-A", "A substantial part of the posterior of the differences lies within the rope.")
@_with_group
def much_posterior_mass_is_in_the_rope(m: Material) -> Finding:
    """Expected mass in the rope (exact, no draws), pairs of the large group; substantial: a quarter or more."""
    substantial = 0.25
    pairs = list(combinations(large_group(m), 2))
    rope = m.posterior.rope
    place = {name: i for i, name in enumerate(m.order)}
    mass = {
        (a, b): _rope_mass(_scores(m, a) - _scores(m, b), float(rope[place[a], place[b]])) for a, b in pairs
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
@_with_group
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
    differences = np.array([_scores(m, b) - _scores(m, a) for a, b in pairs])
    p = posterior(differences, ropes, draws=m.knobs.draws, seed=m.knobs.seed)
    return int(np.count_nonzero(np.maximum(p[:, 0], p[:, 2]) >= m.knobs.threshold)), level


@claim("C050", "V-A", "The high deviation across tasks is a key driver of the uncertainty of the test.")
@_with_group
def deviation_across_tasks_drives_uncertainty(m: Material) -> Finding:
    """Key: if all tasks were equally hard, at least twice as many pairs of the group would be decided."""
    from scipy import stats

    group = large_group(m)
    pairs = list(combinations(group, 2))
    then, level = _with_equal_tasks(m, pairs)
    p = np.array([[m.p_better(a, b), m.p_equal(a, b), m.p_better(b, a)] for a, b in pairs])
    now = int(np.count_nonzero(np.maximum(p[:, 0], p[:, 2]) >= m.knobs.threshold))
    spread = [pooled_sd(_scores(m, a), _scores(m, b)) for a, b in pairs]
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
    best, baseline = m.order[0], "tfidf-xgboost"
    prompted = [at[name] for name in m.names(approach=Approach.PROMPTED)]
    return {
        "T5 large, the lower end": (0.53, float(better[at[best], at["t5-large"]])),
        "ModernBERT large, the upper end": (0.71, float(better[at[best], at["modernbert-large"]])),
        "the least of tier 3 over proprietary LLMs": (0.69, float(better[at[baseline], prompted].min())),
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
        f"autorank's of 0.1 pooled SD {met['autorank']}; 0.1 d is {widths['text'].min():.4f} to "
        f"{widths['text'].max():.4f} wide, the other {widths['autorank'].min():.4f} to "
        f"{widths['autorank'].max():.4f}, and {changed} of {len(upper[0])} decisions would differ "
        f"({decided['text']} against {decided['autorank']} decided pairs).",
        caveat=None if met["text"] == stated else f"Only {met['text']} of {stated} percentages are met.",
        percentages=found,
        met=met,
        decided_pairs=decided,
        changed_decisions=changed,
        median_half_width={mode: float(np.median(width)) for mode, width in widths.items()},
    )


@claim(
    "C117",
    "V-A",
    "Beside GPT-2 and Llama 3.2, the large group holds StarCoder2 3B, T5 but its smallest, CodeT5+, "
    "ModernBERT, CodeLlama, RoBERTa base and BERT base.",
)
def members_of_the_large_group(m: Material) -> Finding:
    """The models that V-A lists, read from the records by series and size, against the printed means."""
    series: dict[str, list[str]] = {}
    for s in m.systems:
        if s.approach is Approach.FINETUNED:
            series.setdefault(str(s.series), []).append(s.id)
    by_size = {s: sorted(names, key=lambda n: m.system(n).parameters or 0) for s, names in series.items()}
    whole = [n for s in (*TOP_SERIES, "CodeT5+", "ModernBERT", "CodeLlama") for n in by_size[s]]
    smallest = [by_size[s][0] for s in ("StarCoder2", "RoBERTa", "BERT")]
    stated = {*whole, *smallest, *by_size["T5"][1:]}
    group = set(large_group(m))
    wrong, unnamed = sorted(stated - group), sorted(group - stated)
    return finding(
        not wrong,
        f"{len(stated & group)} of the {len(stated)} models listed are in the group of {len(group)}; not in "
        f"it: {_named(m, wrong)}.",
        caveat=f"The list leaves out {_named(m, unnamed)}, which is in the group." if unnamed else None,
        listed=sorted(stated),
        group=sorted(group),
        not_in_group=wrong,
        not_listed=unnamed,
    )
