"""Prompted systems: their replies, their means, their distance to fine-tuned ones, their cost (IV, V-A, VI)."""

from __future__ import annotations

from itertools import product

import numpy as np

from selu.benchmarks.claims import claim, finding, listed, percent, unless_known
from selu.benchmarks.selu.aggregates import HALF_WIDTH
from selu.benchmarks.selu.claims._constant_answers import constant_answers, rows_by_class
from selu.benchmarks.selu.claims._scales import LARGE, SMALL
from selu.benchmarks.selu.claims._systems import against, error, finetuned, mean_of, name_of, named, scores_of
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER
from selu.stats.effect import cohen_d
from selu.stats.rounding import agrees
from selu.vocabulary import Approach, Finding


@claim("C027", "IV-C", "Invalid replies of prompted systems count as errors, and their rates are logged.")
def invalid_replies_are_errors(m: Material) -> Finding:
    """Needs invalid_rates.csv: rows task/system, columns rate and scored as (error, or what else)."""
    if missing := unless_known(m, "invalid_rates", "The rates of invalid replies are not in the package"):
        return missing
    rates = m.tables["invalid_rates"]
    cells = [f"{task}/{s}" for task in m.task_ids(ranked=True) for s in m.names(approach=Approach.PROMPTED)]
    logged = [cell for cell in cells if (cell, "rate") in rates]
    spared = [
        cell
        for cell in logged
        if (cell, "scored as") not in rates or rates[cell, "scored as"].printed.strip() != "error"
    ]
    return finding(
        len(logged) == len(cells) and not spared,
        f"{len(logged)} of the {len(cells)} prompted cells have a logged rate, and {len(spared)} of these do "
        "not count invalid replies as errors.",
        rates={cell: float(rates[cell, "rate"].printed) for cell in logged},
        not_counted_as_errors=spared,
    )


@claim("C042", "V-A", "All proprietary LLMs rank among the lowest third.")
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
        three, zero = scores_of(m, name), scores_of(m, other)
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


@claim("C096", "VI fourth", "Prompted systems are fairly consistently behind fine-tuned ones.")
def prompted_are_consistently_behind(m: Material) -> Finding:
    """Fairly consistently: at least 80 % of the pairs by mean, by the test's decision and task by task."""
    fairly = 0.80
    pairs = list(product(finetuned(m), m.names(approach=Approach.PROMPTED)))
    behind = [pair for pair in pairs if mean_of(m, pair[0]) > mean_of(m, pair[1])]
    decided = [pair for pair in pairs if m.decisions.loc[pair[0], pair[1]] == BETTER]
    won = float(np.mean([(scores_of(m, a) > scores_of(m, b)).mean() for a, b in pairs]))
    n = len(pairs)
    exceptions = [against(m, a, b) for a, b in pairs if (a, b) not in behind]
    return finding(
        min(len(behind) / n, len(decided) / n, won) >= fairly,
        f"Fine-tuned models are ahead in {len(behind)} of {n} pairs by mean, in {len(decided)} by the test's "
        f"decision and in {percent(won)} of the comparisons task by task (not by mean: {listed(exceptions)}).",
        ahead_by_mean=len(behind),
        decided=len(decided),
        pairs=n,
        task_by_task=won,
        not_ahead_by_mean=exceptions,
        not_decided={against(m, a, b): m.p_better(a, b) for a, b in pairs if (a, b) not in decided},
    )


@claim(
    "C100",
    "VI-A",
    "The gap between prompting and fine-tuning is large enough to avoid prompting where it matters.",
)
def the_prompting_gap_is_large(m: Material) -> Finding:
    """Large: the best fine-tuned model is decided better than every prompted system, with d >= .8 for each."""
    best, prompted = finetuned(m)[0], m.names(approach=Approach.PROMPTED)
    d = {name: cohen_d(scores_of(m, best), scores_of(m, name)) for name in prompted}
    undecided = [name for name in prompted if m.decisions.loc[best, name] != BETTER]
    gap = m.ranked[best] - m.ranked[prompted].max(axis=1)
    none = {str(task): float(value) for task, value in gap.items() if value <= 0}
    caveat = f"On {listed(none)} a prompted system is at least as good as {name_of(m, best)}."
    return finding(
        not undecided and min(d.values()) >= LARGE,
        f"{name_of(m, best)} (M = {mean_of(m, best):.3f}) is decided better than "
        f"{len(prompted) - len(undecided)} of {len(prompted)} prompted systems, d from {min(d.values()):.2f} "
        f"to {max(d.values()):.2f}.",
        caveat=caveat if none else None,
        d=d,
        gap_by_task_to_the_best_prompted={str(task): float(value) for task, value in gap.items()},
    )


