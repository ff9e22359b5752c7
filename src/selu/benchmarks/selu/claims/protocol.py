"""How it was measured (IV-C, IV-D, VII)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from math import exp, isnan

import numpy as np

from selu.benchmarks.selu.claims._claim import claim, finding, listed, percent, unless_known
from selu.benchmarks.selu.material import ABSENT, Material
from selu.stats.rounding import agrees, as_printed
from selu.vocabulary import Approach, Finding, Kind

PAPER, FINAL, PREPRINT = "paper", "scripts final", "scripts preprint"
SILENT = "not said"
NO_PROTOCOL = "What the paper and its scripts do, step by step, is not in the package"
TOKEN_KINDS = (Kind.ENTITIES, Kind.MASKED)
ELSEWHERE = ("split of", "seed of", "test share", "batch", "learning rate of")  # steps with claims of their own


def _said(m: Material, step: str, where: str) -> str:
    """What one side says or does at a step of the protocol."""
    return m.printed("protocol", step, where)


def _smape_term(weight: float, predicted: float, actual: float) -> float:
    """One summand of equation 2."""
    return abs(predicted - actual) / (weight * (abs(predicted) + abs(actual)))


def _test_counts(m: Material, task: str) -> tuple[dict[int, int], int]:
    """Test rows per class or label, and in all, from TF-IDF+XGBoost's published confusion matrices."""
    counts: Counter[int] = Counter()
    total: Counter[int] = Counter()
    for (row, column), cell in m.tables["package_baselines"].items():
        if row != f"{task}/tfidf-xgboost":
            continue
        if single := re.fullmatch(r"confusion_matrix\[(\d+)\]\[\d+\]", column):
            counts[int(single[1])] += int(cell.printed)
            total[0] += int(cell.printed)
        elif several := re.fullmatch(r"confusion_matrices\[(\d+)\]\[(\d)\]\[\d\]", column):
            counts[int(several[1])] += int(cell.printed) * int(several[2])
            total[int(several[1])] += int(cell.printed)
    return dict(counts), max(total.values(), default=0)


def _constant_f1(m: Material, task: str) -> float:
    """Best F1-macro of an answer that ignores the text: always one class or, for several labels, all."""
    counts, rows = _test_counts(m, task)
    each = [2 * count / (rows + count) for count in counts.values()]
    return (sum(each) if m.task(task).kind is Kind.MULTI_LABEL else max(each)) / len(each)


def _classification(m: Material) -> list[str]:
    return [t.id for t in m.tasks if t.kind in (Kind.BINARY, Kind.MULTI_CLASS, Kind.MULTI_LABEL)]


def _tail(count: int, expected: float) -> float:
    """Poisson probability of ``count`` events or more."""
    term, below = exp(-expected), 0.0
    for k in range(count):
        below += term
        term *= expected / (k + 1)
    return max(0.0, 1.0 - below)


def _steps(m: Material, names: Iterable[str]) -> dict[str, dict[str, str]]:
    return {name: {PAPER: _said(m, name, PAPER), FINAL: _said(m, name, FINAL)} for name in names}


@claim("C023", "IV-C eq. 2", "SMAPE as equation 2 defines it lies between 0 and 1.")
def smape_ends_at_one(m: Material) -> Finding:
    """The bound is 1 / (weight of |a| + |b|), reached where one of the two is 0."""
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    weight = float(_said(m, "weight of |a|+|b| in SMAPE", PAPER))
    low, high = m.task("story_points").range or (1.0, 96.0)
    terms = {
        f"{predicted:g} for {actual:g}": _smape_term(weight, predicted, actual)
        for predicted, actual in ((0.0, 1.0), (1.0, 3.0), (5.0, 5.0), (high, low))
    }
    published = {
        cell.row: float(cell.printed)
        for table in ("package_baselines", "package_preprint")
        for cell in m.tables[table].values()
        if cell.column == "smape"
    }
    top = max(published.values())
    return finding(
        max(terms.values()) <= 1.0,
        f"By equation 2 a prediction of 0 for a true 1 costs {terms['0 for 1']:g}, and {high:g} for {low:g}, "
        f"both story points of Table I, costs {terms[f'{high:g} for {low:g}']:.3f}; the largest SMAPE that the "
        f"authors published is {top:.3f}.",
        terms=terms,
        weight=weight,
        published=published,
    )


