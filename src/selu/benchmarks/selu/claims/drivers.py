"""Table V and the performance drivers (V-B, VI first)."""

from __future__ import annotations

from itertools import pairwise
from math import comb

import numpy as np
import pandas as pd

from selu.benchmarks.selu.aggregates import (
    BINARY,
    CLASSIFICATION_ROWS,
    CODE,
    COMMUNICATION,
    CORE,
    DOMAIN_ADAPTED,
    FAMILY_ROWS,
    GENERALIST,
    MULTI_LABEL,
    TYPE_ROWS,
    cells_of,
    contrast,
    contrasts,
    gain_by_task,
    largest,
    outlying_cells,
    outlying_models,
    recompute,
    systems_of,
    tasks_of,
)
from selu.benchmarks.selu.claims._claim import claim, finding, listed, percent
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER, WORSE
from selu.stats.effect import cohen_d
from selu.stats.rounding import agrees
from selu.vocabulary import Approach, Finding, Kind

NEGLIGIBLE, MEDIUM, LARGE = 0.2, 0.5, 0.8  # Cohen's cuts, the ones of Table IV's last column
ETA_MEDIUM, ETA_LARGE = 0.06, 0.14  # Cohen's cuts for a share of variance
NO_DIFFERENCE = 0.005  # reads .00 at two digits
SIZES = ((0.0, "below 200M"), (2e8, "200M to 500M"), (5e8, "500M to 1B"), (1e9, "1B to 5B"), (5e9, "over 5B"))


def _eta_squared(scores: pd.DataFrame, labels: list[list[str]]) -> float:
    """Share of the variance of all cells that lies between the groups that ``labels`` name cell by cell."""
    values, names = scores.to_numpy(dtype=np.float64).ravel(), np.array(labels).ravel()
    mean = values.mean()
    between = sum(
        float(np.sum(names == name) * (values[names == name].mean() - mean) ** 2) for name in np.unique(names)
    )
    total = float(np.sum((values - mean) ** 2))
    return between / total if total > 0 else float("nan")


def _shares(m: Material) -> dict[str, float]:
    """Eta squared of every candidate driver over the fine-tuned x ranked cells."""
    scores = m.ranked[m.names(approach=Approach.FINETUNED)]
    tasks = [m.task(str(task)) for task in scores.index]
    systems = [m.system(str(system)) for system in scores.columns]
    by_task = {
        "task type": [str(t.kind) for t in tasks],
        "task family": [str(t.family) for t in tasks],
        "life-cycle activity": [str(t.activity) for t in tasks],
        "single task": [t.id for t in tasks],
    }
    by_system = {
        "architecture": [str(s.architecture) for s in systems],
        "model size": [_size(s.parameters) for s in systems],
        "adaptation": [str(s.adaptation) for s in systems],
        "series": [str(s.series) for s in systems],
        "single model": [s.id for s in systems],
    }
    shares = {key: _eta_squared(scores, [[x] * len(systems) for x in names]) for key, names in by_task.items()}
    return shares | {key: _eta_squared(scores, [names] * len(tasks)) for key, names in by_system.items()}


def _size(parameters: int | None) -> str:
    return [name for edge, name in SIZES if (parameters or 0) >= edge][-1]


def _signed(values: dict[str, float]) -> str:
    return listed(f"{name} {value:+.3f}" for name, value in values.items())


