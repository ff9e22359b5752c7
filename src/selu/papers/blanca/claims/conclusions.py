"""Results over all tasks (abstract, sections 1 and 4.6, Table 8)."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from selu.papers.blanca.claims._known import COLUMNS, MOST, NAMES, TRAINING, counted_in, named, tuned
from selu.papers.blanca.material import TABLE8, TASKS, Material
from selu.papers.claims import claim, exceptions, finding, listed, portion
from selu.stats.rounding import agrees
from selu.vocabulary import Finding

QUESTION = TRAINING


def _gains(paper: Material) -> Mapping[str, Mapping[str, float]]:
    """Subtract of each base its score from that after tuning, by task."""
    return {task: {base: own - score for base, (score, own) in tuned(paper, task).items()} for task in TASKS}


def _without(gains: Mapping[str, Mapping[str, float]]) -> str:
    return listed(
        f"{base} on {NAMES[task]}" for task, each in gains.items() for base, gain in each.items() if gain <= 0
    )


@claim(
    "B46",
    "Abstract",
    "There is significant improvement on each task from fine-tuning.",
    holds="On each of the five tasks both code models are better after tuning than before.",
    caveat="On one of them only one model is.",
    fails="On one of them none is.",
    weight="detail",
    quote="show that there is significant improvement on each task from fine tuning",
    if_it_fails="On some task fine-tuning would bring nothing, against the main result of the abstract.",
)
def improvement_on_each_task(paper: Material) -> Finding:
    """Compare tuned and base models on every task."""
    gains = _gains(paper)
    some = [task for task, each in gains.items() if max(each.values()) > 0]
    every = all(gain > 0 for each in gains.values() for gain in each.values())
    because = f"On {portion(len(some), len(gains)).lower()} tasks a tuned model is better than its base."
    return finding(
        len(some) == len(gains),
        because,
        caveat=None if every else exceptions(f"No gain is seen for {_without(gains)}."),
        remark=counted_in("B47"),
        gains=gains,
    )


@claim(
    "B47",
    "1",
    "On every task fine-tuning code models gives a significant boost.",
    holds="On each of the five tasks both code models are better after tuning than before.",
    fails="One of them is not, on one task or more.",
    weight="conclusion",
    quote="on every task, fine tuning on code specific models resulted in significant boost in performance",
    if_it_fails="A reader who tunes a code model on one of the tasks could not count on a gain.",
)
def boost_of_code_models(paper: Material) -> Finding:
    """Compare tuned and base models on every task."""
    gains = _gains(paper)
    better = [gain > 0 for each in gains.values() for gain in each.values()]
    because = f"{portion(sum(better), len(better))} pairs of model and task gain."
    if not all(better):
        because += f" No gain is seen for {_without(gains)}."
    return finding(all(better), because, gains=gains)


@claim(
    "B48",
    "1",
    "Without tuning, general models do reasonably well on most tasks, compared to models trained on code.",
    holds="On more than half of the tasks the median general model is better than both code models.",
    fails="On half of the tasks or fewer it is.",
    weight="conclusion",
    thresholds={"half": MOST, "median": "our choice: half of the general models are better, none is picked"},
    quote="language models trained on general corpora perform reasonably well on most BLANCA tasks",
    if_it_fails="On most tasks a model trained on code or on Stack Overflow would be the better one to take "
    "without tuning.",
)
def general_models(paper: Material) -> Finding:
    """Compare medians of general models with the better code model."""
    found = {}
    for task in TASKS:
        general, code = ([e for e in paper.bases if e.code is kind] for kind in (False, True))
        found[task] = median(paper.chosen(task, general).values()), max(paper.chosen(task, code).values())
    won = [task for task, (general, code) in found.items() if general > code]
    because = (
        f"The median general model is ahead on {portion(len(won), len(found)).lower()} tasks: {named(won)}."
    )
    return finding(2 * len(won) > len(found), because, median_and_best_code_model=found)


@claim(
    "B55",
    "Table 8",
    "The scores of Table 8 are those of Tables 3 to 7.",
    holds="Each number of Table 8 is that of the same model in its task's table, rounded.",
    fails="One is another number.",
    weight="detail",
    kind="our check",
)
def table_8_and_others(paper: Material) -> Finding:
    """Compare the models that both have."""
    pairs = [(column, task, TASKS[task][1]) for task, column in TABLE8.items()] + [("R: NDCG", "R", "NDCG")]
    compared = {
        f"{name}, {column}": (
            paper.published("table8", name, column),
            paper.published(TASKS[task][0], name, other),
        )
        for column, task, other in pairs
        for name in paper.multitask(column)
        if name in paper.scores(task)
    }
    wrong = [name for name, (text, full) in compared.items() if not agrees(float(full), text)]
    because = f"{portion(len(compared) - len(wrong), len(compared))} shared numbers agree."
    return finding(not wrong, because, compared=compared)


@claim(
    "B56",
    "Table 8",
    "Bold is the best of each column.",
    holds="The bold model of each column has its highest score, alone.",
    caveat="Another model is published with the same score.",
    fails="Another model has a higher one.",
    weight="detail",
    kind="our check",
)
def bold_of_table_8(paper: Material) -> Finding:
    """Compare bold with the best of each column."""
    bold = {column: paper.published("bold", "table8", column.split(":")[0]) for column in COLUMNS}
    best = {column: max(paper.multitask(column).values()) for column in COLUMNS}
    right = [column for column, name in bold.items() if paper.multitask(column)[name] == best[column]]
    ties = [c for c in right if list(paper.multitask(c).values()).count(best[c]) > 1]
    because = f"In {portion(len(right), len(COLUMNS)).lower()} columns bold is the highest."
    caveat = exceptions(f"Others have the same score in {listed(ties)}.") if ties else None
    return finding(len(right) == len(COLUMNS), because, caveat=caveat, bold=bold)