@claim("C024", "IV-C, Table VI", "The story_points cells are 1 - SMAPE, so that higher is better.")
def story_points_cells_are_inverted(m: Material) -> Finding:
    """The baselines' unrounded SMAPE gives the printed cells, and Table IV's means take them as they are."""
    cells, wrong = {}, []
    for name in m.names(approach=Approach.BASELINE):
        smape = m.number("package_baselines", f"story_points/{name}", "smape")
        text = m.printed("table6", "story_points", m.system(name).name)
        cells[m.system(name).name] = {"printed": float(text), "1 - SMAPE": 1 - smape}
        wrong += [] if agrees(1 - smape, text) else [name]
    inverted = m.ranked.copy()
    inverted.loc["story_points"] = 1 - inverted.loc["story_points"]
    fits = {
        reading: sum(agrees(float(np.mean(x[s.id])), m.printed("table4", s.name, "M")) for s in m.systems)
        for reading, x in (("as printed", m.ranked), ("inverted", inverted))
    }
    shown = (f"{k} {v['printed']:.3f} against {v['1 - SMAPE']:.4f}" for k, v in cells.items())
    return finding(
        not wrong and 2 * fits["as printed"] > len(m.systems) and fits["inverted"] < fits["as printed"],
        f"{len(cells) - len(wrong)} of {len(cells)} baseline cells are 1 - SMAPE of the unrounded results "
        f"({listed(shown)}), and {fits['as printed']} of {len(m.systems)} means in Table IV take the cells as "
        f"printed ({fits['inverted']} if they were inverted).",
        baselines=cells,
        means_that_fit=fits,
    )


@claim("C025", "Table VI, Table IV", "The 3-shot story_points cells of 0.011 and 0.043 enter the ranking.")
def three_shot_story_points_enter(m: Material) -> Finding:
    """Table IV's means must fit the 20 tasks with these cells and not the 19 without."""
    stated = {"gpt-4o-3-shot": 0.011, "claude-3.7-3-shot": 0.043}
    rows = {}
    for name, value in stated.items():
        scores = m.ranked[name]
        text = m.printed("table4", m.system(name).name, "M")
        with_it, without = float(scores.mean()), float(scores.drop("story_points").mean())
        rows[m.system(name).name] = {
            "cell": float(scores["story_points"]),
            "cell as stated": bool(scores["story_points"] == value),
            "Table IV": float(text),
            "with": with_it,
            "without": without,
            "enters": agrees(with_it, text) and not agrees(without, text),
        }
    shown = (
        f"{k} {v['Table IV']:.3f} ({v['with']:.4f} with, {v['without']:.4f} without)" for k, v in rows.items()
    )
    return finding(
        all(row["enters"] and row["cell as stated"] for row in rows.values()),
        f"Table IV's means are those of 20 tasks: {listed(shown)}.",
        means=rows,
    )


@claim("C026", "IV-C", "The scores of the four metrics share the range from 0 to 1.")
def scores_share_a_range(m: Material) -> Finding:
    """The printed cells decide; a metric that equation 2 lets fall below 0 is a caveat."""
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    cells = {  # read from the table and not from m.scores, which refuses what lies outside
        f"{t.id}/{s.id}": m.number("table6", t.id, s.name)
        for t in m.tasks
        for s in m.systems
        if m.printed("table6", t.id, s.name) != ABSENT
    }
    by_metric: dict[str, list[float]] = {}
    for cell, score in cells.items():
        by_metric.setdefault(str(m.task(cell.split("/")[0]).metric), []).append(score)
    outside = [cell for cell, score in cells.items() if not 0.0 <= score <= 1.0]
    lowest = 1 - 1 / float(_said(m, "weight of |a|+|b| in SMAPE", PAPER))
    shown = (f"{name} {min(v):.3f} to {max(v):.3f}" for name, v in by_metric.items())
    return finding(
        not outside,
        f"{len(cells) - len(outside)} of the {len(cells)} scores of Table VI lie in 0 to 1 ({listed(shown)}).",
        caveat=f"But 1 - SMAPE as equation 2 defines it may fall to {lowest:g}." if lowest < 0 else None,
        ranges={name: [min(values), max(values)] for name, values in by_metric.items()},
        outside=outside,
        lowest_possible_one_minus_smape=lowest,
    )


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


