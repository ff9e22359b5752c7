"""What the discussion, the threats and the conclusions say (VI, VII, VIII)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from itertools import combinations, product
from math import log
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from selu.benchmarks.selu.aggregates import (
    CLASSIFICATION_ROWS,
    COMMUNICATION,
    FAMILY_ROWS,
    MULTI_LABEL,
    TYPE_ROWS,
    contrast,
    contrasts,
    gain_by_task,
    outlying_cells,
    tasks_of,
)
from selu.benchmarks.selu.claims._claim import claim, finding, listed, percent, unless_known
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER, EQUAL, INCONCLUSIVE, WORSE, rope_width
from selu.stats.effect import cohen_d
from selu.stats.rounding import as_printed
from selu.stats.signed_rank import monte_carlo_error, posterior
from selu.vocabulary import Approach, Finding, Kind

FloatArray: TypeAlias = NDArray[np.float64]

LEADING_SERIES = ("GPT-2", "Llama 3.2")
OLD_SERIES = ("GPT-2", "T5", "BERT")  # the ones that VI calls outdated
NEW_SERIES = ("ModernBERT", "Llama 3.2", "CodeLlama", "StarCoder2", "CodeT5+")  # released 2023 and 2024
BASELINE = "tfidf-xgboost"
SMALL, MEDIUM, LARGE = 0.2, 0.5, 0.8  # Cohen's cuts, the ones of Table IV's last column
NO_DIFFERENCE = 0.005  # reads .00 at two digits
SIZES = {"below 200M": 2e8, "200M to 500M": 5e8, "500M to 1B": 1e9, "1B to 5B": 5e9, "over 5B": float("inf")}
AROUND_1B_3B = "1B to 5B"


def _names(m: Material, ids: list[str]) -> str:
    return listed(_name(m, name) for name in ids)


def _name(m: Material, system: str) -> str:
    return m.system(system).name


def _mean(m: Material, system: str) -> float:
    return float(m.ranked[system].mean())


def _sd(m: Material, system: str) -> float:
    return float(m.ranked[system].std(ddof=1))


def _size(m: Material, system: str) -> int:
    """Parameters as Table III prints them; 0 where it prints none."""
    return m.system(system).parameters or 0


def _signed(values: Mapping[str, float]) -> str:
    return listed(f"{name} {value:+.3f}" for name, value in values.items())


def _shown(values: Mapping[str, str]) -> str:
    return listed(f"{name} ({value})" for name, value in values.items())


def _column(m: Material, system: str) -> FloatArray:
    return np.asarray(m.ranked[system].to_numpy(dtype=np.float64))


def _finetuned(m: Material, *series: str) -> list[str]:
    """Fine-tuned systems in rank order, all of them or those of some series."""
    names = set(m.names(approach=Approach.FINETUNED))
    return [name for name in m.order if name in names and (not series or m.system(name).series in series)]


def _followers(m: Material) -> list[str]:
    """Fine-tuned systems outside the two leading series, in rank order."""
    return [name for name in _finetuned(m) if m.system(name).series not in LEADING_SERIES]


def _near_the_top(m: Material) -> list[str]:
    """Followers in V-A's large group, whose means are printed as .709 and more."""
    cut = Decimal("0.709")
    return [name for name in _followers(m) if Decimal(as_printed(_mean(m, name))) >= cut]


def _against(m: Material, a: str, b: str) -> str:
    return f"{_name(m, a)} against {_name(m, b)}"


def _lost_to(m: Material, winner: str, names: list[str]) -> dict[str, str]:
    """Which of the names the test decides against, with the probability and its Monte-Carlo error."""
    error = m.posterior.error_better[m.order.index(winner)]
    return {
        _name(m, name): f"{m.p_better(winner, name):.3f} ± {error[m.order.index(name)]:.4f}"
        for name in names
        if m.decisions.loc[winner, name] == BETTER
    }


def _parameters(m: Material, system: str) -> float:
    """Counted from the weights where known, else as printed."""
    record = m.system(system)
    return float(record.parameters_counted or record.parameters or 0)


