"""Overlap of both sides of a split, and what is left of training (sections III-C, IV-D, VI)."""

from __future__ import annotations

from selu.boards.rounding import Range
from selu.papers.claims import claim, finding, listed, scope, unless_known
from selu.papers.crosscodebench.claims._known import CONCLUSION, DETAIL, IMPLIED, METHOD, besides, portion
from selu.papers.crosscodebench.claims.splits import tasks
from selu.papers.crosscodebench.material import SHARED, Material
from selu.vocabulary import Finding, Verdict

QUESTION = "Do the splits keep training and evaluation apart?"


def shared_sources(paper: Material, split: str) -> list[str]:
    """List the data sets of which a split has tasks on both sides, by the list of the 216 tasks."""
    found = paper.published("sources", split, SHARED)
    return found.split(", ") if found else []


@claim(
    "X24",
    "III-C",
    "No training task shares a source data set with an evaluation task.",
    holds="In no split has a data set tasks on both sides, as the authors' code puts tasks on sides.",
    fails="In one split a data set has.",
    weight=CONCLUSION,
    quote="there is no task in the training set with the same resource dataset as any task in the evaluation "
    "set",
    if_it_fails="A model could have been trained on the data set of an evaluation task, and its score would "
    "overstate what it does on unseen tasks.",
)
def shared_data_sets(paper: Material) -> Finding:
    """Read the data sets on both sides, which the list of tasks has."""
    found = {split: shared_sources(paper, split) for split in paper.splits}
    lost = {split: names for split, names in found.items() if names}
    what = [f"{split} ({listed(names)})" for split, names in lost.items()]
    because = f"{portion(len(lost), len(found))} splits share a data set"
    because += f": {listed(what)}." if lost else "."
    return finding(not lost, because, shared=lost)


@claim(
    "X25",
    "VI",
    "No evaluation instance is a duplicate of a training instance.",
    holds="Among the instances of each split none is found.",
    fails="In one split some are found.",
    weight=CONCLUSION,
    quote="do not have duplication with the data in the training set during our experiments",
    if_it_fails="A model could have been trained on instances that it is evaluated on, and its scores would be "
    "too high.",
)
def duplicates(paper: Material) -> Finding:
    """Read the counted duplicates: some rows can prove that there are any, all rows that there are none."""
    missing = "The instances are in the published archive, which is not here"
    if not_checkable := unless_known(paper, "duplicates", missing):
        return not_checkable
    known = [split for split in paper.splits if (split, "Evaluation instances") in paper.tables["duplicates"]]
    found = {split: paper.count("duplicates", split, "Evaluation instances") for split in known}
    lost = [f"{split} ({number:,})" for split, number in found.items() if number]
    if not lost and len(known) < len(paper.splits):
        here = f"The rows here, of {portion(len(known), len(paper.splits))} splits, have none"
        return Finding(Verdict.NOT_CHECKABLE, f"{here}. {missing}.", {"duplicates": found})
    because = f"{portion(len(lost), len(known))} splits whose rows are here have some: {listed(lost)}."
    return finding(not lost, because, duplicates=found)


def _above_the_limit(paper: Material) -> list[str]:
    """List the splits with more training instances in Table IV than the limit of a task leaves."""
    limit = paper.count("text", "4", "Training instances of a task, at most")
    return [
        split
        for split in paper.splits
        if paper.amount("table4", split, "Training instances").low > limit * tasks(paper, split)[0]
    ]


@claim(
    "X30",
    "IV-D",
    "Training uses at most 10,000 instances of a task.",
    holds="The authors' code takes as many.",
    caveat="The training sizes of Table IV exceed what this leaves.",
    fails="The code takes another number.",
    weight=METHOD,
    quote="we limit the number of instances in each training tasks to 10,000",
)
def training_cap(paper: Material) -> Finding:
    """Compare text, code and Table IV."""
    stated = paper.count("text", "4", "Training instances of a task, at most")
    code = paper.count("scripts", "Training", "Instances of a task, at most")
    above = _above_the_limit(paper)
    because = f"The text says {stated:,}, the code takes {code:,}."
    caveat = scope(
        f"Table IV gives more for {portion(len(above), len(paper.splits))} splits: it counts before this limit."
    )
    return finding(stated == code, because, caveat=caveat if above else None, text=stated, code=code)


@claim(
    "X55",
    "VI",
    "Categories that are evaluated never occur in training.",
    holds="The code lists each category under one type, and the two category splits evaluate all its tasks.",
    fails="A category has two types.",
    weight=METHOD,
    quote="there is no overlap of task categories between the training and evaluation sets",
)
def categories_apart(paper: Material) -> Finding:
    """Look for a category's last name under two types."""
    types: dict[str, set[str]] = {}
    for row, column in paper.tables["categories"]:
        types.setdefault(row.rpartition(" -> ")[2], set()).add(paper.published("categories", row, column))
    lost = sorted(name for name, of_name in types.items() if len(of_name) > 1)
    because = f"{portion(len(types) - len(lost), len(types))} categories have one type{besides(lost)}."
    return finding(not lost, because, several=lost)


@claim(
    "X59",
    "IV-D, Table VI",
    "Experiment 1 of Table VI trains on 116K instances.",
    holds="The remaining rewriting tasks leave as many under the limit of instances of a task.",
    caveat="They leave fewer, and the sizes of Table IV, too, are counted before that limit.",
    fails="They leave fewer, and Table IV counts after the limit.",
    weight=DETAIL,
    kind=IMPLIED,
)
def smallest_training_set(paper: Material) -> Finding:
    """Apply the limit to the tasks that are left."""
    left = paper.of_type("Generation: Rewrite", "Tasks") - tasks(paper, "Cat-Intra-BF")[1]
    most = left * paper.count("text", "4", "Training instances of a task, at most")
    size: Range = paper.amount("table6", "1", "Training size")
    because = (
        f"{left} rewriting {'task is' if left == 1 else 'tasks are'} left, of which the limit takes at most "
        f"{most:,} instances; Table VI says {paper.published('table6', '1', 'Training size')}."
    )
    before = _above_the_limit(paper)
    caveat = scope(
        f"Table IV, too, counts before the limit, in {portion(len(before), len(paper.splits)).lower()} splits."
    )
    within = size.low <= most
    return finding(within or bool(before), because, caveat=None if within else caveat, tasks=left, most=most)


@claim(
    "X62",
    "IV-B3, VI",
    "PLBART and CodeT5 were pre-trained on no data of an evaluation task's source.",
    holds="Section VI names no such overlap as a threat.",
    fails="Section VI says that there may be one.",
    weight=METHOD,
    quote="no overlap between the dataset they use in pre-training and the source dataset of the evaluation "
    "set in all splits",
)
def pretraining_apart(paper: Material) -> Finding:
    """Compare two sentences of the paper."""
    here = paper.published("text", "4", "Overlap of pre-training and evaluation data")
    threat = paper.published("text", "6", "Overlap in pre-training")
    because = (
        f'Section IV-B ensures "{here} overlap" with the {len(paper.splits)} evaluation sets; of the same '
        f'threat section VI says that it "{threat}" in pre-training.'
    )
    return finding(not threat.startswith("may"), because, ensured=here, threat=threat)