@claim("C106", "VII-B vs III-B", "The data are split 80/20 with stratification.")
def stratified_splits(m: Material) -> Finding:
    """Shares within 1 point of 20 % and most tasks stratified; tasks split at random are a caveat."""
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    stated, margin = float(_said(m, "test share", PAPER)), 0.01
    shares = {task: _test_counts(m, task)[1] / m.task(task).instances for task in _classification(m)}
    off = [task for task, share in shares.items() if abs(share - stated) > margin]
    ways = {task.id: _said(m, f"split of {task.kind}", PAPER) for task in m.tasks}
    at_random = [task for task, way in ways.items() if way not in ("stratified", "iterative")]
    caveat = f"But {listed(at_random)} are split without stratification, as III-B says itself."
    return finding(
        not off and 2 * len(at_random) < len(ways),
        f"{len(ways) - len(at_random)} of the {len(ways)} tasks are split with stratification, and the test "
        f"rows of the {len(shares)} classification tasks make up {percent(min(shares.values()))} to "
        f"{percent(max(shares.values()))}.",
        caveat=caveat if at_random else None,
        ways=ways,
        test_shares=shares,
        share_off=off,
    )


@claim(
    "C107", "VII-B vs IV-C", "All fine-tuning uses the same hyper-parameters, except for epochs on NER and MLM."
)
def same_hyper_parameters(m: Material) -> Finding:
    """Over the cells whose scripts are on record, only the epochs may differ, and only with the token tasks."""
    places = m.tables["package_hyperparameters"]
    columns = ("learning_rate_v3", "effective_batch", "max_length", "epochs")
    values = {
        column: dict(Counter(cell.printed for (_, name), cell in places.items() if name == column))
        for column in columns
    }
    differing = [column for column in columns[:-1] if len(values[column]) > 1]
    by_token: dict[bool, set[str]] = {True: set(), False: set()}
    for (row, name), cell in places.items():
        if name == "epochs":
            by_token[m.task(row.split("/")[0]).kind in TOKEN_KINDS].add(cell.printed)
    epochs_right = all(len(found) == 1 for found in by_token.values())
    shown = (
        f"{column} ({', '.join(f'{text} in {n} cells' for text, n in values[column].items())})"
        for column in differing
    )
    return finding(
        not differing and epochs_right,
        f"Beside the epochs ({listed(sorted(by_token[False]))}, on token tasks "
        f"{listed(sorted(by_token[True]))}) "
        f"{len(differing)} settings differ between the {sum(values['epochs'].values())} cells on record: "
        f"{listed(shown)}.",
        values=values,
        differing=differing,
        epochs_differ_only_with_token_tasks=epochs_right,
    )


@claim("C108", "VII-A vs V-A", "Every fine-tuning experiment converged stably.")
def every_run_converged(m: Material) -> Finding:
    """A run that does no better than the best answer that ignores the text has not converged."""
    half_digit = 0.0005
    bars = {task: _constant_f1(m, task) for task in _classification(m)}
    tuned = m.names(approach=Approach.FINETUNED)
    cells = {(t, s): m.number("table6", t, m.system(s).name) for t in bars for s in tuned}
    stuck = {(t, s): score for (t, s), score in cells.items() if score <= bars[t] + half_digit}
    equal = [f"{t}/{s}" for (t, s), score in stuck.items() if as_printed(bars[t]) == as_printed(score)]
    systems = Counter(s for _, s in stuck)
    return finding(
        not stuck,
        f"{len(stuck)} of {len(cells)} fine-tuned classification cells are no better than the best constant "
        f"answer ({listed(f'{n} of {m.system(s).name}' for s, n in systems.most_common())}).",
        constant_f1=bars,
        no_better={f"{t}/{s}": score for (t, s), score in stuck.items()},
        equal_to_constant=equal,
    )


