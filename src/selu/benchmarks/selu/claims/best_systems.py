"""Which systems are best, and who is close behind (V-A, VI, VIII)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from selu.benchmarks.claims import claim, finding, listed, percent
from selu.benchmarks.selu.aggregates import HALF_WIDTH
from selu.benchmarks.selu.claims._large_group import LOW
from selu.benchmarks.selu.claims._scales import MEDIUM
from selu.benchmarks.selu.claims._systems import (
    LEADING_SERIES,
    XGBOOST,
    error,
    finetuned,
    mean_of,
    name_of,
    named,
    scores_of,
    sd_of,
    size_of,
)
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER
from selu.stats.effect import cohen_d
from selu.stats.rounding import as_printed
from selu.vocabulary import Approach, Finding

OLD_SERIES = ("GPT-2", "T5", "BERT")  # the ones that VI calls outdated
NEW_SERIES = ("ModernBERT", "Llama 3.2", "CodeLlama", "StarCoder2", "CodeT5+")  # released 2023 and 2024


def _shown(values: Mapping[str, str]) -> str:
    return listed(f"{name} ({value})" for name, value in values.items())


def _followers(m: Material) -> list[str]:
    """Fine-tuned systems outside the two leading series, in rank order."""
    return [name for name in finetuned(m) if m.system(name).series not in LEADING_SERIES]


def _near_the_top(m: Material) -> list[str]:
    """Followers in V-A's large group, whose means are printed as .709 and more."""
    return [name for name in _followers(m) if float(as_printed(mean_of(m, name))) >= LOW]


def _lost_to(m: Material, winner: str, names: list[str]) -> dict[str, str]:
    """Which of the names the test decides against, with the probability and its Monte-Carlo error."""
    errors = m.posterior.error_better[m.order.index(winner)]
    return {
        name_of(m, name): f"{m.p_better(winner, name):.3f} ± {errors[m.order.index(name)]:.4f}"
        for name in names
        if m.decisions.loc[winner, name] == BETTER
    }


@claim("C038", "V-A", "No other series reach the means of GPT-2 and Llama 3.2.")
def top_series_have_the_highest_means(m: Material) -> Finding:
    """The two series fill the first ranks; a lead that the rounding of the scores explains is a caveat."""
    top = [s.id for s in m.systems if s.series in LEADING_SERIES and s.approach is Approach.FINETUNED]
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
        f"The {len(top)} best means belong to {named(m, first)}; {a} has a lead of {lead:+.5f} on {b}.",
        caveat=caveat if lead < 2 * HALF_WIDTH else None,
        first=first,
        top_series=top,
        lead=lead,
        p_last_better=p,
        p_next_better=q,
        error=error(m, q),
    )


@claim("C067", "Box V-A", "The best results come from fine-tuned LLMs.")
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
        f"On {listed(f'{task} ({named(m, names)})' for task, names in lost.items())} another system is best, "
        f"and {named(m, below)} rank below {m.system(m.order[first_other]).name}."
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


@claim("C090", "VI second", "The fine-tuned large decoder-only GPT-2 and Llama 3.2 models have the best means.")
def leading_series_have_the_best_means(m: Material) -> Finding:
    """All members of the two series rank above every other system; large is read as 500M and more."""
    large = 5e8
    members = finetuned(m, *LEADING_SERIES)
    top = m.order[: len(members)]
    small = [name for name in members if size_of(m, name) < large]
    next_best = m.order[len(members)]
    margin = mean_of(m, top[-1]) - mean_of(m, next_best)
    caveat = (
        f"Not all of them are large: {named(m, small)} with fewer than 500M parameters are among them, the "
        f"last of the group {margin:.5f} above {name_of(m, next_best)}."
    )
    return finding(
        set(top) == set(members) and all(m.system(name).architecture == "decoder-only" for name in members),
        f"The {len(members)} models of the two series take ranks "
        f"{listed(f'{m.order.index(name) + 1} ({name_of(m, name)})' for name in members)}.",
        caveat=caveat if small else None,
        means={name: mean_of(m, name) for name in [*members, next_best]},
        below_500m=small,
        margin_to_next=margin,
    )


