"""How the data are split (III-B, VII-B)."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed, percent, unless_known
from selu.benchmarks.selu.claims._constant_answers import rows_by_class
from selu.benchmarks.selu.claims._protocol import FINAL, NO_PROTOCOL, PAPER, says
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Finding, Kind

BALANCED_POOL = "from as many of each class as there are classes"


def _classification(m: Material) -> list[str]:
    return [t.id for t in m.tasks if t.kind in (Kind.BINARY, Kind.MULTI_CLASS, Kind.MULTI_LABEL)]


@claim(
    "C106",
    "VII-B vs III-B",
    "The data are split 80/20 with stratification.",
    holds="Every task is split with stratification, and each classification task's test rows make up the "
    "stated share within 1 point.",
    caveat="Some tasks, half or fewer, are split without stratification.",
    fails="Half of the tasks or more are split without stratification, or a test share is further away.",
    thresholds={
        "1 point": "our choice: more than whole rows and strata of the smallest task explain",
        "half": "most",
    },
)
def stratified_splits(m: Material) -> Finding:
    """Ways of splitting as section III-B gives them, test rows as counted in the authors' results."""
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    stated, margin = float(says(m, "test share", PAPER)), 0.01
    shares = {task: rows_by_class(m, task)[1] / m.task(task).instances for task in _classification(m)}
    off = [task for task, share in shares.items() if abs(share - stated) > margin]
    ways = {task.id: says(m, f"split of {task.kind}", PAPER) for task in m.tasks}
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
    "C114",
    "III-B",
    "One fixed seed draws the split of every data set.",
    holds="The authors' published scripts set one and the same seed for the split of each task.",
    fails="The scripts set no seed, or another one, for a task.",
)
def every_split_has_a_seed(m: Material) -> Finding:
    """Seeds as the scripts set them, by type of task (protocol.csv)."""
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    seeds = {task.id: says(m, f"seed of {task.kind}", FINAL) for task in m.tasks}
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
    holds="The authors' scripts draw the stated number of examples from the training rows, by class and with a "
    "seed.",
    caveat="The scripts draw from a pool that has as many rows of each class, so that the examples of a row "
    "need not have different classes, or they set no seed.",
    fails="The scripts take another number, other rows, or draw without regard to classes.",
)
def three_shots_a_test_row(m: Material) -> Finding:
    """Their shots_selection notebook draws from a pool with as many rows of each class as there are classes.

    Two classes are then always both among three shots; of more classes three different ones only sometimes.
    """
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    number, drawn = int(says(m, "shots of a test row", FINAL)), says(m, "shots drawn", FINAL)
    pool = drawn == BALANCED_POOL
    several = [task for task in m.tasks if task.kind is Kind.MULTI_CLASS] if pool else []
    differ = {task.id: _all_differ(len(task.labels), number) for task in several}
    caveats = []
    if differ:
        caveats.append(
            f"of the {len(differ)} multi-class tasks the shots of a row have different classes with a "
            f"probability of {percent(min(differ.values()))} to {percent(max(differ.values()))} only"
        )
    if says(m, "seed of shots", FINAL) == "none":
        caveats.append("no seed makes the draw repeatable")
    same = number == int(says(m, "shots of a test row", PAPER))
    from_train = says(m, "shots taken from", FINAL) == "train"
    return finding(
        same and from_train and (pool or drawn == says(m, "shots drawn", PAPER)),
        f"The scripts give each test row {number} shots from {says(m, 'shots taken from', FINAL)}, "
        f"drawn {drawn}.",
        caveat=f"But {' and '.join(caveats)}." if caveats else None,
        probability_of_different_classes=differ,
    )


def _all_differ(classes: int, shots: int) -> float:
    """Probability that shots drawn from a pool with ``classes`` rows of each class are all of other classes."""
    probability = 1.0
    for taken in range(shots):
        probability *= (classes - taken) * classes / (classes * classes - taken)
    return probability
