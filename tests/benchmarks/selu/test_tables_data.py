"""Tables and figures of the data, from made-up records of all tasks."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from selu.benchmarks.drawing import images
from selu.benchmarks.selu import figures_data, tables_data
from selu.benchmarks.selu.claims._constant_answers import rows_by_class
from selu.benchmarks.selu.material import Material
from selu.benchmarks.selu.summary import summary
from selu.benchmarks.table import statement
from selu.vocabulary import Kind, Task

SYNTHETIC = ("bug_issue", "closed_question", "issue_type", "safety_issue", "review_type", "question_quality")
Records = dict[str, dict[str, Any]]


def overlap(exact: int, near: int, test: int) -> dict[str, Any]:
    return {
        "exact": {"test_rows": exact, "share": exact / test},
        "near": {"test_rows": near, "share": near / test},
        "exact_cleaned": {"test_rows": exact, "share": exact / test},
    }


def described(low: float) -> dict[str, float]:
    names = ("min", "q25", "median", "q75", "p90", "p99", "max", "mean")
    return {"count": 100, **{name: low * (1 + place) for place, name in enumerate(names)}}


def full_record(m: Material, task: Task) -> dict[str, Any]:
    """The record of rows that are in every respect those of the paper."""
    test = round(0.2 * task.instances)
    published, _ = rows_by_class(m, task.id)
    sides = {"train": task.instances - test, "validation": 0, "test": test}
    labels = {
        label.name: {"rows": 5 * published[i], "share": 0.25, "paper": {**sides, "test": published[i]}}
        for i, label in enumerate(task.labels)
        if task.kind is not Kind.ENTITIES
    }
    texts = {
        "empty": 0,
        "words": described(7),
        "tokens": described(9),
        "share_above_512_tokens": 0.025,
    }
    near = {"near": {"groups": 1, "rows": 2}}
    audit = {
        "parts": dict.fromkeys(("paper", "strict", "grouped"), sides),
        "lengths": {"raw": texts, "cleaned": texts} if task.ranked else {"raw": texts},
        "duplicates": {"exact": {"rows": 12}, "near": {"rows": 34}},
        "overlap": {"paper": overlap(1, 2, test), "grouped": overlap(0, 0, test)},
        "conflicts": {"exact": {"groups": 1, "rows": 2, "best_accuracy": 0.75}, **near},
        "drift": {
            "labels": dict.fromkeys(labels, 0.4),
            "words": {"statistic": 0.1, "p": 0.012},
            "vocabulary": {"share_of_occurrences": 0.034},
        },
    }
    return {
        "task": task.id,
        "standing": "synthetic" if task.id in SYNTHETIC else "equal",
        "rows": 310 if task.id in SYNTHETIC else task.instances,
        "split": "published (owner/name@abcdefg, path.csv)",
        "deviations": ["synthetic rows"] if task.id in SYNTHETIC else [],
        "audit": {**audit, "labels": labels} if labels else audit,
    }


@pytest.fixture(scope="module")
def _records(material: Material) -> Records:
    return {task.id: full_record(material, task) for task in material.tasks}


@pytest.fixture
def records(_records: Records) -> Records:
    return copy.deepcopy(_records)


def rows(table: Any) -> dict[str, dict[str, str]]:
    return {row["Task"]: row for row in table.frame.to_dict("records")}


TABLES = ("standing", "labels", "leakage", "lengths")


@pytest.mark.parametrize("name", TABLES)
def test_every_row_says_how_it_stands(name, material, records):
    table = getattr(tables_data, name)(material, records)
    found = {(row["Task"], row["Standing"]) for row in table.frame.to_dict("records")}
    skipped = {"story_points", "se_entities", "requirement_completion"} if name == "labels" else set()
    assert found == {(task, r["standing"]) for task, r in records.items() if task not in skipped}
    assert all(isinstance(value, str) for value in table.frame.to_numpy().ravel())


@pytest.mark.parametrize("name", TABLES)
def test_synthetic_rows_are_never_counted_as_compared(name, material, records):
    """Not even where their numbers happen to be the paper's."""
    for task in SYNTHETIC:
        records[task]["rows"] = next(t.instances for t in material.tasks if t.id == task)
    table = getattr(tables_data, name)(material, records)
    assert not {cell.row.partition(":")[0] for cell in table.compared} & set(SYNTHETIC)
    expected = {"standing": 16, "labels": 58}.get(name, 0)
    assert (table.equal, table.cells) == (expected, expected)


