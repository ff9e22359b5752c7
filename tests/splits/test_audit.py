from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from selu.files import to_json
from selu.splits import published
from selu.splits.audit import audit, conflicts, overlap
from selu.splits.duplicates import find, row_texts
from selu.splits.split import split
from selu.vocabulary import Kind

SPLITS = Path(__file__).parents[2] / "data" / "pins" / "selu" / "splits"


def facts_of(table: pd.DataFrame, task, settings, cleaned=None, file=None):
    same = find(row_texts(table), settings)
    parts = split(table, task, file, same, settings)
    return audit(table, cleaned, parts, same, task, settings), parts


@pytest.mark.parametrize("kind", list(Kind))
def test_facts_of_every_kind_are_json_and_hold_no_text(kind: Kind, make: Callable, of_kind, settings):
    table = make(kind, 300, labels=5)
    cleaned = None if kind in (Kind.ENTITIES, Kind.MASKED) else table["text"].str.upper().tolist()
    facts, parts = facts_of(table, of_kind[kind], settings, cleaned)
    text = to_json(facts)
    assert json.loads(text)["rows"] == 300
    assert set(facts["conflicts"]["near"]) == {"groups", "rows"}
    assert "word1" not in text.casefold()
    assert ("cleaned" in facts["lengths"]) == (cleaned is not None)
    assert facts["parts"]["strict"] == {
        p: (parts["strict"] == p).sum() for p in ("train", "validation", "test")
    }
    assert facts["duplicates"]["exact"]["rows"] >= 2 * 42 - 42
    assert facts["overlap"]["grouped"]["near"] == {"test_rows": 0, "share": 0}
    left = [(parts[protocol] == "test").sum() for protocol in ("strict", "grouped")]
    assert facts["removed_from_test_by_grouped"] == left[0] - left[1] > 0


def test_label_counts_whole_and_per_part(make: Callable, of_kind, settings):
    table, task = make(Kind.MULTI_LABEL, 300, labels=5), of_kind[Kind.MULTI_LABEL]
    facts, parts = facts_of(table, task, settings)
    signs = np.array(table["label"].tolist())
    assert [entry["rows"] for entry in facts["labels"].values()] == signs.sum(axis=0).tolist()
    assert list(facts["labels"]) == [label.name for label in task.labels]
    grouped = signs[parts["grouped"] == "test"].sum(axis=0)
    assert [entry["grouped"]["test"] for entry in facts["labels"].values()] == grouped.tolist()
    assert facts["rows_without_label"] == (signs.sum(axis=1) == 0).sum()
    assert facts["label_sets"] == len(np.unique(signs, axis=0))
    table, task = make(Kind.BINARY, 300), of_kind[Kind.BINARY]
    facts, parts = facts_of(table, task, settings)
    uncivil = facts["labels"]["uncivil"]
    assert uncivil["rows"] == (table["label"] == 0).sum()
    assert uncivil["share"] == pytest.approx(uncivil["rows"] / 300)
    assert uncivil["paper"]["test"] == ((table["label"] == 0) & (parts["paper"] == "test")).sum()
    assert max(map(abs, facts["drift"]["labels"].values())) <= 1


def test_tags_of_token_tasks(of_kind, settings):
    tokens = [
        ["Use", "java.util", "now"],
        ["see", "it", "run"],
        ["a", "b", "c"],
        ["d", "e", "f"],
        ["x", "y", "z"],
    ]
    tags = [["O", "B-Library", "O"], ["O", "B-Class", "I-Class"], ["B-Class"] * 3, ["O"] * 3, ["O"] * 3]
    table = pd.DataFrame({"id": [f"p{n:06d}" for n in range(5)], "tokens": tokens, "label": tags, "group": "p"})
    facts, _ = facts_of(table, of_kind[Kind.ENTITIES], settings)
    assert facts["duplicates"]["exact"] == {"groups": 0, "rows": 0, "largest": 0}
    assert facts["tokens"]["whole"] == {"rows": 5, "tokens": 15, "entities": {"Class": 4, "Library": 1}}
    assert facts["tokens"]["train"]["rows"] + facts["tokens"]["test"]["rows"] == 5
    table["label"] = [["VERB", "NOUN", "ADV"]] * 5
    whole = facts_of(table, of_kind[Kind.MASKED], settings)[0]["tokens"]["whole"]
    assert whole["tags"] == {"ADV": 5, "NOUN": 5, "VERB": 5}
    assert whole["verb_share"] == pytest.approx(1 / 3)


