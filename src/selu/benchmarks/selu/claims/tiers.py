"""The posterior matrices and the four tiers (V-A, Figure 5)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import wraps
from itertools import combinations, pairwise

import numpy as np

from selu.benchmarks.selu.claims._claim import Check, claim, finding, listed, percent, unless_known
from selu.benchmarks.selu.claims.ranking import (
    HALF_WIDTH,
    LOW,
    TOP_SERIES,
    error,
    large_group,
    printed_mean,
)
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER, EQUAL
from selu.stats.effect import cohen_d
from selu.stats.rounding import as_printed
from selu.stats.tiers import separated, tiers
from selu.vocabulary import Approach, Finding, Kind

TIER3_LOW = 0.645  # mean that V-A gives for the lower of tier 3's two members
TIER4_HIGH = 0.625  # cut-off below tier 2 that V-A gives
XGBOOST = "tfidf-xgboost"


def named_tiers(m: Material) -> tuple[list[str], list[str], list[str], list[str]]:
    """The paper's tiers by the printed means and the systems' records, each in rank order.

    1: GPT-2 and Llama 3.2. 2: the other fine-tuned models from .709 up. 3: from .645 up to that. 4: the rest.
    """
    group = large_group(m)
    first = [name for name in group if m.system(name).series in TOP_SERIES]
    second = [name for name in group if name not in first]
    below = [name for name in m.order if name not in group]
    third = [name for name in below if TIER3_LOW <= printed_mean(m, name) < LOW]
    return first, second, third, [name for name in below if name not in third]


def _with_tiers(check: Check) -> Check:
    """A check that fails with a reason where altered printed means leave no tiers to compare."""

    @wraps(check)
    def guarded(m: Material) -> Finding:
        sizes = [len(names) for names in named_tiers(m)]
        if min(sizes) < 2:
            numbers = listed(str(n) for n in sizes)
            return finding(False, f"The printed means leave {numbers} systems in the four tiers.", sizes=sizes)
        return check(m)

    return guarded


def _decided(m: Material, upper: list[str], lower: list[str]) -> tuple[int, int]:
    """Pairs decided for the upper system, and all pairs."""
    place = {name: i for i, name in enumerate(m.order)}
    table = m.decisions.to_numpy()
    return separated(table, [place[name] for name in upper], [place[name] for name in lower])


def _probabilities(m: Material, upper: Iterable[str], lower: Iterable[str]) -> dict[tuple[str, str], float]:
    """P(upper better than lower) of every pair."""
    below = list(lower)
    return {(a, b): m.p_better(a, b) for a in upper for b in below}


def _near(m: Material, upper: list[str], lower: list[str]) -> dict[str, list[float]]:
    """Pairs within three Monte-Carlo errors of the threshold, with the probability and its error."""
    p = _probabilities(m, upper, lower)
    close = {pair: v for pair, v in p.items() if abs(v - m.knobs.threshold) < 3 * error(m, v)}
    return {_pair(m, pair): [value, error(m, value)] for pair, value in close.items()}


def _pair(m: Material, pair: tuple[str, str]) -> str:
    return f"{m.system(pair[0]).name} over {m.system(pair[1]).name}"


def _by_name(m: Material, p: dict[tuple[str, str], float]) -> dict[str, float]:
    return {_pair(m, pair): value for pair, value in p.items()}


def _means(m: Material, names: Iterable[str]) -> dict[str, float]:
    return {name: float(m.ranking["M"][name]) for name in names}


def _named(m: Material, names: Iterable[str]) -> str:
    return listed(m.system(name).name for name in names)


@claim("C052", "V-A tier 1", "It is very unlikely that any other system is better than one of tier 1.")
@_with_tiers
def others_hardly_beat_tier_1(m: Material) -> Finding:
    """Very unlikely: at most 5 %, for every pair of a system outside tier 1 and a model of tier 1."""
    unlikely = 1 - m.knobs.threshold
    first = named_tiers(m)[0]
    p = _probabilities(m, [name for name in m.order if name not in first], first)
    likely = {pair: value for pair, value in p.items() if value > unlikely}
    top = max(p, key=lambda pair: p[pair])
    even = [pair for pair, value in p.items() if value > 0.5]
    return finding(
        not likely,
        f"The highest probability is {percent(p[top])} ({_pair(m, top)}); {len(likely)} of {len(p)} pairs are "
        f"above {percent(unlikely)} and {len(even)} above 50 %.",
        pairs=len(p),
        above_5_percent=_by_name(m, likely),
        error_of_highest=error(m, p[top]),
    )


@claim("C053", "V-A tier 1", "The test confirms the GPT-2 and Llama 3.2 models as the best.")
@_with_tiers
def test_confirms_tier_1(m: Material) -> Finding:
    """Confirms: nearly all (95 %) of the pairs of tier 1 with the other systems are decided for tier 1."""
    nearly_all = 0.95
    first, second, third, fourth = named_tiers(m)
    won = {f"tier {i}": _decided(m, first, low) for i, low in enumerate((second, third, fourth), 2)}
    wins, pairs = (sum(counts) for counts in zip(*won.values(), strict=True))
    lost = _decided(m, [*second, *third, *fourth], first)[0]
    return finding(
        wins >= nearly_all * pairs and won["tier 2"][0] >= nearly_all * won["tier 2"][1],
        "Tier 1 is decided better in "
        + listed(f"{w} of {n} pairs with {tier}" for tier, (w, n) in won.items())
        + f", and worse in {lost}.",
        caveat=f"{pairs - wins} of {pairs} pairs are not decided." if wins < pairs else None,
        decided={tier: list(counts) for tier, counts in won.items()},
        decided_against_tier_1=lost,
        near_the_threshold=_near(m, first, [*second, *third, *fourth]),
    )


@claim("C054", "V-A tier 1", "GPT-2 xl is better than most models of tier 2 with a probability above 90 %.")
@_with_tiers
def best_model_beats_most_of_tier_2(m: Material) -> Finding:
    """Most: more than half; GPT-2 xl is read as the top-ranked model of the printed table."""
    bar, best = 0.9, "gpt2-xl"
    p = {name: m.p_better(best, name) for name in named_tiers(m)[1]}
    above = [name for name in p if p[name] > bar]
    near = [name for name in p if abs(p[name] - bar) < 3 * error(m, p[name])]
    caveat = f"For {_named(m, near)} the distance to {percent(bar)} is within three Monte-Carlo errors."
    return finding(
        2 * len(above) > len(p),
        f"{len(above)} of {len(p)} models of tier 2 are above {percent(bar)}: "
        f"{listed(f'{m.system(n).name} {percent(p[n])}' for n in above)}.",
        caveat=caveat if near else None,
        p={m.system(name).name: value for name, value in p.items()},
        error={m.system(name).name: error(m, value) for name, value in p.items()},
    )


@claim(
    "C055",
    "V-A tier 1",
    "Against T5 large, T5 base, CodeLlama 7B and ModernBERT large, GPT-2 xl reaches 53 to 71 % only.",
)
@_with_tiers
def four_models_are_hard_to_beat(m: Material) -> Finding:
    """Each within the range, give or take half a percentage point and three Monte-Carlo errors."""
    low, high, bar = 0.53, 0.71, 0.9
    stated = ["t5-large", "t5-base", "codellama-7b", "modernbert-large"]
    p = {name: m.p_better("gpt2-xl", name) for name in named_tiers(m)[1]}
    slack = {name: 0.005 + 3 * error(m, p[name]) for name in p}
    inside = [name for name in p if low - slack[name] <= p[name] <= high + slack[name]]
    out = [name for name in stated if name not in inside]
    unnamed = {name: p[name] for name in p if name not in stated and p[name] <= bar}
    others = listed(f"{m.system(n).name} {percent(v)}" for n, v in unnamed.items())
    return finding(
        not out,
        f"{len(stated) - len(out)} of {len(stated)} lie in the range, not "
        f"{listed(f'{m.system(n).name} with {percent(p[n])}' for n in out)}; of the rest of tier 2, in the "
        f"range are {_named(m, (n for n in inside if n not in stated))}.",
        caveat=f"Not mentioned, yet not above 90 % either: {others}." if unnamed else None,
        p={m.system(name).name: value for name, value in p.items()},
        outside=out,
        not_mentioned_and_at_most_90_percent=unnamed,
        error={m.system(name).name: error(m, value) for name, value in p.items()},
    )


@claim("C056", "V-A tier 2", "Models with a mean of .709 or more are significantly above all of .625 or less.")
@_with_tiers
def large_group_is_above_the_lowest(m: Material) -> Finding:
    """All pairs by printed mean; nearly all decided (95 %) is a caveat, fewer fails."""
    nearly_all = 0.95
    upper = large_group(m)
    lower = [name for name in m.order if printed_mean(m, name) <= TIER4_HIGH]
    wins, pairs = _decided(m, upper, lower)
    p = _probabilities(m, upper, lower)
    missed = {pair: value for pair, value in p.items() if value < m.knobs.threshold}
    second = named_tiers(m)[1]
    shown = listed(f"{_pair(m, pair)} {percent(value)}" for pair, value in missed.items())
    worst = max((error(m, value) for value in missed.values()), default=0.0)
    caveat = f"Not decided: {shown}, with Monte-Carlo errors of up to {percent(worst)}."
    return finding(
        wins >= nearly_all * pairs,
        f"{wins} of the {pairs} pairs ({len(upper)} x {len(lower)}) are decided, "
        f"{_decided(m, second, lower)[0]} of {len(second) * len(lower)} with tier 2 alone.",
        caveat=caveat if missed else None,
        decided=wins,
        pairs=pairs,
        not_decided=_by_name(m, missed),
        error=worst,
    )


@claim("C057", "V-A tier 2", "A mean of .625 is the line below which tier 2 has left all but tier 3.")
@_with_tiers
def cut_off_parts_tier_2_from_the_rest(m: Material) -> Finding:
    """Every system that is in neither of the tiers 1 to 3 must have a recomputed mean of at most .625."""
    _, second, _, fourth = named_tiers(m)
    means = {name: float(as_printed(value)) for name, value in _means(m, fourth).items()}
    between = {name: mean for name, mean in means.items() if mean > TIER4_HIGH}
    won = {name: _decided(m, second, [name]) for name in between}
    tests = listed(f"{wins} of {n} models of tier 2 over {m.system(s).name}" for s, (wins, n) in won.items())
    return finding(
        not between,
        f"{len(means) - len(between)} of the {len(means)} systems below tier 3 have a mean of at most "
        f"{TIER4_HIGH}; between that and {LOW} lie "
        f"{listed(f'{m.system(n).name} ({v:.3f})' for n, v in between.items())}, and the test decides for "
        f"{tests}.",
        means=means,
        between=between,
        decided_by_tier_2={name: list(counts) for name, counts in won.items()},
        p={name: _by_name(m, _probabilities(m, second, [name])) for name in between},
    )


@claim("C058", "V-A tiers 2, 3", "Tier 2 stands apart from tier 3.")
@_with_tiers
def tier_2_is_apart_from_tier_3(m: Material) -> Finding:
    """Apart: more than half of tier 2 is decided better than each member of tier 3; not all is a caveat."""
    _, second, third, _ = named_tiers(m)
    won = {name: _decided(m, second, [name]) for name in third}
    p = {name: _probabilities(m, second, [name]) for name in third}
    highest = {name: max(values, key=values.__getitem__) for name, values in p.items()}
    open_pairs = sum(n - wins for wins, n in won.values())
    return finding(
        bool(third) and all(2 * wins > n for wins, n in won.values()),
        "Tier 2 is decided better in "
        + listed(f"{wins} of {n} pairs with {m.system(s).name}" for s, (wins, n) in won.items())
        + "; the highest probabilities are "
        + listed(f"{percent(p[name][pair])} ({_pair(m, pair)})" for name, pair in highest.items())
        + ".",
        caveat=f"{open_pairs} pairs are not decided." if open_pairs else None,
        decided={name: list(counts) for name, counts in won.items()},
        p={name: _by_name(m, values) for name, values in p.items()},
    )


@claim("C059", "V-A tiers 2, 3", "Every model of tier 2 is better than TF-IDF+XGBoost.")
@_with_tiers
def tier_2_is_above_xgboost(m: Material) -> Finding:
    """Better: decided by the test, in every pair."""
    second = named_tiers(m)[1]
    p = _probabilities(m, second, [XGBOOST])
    lowest = min(p, key=lambda pair: p[pair])
    wins, pairs = _decided(m, second, [XGBOOST])
    return finding(
        wins == pairs,
        f"{wins} of {pairs} models are decided better; the lowest probability is {percent(p[lowest])} "
        f"({_pair(m, lowest)}).",
        p=_by_name(m, p),
        error_of_lowest=error(m, p[lowest]),
    )


@claim("C060", "V-A tier 3", "StarCoder2 7B and TF-IDF+XGBoost belong to one tier.")
@_with_tiers
def tier_3_is_one_tier(m: Material) -> Finding:
    """One tier: tier 3 has these two, and the test decides for neither."""
    third = named_tiers(m)[2]
    p = {pair: m.p_better(*pair) for a, b in combinations(third, 2) for pair in ((a, b), (b, a))}
    top = max(p, key=lambda pair: p[pair])
    gaps = [float(m.ranking["M"][a] - m.ranking["M"][b]) for a, b in pairwise(third)]
    return finding(
        set(third) == {"starcoder2-7b", XGBOOST} and p[top] < m.knobs.threshold,
        f"The test gives {_pair(m, top)} a probability of {percent(p[top])} (Monte-Carlo error "
        f"{percent(error(m, p[top]))}, threshold {percent(m.knobs.threshold)}), at a difference in mean of "
        f"{gaps[0]:+.3f}.",
        p=_by_name(m, p),
        error=error(m, p[top]),
        steps_in_mean=gaps,
    )


@claim("C061", "V-A tier 3", "The test confirms that both systems of tier 3 are better than all ranked below.")
@_with_tiers
def tier_3_is_above_tier_4(m: Material) -> Finding:
    """Confirms: decided for tier 3 in every pair; nearly all (95 %) is a caveat."""
    nearly_all = 0.95
    _, _, third, fourth = named_tiers(m)
    p = _probabilities(m, third, fourth)
    won = {name: _decided(m, [name], fourth) for name in third}
    wins, pairs = _decided(m, third, fourth)
    low = min(p, key=lambda pair: p[pair])
    behind = {pair: value for pair, value in p.items() if m.p_better(pair[1], pair[0]) > value}
    return finding(
        wins >= nearly_all * pairs,
        f"{wins} of {pairs} pairs are decided, "
        + listed(f"{w} of {n} for {m.system(name).name}" for name, (w, n) in won.items())
        + f"; the lowest probability is {percent(p[low])} ({_pair(m, low)}), and in {len(behind)} pairs the "
        "system of tier 4 is the likelier to be better.",
        caveat=f"{pairs - wins} pairs are not decided." if wins < pairs else None,
        p=_by_name(m, p),
        more_likely_the_other_way=_by_name(m, behind),
        near_the_threshold=_near(m, third, fourth),
    )


@claim("C062", "V-A tier 3", "Tier 3 is better than each proprietary LLM with a probability of at least 69 %.")
@_with_tiers
def tier_3_over_proprietary_models(m: Material) -> Finding:
    """At least 69 % as printed: to the whole percentage point."""
    stated = 0.69
    p = _probabilities(m, named_tiers(m)[2], m.names(approach=Approach.PROMPTED))
    low = min(p, key=lambda pair: p[pair])
    mc = error(m, p[low])
    caveat = (
        f"Unrounded it is {100 * p[low]:.2f} %, and its Monte-Carlo error of {percent(mc)} is larger than the "
        "distance."
    )
    return finding(
        float(as_printed(p[low], 2)) >= stated,
        f"The lowest of {len(p)} probabilities is {percent(p[low])} ({_pair(m, low)}).",
        caveat=caveat if abs(p[low] - stated) < mc else None,
        p=_by_name(m, p),
        error_of_lowest=mc,
    )


@claim("C063", "V-A tier 3", "Many of these probabilities are above the threshold of 95 %.")
@_with_tiers
def many_of_tier_3_are_decided(m: Material) -> Finding:
    """Many: at least half of the pairs of tier 3 and a proprietary LLM."""
    third, prompted = named_tiers(m)[2], m.names(approach=Approach.PROMPTED)
    won = {name: _decided(m, [name], prompted) for name in third}
    wins, pairs = _decided(m, third, prompted)
    return finding(
        2 * wins >= pairs,
        f"{wins} of {pairs} are above it, "
        + listed(f"{w} of {n} for {m.system(name).name}" for name, (w, n) in won.items())
        + ".",
        decided={name: list(counts) for name, counts in won.items()},
        p=_by_name(m, _probabilities(m, third, prompted)),
    )


@claim("C064", "V-A tier 4", "The test finds no big differences among the systems of tier 4.")
@_with_tiers
def tier_4_has_no_big_differences(m: Material) -> Finding:
    """Big: more than half of the pairs decided, or a decided pair with at least a medium effect (d >= .5)."""
    medium = 0.5
    fourth = named_tiers(m)[3]
    pairs = [(a, b) for a in fourth for b in fourth if a != b and str(m.decisions.loc[a, b]) == BETTER]
    d = {(a, b): cohen_d(m.ranked[a].to_numpy(), m.ranked[b].to_numpy()) for a, b in pairs}
    n = len(fourth) * (len(fourth) - 1) // 2
    p = {pair: m.p_better(*pair) for pair in pairs}
    close = [pair for pair in pairs if p[pair] - m.knobs.threshold < 3 * error(m, p[pair])]
    caveat = (
        f"Decided are {listed(f'{_pair(m, pair)} ({percent(value)})' for pair, value in p.items())}, "
        f"{len(close)} of them within three Monte-Carlo errors of the threshold."
    )
    return finding(
        2 * len(pairs) <= n and all(abs(value) < medium for value in d.values()),
        f"{len(pairs)} of {n} pairs are decided, with effects of d = {max(d.values(), default=0.0):.2f} at "
        "most.",
        caveat=caveat if pairs else None,
        decided=_by_name(m, p),
        d=_by_name(m, d),
        pairs=n,
        near_the_threshold=[_pair(m, pair) for pair in close],
    )


@claim("C065", "V-A tier 4", "The means of tier 4 differ little, seen against a high deviation across tasks.")
@_with_tiers
def tier_4_means_differ_little(m: Material) -> Finding:
    """Little: at most a small effect (d below .5) between any two. High: the highest average SD of a tier."""
    medium = 0.5
    groups = named_tiers(m)
    fourth = groups[3]
    means, sds = _means(m, fourth), [float(m.ranking["SD"][list(names)].mean()) for names in groups]
    d = {
        (a, b): abs(cohen_d(m.ranked[a].to_numpy(), m.ranked[b].to_numpy())) for a, b in combinations(fourth, 2)
    }
    top = max(d, key=lambda pair: d[pair])
    span = max(means.values()) - min(means.values())
    return finding(
        d[top] < medium and sds[3] == max(sds),
        f"The means span {span:.3f}, the largest effect is d = {d[top]:.2f}, and the average SD is "
        f"{sds[3]:.3f} against {listed(f'{sd:.3f} (tier {i})' for i, sd in enumerate(sds[:3], 1))}.",
        means=means,
        span=span,
        largest_effect=[*top, d[top]],
        mean_sd_by_tier=sds,
    )


def _constant_score(m: Material, task: str) -> float | None:
    """Best F1-macro of an answer that is the same for every test row, from the package's confusion matrices.

    For labels that are given or not, it is the answer that gives every label. None without matrices.
    """
    cells = {
        tuple(int(i) for i in re.findall(r"\[(\d+)\]", column)): float(place.printed)
        for (row, column), place in m.tables["package_baselines"].items()
        if row == f"{task}/{XGBOOST}" and column.startswith("confusion_matri")
    }
    if not cells:
        return None
    labels = range(1 + max(index[0] for index in cells))
    if m.task(task).kind is Kind.MULTI_LABEL:
        total = sum(value for index, value in cells.items() if index[0] == 0)
        support = [sum(v for i, v in cells.items() if i[:2] == (label, 1)) for label in labels]
        return float(np.mean([2 * n / (total + n) for n in support]))
    total = sum(cells.values())
    support = [sum(v for i, v in cells.items() if i[0] == label) for label in labels]
    return max(2 * n / (total + n) for n in support) / len(support)


def _collapsed(m: Material) -> dict[str, dict[str, float]]:
    """Cells of fine-tuned models no better than a constant answer: system -> task -> score."""
    found: dict[str, dict[str, float]] = {}
    for task in m.ranked.index:
        level = _constant_score(m, str(task))
        for name in m.names(approach=Approach.FINETUNED):
            score = float(m.ranked[name][task])
            if level is not None and score <= level + HALF_WIDTH:
                found.setdefault(name, {})[str(task)] = score
    return found


def _shortfall(m: Material, name: str, tasks: Iterable[str]) -> tuple[str, float]:
    """Smallest model of the same series, and the share of the distance to it that lies in these tasks."""
    series = m.names(approach=Approach.FINETUNED, series=m.system(name).series)
    smaller = min(series, key=lambda other: m.system(other).parameters or 0)
    distance = m.ranked[smaller] - m.ranked[name]
    total = float(distance.sum())
    return smaller, float(distance[list(tasks)].sum()) / total if total > 0 else 0.0


def _earlier(m: Material, cells: dict[tuple[str, str], float]) -> dict[str, list[float]]:
    """Cells (task, system) that the authors' preprint has as well: its score, the printed one, its epochs."""
    known = m.tables.get("package_preprint", {})
    return {
        f"{task} of {m.system(name).name}": [
            m.number("package_preprint", f"{task}/{name}", "f1_macro"),
            score,
            m.number("package_preprint", f"{task}/{name}", "epoch"),
        ]
        for (task, name), score in cells.items()
        if (f"{task}/{name}", "f1_macro") in known
    }