def _matched_pairs(m: Material) -> dict[str, str]:
    """Domain-adapted system -> generalist of the same architecture nearest in size, within a factor of 1.5."""
    factor = 1.5
    generalists = m.names(approach=Approach.FINETUNED, adaptation="generalist")
    pairs = {}
    for adapted in m.names(approach=Approach.FINETUNED, adaptation="domain-adapted"):
        ratios = {
            name: abs(log(_parameters(m, name) / _parameters(m, adapted)))
            for name in generalists
            if m.system(name).architecture == m.system(adapted).architecture
        }
        nearest = min(ratios, key=lambda name: ratios[name], default=None)
        if nearest and ratios[nearest] <= log(factor):
            pairs[adapted] = nearest
    return pairs


@claim("C090", "VI second", "The fine-tuned large decoder-only GPT-2 and Llama 3.2 models have the best means.")
def leading_series_have_the_best_means(m: Material) -> Finding:
    """All members of the two series rank above every other system; large is read as 500M and more."""
    large = 5e8
    members = _finetuned(m, *LEADING_SERIES)
    top = m.order[: len(members)]
    small = [name for name in members if _size(m, name) < large]
    next_best = m.order[len(members)]
    margin = _mean(m, top[-1]) - _mean(m, next_best)
    caveat = (
        f"Large is not the reason: {_names(m, small)} with fewer than 500M parameters are among them, the last "
        f"of the group {margin:.5f} above {_name(m, next_best)}."
    )
    return finding(
        set(top) == set(members) and all(m.system(name).architecture == "decoder-only" for name in members),
        f"The {len(members)} models of the two series take ranks "
        f"{listed(f'{m.order.index(name) + 1} ({_name(m, name)})' for name in members)}.",
        caveat=caveat if small else None,
        means={name: _mean(m, name) for name in [*members, next_best]},
        below_500m=small,
        margin_to_next=margin,
    )


@claim(
    "C091", "VI second", "Many other fine-tuned LLMs of all kinds are only a small distance behind the best."
)
def many_others_are_close(m: Material) -> Finding:
    """Small: d below .5 to the best; many: most of the others, from all three architectures."""
    best, others = m.order[0], _followers(m)
    d = {name: cohen_d(_column(m, best), _column(m, name)) for name in others}
    close = [name for name in others if d[name] < MEDIUM]
    kinds = {str(m.system(name).architecture) for name in close}
    lost = _lost_to(m, best, close)
    caveat = f"Small is not undecided: the test decides for {_name(m, best)} against {_shown(lost)}."
    return finding(
        2 * len(close) > len(others) and len(kinds) == 3,
        f"{len(close)} of the {len(others)} fine-tuned models outside the two series are within d = .5 of "
        f"{_name(m, best)} ({listed(sorted(kinds))}), at most {max((d[n] for n in close), default=0):.2f}.",
        caveat=caveat if lost else None,
        d=d,
        close=close,
        decided_against=lost,
    )


@claim("C092", "VI second", "The older series GPT-2, T5 and BERT keep up with newer LLMs.")
def old_series_remain_competitive(m: Material) -> Finding:
    """The best member of each is less than a medium effect (d < .5) below the best of the newer series."""
    new = _finetuned(m, *NEW_SERIES)[0]
    old = {series: _finetuned(m, series)[0] for series in OLD_SERIES}
    d = {series: cohen_d(_column(m, new), _column(m, name)) for series, name in old.items()}
    lost = _lost_to(m, new, list(old.values()))
    baseline = _mean(m, BASELINE)
    weak = [name for name in _finetuned(m, *OLD_SERIES) if _mean(m, name) < baseline]
    caveats = []
    if lost:
        caveats.append(f"The test decides for {_name(m, new)} against {_shown(lost)}.")
    if weak:
        caveats.append(f"Not every version does: {_names(m, weak)} rank below TF-IDF+XGBoost.")
    return finding(
        all(value < MEDIUM for value in d.values()),
        f"Against {_name(m, new)}, the best of the newer series (M = {_mean(m, new):.3f}), stand "
        f"{listed(f'{_name(m, name)} ({_mean(m, name):.3f}, d = {d[s]:.2f})' for s, name in old.items())}.",
        caveat=" ".join(caveats),
        d=d,
        means={name: _mean(m, name) for name in [new, *old.values()]},
        decided_against=lost,
        below_the_baseline=weak,
    )