@claim(
    "C109", "IV-C, VII-D", "Fine-tuning stops early, with the data split into 80 % training and 20 % test rows."
)
def early_stopping_is_used(m: Material) -> Finding:
    """Some recorded runs must end before the last epoch; watching the test rows is a caveat."""
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    watched = {where: _said(m, "early stopping on", where) for where in (FINAL, PREPRINT)}
    limits = {
        token: float(_said(m, "epochs of token tasks" if token else "epochs", PREPRINT))
        for token in (True, False)
    }
    token_tasks = {task.id for task in m.tasks if task.kind in TOKEN_KINDS}
    tuned = set(m.names(approach=Approach.FINETUNED))
    ran = {
        row: float(cell.printed)
        for (row, column), cell in m.tables["package_preprint"].items()
        if column == "epoch" and row.split("/")[1] in tuned
    }
    early = [row for row, epoch in ran.items() if epoch < limits[row.split("/")[0] in token_tasks] - 0.05]
    on_test = [where for where, rows in watched.items() if rows == "test"]
    caveat = (
        "There is no third part, so the stop and the kept checkpoint are chosen on the same test rows that the "
        f"scores come from ({listed(on_test)}), which flatters them."
    )
    return finding(
        bool(early) and "none" not in watched.values(),
        f"{len(early)} of the {len(ran)} preprint runs with a recorded epoch end before the last one, and the "
        f"scripts watch the {watched[FINAL]} rows for the stop.",
        caveat=caveat if on_test else None,
        stopped_on=watched,
        limits={"token tasks": limits[True], "other tasks": limits[False]},
        early=len(early),
        recorded=len(ran),
    )


@claim("C110", "IV-C", "Every fine-tuned score in Table VI comes from the protocol of up to 10 epochs.")
def no_score_is_from_the_preprint(m: Material) -> Finding:
    """Scores equal to those of the 3-epoch preprint at three digits, against what near misses let expect.

    Cells that differ by 1 to 5 thousandths give the number of equal cells that chance explains; more than
    that (Poisson, 1 %) refutes the claim, fewer are a caveat. Constant answers, which any protocol may give,
    are left out.
    """
    level, window = 0.01, 5
    tuned, distance = set(m.names(approach=Approach.FINETUNED)), {}
    bars = {task: as_printed(_constant_f1(m, task)) for task in _classification(m)}
    known = {task.id for task in m.tasks}
    for (row, column), cell in m.tables["package_preprint"].items():
        task, _, system = row.partition("/")
        if column == "epoch" or task not in known or system not in tuned:
            continue
        older = 1 - float(cell.printed) if column == "smape" else float(cell.printed)
        printed = m.number("table6", task, m.system(system).name)
        if not isnan(printed) and as_printed(printed) not in (bars.get(task), "0.000"):
            distance[row] = round(1000 * (Decimal(as_printed(older)) - Decimal(as_printed(printed))))
    equal = [row for row, d in distance.items() if d == 0]
    expected = sum(0 < abs(d) <= window for d in distance.values()) / (2 * window)
    chance = _tail(len(equal), expected)
    caveat = f"{len(equal)} cells equal the older ones, no more than chance explains."
    return finding(
        chance > level or not equal,
        f"{len(equal)} of {len(distance)} scores equal those of the preprint, which trained for 3 epochs, at "
        f"three digits ({listed(equal)}), where near misses let expect {expected:.1f} (probability of so many "
        f"or more {chance:.1g}).",
        caveat=caveat if equal else None,
        compared=len(distance),
        equal=equal,
        expected_by_chance=expected,
        probability=chance,
        thousandths_apart=dict(Counter(str(d) for d in sorted(distance.values()) if abs(d) <= 2 * window)),
    )


