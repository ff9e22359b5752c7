from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from selu import registry
from selu.sources import rows
from selu.sources.pins import Access, Availability, Form, FormKind, Origin, Pin, PinnedFile
from selu.vocabulary import SeluError, Task

TASKS = {task.id: task for task in registry.tasks("selu")}
GOOD: dict[str, list[Any]] = {
    "incivility": [0, 1],
    "sentiment": [2, 0],
    "smell_doc": [[0, 0, 0, 0, 0], [1, 0, 1, 0, 1]],
    "story_points": [1.0, 13.5],
    "se_entities": [["B-Class", "I-Class"], ["O", "B-User_Name"]],
    "requirement_completion": [["NOUN", "VERB"], ["X", "PUNCT"]],
}


def table(task: Task, labels: list[Any]) -> pd.DataFrame:
    content: list[Any] = [f"t{number}" for number in range(len(labels))]
    if task.kind in rows.TOKEN_KINDS:
        content = [["a", "b"] for _ in labels]
    ids = [f"p{number:06d}" for number in range(len(labels))]
    values = [ids, content, labels, [""] * len(labels), [f"f.csv:{number}" for number in ids]]
    return pd.DataFrame(
        {name: pd.Series(v, dtype=object) for name, v in zip(rows.columns(task), values, strict=True)}
    )


@pytest.mark.parametrize("name", GOOD)
def test_a_good_table_passes_and_has_the_same_hash_read_back_from_parquet(name: str, tmp_path: Any) -> None:
    task = TASKS[name]
    good = table(task, GOOD[name])
    pd.testing.assert_frame_equal(rows.check(good, task), good)
    good.to_parquet(tmp_path / "t.parquet")
    back = pd.read_parquet(tmp_path / "t.parquet")
    assert rows.canonical(rows.check(back, task)) == rows.canonical(good)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("incivility", 2),
        ("incivility", -1),
        ("incivility", "civil"),
        ("incivility", True),
        ("incivility", 0.5),
        ("sentiment", 3),
        ("smell_doc", [0, 1]),
        ("smell_doc", [0, 0, 0, 0, 2]),
        ("smell_doc", "00000"),
        ("story_points", float("nan")),
        ("story_points", float("inf")),
        ("story_points", "3"),
        ("se_entities", ["B-Class", "B-Licence"]),
        ("se_entities", ["B-Class", "Class"]),
        ("requirement_completion", ["NOUN", "VB"]),
    ],
)
def test_a_wrong_label_is_named_by_row_and_column(name: str, label: Any) -> None:
    task = TASKS[name]
    bad = table(task, [GOOD[name][0], label, GOOD[name][1]]).set_axis([5, 0, 5])  # whatever the index
    with pytest.raises(SeluError, match=f"{name}: row p000001: label is .* instead of a"):
        rows.check(bad, task)


def test_one_tag_per_token() -> None:
    for name in ("se_entities", "requirement_completion"):
        task = TASKS[name]
        with pytest.raises(SeluError, match="row p000001: 1 tags in label for 2 tokens"):
            rows.check(table(task, [GOOD[name][0], GOOD[name][0][:1]]), task)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("id", "p000000", "row p000000: id occurs twice"),
        ("id", "", "id is ''"),
        ("id", 1, "id is 1"),
        ("text", None, "text is None"),
        ("text", float("nan"), "text is nan"),
        ("group", None, "group is None"),
        ("source", "", "source is ''"),
    ],
)
def test_a_wrong_cell_is_named(column: str, value: Any, message: str) -> None:
    task = TASKS["incivility"]
    bad = table(task, [0, 1])
    bad.loc[1, column] = value
    with pytest.raises(SeluError, match=message):
        rows.check(bad, task)


def test_wrong_columns_and_no_rows() -> None:
    task = TASKS["incivility"]
    good = table(task, [0, 1])
    for bad in (good.drop(columns="group"), good[list(reversed(good.columns))], good.assign(extra=1)):
        with pytest.raises(SeluError, match=r"have the columns .* instead of id, text, label, group, source"):
            rows.check(bad, task)
    with pytest.raises(SeluError, match="there are no rows"):
        rows.check(good.iloc[:0], task)