@claim(
    "C093",
    "VI third",
    "The largest, still small, effects of domain adaptation are its gain on multi-label tasks and its loss on "
    "developer communication.",
)
def largest_adaptation_effects(m: Material) -> Finding:
    """Compared over the six rows of Table V by absolute difference in mean; small: |d| below .5."""
    found = contrasts(m, [*FAMILY_ROWS, *CLASSIFICATION_ROWS])
    ranked = sorted(found, key=lambda row: -abs(found[row]["difference"]))
    signs = found[MULTI_LABEL]["difference"] > 0 > found[COMMUNICATION]["difference"]
    small = all(abs(found[row]["d"]) < MEDIUM for row in ranked[:2])
    rest = {row: contrast(m, row)["difference"] for row in TYPE_ROWS if row not in CLASSIFICATION_ROWS}
    larger = {row: gap for row, gap in rest.items() if abs(gap) > abs(found[ranked[1]]["difference"])}
    trimmed = contrast(m, MULTI_LABEL, outlying_cells(m))["difference"]
    caveats = []
    if larger:
        caveats.append(f"Table VI has larger ones that Table V leaves out: {_signed(larger)}.")
    if trimmed < abs(found[ranked[2]]["difference"]):
        caveats.append(f"Without BERT large and RoBERTa large the multi-label gain is {trimmed:+.3f}.")
    return finding(
        set(ranked[:2]) == {MULTI_LABEL, COMMUNICATION} and signs and small,
        f"Domain-adapted minus generalist, by size: {_signed({r: found[r]['difference'] for r in ranked})}; "
        f"the first two have d = {found[ranked[0]]['d']:.2f} and {found[ranked[1]]['d']:.2f}.",
        caveat=" ".join(caveats),
        contrasts=found,
        other_types=rest,
        multi_label_without_outlying_cells=trimmed,
    )


@claim("C094", "VI third, VI-A", "Pre-training on code brings no gain over all tasks together.")
def code_pretraining_brings_no_gain(m: Material) -> Finding:
    """Pairs of one architecture and near size: none decided for the code model, mean gain within the rope."""
    pairs = _matched_pairs(m)
    gains = {_against(m, a, g): _mean(m, a) - _mean(m, g) for a, g in pairs.items()}
    p = {
        _against(m, a, g): {"better": m.p_better(a, g), "equal": m.p_equal(a, g), "worse": m.p_better(g, a)}
        for a, g in pairs.items()
    }
    decided = [_against(m, a, g) for a, g in pairs.items() if m.decisions.loc[a, g] == BETTER]
    equal = [_against(m, a, g) for a, g in pairs.items() if m.decisions.loc[a, g] == EQUAL]
    rope = max((rope_width(_column(m, a), _column(m, g), "autorank") for a, g in pairs.items()), default=0.0)
    average = float(np.mean(list(gains.values()))) if gains else float("nan")
    groups = {
        kind: float(m.ranked[m.names(approach=Approach.FINETUNED, adaptation=kind)].to_numpy().mean())
        for kind in ("domain-adapted", "generalist")
    }
    whole = groups["domain-adapted"] - groups["generalist"]
    caveat = (
        f"No gain is shown, but equality is not either: {len(equal)} of the {len(gains)} pairs are decided as "
        f"equivalent (P(equal) at most {percent(max((q['equal'] for q in p.values()), default=0.0))})."
    )
    return finding(
        not decided and average < rope,
        f"The {len(gains)} matched pairs differ by {_signed(gains)}, on average {average:+.3f} "
        f"(whole groups {whole:+.3f}), and {len(decided)} are decided for "
        "the code model.",
        caveat=caveat if len(equal) < len(gains) else None,
        gains=gains,
        posterior=p,
        widest_rope=rope,
        group_means=groups,
        unmatched=[
            name
            for name in m.names(approach=Approach.FINETUNED, adaptation="domain-adapted")
            if name not in pairs
        ],
    )