@claim("C073", "V-B", "Within a series, the larger fine-tuned model has the higher mean in most steps.")
def larger_models_in_a_series_tend_to_win(m: Material) -> Finding:
    """A step is two neighbouring sizes of one series; "tend to" is more than half of the steps upwards."""
    means = m.ranking["M"]
    series: dict[str, list[str]] = {}
    for system in sorted(
        (s for s in m.systems if s.approach is Approach.FINETUNED), key=lambda s: s.parameters or 0
    ):
        series.setdefault(str(system.series), []).append(system.id)
    steps = {
        f"{m.system(a).name} to {m.system(b).name}": float(means[b] - means[a])
        for versions in series.values()
        for a, b in pairwise(versions)
    }
    up, n = sum(step > 0 for step in steps.values()), len(steps)
    decided = sum(bool(m.decisions.loc[b, a] == BETTER) for v in series.values() for a, b in pairwise(v))
    chance = sum(comb(n, k) for k in range(up, n + 1)) / 2**n
    average = float(np.mean(list(steps.values())))
    caveat = (
        f"A coin gives that many upward steps or more with probability {percent(chance)}, and the average "
        f"step is {average:+.3f} ({decided} upward steps are decided by the test)."
    )
    return finding(
        up > n / 2,
        f"{up} of the {n} steps between neighbouring sizes of a series go up; down go "
        f"{_signed({name: step for name, step in steps.items() if step <= 0})}.",
        caveat=caveat if chance > m.knobs.alpha or average <= 0 else None,
        steps=steps,
        steps_up=up,
        sign_test_one_sided=chance,
        mean_step=average,
        upward_steps_decided=decided,
    )


@claim("C074", "V-B", "BERT base is in reach of, or above, models with several billion parameters.")
def bert_base_competes_with_billions(m: Material) -> Finding:
    """Several billion means over two; competing: no lower mean than half of them, not decided worse by most."""
    several_billion, bert = 2e9, "bert-base"
    means = m.ranking["M"]
    rivals = [
        s.id for s in m.systems if s.approach is Approach.FINETUNED and (s.parameters or 0) > several_billion
    ]
    above = [name for name in rivals if means[bert] >= means[name]]
    lost = [name for name in rivals if m.decisions.loc[bert, name] == WORSE]
    caveat = f"The test decides for {listed(m.system(name).name for name in lost)} against it."
    return finding(
        2 * len(above) >= len(rivals) and 2 * len(lost) <= len(rivals),
        f"With a mean of {means[bert]:.3f} BERT base stands above {len(above)} of the {len(rivals)} models of "
        f"more than two billion parameters ({listed(m.system(name).name for name in above)}).",
        caveat=caveat if lost else None,
        means={name: float(means[name]) for name in [bert, *rivals]},
        p_rival_better={name: m.p_better(name, bert) for name in rivals},
        decided_against_bert=lost,
    )


def _reproduced(m: Material, table: str, rows: list[str]) -> Finding:
    """Equal places hold; places that only the rounding of the scores explains are a caveat."""
    places = recompute(m, (table,))
    places = places[places["row"].isin(rows)]
    off = places[~places["equal"]]
    beyond = places[~places["explained_by_rounding"]]
    differing = {f"{p['row']}, {p['column']}": p for p in off.to_dict("records")}
    shown = listed(f"{k}: {p['computed']:.5f} for {p['printed']}" for k, p in differing.items())
    return finding(
        beyond.empty and not places.empty,
        f"Of {len(places)} printed places, {len(places) - len(off)} equal the recomputed value to the last "
        f"digit and {len(beyond)} differ by more than the rounding of the scores explains"
        + (f" (differing: {shown})." if differing else "."),
        caveat=f"{len(off)} are met only within the rounding of the scores." if len(off) else None,
        places=len(places),
        differing={
            key: {name: p[name] for name in ("printed", "computed", "difference", "low", "high")}
            | {"explained_by_rounding": bool(p["explained_by_rounding"])}
            for key, p in differing.items()
        },
    )


@claim("C075", "Table V", "The family rows of Table V are the means and SDs over the fine-tuned cells.")
def table5_family_rows(m: Material) -> Finding:
    """Mean and SD (ddof 1) over model x task cells, NER and MLM left out."""
    return _reproduced(m, "table5", list(FAMILY_ROWS))


@claim("C076", "Table V", "The task-type rows of Table V are the means and SDs over the fine-tuned cells.")
def table5_type_rows(m: Material) -> Finding:
    """Mean and SD (ddof 1) over model x task cells."""
    return _reproduced(m, "table5", list(CLASSIFICATION_ROWS))


