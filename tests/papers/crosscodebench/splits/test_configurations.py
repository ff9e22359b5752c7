from __future__ import annotations

import json
from pathlib import Path

import pytest

from selu.papers.crosscodebench import BENCHMARK
from selu.papers.crosscodebench.collection.tasks import entries, with_rows
from selu.papers.crosscodebench.material import read
from selu.papers.crosscodebench.splits import configurations
from selu.sources.pins import read_pin
from selu.sources.published import read_all
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def paper():
    return read(read_all(ROOT / "data" / "paper" / "crosscodebench"))


def test_tasks_of_data_sets_and_categories_are_those_of_the_record(paper):
    listed = {}
    for task in entries():
        listed[task.source, task.type] = listed.get((task.source, task.type), 0) + 1
    recorded = {}
    for row in dict.fromkeys(row for row, _ in paper.tables["collection"]):
        place = tuple(paper.published("collection", row, column) for column in ("Data set", "Type"))
        recorded[place] = recorded.get(place, 0) + paper.count("collection", row, "Tasks")
    assert listed == recorded
    code = {(row, paper.published("categories", row, "Type").lower()) for row, _ in paper.tables["categories"]}
    assert {(task.category, task.type.lower()) for task in entries()} == code


def test_no_task_of_a_split_is_on_both_sides(paper):
    assert list(configurations.NAMES) == paper.splits
    assert not any(set(split.tune) & set(split.eval) for split in configurations.splits())
    with pytest.raises(SeluError, match="Type-QA"):
        configurations.split("Type-Q")


def test_the_promise_leaves_out_the_tasks_of_shared_data_sets():
    split = configurations.split("Type-Trans").without_shared()
    assert (len(split.tune), len(split.eval), split.shared_sources) == (94, 94, ())
    written = json.loads(split.to_json())
    assert written["tune"] == [task.id for task in split.tune]
    assert written["sizes"]["eval"] == sum(task.rows for task in split.eval)


def test_tasks_with_rows_have_a_pin_with_as_many():
    rows = {}
    for task in with_rows():
        rows[task.set] = rows.get(task.set, 0) + task.rows
    pins = {set_: read_pin(ROOT / "data" / "pins" / "crosscodebench" / f"{set_}.yaml") for set_ in rows}
    assert rows == {set_: pin.rows for set_, pin in pins.items()}
    declared = [(task.id, task.source, task.rows) for task in with_rows()]
    assert [(task.id, task.sources[0], task.instances) for task in BENCHMARK.tasks()] == declared
    assert len(declared) >= 30
    for task in entries():
        partial = bool(task.rows) and pins[task.set].availability == "partial"
        assert bool(task.missing) == (not task.rows or partial)