@claim(
    "C091", "VI second", "Many other fine-tuned LLMs of all kinds are only a small distance behind the best."
)
def many_others_are_close(m: Material) -> Finding:
    """Small: d below .5 to the best; many: most of the others, from all three architectures."""
    best, others = m.order[0], _followers(m)
    d = {name: cohen_d(scores_of(m, best), scores_of(m, name)) for name in others}
    close = [name for name in others if d[name] < MEDIUM]
    kinds = {str(m.system(name).architecture) for name in close}
    lost = _lost_to(m, best, close)
    caveat = f"Small is not undecided: the test decides for {name_of(m, best)} against {_shown(lost)}."
    return finding(
        2 * len(close) > len(others) and len(kinds) == 3,
        f"{len(close)} of the {len(others)} fine-tuned models outside the two series are within d = .5 of "
        f"{name_of(m, best)} ({listed(sorted(kinds))}), at most {max((d[n] for n in close), default=0):.2f}.",
        caveat=caveat if lost else None,
        d=d,
        close=close,
        decided_against=lost,
    )


@claim("C092", "VI second", "The older series GPT-2, T5 and BERT keep up with newer LLMs.")
def old_series_remain_competitive(m: Material) -> Finding:
    """The best member of each is less than a medium effect (d < .5) below the best of the newer series."""
    new = finetuned(m, *NEW_SERIES)[0]
    old = {series: finetuned(m, series)[0] for series in OLD_SERIES}
    d = {series: cohen_d(scores_of(m, new), scores_of(m, name)) for series, name in old.items()}
    lost = _lost_to(m, new, list(old.values()))
    baseline = mean_of(m, XGBOOST)
    weak = [name for name in finetuned(m, *OLD_SERIES) if mean_of(m, name) < baseline]
    caveats = []
    if lost:
        caveats.append(f"The test decides for {name_of(m, new)} against {_shown(lost)}.")
    if weak:
        caveats.append(f"Not every version does: {named(m, weak)} rank below TF-IDF+XGBoost.")
    return finding(
        all(value < MEDIUM for value in d.values()),
        f"Against {name_of(m, new)}, the best of the newer series (M = {mean_of(m, new):.3f}), stand "
        f"{listed(f'{name_of(m, name)} ({mean_of(m, name):.3f}, d = {d[s]:.2f})' for s, name in old.items())}.",
        caveat=" ".join(caveats),
        d=d,
        means={name: mean_of(m, name) for name in [new, *old.values()]},
        decided_against=lost,
        below_the_baseline=weak,
    )


@claim("C102", "VIII", "The decoder-only GPT-2 and Llama 3.2 form the top tier, with low spread over tasks.")
def top_tier_has_low_spread(m: Material) -> Finding:
    """They lead by mean, and each has an SD below the median SD of all systems."""
    members = finetuned(m, *LEADING_SERIES)
    sd = {name: sd_of(m, name) for name in m.order}
    middle = float(np.median(list(sd.values())))
    place = {name: sorted(sd.values()).index(sd[name]) + 1 for name in members}
    rest = [n for n in finetuned(m) if n not in members and m.system(n).architecture == "decoder-only"]
    pairs = list(product(members, _near_the_top(m)))
    won = sum(bool(m.decisions.loc[a, b] == BETTER) for a, b in pairs)
    caveat = (
        f"The test decides only {won} of their {len(pairs)} pairs with the next group (mean from .709), and "
        f"the other decoder-only models rank {listed(str(m.order.index(n) + 1) for n in rest)}."
    )
    return finding(
        set(m.order[: len(members)]) == set(members) and all(sd[name] < middle for name in members),
        f"The {len(members)} models lead by mean, with SDs of "
        f"{min(sd[n] for n in members):.3f} to {max(sd[n] for n in members):.3f} (places "
        f"{listed(str(p) for p in sorted(place.values()))} from below; median of all {middle:.3f}).",
        caveat=caveat if won < len(pairs) else None,
        sd=sd,
        place_from_below=place,
        decided_against_next_group=won,
        pairs=len(pairs),
        other_decoder_only={name: m.order.index(name) + 1 for name in rest},
    )


