"""Croissant records: mlcroissant accepts them, and their rows can be read through it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import mlcroissant
import pandas as pd
import pytest
from made import COMMIT, content, mirrored, pin, pinned, remote

from selu import registry
from selu.data.prepared import to_parquet
from selu.sources.croissant import PAPER, describe_file, metadata, upstream
from selu.sources.pins import Form, FormKind, read_pins
from selu.vocabulary import Kind, Task

TASKS = {task.id: task for task in registry.tasks("selu")}
OF_KIND = {
    Kind.BINARY: "incivility",
    Kind.MULTI_CLASS: "commit_intention",
    Kind.MULTI_LABEL: "smell_doc",
    Kind.REGRESSION: "story_points",
    Kind.ENTITIES: "se_entities",
    Kind.MASKED: "requirement_completion",
}
LABELS: dict[Kind, list[Any]] = {
    Kind.BINARY: [0, 1],
    Kind.MULTI_CLASS: [2, 0],
    Kind.MULTI_LABEL: [[0, 1, 0, 0, 1], [0, 0, 0, 0, 0]],
    Kind.REGRESSION: [0.5, 13.0],
    Kind.ENTITIES: [["O", "B-Class"], ["O"]],
    Kind.MASKED: [["DET", "NOUN"], ["PUNCT"]],
}
SPLIT = b"id,paper,strict,grouped\np000000,train,validation,train\np000001,test,test,train\n"
SHOTS = b"id,shot_1,shot_2,shot_3\ns000007,s000001,s000002,s000003\n"
RAW = "raw.githubusercontent.com"
PIN = pin(remote("original", pinned("a.csv", content(50), "some folder/a é.csv")))


def rows(task: Task) -> pd.DataFrame:
    """Two prepared rows of a task."""
    texts = ['one, "two"\nthree', "Ünïcode 漢字"]
    if task.kind in (Kind.ENTITIES, Kind.MASKED):
        columns: dict[str, Any] = {"tokens": [["a", "Bé"], ["."]]}
    else:
        columns = {
            "text": texts,
            "paper": [text.upper() for text in texts],
            "sound": [text[:4] for text in texts],
        }
    labels = LABELS[task.kind]
    return pd.DataFrame(
        {"id": ["p000000", "p000001"], **columns, "label": labels, "group": ["", "p"], "source": ["a:1", "a:2"]}
    )


def record(
    folder: Path, task: Task, availability: str = "equal", declared: Any = PIN
) -> tuple[Path, dict[str, Any]]:
    """Write the prepared files of a task and its record beside them."""
    files = {"rows": to_parquet(rows(task)), "split": SPLIT, "shots": SHOTS}
    entries = []
    for name, data in files.items():
        kind = "application/x-parquet" if name == "rows" else "text/csv"
        (folder / "made by us").mkdir(exist_ok=True)
        (folder / "made by us" / name).write_bytes(data)
        sha256 = hashlib.sha256(data).hexdigest()
        entries.append(describe_file(name, f"made by us/{name}", sha256, kind, f"the {name}"))
    found = metadata(task, declared, availability, ["12 rows are missing."], entries, 3, "0.1.0")
    path = folder / "croissant.json"
    path.write_text(json.dumps(found), "utf-8")
    return path, found


def loaded(path: Path) -> mlcroissant.Dataset:
    dataset = mlcroissant.Dataset(str(path))
    assert not dataset.metadata.ctx.issues.errors
    assert not dataset.metadata.ctx.issues.warnings
    assert dataset.metadata.ctx.is_v1_1()
    return dataset


def plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [plain(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("kind", Kind)
def test_records_of_each_kind_can_be_read(kind, tmp_path):
    task = TASKS[OF_KIND[kind]]
    path, made = record(tmp_path, task)
    dataset, table = loaded(path), rows(task)
    for field in made["recordSet"][0]["field"]:
        assert field.get("repeated", False) is isinstance(table[field["name"]].iloc[0], list)
    found = list(dataset.records("rows_records"))
    assert [list(row) for row in found] == [[f"rows_records/{name}" for name in table]] * 2
    for name in table:
        if name != "group":  # an empty text is read as no text
            assert [plain(row[f"rows_records/{name}"]) for row in found] == table[name].tolist(), name
    first, second = dataset.records("split_records")
    assert [plain(value) for value in first.values()] == ["p000000", "train", "validation", "train"]
    assert plain(second["split_records/paper"]) == "test"
    (shots,) = dataset.records("shots_records")
    assert [plain(value) for value in shots.values()] == ["s000007", "s000001", "s000002", "s000003"]


@pytest.mark.ci
@pytest.mark.parametrize("availability", ["equal", "package"])
def test_every_pin_makes_a_valid_record(root, tmp_path, availability):
    """With the real licences, citations, file names and addresses."""
    urls = set()
    for name, known in read_pins(root / "data" / "pins" / "selu").items():
        task = TASKS[name]
        path, found = record(tmp_path, task, availability, known)
        loaded(path)
        assert (found["license"], found["citeAs"]) == (known.licence, known.cite)
        assert "Rows: original data." in found["description"]
        assert found["description"].endswith("12 rows are missing.")
        doi = task.citation[0].doi
        assert found["url"] == (f"https://doi.org/{doi}" if doi else PAPER)
        assert found["datePublished"] == str(task.citation[0].year)
        urls.add(found["url"])
    assert len(urls) > 10


def test_upstream_files_carry_their_address_and_pinned_hash():
    """Not those without an address or a pinned hash; large-file storage is not named by its pointer."""
    pickle = pinned("a.pkl", b"2", form=Form(FormKind.PICKLE, safe="another file"))
    parquet = pinned("a.parquet", b"3", form=Form(FormKind.PARQUET))
    origins = (
        mirrored(pinned("a.csv", content(50))),
        remote("original", pinned("a.csv", b"1", "some folder/a é.csv"), pinned("b.csv", b"4", known=False)),
        remote("original-2", pickle),
        remote("package", parquet, lfs=True),
    )
    raw, media = (f"https://{host}/owner/name/{COMMIT}" for host in (RAW, "media.githubusercontent.com/media"))
    found = [(file["@id"], file["contentUrl"], file["encodingFormat"]) for file in upstream(pin(*origins))]
    assert found == [
        ("original/a.csv", f"{raw}/some%20folder/a%20%C3%A9.csv", "text/csv"),
        ("original-2/a.pkl", f"{raw}/data/a.pkl", "application/octet-stream"),
        ("package/a.parquet", f"{media}/data/a.parquet", "application/x-parquet"),
    ]
    hashes = [hashlib.sha256(data).hexdigest() for data in (b"1", b"2", b"3")]
    assert [file["sha256"] for file in upstream(pin(*origins))] == hashes


def test_synthetic_rows_name_no_upstream_file(tmp_path):
    path, found = record(tmp_path, TASKS["bug_issue"], "synthetic")
    loaded(path)
    assert [entry["@id"] for entry in found["distribution"]] == ["rows", "split", "shots"]
    assert found["license"] == "Apache-2.0"
    assert PIN.cite not in json.dumps(found)
    assert "githubusercontent" not in json.dumps(found)