@claim(
    "C077", "Table VI", "Table VI's aggregate rows, all four groups of systems, are means and SDs of its cells."
)
def table6_aggregate_rows(m: Material) -> Finding:
    """As for Table V; a dash is right where no system of the group has a cell."""
    return _reproduced(m, "table6_aggregates", [*FAMILY_ROWS, *TYPE_ROWS])


@claim(
    "C078",
    "V-B",
    "On code-adjacent and core non-code tasks, domain-adapted models have a slightly higher mean, a lower SD.",
)
def adaptation_helps_a_little_on_code_and_core(m: Material) -> Finding:
    """Slightly: |d| below .5, Cohen's medium. Checked against the footnote's outliers in both families."""
    rows = [CODE, CORE]
    found, trimmed = contrasts(m, rows), contrasts(m, rows, outlying_cells(m))
    tasks = {row: gain_by_task(m, row) for row in rows}
    holds = all(c["difference"] > 0 and c["SD difference"] < 0 and c["d"] < MEDIUM for c in found.values())
    negligible = [f"{row} d = {c['d']:.2f}" for row, c in found.items() if c["d"] < NEGLIGIBLE]
    wins = {row: sum(gain > 0 for gain in gains.values()) for row, gains in tasks.items()}
    caveats = []
    if negligible:
        caveats.append(
            f"By Table IV's own scale that is negligible ({listed(negligible)}); domain-adapted models lead on "
            f"{' and '.join(f'{wins[row]} of {len(tasks[row])} {row.lower()} tasks' for row in rows)}."
        )
    if any(c["difference"] < NO_DIFFERENCE or c["SD difference"] > 0 for c in trimmed.values()):
        left = listed(
            f"{r.lower()} M {c['difference']:+.4f}, SD {c['SD difference']:+.3f}" for r, c in trimmed.items()
        )
        caveats.append(f"Without BERT large and RoBERTa large on multi-label tasks it reads {left}.")
    return finding(
        holds,
        "Domain-adapted minus generalist: "
        + "; ".join(
            f"{r.lower()} M {c['difference']:+.3f}, SD {c['SD difference']:+.3f}" for r, c in found.items()
        )
        + ".",
        caveat=" ".join(caveats),
        contrasts=found,
        without_outlying_cells=trimmed,
        gain_by_task=tasks,
    )


@claim(
    "C079",
    "V-B footnote",
    "The core non-code difference is due to BERT large and RoBERTa large on multi-label tasks, none without.",
)
def core_difference_is_two_outliers(m: Material) -> Finding:
    """Gone means below .005. Read literally (their multi-label cells) and widely (both models)."""
    full, literal, wide = (
        contrast(m, CORE, without) for without in ((), outlying_cells(m), outlying_models(m))
    )
    code = contrast(m, CODE, outlying_cells(m))
    gone = abs(literal["difference"]) < NO_DIFFERENCE
    rope = "inside" if abs(literal["difference"]) < literal["rope"] else "outside"
    caveat = (
        f"Only the wide reading removes it: without their multi-label cells {literal['difference']:+.3f} is "
        f"left ({rope} a rope of a tenth of the SD, {literal['rope']:.3f}), as the two are far behind on "
        f"{listed(_far_behind(m))} too; code-adjacent tasks, which the footnote does not name, fall to "
        f"{code['difference']:+.4f}."
    )
    cells = {task: {name: _score(m, task, name) for name in largest(m)} for task in tasks_of(m, CORE)}
    return finding(
        abs(full["difference"]) >= NO_DIFFERENCE and (gone or abs(wide["difference"]) < NO_DIFFERENCE),
        f"The core difference of {full['difference']:+.3f} becomes {literal['difference']:+.4f} without "
        f"the two models' multi-label cells and {wide['difference']:+.4f} without the two models.",
        caveat=None if gone else caveat,
        all_cells=full,
        without_multi_label_cells=literal,
        without_models=wide,
        scores_of_the_two=cells,
        far_behind_on_other_types=_far_behind(m),
        code_adjacent_without_multi_label_cells=code,
    )


