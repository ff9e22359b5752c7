"""``selu audit``: what it shows is what the tracked record holds, for every kind of task."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from helpers import command
from helpers.places import RECORDS, SPLITS
from selu import registry
from selu.app.datasets.audit import audit
from selu.data.prepare import prepare
from selu.files import to_json, write_atomic
from selu.project import read_settings
from selu.splits import audit as facts
from selu.splits import duplicates
from selu.splits.settings import DataSettings
from selu.vocabulary import Kind, SeluError, Task

SYNTHETIC = "review_type"
TASKS = {task.id: task for task in registry.tasks("selu")}
TITLES = [
    "",
    "rows by protocol",
    "duplicates",
    "test rows whose text is in train",
    "duplicates that differ in label",
    "lengths",
    "train against test",
]
MADE = {
    "smell_doc": [[0, 1, 0, 0, 1], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1, 1, 1, 1, 1], [0, 1, 0, 0, 1]],
    "story_points": [1.0, 3.0, 3.0, 8.0, 0.5],
    "se_entities": [["O", "B-Class"], ["B-Class", "I-Class"], ["O", "O"], ["B-Library", "O"], ["O", "O"]],
    "requirement_completion": [
        ["DET", "VERB"],
        ["NOUN", "VERB"],
        ["X", "X"],
        ["ADP", "NOUN"],
        ["VERB", "VERB"],
    ],
}


@pytest.fixture(scope="module")
def project(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with the record of a synthetic task, and of made-up rows of the other kinds."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("data/pins", "data/synthetic"):
        shutil.copytree(root / name, folder / name)
    (folder / "data" / "paper").mkdir()
    shutil.copy(root / "params.yaml", folder)
    prepare(folder, [SYNTHETIC], False, None, lambda _: None)
    settings = read_settings(folder, "shared", "data", DataSettings)
    for name, labels in MADE.items():
        write_atomic(folder / RECORDS / name / "record.json", to_json(made(TASKS[name], labels, settings)))
        for part in ("split", "shots"):
            write_atomic(folder / SPLITS / name / f"{part}.csv", part)
    return folder


def made(task: Task, labels: list[Any], settings: DataSettings) -> dict[str, Any]:
    """The record of five rows: the last is tested and its text is in train, with another label."""
    texts = ["first text", "second text", "third text", "the last", "The  last"]
    tokens = task.kind in (Kind.ENTITIES, Kind.MASKED)
    content = {"tokens": [text.split() for text in texts]} if tokens else {"text": texts}
    ids = [f"p{number:06d}" for number in range(5)]
    group = ["p", "", "q", "q", "p"]
    table = pd.DataFrame({"id": ids, **content, "label": labels, "group": group, "source": "a:1"})
    side, strict = ["train"] * 4, ["train"] * 3 + ["validation"]
    split = pd.DataFrame({"id": ids, "paper": [*side, "test"], "strict": [*strict, "test"]})
    split["grouped"] = [*strict, "validation"]
    same = duplicates.find(duplicates.row_texts(table), settings)
    return {
        "task": task.id,
        "kind": task.kind,
        "standing": "partial",
        "rows": 5,
        "instances": task.instances,
        "deviations": ["Only five rows.", "They are made up."],
        "split": "the authors' algorithm with its seed",
        "hashes": {part: hashlib.sha256(part.encode()).hexdigest() for part in ("split", "shots")},
        "audit": facts.audit(table, None if tokens else texts, split, same, task, settings),
        "cleaning": {} if tokens else {"rows changed by paper": 3},
    }


def parts(project: Path, task: str) -> dict[str, Any]:
    _, found = audit(project, task)
    titles = [title for title, _ in found]
    assert [title for title in titles if title in TITLES] == TITLES
    return dict(found)


def test_a_prepared_task_is_shown_whole(project):
    task = SYNTHETIC
    record, _ = audit(project, task)
    shown = parts(project, task)
    assert command.printed(project, "audit", task, "--json") == (
        project / RECORDS / task / "record.json"
    ).read_text("utf-8")
    facts = record["audit"]
    assert shown[""]["standing"] == "synthetic"
    assert shown[""]["rows"] == f"{record['rows']} (paper: {TASKS[task].instances})"
    assert shown["cleaning (counts over all rows)"] == record["cleaning"]
    assert [row["label"] for row in shown["labels"]] == [label.name for label in TASKS[task].labels]
    assert sum(row["rows"] for row in shown["labels"]) == record["rows"]
    assert sum(row["test"] for row in shown["labels"]) == facts["parts"]["paper"]["test"]
    assert [row["protocol"] for row in shown["rows by protocol"]] == ["paper", "strict", "grouped"]
    copies = {(row["protocol"], row["copy"]): row["rows"] for row in shown["test rows whose text is in train"]}
    assert copies["grouped", "near"] == copies["grouped", "exact"] == 0


@pytest.mark.parametrize(
    ("task", "part", "expected"),
    [
        ("smell_doc", "labels", {"label": "tangled", "rows": 4, "test": 1}),
        ("smell_doc", "labels", {"label": "excessive", "rows": 1, "test": 0}),
        ("story_points", "values", {"part": "whole", "count": 5, "max": 8, "distinct": 4}),
        ("story_points", "values", {"part": "train", "count": 4, "max": 8, "distinct": 3}),
        ("story_points", "values", {"part": "test", "count": 1, "max": 0.5, "distinct": 1}),
        ("se_entities", "tokens and tags", {"": "tokens", "whole": 10, "train": 8, "test": 2}),
        ("se_entities", "tokens and tags", {"": "entities Class", "whole": 2, "train": 2, "test": 0}),
        ("requirement_completion", "tokens and tags", {"": "tags VERB", "whole": 4, "train": 2, "test": 2}),
        ("requirement_completion", "tokens and tags", {"": "verb_share", "whole": 0.4}),
    ],
)
def test_the_answers_of_each_kind_are_counted(project, task, part, expected):
    assert any(row.items() >= expected.items() for row in parts(project, task)[part])


@pytest.mark.parametrize("task", [SYNTHETIC, *MADE])
def test_the_command_prints_every_part(project, task):
    text = command.printed(project, "audit", task)
    place = -1
    for title in filter(None, parts(project, task)):
        place = text.index(f"\n\n{title}\n" if place > 0 else f"\n{title}\n", place + 1)
    assert text.startswith(f"task: {task} ({TASKS[task].kind})\n")
    for label in TASKS[task].labels:
        assert label.name in text or TASKS[task].kind is Kind.ENTITIES
    table = text.split("\nrows by protocol\n")[1].split("\n\n")[0].splitlines()
    assert table[0].split() == ["protocol", "train", "validation", "test"]
    assert max(map(len, text.splitlines())) <= 100
    assert ("rows:\n  - Only five rows.\n  - They are made up.\n" in text) == (task in MADE)


@pytest.mark.parametrize("content", ["[]", "{", '{"task": "incivility"}', None])
def test_a_missing_or_damaged_record_names_the_way_back(project, content):
    path = project / RECORDS / "incivility" / "record.json"
    if content is not None:
        write_atomic(path, content)
    with pytest.raises(SeluError, match="selu prepare incivility"):
        audit(project, "incivility")
    path.unlink(missing_ok=True)


def test_a_task_with_open_answers_is_shown_without_them(project):
    """Other benchmarks' tasks rank or write, so that no label, value or tag is counted."""
    settings = read_settings(project, "shared", "data", DataSettings)
    record = made(TASKS["story_points"], MADE["story_points"], settings)
    del record["audit"]["values"]
    write_atomic(project / RECORDS / "tone_bearing" / "record.json", to_json(record))
    for part in ("split", "shots"):
        write_atomic(project / SPLITS / "tone_bearing" / f"{part}.csv", part)
    assert set(parts(project, "tone_bearing")) - set(TITLES) <= {"cleaning (counts over all rows)"}
