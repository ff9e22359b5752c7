"""Tables of the data where the rows here are not the paper's: the tracked records of all tasks, altered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from selu.papers.selu.tables import data as tables_data
from selu.papers.table import statement

SYNTHETIC = ("bug_issue", "closed_question", "issue_type", "safety_issue", "review_type", "question_quality")
Records = dict[str, dict[str, Any]]


@pytest.fixture
def records(root: Path) -> Records:
    folder = root / "reports" / "selu" / "data"
    return {path.name: json.loads((path / "record.json").read_text("utf-8")) for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("name", "cells"), [("availability", 16), ("labels", 58), ("leakage", 0), ("lengths", 0)]
)
def test_synthetic_rows_are_never_counted_as_compared(name, cells, material, records):
    """Not even where their numbers happen to be the paper's."""
    for task in SYNTHETIC:
        records[task]["rows"] = material.task(task).instances
    table = getattr(tables_data, name)(material, records)
    assert not {cell.row.partition(":")[0] for cell in table.compared} & set(SYNTHETIC)
    assert table.cells == cells


@pytest.mark.parametrize(
    ("availability", "rows", "labels"),
    [
        ("equal", "differs", "rows in another order"),
        ("partial", *["part of the data: not every row is available here"] * 2),
        ("package", *["read from the authors' own file"] * 2),
    ],
)
def test_other_rows_or_labels_are_a_mismatch_with_a_reason(material, records, availability, rows, labels):
    before = [make(material, records) for make in (tables_data.availability, tables_data.labels)]
    record = records["incivility"]
    record |= {"standing": availability, "rows": 1540}
    record["audit"]["labels"]["civil"]["paper"]["test"] += 3
    after = [make(material, records) for make in (tables_data.availability, tables_data.labels)]
    expected = [("incivility", "1,546", "1,540", -6, rows), ("incivility: civil", "94", "97", 3, labels)]
    for first, second, expected_row in zip(before, after, expected, strict=True):
        (cell,) = set(second.mismatches) - set(first.mismatches)
        assert (cell.row, cell.published, cell.computed, cell.difference, cell.why) == expected_row
        assert (second.equal, second.cells) == (first.equal - 1, first.cells)
        assert statement(second).startswith(f"**{second.equal} of {second.cells} entries")