@claim("C066", "V-A tier 4", "BERT large and RoBERTa large are in tier 4 because they were trained too little.")
@_with_tiers
def two_large_models_are_undertrained(m: Material) -> Finding:
    """Most of their distance to the base version lies in cells no better than a constant answer.

    A higher score of the authors' preprint, after fewer epochs, speaks against too little training.
    """
    if missing := unless_known(m, "package_baselines", "The class counts of the test splits are not known"):
        return missing
    collapsed, two, fourth = _collapsed(m), ["bert-large", "roberta-large"], named_tiers(m)[3]
    share = {name: _shortfall(m, name, collapsed.get(name, {})) for name in two}
    cells = {(task, name): v for name in two for task, v in collapsed.get(name, {}).items()}
    early = _earlier(m, cells)
    better = [place for place, (before, now, _) in early.items() if before > now + HALF_WIDTH]
    largest = max((m.task(task).instances for task, _ in cells), default=0)
    others = {name: len(found) for name, found in collapsed.items() if name not in two}
    small = 10_000  # instances below which IV-C sets the high learning rate
    epochs = max((early[place][2] for place in better), default=0.0)
    rate = " (all on small tasks, for which IV-C sets the high learning rate)" if largest < small else ""
    caveat = (
        f"Too little training need not be the cause: {len(better)} of the {len(early)} such cells that the "
        f"authors' preprint has score higher there, after at most {epochs:.1f} epochs{rate}, namely "
        f"{listed(better)}."
    )
    return finding(
        all(name in fourth and share[name][1] > 0.5 for name in two),
        "No better than a constant answer are "
        + listed(
            f"{len(collapsed.get(n, {}))} cells of {m.system(n).name}, {percent(part)} of its distance to "
            f"{m.system(base).name}"
            for n, (base, part) in share.items()
        )
        + "; other fine-tuned models with such cells are "
        + listed(f"{m.system(n).name} ({v})" for n, v in others.items())
        + ".",
        caveat=caveat if better else None,
        collapsed=collapsed,
        share_of_distance={name: [base, part] for name, (base, part) in share.items()},
        preprint_printed_epochs=early,
        constant_scores={str(task): _constant_score(m, str(task)) for task in m.ranked.index},
    )