@claim("C095", "Abstract, VIII", "Domain adaptation can lower performance on developer communication tasks.")
def adaptation_can_hurt_communication(m: Material) -> Finding:
    """Lower in the family's mean and in most pairs matched by architecture and size."""
    gains = gain_by_task(m, COMMUNICATION)
    average = float(np.mean(list(gains.values())))
    tasks = tasks_of(m, COMMUNICATION)
    pairs = {
        _against(m, a, g): m.ranked.loc[tasks, a] - m.ranked.loc[tasks, g] for a, g in _matched_pairs(m).items()
    }
    matched = {key: float(gap.mean()) for key, gap in pairs.items()}
    lower = [key for key, gap in matched.items() if gap < 0]
    hit = sorted(gains, key=lambda task: gains[task])[:2]
    rest = float(np.mean([gain for task, gain in gains.items() if task not in hit]))
    caveat = (
        f"It comes from {listed(f'{task} ({gains[task]:+.3f})' for task in hit)}; over the other "
        f"{len(gains) - 2} tasks the difference is {rest:+.4f}."
    )
    return finding(
        average < 0 and 2 * len(lower) > len(matched),
        f"The family's mean differs by {average:+.3f}, and {len(lower)} of {len(matched)} matched pairs lose "
        f"({_signed(matched)}).",
        caveat=caveat if rest > -NO_DIFFERENCE else None,
        gain_by_task=gains,
        matched_pairs={key: {str(t): float(v) for t, v in gap.items()} for key, gap in pairs.items()},
        without_the_two_worst=rest,
    )


@claim("C096", "VI fourth", "Prompted systems are fairly consistently behind fine-tuned ones.")
def prompted_are_consistently_behind(m: Material) -> Finding:
    """Fairly consistently: at least 80 % of the pairs by mean, by the test's decision and task by task."""
    fairly = 0.80
    pairs = list(product(_finetuned(m), m.names(approach=Approach.PROMPTED)))
    behind = [pair for pair in pairs if _mean(m, pair[0]) > _mean(m, pair[1])]
    decided = [pair for pair in pairs if m.decisions.loc[pair[0], pair[1]] == BETTER]
    won = float(np.mean([(_column(m, a) > _column(m, b)).mean() for a, b in pairs]))
    n = len(pairs)
    exceptions = [_against(m, a, b) for a, b in pairs if (a, b) not in behind]
    return finding(
        min(len(behind) / n, len(decided) / n, won) >= fairly,
        f"Fine-tuned models are ahead in {len(behind)} of {n} pairs by mean, in {len(decided)} by the test's "
        f"decision and in {percent(won)} of the comparisons task by task (not by mean: {listed(exceptions)}).",
        ahead_by_mean=len(behind),
        decided=len(decided),
        pairs=n,
        task_by_task=won,
        not_ahead_by_mean=exceptions,
        not_decided={_against(m, a, b): m.p_better(a, b) for a, b in pairs if (a, b) not in decided},
    )


@claim("C097", "VI fourth", "Prompted systems can hardly compete with TF-IDF+XGBoost.")
def prompted_hardly_compete_with_the_baseline(m: Material) -> Finding:
    """All means lower, and the baseline wins more than half of the comparisons task by task."""
    prompted = m.names(approach=Approach.PROMPTED)
    wins = {name: int((_column(m, name) > _column(m, BASELINE)).sum()) for name in prompted}
    p = {name: m.p_better(BASELINE, name) for name in prompted}
    decided = [name for name in prompted if m.decisions.loc[BASELINE, name] == BETTER]
    lower = [name for name in prompted if _mean(m, name) < _mean(m, BASELINE)]
    won, n = sum(wins.values()), len(prompted) * len(m.ranked)
    caveat = f"The test decides {len(decided)} of the {len(prompted)} pairs for the baseline."
    return finding(
        len(lower) == len(prompted) and 2 * won < n,
        f"{len(lower)} of {len(prompted)} prompted systems have a lower mean, but they win {won} of {n} "
        f"comparisons task by task ({listed(f'{_name(m, k)} {w}' for k, w in wins.items())}), and the "
        f"test decides {len(decided)} of {len(prompted)} pairs for the baseline.",
        caveat=caveat if len(decided) < len(prompted) else None,
        means={name: _mean(m, name) for name in [BASELINE, *prompted]},
        tasks_won_by_prompted=wins,
        p_baseline_better=p,
        p_baseline_better_error={
            name: float(monte_carlo_error(np.array(v), m.knobs.draws)) for name, v in p.items()
        },
    )


