from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from selu.benchmarks.selu.claims import scope
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Activity, Claim, Kind, Published, Verdict

CLAIMS = {value.id: value for value in vars(scope).values() if isinstance(value, Claim)}
Alter = Callable[[Material], Material]


def printed(*places: tuple[str, str, str, str]) -> Alter:
    def alter(m: Material) -> Material:
        for place in places:
            m = m.with_printed(*place)
        return m

    return alter


def record(system: str, **changes: object) -> Alter:
    return lambda m: m.with_system(system, **changes)


def a_task_is_dropped(m: Material) -> Material:
    return replace(m, tasks=m.tasks[:-1])


def another_baseline(m: Material) -> Material:
    other = replace(m.system("fasttext"), id="svm", name="SVM")
    places = (("table6", task.id, "SVM", "0.5") for task in m.tasks)
    return replace(printed(*places)(m), systems=(*m.systems, other))


def misprint_mended(m: Material) -> Material:
    places = {}
    for (row, column), cell in m.tables["table3"].items():
        name = row.replace("7700M", "770M")
        places[name, column] = Published(cell.table, name, column, cell.printed)
    return replace(m, tables={**m.tables, "table3": places})


def starcoder_7b_leads(m: Material) -> Material:
    return m.with_scores({(task, "starcoder2-7b"): 0.98 for task in m.ranked.index})


def development_becomes_maintenance(m: Material) -> Material:
    for task in m.task_ids(activity=Activity.SOFTWARE_DEVELOPMENT):
        m = m.with_task(task, activity=Activity.SOFTWARE_MAINTENANCE)
    return m


def binary_tasks_become_regression(m: Material) -> Material:
    return printed(*(("table1", task, "Type", "Regr.") for task in m.task_ids(kind=Kind.BINARY)))(m)


def trackers_give_tasks_away(m: Material) -> Material:
    place = "Code-adjacent metadata"
    tasks = m.printed("table2", "Issue tracking systems", place).split(", ")
    docs = ", ".join([m.printed("table2", "API documentations", place), *tasks[1:]])
    return printed(
        ("table2", "Issue tracking systems", place, tasks[0]), ("table2", "API documentations", place, docs)
    )(m)


def cited(coding: str) -> Alter:
    shares = {
        "effort saved": "35",
        "time saved on routine tasks": "50",
        "time spent on code": coding,
        "time spent on debugging": "14",
        "review studies with machine learning": "59",
    }
    return printed(*(("cited_shares", row, "percent", text) for row, text in shares.items()))


def works(development: str) -> Alter:
    counts = {Activity.SOFTWARE_DEVELOPMENT: development, Activity.SOFTWARE_MAINTENANCE: "29", "other": "21"}
    return printed(*(("figure1", str(row), "works", text) for row, text in counts.items()))


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C001": (a_task_is_dropped, Verdict.FAILS),
    "C002": (printed(("table1", "story_points", "Type", "Binary")), Verdict.FAILS),
    "C003": (printed(("table3", "T5 small", "Compartment", "Generalist proprietary")), Verdict.FAILS),
    "C004": (record("gpt-4o-3-shot", shots=5), Verdict.FAILS),
    "C005": (another_baseline, Verdict.FAILS),
    "C006": (printed(("table6", "bug_issue", "FastText", "-")), Verdict.FAILS),
    "C007": (printed(("table3", "T5 small", "Size", "77M")), Verdict.FAILS),
    "C008": (printed(("table3", "T5 small", "Architecture", "state-space")), Verdict.FAILS),
    "C009": (misprint_mended, Verdict.HOLDS),
    "C010": (record("gpt2-xl", parameters_counted=1_500_000_000), Verdict.FAILS),
    "C011": (starcoder_7b_leads, Verdict.FAILS),
    "C012": (printed(("table6", "se_entities", "GPT-2 xl", "0.5")), Verdict.FAILS),
    "C013": (printed(("table6_aggregates", "Core non-code", "Generalist M", "0.650")), Verdict.FAILS),
    "C014": (development_becomes_maintenance, Verdict.FAILS),
    "C015": (lambda m: m.with_task("se_entities", activity=Activity.SOFTWARE_DESIGN), Verdict.FAILS),
    "C016": (binary_tasks_become_regression, Verdict.FAILS),
    "C017": (
        printed(("table2", "Issue tracking systems", "Code-adjacent metadata", "bug_issue")),
        Verdict.FAILS,
    ),
    "C018": (printed(("table2", "Mailing lists", "Developer communication", "incivility")), Verdict.FAILS),
    "C019": (printed(("table1", "issue_type", "Instances", "80,341")), Verdict.FAILS),
    "C020": (printed(("table1", "bug_issue", "Instances", "3,821")), Verdict.FAILS),
    "C021": (works("50"), Verdict.HOLDS),
    "C022": (cited("15"), Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    (
        "C006",
        printed(
            *(
                ("table6", t, s, "0.5")
                for t in ("se_entities", "requirement_completion")
                for s in ("FastText", "TF-IDF+XGBoost")
            )
        ),
        Verdict.HOLDS,
    ),
    ("C007", record("starcoder2-7b", parameters_counted=7_600_000_000), Verdict.CAVEAT),
    ("C010", printed(("table3", "GPT-2 xl", "Size", "1.6B")), Verdict.HOLDS),
    ("C012", printed(("table6", "bug_issue", "GPT-2 xl", "-")), Verdict.FAILS),
    ("C019", printed(("table1", "bug_issue", "Instances", "1,038,219")), Verdict.HOLDS),
    ("C021", works("5"), Verdict.FAILS),
    ("C022", cited("51"), Verdict.FAILS),
)


def test_every_claim_has_a_flip() -> None:
    assert set(FLIPS) == set(CLAIMS)


@pytest.mark.parametrize("id", sorted(FLIPS))
def test_verdict_follows_the_evidence(quick: Material, id: str) -> None:
    alter, expected = FLIPS[id]
    assert CLAIMS[id].check(alter(quick)).verdict == expected
    assert CLAIMS[id].check(quick).verdict != expected


@pytest.mark.parametrize(("id", "alter", "expected"), OTHERS)
def test_other_evidence(quick: Material, id: str, alter: Alter, expected: Verdict) -> None:
    assert CLAIMS[id].check(alter(quick)).verdict == expected


@pytest.mark.parametrize("id", sorted(CLAIMS))
def test_findings_are_whole(quick: Material, id: str) -> None:
    finding = CLAIMS[id].check(quick)
    json.dumps(dict(finding.numbers), allow_nan=False)
    assert finding.numbers
    assert finding.because.endswith(".")
    assert "\n" not in finding.because
    assert (
        re.search(r"\d", finding.because)
        or any(system.name in finding.because for system in quick.systems)
        or finding.verdict is Verdict.NOT_CHECKABLE
    )


def test_numbers_of_the_overview(quick: Material) -> None:
    numbers = {id: CLAIMS[id].check(quick).numbers for id in ("C009", "C017", "C018", "C019", "C020")}
    assert numbers["C009"]["wrong"] == numbers["C009"]["not_in_table6"] == ["CodeT5+ 7700M"]
    assert (len(numbers["C017"]["from_them"]), len(numbers["C017"]["from_nothing_else"])) == (14, 12)
    assert len(numbers["C018"]["tasks"]) == 7
    assert numbers["C019"]["total"] == 1_122_640
    assert len(numbers["C020"]["small_tasks"]) == 16
