"""How the data are cleaned and split (III-B, VII-B)."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, listed, percent, wording
from selu.papers.selu.claims._constant_answers import rows_by_class
from selu.papers.selu.claims._protocol import FINAL, PAPER, says
from selu.papers.selu.claims._published import published_column
from selu.papers.selu.claims._questions import PROCEDURE
from selu.papers.selu.material import Material
from selu.vocabulary import Finding, Kind

QUESTION = PROCEDURE
BALANCED_POOL = "from as many of each class as there are classes"


@claim(
    "C106",
    "VII-B vs III-B",
    "The data are split 80/20 with stratification.",
    weight="method",
    quote="use a stratified 80%/20% hold-out splitting strategy to control selection bias",
    holds="Every task is split with stratification, and each classification task's test rows make up the "
    "stated share within 1 point.",
    caveat="Some tasks, half or fewer, are split without stratification.",
    fails="Half of the tasks or more are split without stratification, or a test share is further away.",
    thresholds={
        "1 point": "our choice: more than whole rows and strata of the smallest task explain",
        "half": "most",
    },
)
def stratified_splits(paper: Material) -> Finding:
    """Check the splits of section III-B, with test rows as counted in the authors' results."""
    stated, margin = float(says(paper, "test share", PAPER)), 0.01
    shares = {
        task.id: rows_by_class(paper, task.id)[1] / task.instances
        for task in paper.tasks
        if task.kind in (Kind.BINARY, Kind.MULTI_CLASS, Kind.MULTI_LABEL)
    }
    off = [task for task, share in shares.items() if abs(share - stated) > margin]
    ways = {task.id: says(paper, f"split of {task.kind}", PAPER) for task in paper.tasks}
    at_random = [task for task, way in ways.items() if way not in ("stratified", "iterative")]
    caveat = f"Without stratification are {listed(at_random)}, as III-B says itself."
    return finding(
        not off and 2 * len(at_random) < len(ways),
        f"{len(ways) - len(at_random)} of the {len(ways)} tasks are split with stratification, and the test "
        f"rows of the {len(shares)} classification tasks make up {percent(min(shares.values()))} to "
        f"{percent(max(shares.values()))}.",
        caveat=exceptions(caveat) if at_random else None,
        ways=ways,
        test_shares=shares,
        share_off=off,
    )


@claim(
    "C114",
    "III-B",
    "One fixed seed draws the split of every data set.",
    weight="method",
    quote="a 80%/20% hold-out splitting strategy with a fixed global seed for all datasets",
    holds="The authors' published scripts set one and the same seed for the split of each task.",
    fails="The scripts set no seed, or another one, for a task.",
)
def every_split_has_a_seed(paper: Material) -> Finding:
    """Seeds as the scripts set them, by type of task (protocol.csv)."""
    seeds = {task.id: says(paper, f"seed of {task.kind}", FINAL) for task in paper.tasks}
    unseeded = [task for task, seed in seeds.items() if seed == "none"]
    found = sorted(set(seeds.values()) - {"none"})
    return finding(
        len(found) == 1 and not unseeded,
        f"{len(seeds) - len(unseeded)} of the {len(seeds)} splits are drawn with seed {listed(found)}; without "
        f"any seed are {listed(unseeded)}.",
        seeds=seeds,
    )


@claim(
    "C127",
    "III-B",
    "Each test row gets three shots, drawn by class from the rows for training.",
    weight="method",
    quote="we draw 3 shots per testing instance from the training subset, stratified by class/label (when "
    "feasible)",
    holds="The authors' scripts draw the stated number of examples from the training rows, by class. That they "
    "set no seed is a remark: the sentence names none.",
    caveat="The scripts draw from a pool that has as many rows of each class, so that the examples of a row "
    "need not have different classes.",
    fails="The scripts take another number, other rows, or draw without regard to classes.",
)
def three_shots_a_test_row(paper: Material) -> Finding:
    """Check the shots; the notebook's pool has as many rows of each class as there are classes.

    Two classes are then always both among three shots; of more classes three different ones only sometimes.
    """
    number, drawn = int(says(paper, "shots of a test row", FINAL)), says(paper, "shots drawn", FINAL)
    pool = drawn == BALANCED_POOL
    several = [task for task in paper.tasks if task.kind is Kind.MULTI_CLASS] if pool else []
    differ = {task.id: _all_differ(len(task.labels), number) for task in several}
    alike = (
        f"In the {len(differ)} multi-class tasks the shots of a row have different classes with a probability "
        f"of {percent(min(differ.values()))} to {percent(max(differ.values()))} only."
        if differ
        else ""
    )
    unseeded = says(paper, "seed of shots", FINAL) == "none"
    same = number == int(says(paper, "shots of a test row", PAPER))
    from_train = says(paper, "shots taken from", FINAL) == "train"
    return finding(
        same and from_train and (pool or drawn == says(paper, "shots drawn", PAPER)),
        f"The scripts give each test row {number} shots from {says(paper, 'shots taken from', FINAL)}, "
        f"drawn {drawn}.",
        caveat=wording(alike) if alike else None,
        remark="No seed makes the draw repeatable." if unseeded else None,
        probability_of_different_classes=differ,
    )


def _all_differ(classes: int, shots: int) -> float:
    """Return the probability that shots drawn from ``classes`` rows of each class all differ in class."""
    probability = 1.0
    for taken in range(shots):
        probability *= (classes - taken) * classes / (classes * classes - taken)
    return probability


STEPS = {
    "white space": {"whitespace"},
    "markdown and HTML styling": {"markdown", "html", "jira"},
    "masks": {"code", "hash", "url", "user"},
}


@claim(
    "C130",
    "VII-B",
    "A consistent pre-processing pipeline is applied for most tasks: white space, markdown and HTML styling, "
    "masks.",
    weight="method",
    quote="a consistent pre-processing pipeline for most tasks, including (1) normalizing white spaces, "
    "(2) removing any kind of markdown and HTML styling, and (3) masking",
    holds="The authors' scripts apply all three steps to more than half of the tasks.",
    caveat="Each step is applied to more than half of the tasks, but all three to half or fewer.",
    fails="A step is applied to half of the tasks or fewer.",
    thresholds={"half": 'the plain meaning of "most"'},
)
def most_tasks_are_cleaned_alike(paper: Material) -> Finding:
    """Check the cleaning steps of each task's scripts (protocol.csv).

    One kind of styling or mask is enough for a step."""
    taken = {
        row.removeprefix("cleaning of "): set(text.split(", "))
        for row, text in published_column(paper, "protocol", FINAL).items()
        if row.startswith("cleaning of ")
    }
    tasks = {step: [task for task, names in taken.items() if names & kinds] for step, kinds in STEPS.items()}
    whole = [task for task, names in taken.items() if all(names & kinds for kinds in STEPS.values())]
    return finding(
        all(2 * len(names) > len(taken) for names in tasks.values()),
        f"Of the {len(taken)} tasks, the scripts normalise white space for {len(tasks['white space'])}, "
        f"remove styling for {len(tasks['markdown and HTML styling'])} and mask for {len(tasks['masks'])}; "
        f"all three steps are taken for {len(whole)}.",
        caveat=None if 2 * len(whole) > len(taken) else exceptions("At most half of the tasks take all three."),
        tasks=tasks,
        all_three=whole,
    )