def _far_behind(m: Material) -> list[str]:
    """Core tasks of other types where BERT large or RoBERTa large is .2 below the other generalists' mean."""
    far, two = 0.2, largest(m)
    others = [name for name in systems_of(m, GENERALIST) if name not in two]
    scores = m.scores.loc[[task for task in tasks_of(m, CORE) if m.task(task).kind is not Kind.MULTI_LABEL]]
    behind = scores[two].min(axis=1) < scores[others].mean(axis=1) - far
    return [str(task) for task in scores.index[behind]]


def _score(m: Material, task: str, system: str) -> float:
    return m.number("table6", task, m.system(system).name)


@claim("C080", "V-B", "On developer communication, generalists lead by about as much as they trail elsewhere.")
def communication_favours_generalists(m: Material) -> Finding:
    """About as much: within a factor of two of the difference of each of the other two families."""
    factor = 2.0
    found = contrasts(m, list(FAMILY_ROWS))
    lead = -found[COMMUNICATION]["difference"]
    others = {row: found[row]["difference"] for row in (CODE, CORE)}
    similar = all(other > 0 and lead > 0 and 1 / factor <= lead / other <= factor for other in others.values())
    gains = gain_by_task(m, COMMUNICATION)
    against = {task: gain for task, gain in gains.items() if gain >= 0}
    caveat = (
        f"Of its {len(gains)} tasks, {len(gains) - len(against)} favour generalists; {listed(against)} do not."
    )
    return finding(
        similar and found[COMMUNICATION]["SD difference"] > 0,
        f"On developer communication generalists lead by {lead:.3f} in mean and by "
        f"{found[COMMUNICATION]['SD difference']:.3f} in SD; elsewhere they trail in M by {others[CODE]:.3f} "
        f"(code-adjacent) and {others[CORE]:.3f} (core).",
        caveat=caveat if against else None,
        contrasts=found,
        gain_by_task=gains,
    )


@claim("C081", "V-B", "The six means of family and adaptation lie between .670 and .739.")
def family_means_lie_in_a_narrow_range(m: Material) -> Finding:
    """The lowest and the highest recomputed mean round to the printed ends."""
    lowest, highest = "0.670", "0.739"
    means = {
        f"{row}, {group}": float(np.mean(cells_of(m, row, group)))
        for row in FAMILY_ROWS
        for group in (GENERALIST, DOMAIN_ADAPTED)
    }
    low, high = min(means, key=lambda key: means[key]), max(means, key=lambda key: means[key])
    return finding(
        agrees(means[low], lowest) and agrees(means[high], highest),
        f"The lowest mean is {means[low]:.4f} ({low.lower()}), the highest {means[high]:.4f} ({high.lower()}).",
        means=means,
    )


@claim("C082", "V-B", "Of the three families, code-adjacent tasks show the smallest difference in mean.")
def code_adjacent_difference_is_smallest(m: Material) -> Finding:
    """Compared by absolute difference; the footnote's outliers are then left out in all three families."""
    rows = list(FAMILY_ROWS)
    found = {row: c["difference"] for row, c in contrasts(m, rows).items()}
    trimmed = {
        "their multi-label cells": {
            r: c["difference"] for r, c in contrasts(m, rows, outlying_cells(m)).items()
        },
        "both models": {r: c["difference"] for r, c in contrasts(m, rows, outlying_models(m)).items()},
    }
    overturned = {
        name: values for name, values in trimmed.items() if min(values, key=lambda r: abs(values[r])) != CODE
    }
    caveat = " ".join(
        f"Leaving out BERT large and RoBERTa large ({name}), as the footnote does, makes "
        f"{min(values, key=lambda r: abs(values[r])).lower()} the smallest ({_signed(values)})."
        for name, values in overturned.items()
    )
    return finding(
        min(found, key=lambda row: abs(found[row])) == CODE,
        f"Domain-adapted minus generalist is {_signed(found)}.",
        caveat=caveat,
        differences=found,
        without_outliers=trimmed,
    )