@claim("C098", "VI-A", "Fine-tuned LLMs around 1B and 3B parameters perform best.")
def models_around_1b_to_3b_perform_best(m: Material) -> Finding:
    """Mean over the models of five ranges of size; the range 1B to 5B must come first."""
    groups: dict[str, list[str]] = {}
    for name in _finetuned(m):
        size = next(label for label, end in SIZES.items() if _size(m, name) < end)
        groups.setdefault(size, []).append(name)
    means = {size: float(np.mean([_mean(m, name) for name in names])) for size, names in groups.items()}
    ranked = sorted(means, key=lambda size: -means[size])
    margin = means[ranked[0]] - means[ranked[1]]
    spread = [_mean(m, name) for name in groups[ranked[0]]]
    caveat = (
        f"Its lead over {ranked[1]} is {margin:.4f}, while its models spread from {min(spread):.3f} to "
        f"{max(spread):.3f}."
    )
    return finding(
        ranked[0] == AROUND_1B_3B,
        f"Means by size are {listed(f'{means[s]:.3f} ({s}, {len(groups[s])} models)' for s in ranked)}.",
        caveat=caveat if margin < NO_DIFFERENCE else None,
        means=means,
        models=groups,
        margin=margin,
    )


@claim("C099", "VI-A", "BERT base balances consistent performance and efficiency well.")
def bert_base_is_a_good_trade_off(m: Material) -> Finding:
    """Nothing of its size or smaller has a higher mean, and it is less than a medium effect below the best."""
    bert, near = "bert-base", 1.25
    size = _size(m, bert)
    rivals = [name for name in _finetuned(m) if name != bert and _mean(m, name) > _mean(m, bert)]
    smaller = [name for name in rivals if _size(m, name) <= size]
    close = [name for name in rivals if size < _size(m, name) <= near * size]
    d = cohen_d(_column(m, m.order[0]), _column(m, bert))
    shown = listed(
        f"{_name(m, n)} with {m.system(n).size_printed} (M = {_mean(m, n):.3f}, SD = {_sd(m, n):.3f})"
        for n in close
    )
    return finding(
        not smaller and d < MEDIUM,
        f"With {m.system(bert).size_printed} parameters BERT base reaches M = {_mean(m, bert):.3f} "
        f"(SD = {_sd(m, bert):.3f}, d = {d:.2f} below the best); {len(smaller)} models of at most its size "
        "have a higher mean.",
        caveat=f"At nearly its size, {shown} does better." if close else None,
        d_to_best=d,
        better_and_smaller=smaller,
        better_and_at_most_a_quarter_larger=close,
        p_those_better={name: m.p_better(name, bert) for name in close},
        p_those_equal={name: m.p_equal(name, bert) for name in close},
    )


@claim(
    "C100",
    "VI-A",
    "The gap between prompting and fine-tuning is large enough to avoid prompting where it matters.",
)
def the_prompting_gap_is_large(m: Material) -> Finding:
    """Large: the best fine-tuned model is decided better than every prompted system, with d >= .8 for each."""
    best, prompted = _finetuned(m)[0], m.names(approach=Approach.PROMPTED)
    d = {name: cohen_d(_column(m, best), _column(m, name)) for name in prompted}
    undecided = [name for name in prompted if m.decisions.loc[best, name] != BETTER]
    gap = m.ranked[best] - m.ranked[prompted].max(axis=1)
    none = {str(task): float(value) for task, value in gap.items() if value <= 0}
    caveat = f"On {listed(none)} a prompted system is at least as good as {_name(m, best)}."
    return finding(
        not undecided and min(d.values()) >= LARGE,
        f"{_name(m, best)} (M = {_mean(m, best):.3f}) is decided better than "
        f"{len(prompted) - len(undecided)} of {len(prompted)} prompted systems, d from {min(d.values()):.2f} "
        f"to {max(d.values()):.2f}.",
        caveat=caveat if none else None,
        d=d,
        gap_by_task_to_the_best_prompted={str(task): float(value) for task, value in gap.items()},
    )


