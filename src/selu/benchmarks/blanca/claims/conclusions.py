"""What holds over all tasks (abstract, sections 1 and 4.6, Table 8)."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from selu.benchmarks.blanca.claims._known import (
    BASES,
    BEST,
    MANY,
    MOST,
    NAMES,
    counted_in,
    named,
    of,
    once,
    ordered,
    plain_meaning,
    tuned,
)
from selu.benchmarks.blanca.material import TABLE8, TASKS, Material
from selu.benchmarks.claims import claim, exceptions, finding, listed
from selu.stats.rounding import agrees
from selu.vocabulary import Change, Finding

QUESTION = "What do fine-tuning and training on several tasks bring?"
HU = "HU-BERTOverflow"
COLUMNS = ("R: MRR", "R: NDCG", "F", "L", "H", "U")  # of Table 8


def _gains(m: Material) -> dict[str, dict[str, float]]:
    """Subtract of each base its score from that after tuning, by task."""
    return {task: {base: own - score for base, (score, own) in tuned(m, task).items()} for task in TASKS}


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
    changes=once(
        "B47",
        "holds with caveat, a conclusion: On 5 of 5 tasks a tuned model is better than its base. Caveat "
        "(exceptions): No gain is seen for CodeBERT on usage.",
    ),
    quote="show that there is significant improvement on each task from fine tuning",
    if_it_fails="On some task fine-tuning would bring nothing, against the main result of the abstract.",
)
def improvement_on_each_task(m: Material) -> Finding:
    """Compare tuned and base models on every task."""
    gains = _gains(m)
    some = [task for task, each in gains.items() if max(each.values()) > 0]
    every = all(gain > 0 for each in gains.values() for gain in each.values())
    because = f"On {of(len(some), len(gains)).lower()} tasks a tuned model is better than its base."
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
def boost_of_code_models(m: Material) -> Finding:
    """Compare tuned and base models on every task."""
    gains = _gains(m)
    better = [gain > 0 for each in gains.values() for gain in each.values()]
    because = f"{of(sum(better), len(better))} pairs of model and task gain."
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
    changes=plain_meaning(
        "holds: The median general model is ahead on 3 of 5 tasks: answer ranking, linked posts, hierarchy."
    ),
    quote="language models trained on general corpora perform reasonably well on most BLANCA tasks",
    if_it_fails="On most tasks a model trained on code or on Stack Overflow would be the better one to take "
    "without tuning.",
)
def general_models(m: Material) -> Finding:
    """Compare medians of general models with the better code model."""
    found = {}
    for task in TASKS:
        general, code = ([e for e in m.bases if e.code is kind] for kind in (False, True))
        found[task] = median(m.chosen(task, general).values()), max(m.chosen(task, code).values())
    won = [task for task, (general, code) in found.items() if general > code]
    because = f"The median general model is ahead on {of(len(won), len(found)).lower()} tasks: {named(won)}."
    return finding(2 * len(won) > len(found), because, median_and_best_code_model=found)


@claim(
    "B49",
    "1",
    "Multi-task training is better on many tasks.",
    holds="On more than half of the tasks the best multi-task model is better than the best model of one task.",
    fails="On half of them or fewer it is.",
    weight="conclusion",
    thresholds={"half": MANY},
    changes=plain_meaning(
        "holds: Multi-task training is ahead on 4 of 5 tasks: answer ranking, linked posts, posts and classes, "
        "usage."
    ),
    quote="Multi-task training produced better performance on many BLANCA tasks",
    if_it_fails="Tuning on one task would be enough, and what a model learns from a task would not help it "
    "with others.",
)
def multitask_training(m: Material) -> Finding:
    """Compare the best models of both ways in Tables 3 to 7."""
    multi = [encoder for encoder in m.encoders if encoder.multi]
    found = {
        task: (max(m.chosen(task, multi).values()), max(own for _, own in tuned(m, task).values()))
        for task in TASKS
    }
    won = [task for task, (many, one) in found.items() if many > one]
    because = f"Multi-task training is ahead on {of(len(won), len(found)).lower()} tasks: {named(won)}."
    return finding(2 * len(won) > len(found), because, multi_and_single=found)


@claim(
    "B50",
    "4.6",
    "Multi-task training of BERTOverflow gave the best performance consistently.",
    holds="A model of BERTOverflow is best in every column of Table 8.",
    fails="In one column it is not.",
    weight="conclusion",
    quote="combining it with training produced the best performance consistently",
    if_it_fails="BERTOverflow would not be the best base for every task, and a reader would choose the base by "
    "the task.",
)
def best_base_of_multitask(m: Material) -> Finding:
    """Look for the best model of each column."""
    best = {column: ordered(m.multitask(column))[0] for column in TABLE8.values()}
    base = m.printed("text", "4.6", "Base of the discussion")
    other = [f"{column} ({name})" for column, name in best.items() if not name.endswith(base)]
    because = f"{of(len(best) - len(other), len(best))} columns have their best score from {base}"
    return finding(
        not other,
        f"{because}. The others have it from another model: {listed(other)}." if other else f"{because}.",
        best=best,
    )


@claim(
    "B51",
    "4.6",
    "On BERTOverflow, usage and hierarchy do not benefit from training on ranking, links and posts.",
    holds="RFLHU-BERTOverflow has smaller r on both than HU-BERTOverflow in Table 8.",
    fails="It has a larger one.",
    weight="conclusion",
    quote="usage (U) and hierarchy (H)) did ... not benefit from training on ranking (R), forum to class (F) "
    "or linked posts (L) tasks on BERTOverflow",
    if_it_fails="One model trained on all five tasks could serve usage and hierarchy as well, without a "
    "separate one for classes.",
)
def classes_without_posts(m: Material) -> Finding:
    """Compare two rows of Table 8."""
    pairs = {task: [m.multitask(task)[name] for name in (BEST, HU)] for task in "HU"}
    said = listed(f"{one:.2f} against {other:.2f} on {NAMES[task]}" for task, (one, other) in pairs.items())
    return finding(all(one <= other for one, other in pairs.values()), f"r is {said}.", r=pairs)


@claim(
    "B52",
    "4.6",
    "Hierarchy and usage help ranking, posts and links.",
    holds="RFLHU is better than RFL in every column of these tasks in Table 8, on both bases.",
    caveat="It is in more than half of the columns.",
    fails="It is in half of them or fewer.",
    thresholds={"half": "our choice: help that most columns do not show is none"},
    weight="conclusion",
    changes=(
        Change(
            "2026-11-26",
            '"Every column" was our word, as in C067 and C070: the sentence names no column.',
            "fails: RFLHU is better in 5 of 8 columns, and worse in F, BERTOverflow (-2.32), "
            "R: NDCG, CodeBERT (-0.01).",
        ),
    ),
    quote="Tasks derived from code properties (HU) however helped RFL tasks",
    if_it_fails="Training on classes as well would not help a model for forum posts, and more diverse tasks "
    "would be no gain in themselves.",
)
def posts_with_classes(m: Material) -> Finding:
    """Compare RFLHU and RFL of both bases."""
    gains = {
        f"{column}, {base}": m.multitask(column)[f"RFLHU-{base}"] - m.multitask(column)[f"RFL-{base}"]
        for base in BASES
        for column in COLUMNS[:4]
    }
    worse = [f"{name} ({gain:+.2f})" for name, gain in gains.items() if gain < -1e-9]
    alike = [name for name, gain in gains.items() if abs(gain) < 1e-9]
    better = len(gains) - len(worse) - len(alike)
    because = f"RFLHU is better in {of(better, len(gains)).lower()} columns."
    others = [f"It is worse in {listed(worse)}."] if worse else []
    others += [f"Alike are {listed(alike)}."] if alike else []
    caveat = exceptions(" ".join(others)) if others else None
    return finding(2 * better > len(gains), because, caveat=caveat, gains=gains)


@claim(
    "B55",
    "Table 8",
    "The scores of Table 8 are those of Tables 3 to 7.",
    holds="Each number of Table 8 is that of the same model in its task's table, rounded.",
    fails="One is another number.",
    weight="detail",
    kind="our check",
)
def table_8_and_others(m: Material) -> Finding:
    """Compare the models that both have."""
    pairs = [(column, task, TASKS[task][1]) for task, column in TABLE8.items()] + [("R: NDCG", "R", "NDCG")]
    compared = {
        f"{name}, {column}": (m.printed("table8", name, column), m.printed(TASKS[task][0], name, other))
        for column, task, other in pairs
        for name in m.multitask(column)
        if name in m.scores(task)
    }
    wrong = [name for name, (text, full) in compared.items() if not agrees(float(full), text)]
    because = f"{of(len(compared) - len(wrong), len(compared))} shared numbers agree."
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
def bold_of_table_8(m: Material) -> Finding:
    """Compare bold with the best of each column."""
    bold = {column: m.printed("bold", "table8", column.split(":")[0]) for column in COLUMNS}
    best = {column: max(m.multitask(column).values()) for column in COLUMNS}
    right = [column for column, name in bold.items() if m.multitask(column)[name] == best[column]]
    ties = [c for c in right if list(m.multitask(c).values()).count(best[c]) > 1]
    because = f"In {of(len(right), len(COLUMNS)).lower()} columns bold is the highest."
    caveat = exceptions(f"Others have the same score in {listed(ties)}.") if ties else None
    return finding(len(right) == len(COLUMNS), because, caveat=caveat, bold=bold)