def test_nothing_published_stands_beside_synthetic_rows(material, records):
    frame = tables_data.labels(material, records).frame
    ours = frame["Standing"] == "synthetic"
    assert set(frame[ours]["Test, published"]) == {""}
    assert "" not in set(frame[~ours]["Test, published"])
    assert ours.sum() == sum(len(task.labels) for task in material.tasks if task.id in SYNTHETIC)


def test_rows_as_the_paper_counts_them(material, records):
    table = tables_data.standing(material, records)
    assert statement(table).startswith("**16 of 16 cells of tasks with real rows equal Table I**")
    found = rows(table)
    assert found["story_points"]["Rows"] == found["story_points"]["Paper"] == "23,313"
    assert found["requirement_completion"]["Rows"] == found["requirement_completion"]["Paper"] == "40*"
    assert found["bug_issue"]["Rows"] == "310"
    assert {row["Split"] for row in found.values()} == {"published"}


@pytest.mark.parametrize(
    ("standing", "why"),
    [
        ("partial", "partial: not every row was at hand"),
        ("package", "read from the authors' own file"),
        ("equal", "differs"),
    ],
)
def test_other_rows_are_a_mismatch_with_a_reason(material, records, standing, why):
    records["requirement_completion"] |= {"standing": standing, "rows": 12}
    table = tables_data.standing(material, records)
    (cell,) = table.mismatches
    assert (cell.row, cell.printed, cell.computed, cell.difference, cell.why) == (
        "requirement_completion",
        "40*",
        "12*",
        -28.0,
        why,
    )
    assert statement(table).startswith("**15 of 16 cells")


@pytest.mark.parametrize(
    ("standing", "why"),
    [
        ("equal", "rows in another order"),
        ("partial", "partial: not every row was at hand"),
        ("package", "read from the authors' own file"),
    ],
)
def test_a_wrong_test_count_is_a_mismatch_with_a_reason(material, records, standing, why):
    record = records["incivility"]
    record["standing"] = standing
    record["audit"]["labels"]["civil"]["paper"]["test"] += 3
    table = tables_data.labels(material, records)
    (cell,) = table.mismatches
    assert (cell.row, cell.printed, cell.computed, cell.difference, cell.why) == (
        "incivility: civil",
        "94",
        "97",
        3,
        why,
    )
    assert (table.equal, table.cells) == (57, 58)
    assert "mismatches: 1 " in statement(table)


def test_leaks_are_shown_as_rows_and_share(material, records):
    record = records["sentiment"]["audit"]
    record["overlap"]["paper"] = {
        "exact": {"test_rows": 1234, "share": 0.5},
        "near": {"test_rows": 1300, "share": 0.526},
    }
    record["conflicts"]["exact"]["best_accuracy"] = None
    record["parts"] = {**record["parts"], "grouped": {"test": 1329}}
    row = rows(tables_data.leakage(material, records))["sentiment"]
    assert row["Test rows copied in train"] == "1,234 (50.0 %)"
    assert row["Nearly in train"] == "1,300 (52.6 %)"
    assert row["Equal once cleaned"] == row["Best accuracy on copies"] == ""
    assert row["Test rows left by grouped"] == "1,329"


def test_lengths_are_those_after_cleaning_where_there_is_any(material, records):
    for task in ("sentiment", "se_entities"):
        records[task]["audit"]["lengths"]["raw"] = {
            **records[task]["audit"]["lengths"]["raw"],
            "tokens": described(50),
        }
    records["sentiment"]["audit"]["drift"]["words"] = None
    found = rows(tables_data.lengths(material, records))
    assert found["sentiment"]["Tokens, median"] == "27"
    assert found["se_entities"]["Tokens, median"] == "150"
    assert (found["sentiment"]["Lengths differ, p"], found["se_entities"]["Lengths differ, p"]) == ("", "0.012")
    assert found["sentiment"]["Over 512 tokens"] == "2.5 %"
    assert found["sentiment"]["Test words not in train"] == "3.4 %"


def test_deviations_are_grouped_and_leave_synthetic_rows_out(material, records):
    for task in ("sentiment", "incivility", "smell_doc", "bug_issue"):
        records[task]["deviations"] = ["Rows stand in another order."]
    records["smell_doc"]["deviations"] = ["A row is missing.", "Rows stand in another order."]
    assert tables_data.deviations(material, records) == [
        "- `incivility`, `sentiment`, `smell_doc`: Rows stand in another order.",
        "- `smell_doc`: A row is missing.",
    ]


