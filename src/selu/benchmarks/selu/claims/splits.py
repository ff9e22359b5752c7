"""How the data are split (III-B, VII-B)."""

from __future__ import annotations

from selu.benchmarks.selu.claims._claim import claim, finding, listed, percent, unless_known
from selu.benchmarks.selu.claims._constant_answers import rows_by_class
from selu.benchmarks.selu.claims._protocol import FINAL, NO_PROTOCOL, PAPER, says
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Finding, Kind


def _classification(m: Material) -> list[str]:
    return [t.id for t in m.tasks if t.kind in (Kind.BINARY, Kind.MULTI_CLASS, Kind.MULTI_LABEL)]


@claim("C106", "VII-B vs III-B", "The data are split 80/20 with stratification.")
def stratified_splits(m: Material) -> Finding:
    """Shares within 1 point of 20 % and most tasks stratified; tasks split at random are a caveat."""
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


@claim("C114", "III-B", "One fixed seed draws the split of every data set.")
def every_split_has_a_seed(m: Material) -> Finding:
    """The published scripts must set the same seed for the split of each of the 22 tasks."""
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


@claim("C127", "III-B", "Each test row gets three shots, drawn by class from the rows for training.")
def three_shots_a_test_row(m: Material) -> Finding:
    """Needs shots.csv: rows are tasks; columns shots (per test row), from training (share), by class (yes, no).

    By class is asked of binary and multi-class tasks, where it is feasible as it stands; others are a caveat.
    """
    stated = 3
    if missing := unless_known(m, "shots", "The shots of each test row are not in the package"):
        return missing
    tasks = [task for task in m.tasks if (task.id, "shots") in m.tables["shots"]]
    other = [t.id for t in tasks if m.number("shots", t.id, "shots") != stated]
    outside = [t.id for t in tasks if m.number("shots", t.id, "from training") < 1]
    at_random = [t for t in tasks if m.printed("shots", t.id, "by class") != "yes"]
    feasible = [t.id for t in at_random if t.kind in (Kind.BINARY, Kind.MULTI_CLASS)]
    wrong = {*other, *outside, *feasible}
    return finding(
        not wrong,
        f"For {len(tasks) - len(wrong)} of {len(tasks)} tasks on record the {stated} shots are drawn so.",
        caveat=f"Not by class: {listed(t.id for t in at_random)}." if at_random else None,
        another_number=other,
        not_all_from_training=outside,
        not_by_class=[t.id for t in at_random],
    )
