from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from selu.papers.selu.evidence.frozen import SYSTEMS
from selu.papers.selu.figures import finetune as figures_finetune
from selu.papers.selu.tables import frozen as tables_frozen
from selu.registry import load

SMALL, LARGE = SYSTEMS.values()
TREES, LINES = "TF-IDF+XGBoost", "FastText"
TUNED = "MiniLM-L6 (fine-tuned)"


@pytest.fixture(scope="module")
def material() -> Any:
    return load(Path(__file__).parents[4], "selu")


def score(value: float | None) -> dict[str, Any]:
    bounds = (None, None) if value is None else (value - 0.05, value + 0.05)
    return {"value": value, "low": bounds[0], "high": bounds[1]}


def records(task: str, small: float | None, large: float | None, tuned: float | None, trees: float) -> tuple:
    metric = "one_minus_smape" if task == "story_points" else "f1_macro"
    head = {"task": task, "metric": metric, "standing": "equal", "reason": None}
    frozen = [
        {**head, "system": system, "name": name, **score(value)}
        for (system, name), value in zip(SYSTEMS.items(), (small, large), strict=True)
    ]
    classical = [{**head, "system": system, "strict": score(trees)} for system in ("tfidf-xgboost", "fasttext")]
    return frozen, [{**head, "name": "MiniLM-L6", "strict": score(tuned)}], classical


def joined(*several: tuple) -> list[list[dict[str, Any]]]:
    return [[entry for part in parts for entry in part] for parts in zip(*several, strict=True)]


def test_each_score_stands_with_its_interval_beside_what_is_published(material):
    given = joined(records("security_requirement", 0.9, 0.8, 0.7, 0.6))
    (row,) = tables_frozen.beside(material, *given).frame.to_dict("records")
    assert [row[name] for name in (SMALL, LARGE, TUNED, TREES, LINES)] == [
        "0.9000", "0.8000", "0.7000", "0.6000", "0.6000",
    ]  # fmt: skip
    assert row[f"{LARGE}, 95 %"] == "0.750 to 0.850"
    assert row[f"{TREES}, published"] == "0.773"
    assert row["Best fine-tuned, published"].startswith("0.979 (")


def test_only_tasks_on_which_all_have_a_score_are_counted_and_no_hole_is_skipped_silently(material):
    given = joined(
        records("security_requirement", 0.9, 0.8, 0.7, 0.6),
        records("functional_requirement", 0.5, 0.8, 0.7, 0.6),
        records("sentiment", 0.5, 0.52, None, 0.9),
        records("smell_doc", None, None, 0.6, 0.6),
    )
    assert tables_frozen.best(material, *given) == (
        f"On 2 tasks every system of this table has a score of ours. Highest is {SMALL} on 1, {LARGE} on 1. "
        f"{LARGE} is above {SMALL} on 2 of 3 tasks, on 1 of them with an interval that lies above the other."
    )
    assert len(tables_frozen.beside(material, *given).frame) == 3


def test_what_training_adds_is_counted_where_both_scores_are_there(material):
    given = joined(
        records("security_requirement", 0.9, 0.8, 0.7, 0.6),
        records("functional_requirement", 0.5, 0.8, 0.8, 0.6),
        records("sentiment", 0.5, 0.52, None, 0.9),
    )
    sentence = tables_frozen.gain(material, *given)
    assert sentence == "Fine-tuned above frozen: MiniLM-L6 on 1 of 2 tasks, on average 0.050 higher"
    given[1] += [
        {**given[1][0], "name": "all-mpnet-base-v2", "strict": score(0.6)},
        {**given[1][1], "name": "all-mpnet-base-v2", "strict": score(None)},
    ]
    assert tables_frozen.gain(material, *given) == (
        f"{sentence}; all-mpnet-base-v2 on 0 of 1 task, on average 0.200 lower"
    )
    assert tables_frozen.gain(material, *records("sentiment", 0.5, 0.52, None, 0.9)).startswith(
        "No task has both"
    )


def test_each_interval_of_each_system_is_drawn(material):
    given = joined(
        records("security_requirement", 0.9, 0.8, 0.7, 0.6), records("story_points", 0.5, None, None, 0.9)
    )
    figure = figures_finetune.scores_frozen(material, *given)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert len(axes.lines) == 2 * (5 + 3)  # a point and an interval each
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "security requirement",
        "story points (1 - SMAPE)",
    ]


def test_tasks_without_a_score_are_named_with_the_reason():
    frozen = records("smell_doc", None, 0.5, None, 0.6)[0] + records("se_entities", None, None, None, 0.6)[0]
    for entry in frozen:
        entry["reason"] = f"why {entry['task']}"
    found = tables_frozen.absent(frozen).frame.values.tolist()
    assert found == [["smell_doc", SMALL, "why smell_doc"], ["se_entities", "both", "why se_entities"]]
