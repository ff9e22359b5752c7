from __future__ import annotations

from dataclasses import replace

from alterations import Alter, printed
from claim_tests import ClaimTests, claims_of

from selu.benchmarks.selu.claims import tasks
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Activity, Kind, Verdict


def a_task_is_dropped(m: Material) -> Material:
    return replace(m, tasks=m.tasks[:-1])


def development_becomes_maintenance(m: Material) -> Material:
    for task in m.task_ids(activity=Activity.SOFTWARE_DEVELOPMENT):
        m = m.with_task(task, activity=Activity.SOFTWARE_MAINTENANCE)
    return m


def binary_tasks_become_regression(m: Material) -> Material:
    return printed(*(("table1", task, "Type", "Regr.") for task in m.task_ids(kind=Kind.BINARY)))(m)


def verbs(share: str) -> Alter:
    return printed(
        ("verb_share", "requirement_completion", "verbs", share),
        ("verb_share", "requirement_completion", "tokens", "1"),
    )


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C001": (a_task_is_dropped, Verdict.FAILS),
    "C002": (printed(("table1", "story_points", "Type", "Binary")), Verdict.FAILS),
    "C014": (development_becomes_maintenance, Verdict.FAILS),
    "C015": (lambda m: m.with_task("se_entities", activity=Activity.SOFTWARE_DESIGN), Verdict.FAILS),
    "C016": (binary_tasks_become_regression, Verdict.FAILS),
    "C017": (
        printed(("table2", "Issue tracking systems", "Code-adjacent metadata", "bug_issue")),
        Verdict.FAILS,
    ),
    "C018": (printed(("table2", "Mailing lists", "Developer communication", "incivility")), Verdict.FAILS),
    "C019": (printed(("table1", "issue_type", "Instances", "80,341")), Verdict.FAILS),
    "C126": (verbs("0.09"), Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C019", printed(("table1", "bug_issue", "Instances", "1,038,219")), Verdict.FAILS),
    ("C126", verbs("0.20"), Verdict.FAILS),
)
CLAIMS = claims_of(tasks)


class TestTasks(ClaimTests):
    module, flips, others = tasks, FLIPS, OTHERS


def test_numbers_of_the_overview(quick: Material) -> None:
    numbers = {id: CLAIMS[id].check(quick).numbers for id in ("C017", "C018", "C019")}
    assert (len(numbers["C017"]["from_them"]), len(numbers["C017"]["from_nothing_else"])) == (14, 12)
    assert len(numbers["C018"]["tasks"]) == 7
    assert numbers["C019"]["total"] == 1_122_640