def test_the_summary_counts_real_rows_only(root: Path, material, records):
    claims = json.loads((root / "reports" / "selu" / "claims.json").read_text("utf-8"))
    sensitivity = json.loads((root / "reports" / "selu" / "sensitivity.json").read_text("utf-8"))
    records["bug_issue"]["audit"]["overlap"]["paper"] = overlap(7000, 7000, 7644)
    records["sentiment"]["audit"]["overlap"]["paper"] = overlap(0, 1315, 2630)
    records["incivility"]["audit"]["labels"]["civil"]["paper"]["test"] += 1
    text = summary(material, claims, sensitivity, records, [], []).splitlines()[-1]
    real = [task for task in records if task not in SYNTHETIC]
    test = sum(records[task]["audit"]["parts"]["paper"]["test"] for task in real)
    copies = 15 * 2 + 1315
    assert text == (
        "Data of the 22 tasks: 16 equal, 6 synthetic (equal: all of the paper's rows; partial: some of them; "
        "synthetic: small sets of our own). 57 of 58 published test counts of labels are met. "
        f"{copies:,} of {test:,} real test rows ({100 * copies / test:.1f} %) have a copy or near copy in "
        "train, most in sentiment (50.0 %)."
    )


def test_the_summary_puts_reruns_beside_print_and_names_what_is_not_in_the_paper(root: Path, material, records):
    earned = {"evidence": "re-earned", "verdict": "deviates", "exact": False, "standing": "partial"}
    cell = {
        "task": "incivility",
        "system": "x",
        "name": "X",
        "printed": "0.5",
        "value": 0.25,
        "low": 0.2,
        "high": 0.3,
    }
    strict = {"value": 0.75, "low": 0.7, "high": 0.8}
    outside = [{"task": "sentiment", "name": "Y", "standing": "equal", "strict": strict}]
    outside += [{"task": "smell_doc", "name": "Y", "standing": "equal", "strict": {"value": None}}]
    sensitivity = json.loads((root / "reports" / "selu" / "sensitivity.json").read_text("utf-8"))
    found = summary(material, [], sensitivity, records, [{**earned, **cell}], outside)
    assert "| incivility (partial rows) | 0.5 | 0.250 \\[0.200, 0.300\\] deviates |  |" in found
    assert "| sentiment |  |  | 0.750 \\[0.700, 0.800\\] |" in found
    assert "smell" not in found.partition("| Table |")[0]


def ids(material: Material) -> list[str]:
    return [task.id for task in material.tasks]


def names(figure: Any) -> list[str]:
    return [label.get_text() for label in figure.axes[0].get_yticklabels()]


def test_the_leakage_figure_draws_no_synthetic_task(material, records):
    records["requirement_completion"]["standing"] = "partial"
    records["sentiment"]["audit"]["overlap"]["paper"] = overlap(263, 526, 2630)
    figure = figures_data.leakage(ids(material), records)
    expected = [task for task in ids(material) if task not in SYNTHETIC]
    assert names(figure) == [*expected[:-1], "requirement_completion (partial)"]
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    place = expected.index("sentiment")
    assert [widths[place], widths[16 + place]] == pytest.approx([20, 10])
    assert len(widths) == 32
    assert figure.axes[0].texts[place].get_text() == " 263 exact, 526 in all"


def test_the_lengths_figure_marks_synthetic_tasks(material, records):
    figure = figures_data.lengths(ids(material), records)
    expected = [f"{task} (synthetic)" if task in SYNTHETIC else task for task in ids(material)]
    assert names(figure) == expected
    colours = {
        round(-line.get_ydata()[0]): line.get_color()
        for line in figure.axes[0].lines
        if len(line.get_ydata()) == 2 and line.get_linewidth() == 5
    }
    grey = [ids(material)[place] for place, colour in colours.items() if colour == figures_data.GREY]
    assert grey == [task for task in ids(material) if task in SYNTHETIC]


@pytest.mark.parametrize("name", ["leakage", "lengths"])
def test_a_figure_is_the_same_bytes_twice(name, material, records):
    draw = getattr(figures_data, name)
    first, second = images(draw(ids(material), records)), images(draw(ids(material), copy.deepcopy(records)))
    assert first == second
    records["sentiment"]["audit"]["lengths"]["cleaned"]["tokens"]["median"] *= 2
    records["sentiment"]["audit"]["overlap"]["paper"] = overlap(263, 526, 2630)
    assert images(draw(ids(material), records))["svg"] != first["svg"]