def _type_means(m: Material) -> dict[str, dict[str, float]]:
    means = {}
    for row in TYPE_ROWS:
        cells = {group: cells_of(m, row, group) for group in (GENERALIST, DOMAIN_ADAPTED)}
        if all(len(values) for values in cells.values()):
            means[row] = {group: float(np.mean(values)) for group, values in cells.items()}
    return means


@claim("C083", "V-B", "Of all task types, binary classification has the highest mean for both kinds of models.")
def binary_tasks_score_highest(m: Material) -> Finding:
    """Against every other type with cells, in both columns of Table V and VI."""
    means = _type_means(m)
    best = {group: max(means, key=lambda row: means[row][group]) for group in (GENERALIST, DOMAIN_ADAPTED)}
    shown = [f"{means[row][group]:.3f} ({group.lower()}: {row})" for group, row in best.items()]
    return finding(
        set(best.values()) == {BINARY},
        f"The highest means of a task type are {listed(shown)}.",
        means=means,
    )


@claim("C084", "V-B", "Multi-label classification has clearly the lowest mean.")
def multi_label_tasks_score_lowest(m: Material) -> Finding:
    """Clearly: at least a large effect (d >= .8) below the next classification type, in both columns."""
    means, gaps = _type_means(m), {}
    others = [row for row in CLASSIFICATION_ROWS if row != MULTI_LABEL]
    for group in (GENERALIST, DOMAIN_ADAPTED):
        low = cells_of(m, MULTI_LABEL, group)
        gaps[group] = min(cohen_d(cells_of(m, row, group), low) for row in others)
    lower = {
        row: mean[GENERALIST]
        for row, mean in means.items()
        if any(mean[group] < means[MULTI_LABEL][group] for group in mean)
    }
    caveat = (
        "True of the classification types only: over all types Table VI has lower means for "
        f"{listed(f'{row} ({mean:.3f})' for row, mean in lower.items())}."
    )
    return finding(
        all(gap >= LARGE for gap in gaps.values()),
        f"Multi-label tasks have a mean of {means[MULTI_LABEL][GENERALIST]:.3f} (generalist) and "
        f"{means[MULTI_LABEL][DOMAIN_ADAPTED]:.3f} (domain-adapted), d = {gaps[GENERALIST]:.2f} and "
        f"{gaps[DOMAIN_ADAPTED]:.2f} below the nearest other classification type.",
        caveat=caveat if lower else None,
        means=means,
        d_to_next_classification_type=gaps,
        lower_types=lower,
    )


@claim("C085", "V-B", "Of the classification types, multi-label tasks gain most from domain adaptation.")
def multi_label_tasks_gain_most(m: Material) -> Finding:
    """Compared by difference in mean; the gain must be there without the footnote's outliers, too."""
    rows = list(CLASSIFICATION_ROWS)
    found = {row: c["difference"] for row, c in contrasts(m, rows).items()}
    trimmed = {row: c["difference"] for row, c in contrasts(m, rows, outlying_cells(m)).items()}
    best = max(found, key=lambda row: found[row])
    weak = max(trimmed, key=lambda r: trimmed[r]) != best or trimmed[best] < found[best] / 2
    caveat = (
        f"Without the cells of BERT large and RoBERTa large on multi-label tasks the gain falls to "
        f"{trimmed[MULTI_LABEL]:+.3f}, and the largest is {max(trimmed.values()):+.3f} "
        f"({max(trimmed, key=lambda r: trimmed[r]).lower()})."
    )
    return finding(
        best == MULTI_LABEL and found[best] > 0,
        f"Domain-adapted minus generalist is {_signed(found)}.",
        caveat=caveat if weak else None,
        differences=found,
        without_outlying_cells=trimmed,
    )