@claim(
    "C101",
    "VI-A",
    "Prompted systems may be weaker and less cost-effective than small models that are fine-tuned with care.",
)
def prompting_costs_more(m: Material) -> Finding:
    """Needs table ``costs``: rows are names of systems, column ``per 1000 texts``, any one currency."""
    table, column = "costs", "per 1000 texts"
    pairs = list(product(finetuned(m), m.names(approach=Approach.PROMPTED)))
    ahead = sum(mean_of(m, a) > mean_of(m, b) for a, b in pairs)
    halves = (
        f"The half about performance is checked by C096 (fine-tuned models have the higher mean in {ahead} of "
        f"{len(pairs)} pairs), the half about cost can't be: the paper prints no cost of any system"
    )
    if open_ := unless_known(m, table, halves):
        return open_
    listed_systems = [s for s in m.systems if (s.name, column) in m.tables[table]]
    costs = {s.id: m.number(table, s.name, column) for s in listed_systems}
    prompted = [s.id for s in listed_systems if s.approach is Approach.PROMPTED]
    tuned = [s.id for s in listed_systems if s.approach is Approach.FINETUNED]
    beaten = [p for p in prompted if any(costs[t] < costs[p] and mean_of(m, t) > mean_of(m, p) for t in tuned)]
    dearer = [t for t in tuned if any(costs[t] >= costs[p] for p in prompted)]
    return finding(
        bool(prompted) and len(beaten) == len(prompted),
        f"{len(beaten)} of {len(prompted)} prompted systems cost more per 1,000 texts than some fine-tuned "
        "model with a higher mean.",
        caveat=f"Not than every one: {named(m, dearer)} cost as much or more." if dearer else None,
        costs=costs,
    )


@claim("C112", "IV-A", "Prompted open-source decoders give invalid replies at a high rate.")
def prompted_open_source_models_fail_often(m: Material) -> Finding:
    """Needs open_source_prompting.csv: rows task/model, column invalid rate; high: a fifth in half of them."""
    if missing := unless_known(
        m, "open_source_prompting", "Rates of prompted open-source models are not printed"
    ):
        return missing
    high = 0.2
    places = m.tables["open_source_prompting"]
    rates = {row: float(cell.printed) for (row, column), cell in places.items() if column == "invalid rate"}
    many = [row for row, rate in rates.items() if rate >= high]
    return finding(
        2 * len(many) >= len(rates),
        f"In {len(many)} of {len(rates)} cells at least a fifth of the replies is invalid "
        f"(median {percent(float(np.median(list(rates.values()))))}).",
        rates=rates,
        high_from=high,
    )


@claim(
    "C113",
    "Table VI (our check)",
    "On tone_bearing, prompting does no better than always answering the larger class.",
)
def prompting_loses_to_a_constant(m: Material) -> Finding:
    """Mean of the prompted scores and most of them at or below the constant answer; others are a caveat."""
    counts, rows = rows_by_class(m, "tone_bearing")
    bar = constant_answers(m)["tone_bearing"]
    scores = {
        m.system(s).name: m.number("table6", "tone_bearing", m.system(s).name)
        for s in m.names(approach=Approach.PROMPTED)
    }
    above = {name: score for name, score in scores.items() if score > bar + HALF_WIDTH}
    mean = float(np.mean(list(scores.values())))
    caveat = f"Above it lies {listed(f'{name} with {score:.3f}' for name, score in above.items())}."
    return finding(
        mean <= bar and 2 * len(above) < len(scores),
        f"Always answering the class of {max(counts.values())} of the {rows} test rows scores {bar:.3f}; the "
        f"{len(scores)} prompted systems score {listed(f'{score:.3f}' for score in scores.values())}, "
        f"{mean:.3f} on average.",
        caveat=caveat if above else None,
        constant_f1=bar,
        test_rows={str(label): count for label, count in counts.items()},
        prompted=scores,
    )