def test_values_of_regression(make: Callable, of_kind, settings):
    table = make(Kind.REGRESSION, 300)
    facts, parts = facts_of(table, of_kind[Kind.REGRESSION], settings)
    assert facts["values"]["whole"]["max"] == 40
    assert facts["values"]["whole"]["distinct"] == 6
    assert facts["values"]["test"]["mean"] == pytest.approx(table.loc[parts["paper"] == "test", "label"].mean())


def test_overlap_counts_test_rows_that_train_knows():
    groups = np.array([0, 0, 2, 3, 3, 3, 6])
    parts = ["train", "test", "test", "test", "test", "validation", "train"]
    assert overlap(groups, parts) == {"test_rows": 1, "share": 0.25}
    assert overlap(groups, ["train"] * 7) == {"test_rows": 0, "share": 0}
    assert overlap(np.array([0, 0]), ["train", "test"]) == {"test_rows": 1, "share": 1}


def test_conflicts_and_the_ceiling_they_set():
    groups = np.array([0, 0, 0, 3, 3, 5, 6])
    assert conflicts(groups, [1, 1, 0, 2, 2, 0, 0], Kind.MULTI_CLASS) == {
        "groups": 1, "rows": 3, "best_accuracy": 4 / 5, "best_accuracy_of_all": pytest.approx(6 / 7),
    }  # fmt: skip
    assert conflicts(groups, [[1, 0], [1, 0], [0, 1], *[[0, 0]] * 4], Kind.MULTI_LABEL)["groups"] == 1
    values = conflicts(groups, [1.0, 2.0, 3.0, 5.0, 5.0, 1.0, 1.0], Kind.REGRESSION)
    assert values == {"groups": 1, "rows": 3, "best_accuracy": None, "best_accuracy_of_all": None}
    assert conflicts(np.arange(3), [0, 1, 0], Kind.BINARY) == {
        "groups": 0, "rows": 0, "best_accuracy": None, "best_accuracy_of_all": 1,
    }  # fmt: skip


def test_groups_on_both_sides(of_kind, make: Callable, settings):
    table = make(Kind.BINARY, 100)
    parts = split(table, of_kind[Kind.BINARY], None, find(row_texts(table), settings), settings)
    shared = table.assign(group=["shared" if row % 2 else "" for row in range(100)])
    found = find(row_texts(table), settings)
    facts = audit(shared, None, parts, found, of_kind[Kind.BINARY], settings)["groups"]
    tested = sum(part == "test" and row % 2 for row, part in enumerate(parts["paper"]))
    assert facts == {
        "count": 1, "largest": 50, "on_both_sides": 1,
        "test_rows_of_such": tested, "test_share_of_such": tested / 20,
    }  # fmt: skip
    apart = table.assign(group=parts["paper"])
    facts = audit(apart, None, parts, find(row_texts(table), settings), of_kind[Kind.BINARY], settings)[
        "groups"
    ]
    assert facts == {
        "count": 2, "largest": 80, "on_both_sides": 0, "test_rows_of_such": 0, "test_share_of_such": 0,
    }  # fmt: skip


def test_cleaning_can_make_texts_equal(make: Callable, of_kind, settings):
    table = make(Kind.BINARY, 100)
    facts, _ = facts_of(table, of_kind[Kind.BINARY], settings, cleaned=["<url>"] * 100)
    assert facts["duplicates"]["exact_cleaned"] == {"groups": 1, "rows": 100, "largest": 100}
    assert facts["overlap"]["grouped"]["exact_cleaned"]["share"] == 1
    assert facts["lengths"]["cleaned"]["words"]["max"] == 1


@pytest.mark.ci
def test_known_leaks_of_real_tasks(real: Callable, tasks, settings):
    """Counted another way: words of test rows looked up in a set of train texts."""
    for task, leaks in (("security_requirement", 20), ("incivility", 17), ("functional_requirement", 2)):
        texts, labels = real(task)
        ids = [f"p{row:06d}" for row in range(len(texts))]
        table = pd.DataFrame({"id": ids, "text": texts, "label": labels, "group": "", "source": ""})
        facts, parts = facts_of(table, tasks[task], settings, file=published.read(SPLITS / f"{task}.txt"))
        plain = [" ".join(text.casefold().split()) for text in texts]
        train = {text for text, part in zip(plain, parts["paper"], strict=True) if part == "train"}
        found = sum(text in train for text, part in zip(plain, parts["paper"], strict=True) if part == "test")
        assert facts["overlap"]["paper"]["exact"]["test_rows"] == found == leaks