@claim("C086", "V-B", "There are too few regression, NER and MLM tasks to say how such tasks behave.")
def too_few_regression_and_token_tasks(m: Material) -> Finding:
    """Too few: at most two tasks, which leaves no spread over tasks to speak of."""
    too_few = 2
    counts = {row: len(m.task_ids(kind=kind)) for row, kind in TYPE_ROWS.items()}
    rare = {row: count for row, count in counts.items() if row not in CLASSIFICATION_ROWS}
    return finding(
        all(count <= too_few for count in rare.values()),
        f"The tasks number {listed(f'{count} ({row})' for row, count in rare.items())}, against at least "
        f"{min(counts[row] for row in CLASSIFICATION_ROWS)} of each classification type.",
        tasks=counts,
    )


@claim(
    "C087",
    "V-B, VIII",
    "Among family, type, architecture, size and adaptation, the task type alone predicts performance.",
)
def task_type_is_the_only_evident_driver(m: Material) -> Finding:
    """Predicts: the largest eta squared of the fine-tuned cells; alone: the others below .06 (medium)."""
    shares = _shares(m)
    named = ("task family", "architecture", "model size", "adaptation")
    rivals = {key: shares[key] for key in named}
    wider = {key: shares[key] for key in ("life-cycle activity", "series") if shares[key] >= ETA_MEDIUM}
    grouped = listed(f"{key} {percent(value)}" for key, value in wider.items())
    caveat = (
        f"A grouping that V-B does not try reaches a medium share, too ({grouped}); the single task explains "
        f"{percent(shares['single task'])}, much more than its type."
    )
    return finding(
        shares["task type"] > max(rivals.values()) and max(rivals.values()) < ETA_MEDIUM <= shares["task type"],
        f"The task type explains {percent(shares['task type'])} of the variance of the fine-tuned cells, "
        f"{listed(f'{key} {percent(value)}' for key, value in rivals.items())}.",
        caveat=caveat if wider else None,
        eta_squared=shares,
    )


@claim("C088", "VI first", "Mean performance does not vary strongly across the three task families.")
def families_do_not_differ_strongly(m: Material) -> Finding:
    """Strongly: significant in an F test on the tasks' means, or eta squared of the cells at .06 or more."""
    from scipy import stats

    means = m.ranked[m.names(approach=Approach.FINETUNED)].mean(axis=1)
    groups = {row: means[tasks_of(m, row)] for row in FAMILY_ROWS}
    test = stats.f_oneway(*(group.to_numpy() for group in groups.values()))
    share = _shares(m)["task family"]
    family_means = {row: float(group.mean()) for row, group in groups.items()}
    return finding(
        float(test.pvalue) > m.knobs.alpha and share < ETA_MEDIUM,
        f"The families' means are {listed(f'{row} {mean:.3f}' for row, mean in family_means.items())}: "
        f"F = {float(test.statistic):.2f}, p = {float(test.pvalue):.2f} on the tasks' means, and the family "
        f"explains {percent(share)} of the variance of the cells.",
        means=family_means,
        f=float(test.statistic),
        p=float(test.pvalue),
        eta_squared=share,
    )


@claim("C089", "VI first", "Performance varies notably from task to task.")
def tasks_differ_notably(m: Material) -> Finding:
    """Notably: a large share of the fine-tuned cells' variance (eta squared >= .14), above the models' own."""
    shares = _shares(m)
    means = m.ranked[m.names(approach=Approach.FINETUNED)].mean(axis=1)
    return finding(
        shares["single task"] >= ETA_LARGE and shares["single task"] > shares["single model"],
        f"The task explains {percent(shares['single task'])} of the variance of the fine-tuned cells, the "
        f"model {percent(shares['single model'])}; tasks' means run from {means.min():.3f} ({means.idxmin()}) "
        f"to {means.max():.3f} ({means.idxmax()}).",
        eta_squared={key: shares[key] for key in ("single task", "single model")},
        task_means={str(task): float(value) for task, value in means.items()},
    )
