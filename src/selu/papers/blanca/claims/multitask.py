"""The effect of training on several tasks (sections 1, 4, 4.6 and 5, Table 8)."""

from __future__ import annotations

from collections.abc import Mapping

from selu.papers.blanca.claims._known import BASES, BEST, COLUMNS, MANY, NAMES, TRAINING, named, ordered, tuned
from selu.papers.blanca.material import TABLE8, TASKS, Material
from selu.papers.claims import claim, exceptions, finding, joined, listed, portion, scope
from selu.vocabulary import Finding, SeluError

QUESTION = TRAINING
HU = "HU-BERTOverflow"
KINDS = {"class": "classes", "function": "functions"}  # as Table 2 names what a row holds -> of several


def _reported(paper: Material, task: str) -> Mapping[str, float]:
    """Read the scores of the multi-task models in a task's table.

    Raises:
        SeluError: it has none.
    """
    found = paper.chosen(task, paper.multi)
    if not found:
        raise SeluError(f"{TASKS[task][0]}.csv has no row of a multi-task model: restore the file from git.")
    return found


def _best_of_both(paper: Material, task: str) -> tuple[float, float]:
    """Read a task's best score of a multi-task model, and of one tuned on the task alone."""
    return max(_reported(paper, task).values()), max(own for _, own in tuned(paper, task).values())


@claim(
    "B49",
    "1",
    "Multi-task training is better on many tasks.",
    holds="On more than half of the tasks the best multi-task model is better than the best model of one task.",
    fails="On half of them or fewer it is.",
    weight="conclusion",
    thresholds={"half": MANY},
    quote="Multi-task training produced better performance on many BLANCA tasks",
    if_it_fails="Tuning on one task would be enough, and what a model learns from a task would not help it "
    "with others.",
)
def multitask_training(paper: Material) -> Finding:
    """Compare the best models of both ways in Tables 3 to 7."""
    found = {task: _best_of_both(paper, task) for task in TASKS}
    won = [task for task, (multi, single) in found.items() if multi > single]
    because = f"Multi-task training is ahead on {portion(len(won), len(found)).lower()} tasks: {named(won)}."
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
def best_base_of_multitask(paper: Material) -> Finding:
    """Look for the best model of each column."""
    best = {column: ordered(paper.multitask(column))[0] for column in TABLE8.values()}
    base = paper.published("text", "4.6", "Base of the discussion")
    other = [f"{column} ({name})" for column, name in best.items() if not name.endswith(base)]
    because = f"{portion(len(best) - len(other), len(best))} columns have their best score from {base}"
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
def classes_without_posts(paper: Material) -> Finding:
    """Compare two rows of Table 8."""
    pairs = {task: [paper.multitask(task)[name] for name in (BEST, HU)] for task in "HU"}
    sentence = listed(
        f"{best:.2f} against {other:.2f} on {NAMES[task]}" for task, (best, other) in pairs.items()
    )
    return finding(all(best <= other for best, other in pairs.values()), f"r is {sentence}.", r=pairs)


@claim(
    "B52",
    "4.6",
    "Hierarchy and usage help ranking, posts and links.",
    holds="RFLHU is better than RFL in every column of these tasks in Table 8, on both bases.",
    caveat="It is in more than half of the columns.",
    fails="It is in half of them or fewer.",
    thresholds={"half": "our choice: help that most columns do not show is none"},
    weight="conclusion",
    quote="Tasks derived from code properties (HU) however helped RFL tasks",
    if_it_fails="Training on classes as well would not help a model for forum posts, and more diverse tasks "
    "would be no gain in themselves.",
)
def posts_with_classes(paper: Material) -> Finding:
    """Compare RFLHU and RFL of both bases."""
    gains = {
        f"{column}, {base}": paper.multitask(column)[f"RFLHU-{base}"] - paper.multitask(column)[f"RFL-{base}"]
        for base in BASES
        for column in COLUMNS[:4]
    }
    worse = [f"{name} ({gain:+.2f})" for name, gain in gains.items() if gain < -1e-9]
    alike = [name for name, gain in gains.items() if abs(gain) < 1e-9]
    better = len(gains) - len(worse) - len(alike)
    because = f"RFLHU is better in {portion(better, len(gains)).lower()} columns."
    others = [f"It is worse in {listed(worse)}."] if worse else []
    others += [f"Alike are {listed(alike)}."] if alike else []
    caveat = exceptions(" ".join(others)) if others else None
    return finding(2 * better > len(gains), because, caveat=caveat, gains=gains)


@claim(
    "B61",
    "4",
    "For each task the multi-task model with the best performance is reported.",
    holds="The multi-task model in the table of each task has the best score of its column in Table 8, and "
    "scores on validation data, by which it was chosen, are published.",
    caveat="They are not published: the best of Table 8 is chosen by the test scores that are then reported.",
    fails="Another model has a better score in Table 8.",
    weight="method",
    quote="For multi-task fine tuning, we report, for each task, the model with the best performance",
)
def best_is_reported(paper: Material) -> Finding:
    """Look for the reported models in Table 8."""
    columns = {task: paper.multitask(column) for task, column in TABLE8.items()}
    reported = {task: list(_reported(paper, task)) for task in TASKS}
    best = [task for task, names in reported.items() if ordered(columns[task])[0] in names]
    return finding(
        len(best) == len(reported),
        f"On {portion(len(best), len(reported)).lower()} tasks the reported multi-task model is the best of "
        f"the {len(columns['R'])} in Table 8.",
        caveat=None
        if paper.has("validation")
        else scope("It is the best by test scores; no score on validation data is published."),
        reported=reported,
    )


@claim(
    "B63",
    "5",
    "Multi-task training gives better representations of classes and functions.",
    holds="On every task of Table 2 with rows of classes or functions the best multi-task model is better than "
    "the best one tuned on that task alone, and both kinds have a task.",
    caveat="It is on more than half of these tasks, or one of the two kinds has no task.",
    fails="It is on half of them or fewer.",
    thresholds={"half": "our choice, as in B52: what most tasks do not show is not shown"},
    weight="conclusion",
    quote="We also used multi-task training to demonstrate better representations of classes and functions",
    if_it_fails="Who needs vectors of classes would train a model on the one task that they care about.",
)
def better_classes_and_functions(paper: Material) -> Finding:
    """Compare the best models of both ways on tasks whose rows are classes or functions."""
    rows = {task: paper.published("table2", task, "Data type").lower() for task in TASKS}
    kinds = {kind: [task for task in TASKS if kind in rows[task]] for kind in KINDS}
    tasks = [task for task in TASKS if any(task in each for each in kinds.values())]
    if not tasks:
        raise SeluError("table2.csv has no task with rows of classes or functions: restore the file from git.")
    found = {task: _best_of_both(paper, task) for task in tasks}
    won = [task for task, (multi, single) in found.items() if multi > single]
    behind = [
        f"{NAMES[task]} ({multi:.2f} against {single:.2f})"
        for task, (multi, single) in found.items()
        if task not in won
    ]
    caveats = [exceptions(f"It is not on {listed(behind)}.")] if behind else []
    caveats += [scope(f"No task has rows of {words}.") for kind, words in KINDS.items() if not kinds[kind]]
    return finding(
        2 * len(won) > len(tasks),
        f"The best multi-task model is ahead on {portion(len(won), len(tasks)).lower()} tasks with rows of "
        f"classes or functions: {named(won)}.",
        caveat=joined(caveats),
        multi_and_single=found,
    )