@claim("C111", "IV-A", "The proprietary LLMs are at least ten times as large as the open-source ones.")
def proprietary_models_are_far_larger(m: Material) -> Finding:
    """Needs proprietary_sizes.csv: rows as Table III names the two, column parameters; against the largest."""
    if missing := unless_known(m, "proprietary_sizes", "The makers have not said how large the two models are"):
        return missing
    sizes = {row: m.number("proprietary_sizes", row, "parameters") for row in ("GPT-4o", "Claude 3.7 Sonnet")}
    largest = max(s.parameters or 0 for s in m.systems if s.approach is Approach.FINETUNED)
    return finding(
        min(sizes.values()) >= 10 * largest,
        f"Against {largest:.3g} parameters of the largest open-source LLM stand "
        f"{listed(f'{size:.3g} of {name}' for name, size in sizes.items())}.",
        proprietary=sizes,
        largest_open_source=largest,
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


@claim("C113", "V-A", "On tone_bearing, prompting does no better than always answering the larger class.")
def prompting_loses_to_a_constant(m: Material) -> Finding:
    """Mean of the prompted scores and most of them at or below the constant answer; others are a caveat."""
    counts, rows = _test_counts(m, "tone_bearing")
    bar = _constant_f1(m, "tone_bearing")
    scores = {
        m.system(s).name: m.number("table6", "tone_bearing", m.system(s).name)
        for s in m.names(approach=Approach.PROMPTED)
    }
    above = {name: score for name, score in scores.items() if score > bar + 0.0005}
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


@claim("C114", "III-B", "One fixed seed draws the split of every data set.")
def every_split_has_a_seed(m: Material) -> Finding:
    """The published scripts must set the same seed for the split of each of the 22 tasks."""
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    seeds = {task.id: _said(m, f"seed of {task.kind}", FINAL) for task in m.tasks}
    unseeded = [task for task, seed in seeds.items() if seed == "none"]
    found = sorted(set(seeds.values()) - {"none"})
    return finding(
        len(found) == 1 and not unseeded,
        f"{len(seeds) - len(unseeded)} of the {len(seeds)} splits are drawn with seed {listed(found)}; without "
        f"any seed are {listed(unseeded)}.",
        seeds=seeds,
    )


@claim("C115", "IV-C", "Every fine-tuning run works with batches of 64.")
def batches_of_64(m: Material) -> Finding:
    """Rows per update that the final scripts reach on all visible GPUs, for the cells on record."""
    stated = 64.0
    places = m.tables["package_hyperparameters"]
    batches = Counter(cell.printed for (_, column), cell in places.items() if column == "effective_batch")
    fitting = sum(n for text, n in batches.items() if float(text) == stated)
    return finding(
        fitting == sum(batches.values()),
        f"{fitting} of the {batches.total()} cells whose final script is on record have batches of {stated:g} "
        f"({listed(f'{n} have {text}' for text, n in batches.items())}).",
        batches=dict(batches),
        stated=stated,
    )


@claim("C116", "IV-B to IV-E", "The published scripts take the remaining steps as the paper writes them.")
def scripts_do_what_the_paper_says(m: Material) -> Finding:
    """Every step of protocol.csv that the paper states, but those with a claim of their own; all must agree."""
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    places = m.tables["protocol"]
    stated = [row for (row, column), cell in places.items() if column == PAPER and cell.printed != SILENT]
    steps = _steps(m, (r for r in stated if (r, FINAL) in places and not r.startswith(ELSEWHERE)))
    differing = {name: said for name, said in steps.items() if said[PAPER] != said[FINAL]}
    silent = [row for (row, column), cell in places.items() if column == PAPER and cell.printed == SILENT]
    shown = (f"{name} ({said[PAPER]}; scripts: {said[FINAL]})" for name, said in differing.items())
    return finding(
        not differing,
        f"{len(steps) - len(differing)} of the {len(steps)} other steps that the paper states are those of the "
        f"scripts; not so are {listed(shown)}.",
        steps=steps,
        differing=sorted(differing),
        paper_is_silent_on=silent,
    )
