"""Headings of figures: the finding is computed from the records, so that other numbers give another heading."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from selu.papers.selu.pages import headlines


@pytest.fixture(scope="module")
def statistics(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / "reports/selu/statistics.json").read_text("utf-8"))
    return found


def test_the_ranking_names_who_is_first_and_whose_intervals_overlap(statistics):
    first, second, *others = statistics["systems"]
    alone = {**first, "M": second["M"] + 0.25, "bonferroni_lower": 2.0, "bonferroni_upper": 2.1}
    heading = headlines.ranking({"systems": [alone, second, *others]})
    assert heading.startswith(f"{first['name']} has the highest mean, 0.250 above {second['name']}")
    assert f"intervals of 0 of the {len(others) + 1} others" in heading


def test_a_pair_without_a_clear_winner_is_not_counted(statistics):
    altered = copy.deepcopy(statistics)
    matrix = altered["posteriors"]["autorank"]["decision"]
    clear = sum(matrix[i][j] in ("better", "worse") for i in range(28) for j in range(i + 1, 28))
    assert headlines.decisions(statistics) == f"The test finds a clear winner in {clear} of 378 pairs"
    matrix[0][27] = "inconclusive" if matrix[0][27] == "better" else "better"
    assert headlines.decisions(altered) != headlines.decisions(statistics)


def test_copies_in_train_are_added_up_over_real_tasks():
    def record(availability: str, copies: int, share: float) -> dict[str, Any]:
        near = {"test_rows": copies, "share": share}
        parts = {"paper": {"test": 100}}
        return {"standing": availability, "audit": {"overlap": {"paper": {"near": near}}, "parts": parts}}

    records = {
        "a": record("equal", 5, 0.05),
        "b": record("partial", 20, 0.2),
        "c": record("synthetic", 50, 0.5),
    }
    assert headlines.leakage(records) == (
        "25 of 200 test rows have a copy or near copy in train, most in b (20.0 %)"
    )
    assert headlines.leakage({"c": records["c"]}) == "No task has its original data here"


def test_a_count_in_a_heading_follows_the_records(root):
    def read(name: str) -> Any:
        return json.loads((root / "reports/selu" / name).read_text("utf-8"))

    cells = [cell for cell in read("cells.json") if cell["system"] == "fasttext" and cell["value"] is not None]
    differ = [{**cell, "verdict": "deviates"} for cell in cells]
    names = {"fasttext": "FastText"}
    assert headlines.rerun(names, differ).startswith(f"none of {len(cells)} re-run scores of FastText")
    assert headlines.rerun(names, differ) != headlines.rerun(names, cells)
    picked = [{**entry, "low": 0.1, "value": 0.2, "high": 0.3} for entry in read("comparisons.json")]
    mine = [entry for entry in picked if entry["system"] == "fasttext"]
    assert f"raises {len(mine)} of {len(mine)} scores of FastText" in headlines.picking(names, picked)
    comparisons = read("comparisons_finetuned.json")
    none = [{**entry, "low": -0.1, "high": 0.1} for entry in comparisons]
    assert "clearly higher on 0 and clearly lower on 0" in headlines.protocols(none, "FastText")
    assert headlines.protocols(none, "FastText") != headlines.protocols(comparisons, "FastText")


def test_the_longest_texts_and_the_activities_without_a_task_are_named(statistics):
    def record(availability: str, median: float, p99: float) -> dict[str, Any]:
        return {
            "standing": availability,
            "audit": {"lengths": {"raw": {"tokens": {"median": median, "p99": p99}}}},
        }

    records = {"a_b": record("equal", 7, 600), "c": record("synthetic", 3, 20)}
    assert headlines.lengths(records) == (
        "In 1 of 2 tasks one text in a hundred has more than 512 tokens; the longest are those of a b, with a "
        "median of 7"
    )
    assert headlines.data(records) == (
        "The original data of 1 of 2 tasks are here, and a part of 0; 1 have stand-in data"
    )
    every = {"tasks": [{**task, "activity": "quality_assurance"} for task in statistics["tasks"]]}
    assert headlines.activities(every).startswith("Quality assurance has the most tasks, 22 of 22;")


def test_examples_are_judged_on_the_same_rows_alone(root):
    record = json.loads((root / "reports/selu/prompted.json").read_text("utf-8"))
    altered = copy.deepcopy(record)
    free = [cell for cell in altered["local"] if cell["variant"] == "plain" and "wording" not in cell]
    model = free[0]["model"]
    shown = [cell for cell in free if cell["shots"] and cell["model"] == model]
    tasks = len(shown)
    assert f"{model} scores higher on " in headlines.local(record)
    for cell in shown:
        cell["strict"].update(value=1.0, low=1.0, high=1.0)
    expected = f"higher on {tasks} of {tasks} tasks, on {tasks} with an interval that lies above the other"
    assert f"{model} scores {expected}" in headlines.local(altered)
    shown[0]["strict"]["rows"] -= 1
    assert f"on {tasks - 1} of {tasks - 1} tasks" in headlines.local(altered)
    altered["local"] = shown
    assert "examples" not in headlines.local(altered)