@claim("C067", "Box V-A", "Fine-tuned LLMs perform best on the tasks.")
def finetuned_models_perform_best(m: Material) -> Finding:
    """Best: the first half of the ranks is theirs, and they have the best score of most tasks."""
    tuned = m.names(approach=Approach.FINETUNED)
    top = m.ranked.max(axis=1)
    lost = {
        str(task): [str(n) for n in m.order if m.ranked[n][task] == top[task] and n not in tuned]
        for task in m.ranked.index
        if max(m.ranked[n][task] for n in tuned) < top[task]
    }
    half = m.order[: len(m.order) // 2]
    first_other = next(i for i, name in enumerate(m.order) if name not in tuned)
    below = [name for name in m.order[first_other:] if name in tuned]
    caveat = (
        f"On {listed(f'{task} ({_named(m, names)})' for task, names in lost.items())} another system is best, "
        f"and {_named(m, below)} rank below {m.system(m.order[first_other]).name}."
    )
    return finding(
        set(half) <= set(tuned) and 2 * len(lost) < len(top),
        f"Fine-tuned LLMs hold the first {first_other} ranks and the best score of {len(top) - len(lost)} of "
        f"the {len(top)} tasks.",
        caveat=caveat if lost or below else None,
        first_ranks=first_other,
        tasks_lost=lost,
        below_another_system=below,
    )


@claim("C068", "Box V-A", "No strong result favours a model size.")
def no_size_is_favoured(m: Material) -> Finding:
    """Strong: Spearman's correlation of printed size and mean over the fine-tuned models with p below alpha."""
    from scipy import stats

    tuned = m.names(approach=Approach.FINETUNED)
    sizes = {name: float(m.system(name).parameters or 0) for name in tuned}
    test = stats.spearmanr(list(sizes.values()), list(_means(m, tuned).values()))
    pairs = [(a, b) for a in tuned for b in tuned if sizes[a] > sizes[b]]
    larger = [(a, b) for a, b in pairs if str(m.decisions.loc[a, b]) == BETTER]
    smallest = min(tuned, key=lambda name: sizes[name])
    over = sum(b == smallest for _, b in larger)
    smaller = sum(str(m.decisions.loc[b, a]) == BETTER for a, b in pairs)
    caveat = f"Of the {len(larger)} decided for the larger, {over} are decided over {m.system(smallest).name}."
    return finding(
        float(test.pvalue) >= m.knobs.alpha,
        f"Spearman's correlation of size and mean over {len(tuned)} models is {float(test.statistic):+.2f} (p "
        f"= {float(test.pvalue):.2f}); of {len(pairs)} pairs the test decides {len(larger)} for the larger "
        f"model and {smaller} for the smaller.",
        caveat=caveat if len(larger) > 2 * smaller else None,
        spearman=float(test.statistic),
        p=float(test.pvalue),
        pairs=len(pairs),
        decided_for_larger=len(larger),
        decided_for_larger_over_the_smallest=over,
        decided_for_smaller=smaller,
    )


@claim("C069", "Box V-A", "No strong result favours an architecture.")
def no_architecture_is_favoured(m: Material) -> Finding:
    """Strong: Kruskal-Wallis over the models' means, p below alpha and a large effect (epsilon^2 >= .14)."""
    from scipy import stats

    large = 0.14
    means = _means(m, m.names(approach=Approach.FINETUNED))
    groups: dict[str, list[str]] = {}
    for name in means:
        groups.setdefault(str(m.system(name).architecture), []).append(name)
    test = stats.kruskal(*([means[name] for name in names] for names in groups.values()))
    epsilon = float(test.statistic) / (len(means) - 1)
    medians = {key: float(np.median([means[name] for name in names])) for key, names in groups.items()}
    best = max(medians, key=lambda key: medians[key])
    others = {key: names for key, names in groups.items() if key != best}
    won = {key: _decided(m, groups[best], names) for key, names in others.items()}
    lost = {key: _decided(m, names, groups[best])[0] for key, names in others.items()}
    core = [[means[name] for name in names if name in large_group(m)] for names in groups.values()]
    inner = float(stats.kruskal(*core).pvalue) if all(core) else float("nan")
    return finding(
        float(test.pvalue) >= m.knobs.alpha or epsilon < large,
        f"The median mean is {listed(f'{v:.3f} ({key})' for key, v in medians.items())}: Kruskal-Wallis p = "
        f"{float(test.pvalue):.3f} over {len(means)} models, epsilon^2 = {epsilon:.2f} (p = {inner:.3f} "
        f"within the large group), and {best} models are decided better in "
        f"{listed(f'{w} of {n} pairs with {key}' for key, (w, n) in won.items())}, worse in "
        f"{sum(lost.values())}.",
        p=float(test.pvalue),
        statistic=float(test.statistic),
        epsilon_squared=epsilon,
        medians=medians,
        decided_for_best={key: list(counts) for key, counts in won.items()},
        decided_against_best=lost,
        p_within_large_group=inner,
    )


@claim("C070", "Box V-A, VI", "TF-IDF+XGBoost is better than the prompted proprietary LLMs.")
def xgboost_is_above_prompted_models(m: Material) -> Finding:
    """A higher mean and likelier better than each; pairs not decided, or too few tasks won, are a caveat."""
    prompted = m.names(approach=Approach.PROMPTED)
    gaps = {name: float(m.ranking["M"][XGBOOST] - m.ranking["M"][name]) for name in prompted}
    p = {name: m.p_better(XGBOOST, name) for name in prompted}
    tasks = {name: int((m.ranked[XGBOOST] > m.ranked[name]).sum()) for name in prompted}
    decided = [name for name in prompted if p[name] >= m.knobs.threshold]
    most = [name for name in prompted if 2 * tasks[name] > len(m.ranked)]
    caveat = (
        f"By the threshold of IV-D it outperforms {len(decided)} of the {len(prompted)}, and it wins the "
        f"majority of tasks against {len(most)} "
        f"({listed(f'{tasks[n]} of {len(m.ranked)} {m.system(n).name}' for n in prompted)})."
    )
    return finding(
        all(gaps[name] > 0 and p[name] > m.p_better(name, XGBOOST) for name in prompted),
        "Its lead in mean and its probability are "
        + listed(f"{gaps[n]:+.3f} and {percent(p[n])} ({m.system(n).name})" for n in prompted)
        + ".",
        caveat=caveat if set(decided) != set(prompted) or set(most) != set(prompted) else None,
        lead=gaps,
        p=p,
        tasks_won=tasks,
        error={name: error(m, value) for name, value in p.items()},
    )


@claim("C071", "V-A, Figure 5", "The test finds pairs of systems that are practically equivalent.")
def some_pairs_are_equivalent(m: Material) -> Finding:
    """At least one pair with P(equal) at the threshold; fewer than one in a hundred pairs is a caveat."""
    p = {(a, b): m.p_equal(a, b) for a, b in combinations(m.order, 2)}
    found = [(a, b) for a, b in p if str(m.decisions.loc[a, b]) == EQUAL]
    top = sorted(p, key=lambda pair: -p[pair])[:5]
    shown = {f"{m.system(a).name} and {m.system(b).name}": p[a, b] for a, b in top}
    near = [pair for pair in p if abs(p[pair] - m.knobs.threshold) < 3 * error(m, p[pair])]
    caveat = (
        f"That is {percent(len(found) / len(p))} of the pairs, and {len(near)} lie within three Monte-Carlo "
        "errors of the threshold."
    )
    return finding(
        bool(found),
        f"{len(found)} of {len(p)} pairs are decided as equivalent; the highest probabilities are "
        f"{listed(f'{percent(value)} ({name})' for name, value in list(shown.items())[:3])}.",
        caveat=caveat if len(found) < len(p) / 100 else None,
        equivalent=[list(pair) for pair in found],
        pairs=len(p),
        highest=shown,
        near_the_threshold=[list(pair) for pair in near],
        error_of_highest=error(m, p[top[0]]),
    )


@claim("C072", "V-A", "The matrices set four tiers of systems apart.")
@_with_tiers
def matrices_show_four_tiers(m: Material) -> Finding:
    """Apart: all pairs of neighbouring tiers decided; more than half of each is a caveat.

    Beside it, a grouping by decisions alone: a tier ends where its first system is decided to be better.
    """
    groups = named_tiers(m)
    won = {
        f"{i} and {i + 1}": _decided(m, upper, lower) for i, (upper, lower) in enumerate(pairwise(groups), 1)
    }
    inside = {str(i): _decided(m, names, names)[0] for i, names in enumerate(groups, 1)}
    greedy = [[m.order[i] for i in rows] for rows in tiers(m.decisions.to_numpy())]
    same = greedy == [list(names) for names in groups]
    undecided = sum(n - wins for wins, n in won.values())
    caveat = f"{undecided} pairs of neighbouring tiers are not decided."
    return finding(
        all(2 * wins > n for wins, n in won.values()),
        "Neighbouring tiers are decided apart in "
        + listed(f"{wins} of {n} pairs ({which})" for which, (wins, n) in won.items())
        + f"; {sum(inside.values())} pairs inside a tier are decided, and decisions alone give {len(greedy)} "
        f"tiers of {listed(str(len(names)) for names in greedy)} systems against the paper's "
        f"{listed(str(len(names)) for names in groups)}.",
        caveat=caveat if undecided else None,
        named=[list(names) for names in groups],
        by_decisions=greedy,
        same=same,
        decided_between={which: list(counts) for which, counts in won.items()},
        decided_inside=inside,
        near_the_threshold=[_near(m, upper, lower) for upper, lower in pairwise(groups)],
    )


@claim("C118", "V-A tier 4", "T5 small and FastText may rank so low because they are too small.")
@_with_tiers
def smallest_models_are_in_tier_4(m: Material) -> Finding:
    """Judged for T5 small: the smallest LLM, decided worse than all its larger siblings, in tier 4."""
    small, fourth = "t5-small", named_tiers(m)[3]
    tuned = m.names(approach=Approach.FINETUNED)
    sizes = sorted(tuned, key=lambda name: m.system(name).parameters or 0)
    siblings = [n for n in tuned if m.system(n).series == m.system(small).series and n != small]
    wins, pairs = _decided(m, siblings, [small])
    following = sizes[1]
    ratio = (m.system(following).parameters or 0) / (m.system(small).parameters or 1)
    unknown = m.system("fasttext").parameters is None
    caveat = (
        f"The next smallest, {m.system(following).name}, has {ratio:.1f} times its size and a mean of "
        f"{m.ranking['M'][following]:.3f}" + ("; the paper gives no size for FastText." if unknown else ".")
    )
    return finding(
        sizes[0] == small and wins == pairs and {small, "fasttext"} <= set(fourth),
        f"{m.system(sizes[0]).name} is the smallest of {len(tuned)} fine-tuned LLMs; T5 small has a mean of "
        f"{m.ranking['M'][small]:.3f} and is decided worse than {wins} of its {pairs} siblings.",
        caveat=caveat if following not in fourth or unknown else None,
        sizes={name: m.system(name).size_printed for name in sizes[:4]},
        means=_means(m, [*sizes[:4], *siblings, "fasttext"]),
        p_sibling_better=_by_name(m, _probabilities(m, siblings, [small])),
    )


@claim("C119", "V-A tier 1", "About tier 1 against tier 2, nothing firm can be said statistically.")
@_with_tiers
def nothing_firm_about_tier_1(m: Material) -> Finding:
    """Firm: decided at IV-D's threshold. None holds, less than a fifth of the pairs is a caveat, more fails."""
    few = 0.2
    first, second, _, _ = named_tiers(m)
    wins, pairs = _decided(m, first, second)
    against = _decided(m, second, first)[0]
    firm = {pair: p for pair, p in _probabilities(m, first, second).items() if p >= m.knobs.threshold}
    shown = listed(f"{_pair(m, pair)} ({percent(p)})" for pair, p in firm.items())
    return finding(
        wins + against < few * pairs,
        f"Of {pairs} pairs the test decides {wins} for tier 1 and {against} for tier 2.",
        caveat=f"By IV-D's own threshold these are conclusions: {shown}." if wins + against else None,
        pairs=pairs,
        decided=_by_name(m, firm),
        decided_against=against,
        near_the_threshold=_near(m, first, second),
    )