@claim("C101", "VI-A", "Prompted systems cost more per text than smaller fine-tuned models and score lower.")
def prompting_costs_more(m: Material) -> Finding:
    """Needs table ``costs``: rows are names of systems, column ``per 1000 texts``, any one currency."""
    table, column = "costs", "per 1000 texts"
    if open_ := unless_known(m, table, "The paper states costs in words only and prints no cost of any system"):
        return open_
    listed_systems = [s for s in m.systems if (s.name, column) in m.tables[table]]
    costs = {s.id: m.number(table, s.name, column) for s in listed_systems}
    prompted = [s.id for s in listed_systems if s.approach is Approach.PROMPTED]
    tuned = [s.id for s in listed_systems if s.approach is Approach.FINETUNED]
    beaten = [p for p in prompted if any(costs[t] < costs[p] and _mean(m, t) > _mean(m, p) for t in tuned)]
    dearer = [t for t in tuned if any(costs[t] >= costs[p] for p in prompted)]
    return finding(
        bool(prompted) and len(beaten) == len(prompted),
        f"{len(beaten)} of {len(prompted)} prompted systems cost more per 1,000 texts than some fine-tuned "
        "model with a higher mean.",
        caveat=f"Not than every one: {_names(m, dearer)} cost as much or more." if dearer else None,
        costs=costs,
    )


@claim("C102", "VIII", "The decoder-only GPT-2 and Llama 3.2 form the top tier, with low spread over tasks.")
def top_tier_has_low_spread(m: Material) -> Finding:
    """They lead by mean, and each has an SD below the median SD of all systems."""
    members = _finetuned(m, *LEADING_SERIES)
    sd = {name: _sd(m, name) for name in m.order}
    middle = float(np.median(list(sd.values())))
    place = {name: sorted(sd.values()).index(sd[name]) + 1 for name in members}
    rest = [n for n in _finetuned(m) if n not in members and m.system(n).architecture == "decoder-only"]
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
    d = {name: cohen_d(_column(m, best), _column(m, name)) for name in near}
    lost = _lost_to(m, best, near)
    caveat = f"The test still decides for {_name(m, best)} against {_shown(lost)}."
    return finding(
        len(near) == count and set(examples) <= set(near) and max(d.values()) < MEDIUM,
        f"{len(near)} fine-tuned models outside the leading series have a mean of at least .709, at most "
        f"d = {max(d.values(), default=0.0):.2f} below {_name(m, best)}; of the two examples "
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
        f"{_name(m, best)} is the best on {len(won)} of the {len(winners)} tasks ({listed(won)}), and "
        f"{len(different)} different systems are the best on some task.",
        winners=winners,
    )