@claim("C103", "VIII", "Twelve other LLMs, ModernBERT base and BERT base among them, are not far behind.")
def twelve_others_are_not_far_behind(m: Material) -> Finding:
    """Not far behind: in V-A's group (M from .709 as printed) and less than a medium effect below the best."""
    count, examples = 12, ("modernbert-base", "bert-base")
    best, near = m.order[0], _near_the_top(m)
    d = {name: cohen_d(scores_of(m, best), scores_of(m, name)) for name in near}
    lost = _lost_to(m, best, near)
    caveat = f"The test still decides for {name_of(m, best)} against {_shown(lost)}."
    return finding(
        len(near) == count and set(examples) <= set(near) and max(d.values()) < MEDIUM,
        f"{len(near)} fine-tuned models outside the leading series have a mean of at least .709, at most "
        f"d = {max(d.values(), default=0.0):.2f} below {name_of(m, best)}; of the two examples "
        f"{len(set(examples) & set(near))} are among them.",
        caveat=caveat if lost else None,
        d=d,
        decided_against=lost,
    )


@claim("C104", "VII-C", "The top-ranked systems are not the best on every task.")
def top_ranked_are_not_best_everywhere(m: Material) -> Finding:
    """The best by mean is not the best, alone or shared, on every ranked task."""
    best = m.order[0]
    highest = m.ranked.max(axis=1)
    winners = {
        str(task): [s for s in m.ranked if m.ranked[s][task] == highest[task]] for task in m.ranked.index
    }
    won = [task for task, systems in winners.items() if best in systems]
    different = {system for systems in winners.values() for system in systems}
    return finding(
        len(won) < len(winners),
        f"{name_of(m, best)} is the best on {len(won)} of the {len(winners)} tasks ({listed(won)}), and "
        f"{len(different)} different systems are the best on some task.",
        winners=winners,
    )


@claim("C124", "Abstract", "Fine-tuned models have high means, combined with a low spread over tasks.")
def fine_tuned_models_are_high_and_steady(m: Material) -> Finding:
    """The average of mean and of SD over each approach; low: below prompting, if not below the baselines."""
    groups = {approach: m.names(approach=approach) for approach in Approach}
    means = {str(a): float(np.mean([mean_of(m, name) for name in names])) for a, names in groups.items()}
    spread = {str(a): float(np.mean([sd_of(m, name) for name in names])) for a, names in groups.items()}
    tuned, prompted, baseline = map(str, (Approach.FINETUNED, Approach.PROMPTED, Approach.BASELINE))
    kinds = {tuned: "fine-tuned", prompted: "prompted", baseline: "baselines"}
    widest = sorted(m.order, key=lambda name: -sd_of(m, name))
    lead = [name for name in widest if name in groups[Approach.FINETUNED]]
    first = lead[: next((i for i, name in enumerate(widest) if name not in lead), len(widest))]
    caveats = []
    if spread[tuned] >= spread[baseline]:
        caveats.append("Spread is lower than with prompting, but not lower than with the baselines.")
    if first:
        highest = listed(f"{sd_of(m, name):.3f} ({name_of(m, name)})" for name in first)
        caveats.append(f"The highest SD of all systems is that of fine-tuned models: {highest}.")
    return finding(
        means[tuned] == max(means.values()) and spread[tuned] < spread[prompted],
        "On average over the systems, mean and SD are "
        + listed(f"{means[a]:.3f} and {spread[a]:.3f} ({kind})" for a, kind in kinds.items())
        + ".",
        caveat=" ".join(caveats),
        means=means,
        sd=spread,
        widest={name: sd_of(m, name) for name in widest[:5]},
    )