def test_the_canonical_line_is_plain_json_of_content_and_label() -> None:
    task = TASKS["incivility"]
    two = table(task, [0, 1])
    two["text"] = pd.Series(["a \u00e9\u2028", "x\ud800"], dtype=object)
    lines = list(rows.lines(two))
    assert lines == ['["a \u00e9\u2028",0]\n'.encode(), b'["x\xed\xa0\x80",1]\n']
    assert rows.canonical(two) == hashlib.sha256(b"".join(lines)).hexdigest()


def test_the_hash_leaves_out_id_group_and_source_and_sees_the_rest() -> None:
    task = TASKS["sentiment"]
    base = table(task, [0, 1, 2])
    same = base.assign(id=["x", "y", "z"], group="g", source="s")
    assert rows.canonical(same) == rows.canonical(base)
    others = [
        base.iloc[::-1],
        base.iloc[:2],
        base.assign(label=[0, 1, 1]),
        base.assign(text=["t0", "t1", "t2 "]),
    ]
    hashes = {rows.canonical(other) for other in others}
    assert len(hashes) == 4
    assert rows.canonical(base) not in hashes


def test_numpy_numbers_and_python_numbers_have_one_hash() -> None:
    task = TASKS["story_points"]
    values = [0.1 + 0.2, 1e-300, 5.0]
    assert rows.canonical(table(task, values)) == rows.canonical(table(task, list(np.array(values))))
    assert next(rows.lines(table(task, values))) == f'["t0",{0.1 + 0.2!r}]\n'.encode()


class TestRowsEqual:
    task = TASKS["incivility"]
    frame = table(task, [0, 1])
    file = PinnedFile("a.csv", "a.csv", None, None, Form(FormKind.CSV))
    origin = Origin("package", "package", (file,), table=None)
    pin = Pin("incivility", Availability.EQUAL, "c", "l", Access.OPEN, "h", 2, rows.canonical(frame))

    def test_equal_rows_give_their_hash(self) -> None:
        assert rows.rows_equal(self.pin, self.frame) == self.pin.table

    def test_another_number_of_rows_names_both(self) -> None:
        with pytest.raises(SeluError, match="1 rows were read where the pin says 2"):
            rows.rows_equal(self.pin, self.frame.iloc[:1])

    def test_another_content_names_both_hashes(self) -> None:
        other = self.frame.assign(text=["t0", "t2"])
        with pytest.raises(SeluError, match=f"{rows.canonical(other)} where the pin says {self.pin.table}"):
            rows.rows_equal(self.pin, other)

    def test_an_origin_without_a_hash_is_held_to_the_number_of_rows(self) -> None:
        other = self.frame.assign(text=["t0", "t2"])
        assert rows.rows_equal(self.pin, other, self.origin) == rows.canonical(other)
        with pytest.raises(SeluError, match=r"incivility \(package\): 3 rows were read where the pin says 2"):
            rows.rows_equal(self.pin, table(self.task, [0, 1, 1]), self.origin, whole=3)

    def test_the_package_of_a_partial_set_has_the_whole_one(self) -> None:
        partial = replace(self.pin, availability=Availability.PARTIAL)
        whole = table(self.task, [0, 1, 1])
        assert rows.rows_equal(partial, whole, self.origin, whole=3) == rows.canonical(whole)
        assert rows.rows_equal(partial, whole, self.origin) == rows.canonical(whole)
        with pytest.raises(SeluError, match="2 rows were read where the pin says 3"):
            rows.rows_equal(partial, self.frame, self.origin, whole=3)
        own = replace(self.origin, rows=2)  # neither the pin's nor the paper's number
        assert rows.rows_equal(partial, self.frame, own, whole=3) == rows.canonical(self.frame)
        with pytest.raises(SeluError, match="3 rows were read where the pin says 2"):
            rows.rows_equal(partial, whole, whole=3)