@claim("C105", "VII-D", "Twenty paired tasks leave the comparison with limited power.")
def twenty_tasks_limit_power(m: Material) -> Finding:
    """Twice the tasks would settle more against the best; most pairs are open or a decision hangs on one task.

    2,000 draws a variant; a decision counts as turned only beyond two Monte-Carlo errors of the threshold.
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
        f"{percent(undecided)} of the {len(triangle)} pairs are inconclusive; leaving out one task turns "
        f"decisions against {_name(m, m.order[0])} for {len(turned)} of the {len(m.ranked)} tasks, and "
        f"the same differences on twice the tasks settle {settled[1]}, not {settled[0]}, of {len(base)} pairs.",
        inconclusive=undecided,
        turned_by_leaving_out=turned,
        settled=settled[0],
        settled_with_twice_the_tasks=settled[1],
    )


def _against_best(m: Material, scores: pd.DataFrame) -> dict[str, str]:
    """Decision of the best system against each other, "near" within two errors of the threshold."""
    draws, best = 2_000, m.order[0]
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


@claim("C120", "VI first", "How many instances a task has is likely a factor of its performance.")
def data_volume_is_a_factor(m: Material) -> Finding:
    """A factor: rank correlation of instances and mean fine-tuned score over the ranked tasks, p below .05."""
    from scipy import stats

    means = m.ranked[_finetuned(m)].mean(axis=1)
    instances = [m.task(str(task)).instances for task in means.index]
    test = stats.spearmanr(instances, means.to_numpy())
    rho, p = float(test.statistic), float(test.pvalue)
    return finding(
        rho > 0 and p < m.knobs.alpha,
        f"Over the {len(means)} ranked tasks, instances and mean fine-tuned score have a rank correlation of "
        f"{rho:.2f} (p = {p:.2f}).",
        spearman=rho,
        p=p,
        instances=dict(zip(map(str, means.index), instances, strict=True)),
        means={str(task): float(value) for task, value in means.items()},
    )


@claim("C121", "VI first", "Fine-tuned LLMs are equally well suited to the three task families.")
def families_are_served_equally(m: Material) -> Finding:
    """Equally: every gap of two families' means below a medium effect; shown: its interval inside that, too."""
    from scipy import stats

    means = m.ranked[_finetuned(m)].mean(axis=1)
    groups = {row: means[tasks_of(m, row)].to_numpy(dtype=np.float64) for row in FAMILY_ROWS}
    freedom = sum(len(group) - 1 for group in groups.values())
    sd = float(np.sqrt(sum(float(((x - x.mean()) ** 2).sum()) for x in groups.values()) / freedom))
    t = float(stats.t.ppf(1 - m.knobs.alpha / 2, freedom))
    gaps = {}
    for a, b in combinations(groups, 2):
        half = t * sd * float(np.sqrt(1 / len(groups[a]) + 1 / len(groups[b])))
        gap = float(groups[a].mean() - groups[b].mean())
        gaps[f"{a} - {b}"] = {"gap": gap, "d": gap / sd, "low": gap - half, "high": gap + half}
    widest = max(gaps, key=lambda key: abs(gaps[key]["gap"]))
    limit = MEDIUM * sd
    wide = max(abs(gap[end]) for gap in gaps.values() for end in ("low", "high")) >= limit
    found = gaps[widest]
    caveat = (
        f"Its 95 % interval over so few tasks, {found['low']:+.3f} to {found['high']:+.3f}, does not exclude a "
        f"gap of medium size ({limit:.3f}): no difference is seen, equality is not shown."
    )
    return finding(
        abs(found["d"]) < MEDIUM,
        f"The largest gap of two families' means is {found['gap']:+.3f} ({widest}, d = {found['d']:.2f}).",
        caveat=caveat if wide else None,
        gaps=gaps,
        pooled_sd=sd,
    )


@claim("C122", "VIII", "Binary tasks likely go well, while multi-label tasks remain hard.")
def binary_go_well_multi_label_remain_hard(m: Material) -> Finding:
    """Likely: the binary task has the higher mean fine-tuned score in at least 90 % of the pairs of tasks."""
    likely = 0.90
    means = m.ranked[_finetuned(m)].mean(axis=1)
    binary, multi = m.task_ids(kind=Kind.BINARY), m.task_ids(kind=Kind.MULTI_LABEL)
    pairs = list(product(binary, multi))
    crossed = [(a, b) for a, b in pairs if means[a] <= means[b]]
    share = 1 - len(crossed) / len(pairs)
    caveat = "Not always: " + "; ".join(
        f"{b} ({means[b]:.3f}) is above {a} ({means[a]:.3f})" for a, b in crossed
    )
    return finding(
        share >= likely,
        f"In {len(pairs) - len(crossed)} of {len(pairs)} pairs the binary task has the higher mean (binary "
        f"{means[binary].mean():.3f}, multi-label {means[multi].mean():.3f}).",
        caveat=caveat + "." if crossed else None,
        means={task: float(means[task]) for task in [*binary, *multi]},
        crossed=[list(pair) for pair in crossed],
    )
