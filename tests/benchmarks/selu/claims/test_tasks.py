from __future__ import annotations

from dataclasses import replace

import numpy as np
from alterations import Alter, printed
from claim_tests import ClaimTests, claims_of
from redrawn import ROOT, Draw, number, together, words

from selu.benchmarks.selu.claims import tasks
from selu.benchmarks.selu.material import Material
from selu.project import load_selu
from selu.vocabulary import Activity, Kind, Published, Verdict


def a_task_is_dropped(m: Material) -> Material:
    return replace(m, tasks=m.tasks[:-1])


def development_becomes_maintenance(m: Material) -> Material:
    tasks = m.task_ids(activity=Activity.SOFTWARE_DEVELOPMENT)
    return printed(*(("appendix", task, "Activity", "software maintenance") for task in tasks))(m)


def binary_tasks_become_regression(m: Material) -> Material:
    return printed(*(("table1", task, "Type", "Regr.") for task in m.task_ids(kind=Kind.BINARY)))(m)


def verbs(share: str) -> Alter:
    return printed(
        ("verb_share", "requirement_completion", "verbs", share),
        ("verb_share", "requirement_completion", "tokens", "1"),
    )


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C001": (printed(("table1", "code_review", "Type", "Binary")), Verdict.FAILS),
    "C002": (printed(("table1", "story_points", "Type", "Binary")), Verdict.FAILS),
    "C014": (development_becomes_maintenance, Verdict.FAILS),
    "C015": (printed(("appendix", "se_entities", "Activity", "software design")), Verdict.FAILS),
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
    ("C001", a_task_is_dropped, Verdict.FAILS),
    ("C019", printed(("table1", "bug_issue", "Instances", "10,038,219")), Verdict.FAILS),
    ("C019", printed(("text", "VII-A", "Instances of all data sets", "1.1 million")), Verdict.HOLDS),
    ("C019", printed(("text", "VII-A", "Instances of all data sets", "1.2 million")), Verdict.FAILS),
    ("C126", verbs("0.20"), Verdict.FAILS),
)
CLAIMS = claims_of(tasks)
TASKS = sorted(row for row, column in load_selu(ROOT).tables["table1"] if column == "Type")
SOURCES = [("table2", *place) for place in load_selu(ROOT).tables["table2"]]
TYPES = words([("table1", task, "Type") for task in TASKS], [*tasks.KINDS, "Generation"])


def lists(m: Material, rng: np.random.Generator) -> Material:
    """Tables I and II with tasks left out or added here and there."""
    table1, table2 = dict(m.tables["table1"]), dict(m.tables["table2"])
    for task in rng.choice(TASKS, rng.integers(0, 3), replace=False):
        table1 = {place: cell for place, cell in table1.items() if place[0] != task}
    for place in rng.permutation(list(table2))[: rng.integers(0, 2)]:
        row, column = map(str, place)
        names = [*table2[row, column].printed.split(", "), f"task {rng.integers(9)}"]
        table2[row, column] = replace(table2[row, column], printed=", ".join(names))
    return replace(m, tables={**m.tables, "table1": table1, "table2": table2})


def one_type_changes(m: Material, rng: np.random.Generator) -> Material:
    """Each of a few tasks has the type that it has, or any other."""
    some = rng.choice(TASKS, rng.integers(0, 3), replace=False)
    return words([("table1", str(task), "Type") for task in some], [*tasks.KINDS, "Generation"])(m, rng)


def sources(m: Material, rng: np.random.Generator) -> Material:
    """Each task is under one or two sources at random, forums and trackers the likelier the more often."""
    weight = rng.uniform(0.02, 0.98)
    rows = sorted({place[1] for place in SOURCES})
    chances = np.array(
        [weight / 2 if row in (tasks.FORUMS, tasks.TRACKERS) else (1 - weight) / 4 for row in rows]
    )
    found: dict[str, list[str]] = {row: [] for row in rows}
    for task in TASKS:
        for row in rng.choice(rows, rng.integers(1, 3), replace=False, p=chances / chances.sum()):
            found[row].append(task)
    table = {
        (row, "Core non-code"): Published("II", row, "Core non-code", ", ".join(names))
        for row, names in found.items()
        if names
    }
    return replace(m, tables={**m.tables, "table2": table})


def instances(m: Material, rng: np.random.Generator) -> Material:
    """Other sizes of the data sets, over five powers of ten, and a sentence with or without its number."""
    by = 10 ** rng.uniform(-2, 2)
    for task in TASKS:
        m = m.with_printed("table1", task, "Instances", f"{m.number('table1', task, 'Instances') * by:,.0f}")
    total = sum(m.number("table1", task, "Instances") for task in TASKS)
    text = (
        f"{total / 1e6 * rng.choice([1.0, rng.uniform(0.5, 2)]):.1f} million"
        if rng.random() < 0.7
        else "million"
    )
    return m.with_printed("text", "VII-A", "Instances of all data sets", text)


ACTIVITIES = sorted(str(activity).replace("_", " ") for activity in Activity)


def activities(m: Material, rng: np.random.Generator) -> Material:
    """Some tasks of another activity; of a few activities alone, now and then."""
    among = rng.choice(ACTIVITIES, rng.integers(1, len(ACTIVITIES) + 1), replace=False)
    return words([("appendix", task, "Activity") for task in TASKS], list(among))(m, rng)


VERBS = ("verb_share", "requirement_completion")
DRAWS: dict[str, Draw] = {
    "C001": lists,
    "C002": one_type_changes,
    "C014": activities,
    "C015": activities,
    "C016": TYPES,
    "C017": sources,
    "C018": sources,
    "C019": instances,
    "C126": together(number((*VERBS, "verbs"), 50, 150, 0), number((*VERBS, "tokens"), 900, 1500, 0)),
}


class TestTasks(ClaimTests):
    module, flips, others, draws = tasks, FLIPS, OTHERS, DRAWS


def test_numbers_of_the_overview(quick: Material) -> None:
    numbers = {id: CLAIMS[id].check(quick).numbers for id in ("C017", "C018", "C019")}
    assert (len(numbers["C017"]["from_them"]), len(numbers["C017"]["from_nothing_else"])) == (14, 12)
    assert len(numbers["C018"]["tasks"]) == 7
    assert numbers["C019"]["total"] == 1_122_640
