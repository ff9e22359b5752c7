"""Pins: what is left out is filled in, what is wrong is refused with file and field."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from selu import registry
from selu.sources.pins import Availability, Form, FormKind, read_pin, read_pins
from selu.vocabulary import SeluError

PINS = Path(__file__).parents[2] / "data" / "pins" / "selu"
HASH, TABLE, COMMIT, OTHER = "1" * 63 + "a", "7" * 63 + "b", "c" * 40, "d" * 40
GOOD: dict[str, Any] = yaml.safe_load(f"""
task: incivility
availability: equal
cite: Ferreira and others, 2021
licence: GPL-3.0
access: open
by_hand: Ask.
rows: 1546
table: {TABLE}
deviations: [none]
origins:
- name: mirror
  reader: incivility
  files:
  - {{name: a.csv.gz, path: selu/incivility/a.csv.gz, sha256: {HASH}, bytes: 5,
      form: {{kind: csv, separator: ;, columns: [text], header: false}}}}
- name: package
  repository: owner/package
  commit: {COMMIT}
  lfs: true
  reader: package
  table: null
  files:
  - {{name: a.parquet, path: x/a.parquet, sha256: {HASH}, bytes: 4, form: {{kind: parquet}}}}
- name: original
  repository: owner/name
  commit: {COMMIT}
  reader: incivility
  files:
  - {{name: a.csv, path: data/a b.csv, sha256: null, bytes: null, form: {{kind: csv}}}}
  - {{name: b.xls, path: b.xls, sha256: {HASH}, bytes: 9, repository: else/where, commit: {OTHER},
      form: {{kind: excel, sheet: Data}}}}
""")


def written(folder: Path, record: Any, name: str = "incivility") -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(record, sort_keys=False))
    return path


def test_a_good_pin(tmp_path):
    pin = read_pin(written(tmp_path, GOOD))
    mirror, package, original = pin.origins
    assert (pin.task, pin.availability, pin.rows, pin.deviations) == (
        "incivility",
        Availability.EQUAL,
        1546,
        ("none",),
    )
    assert mirror.files[0].form == Form(FormKind.CSV, ";", "utf-8", False, ("text",), True)
    assert [origin.table for origin in pin.origins] == [TABLE, None, TABLE]
    assert mirror.files[0].repository is None
    assert package.files[0].lfs
    assert [(f.repository, f.commit, f.lfs) for f in original.files] == [
        ("owner/name", COMMIT, False),
        ("else/where", OTHER, False),
    ]
    assert pin.origin("original") is original
    with pytest.raises(
        SeluError, match="incivility has no origin 'x'; its pin knows: mirror, package, original"
    ):
        pin.origin("x")


def change(path: str, value: Any) -> dict[str, Any]:
    """The good pin with one field set (or, for ``...``, left out)."""
    record = copy.deepcopy(GOOD)
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place: Any = record
    for step in steps:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return record


F, P, M = "origins.2.files.0", "origins.1.files.0", "origins.0.files.0"


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("task", "smell_doc", "task"),
        ("availability", "good", "availability"),
        ("cite", " ", "cite"),
        ("unknown", 1, "unknown"),
        ("origins", [], "origins"),
        ("origins.1.name", "mirror", "origins"),
        ("origins.1.name", "../x", "origins.1.name"),
        ("origins.1.files", [], "origins.1.files"),
        ("origins.1.repository", "package", "origins.1.files.0.repository"),
        ("origins.1.repository", ..., "origins.1.files.0.repository"),
        ("origins.1.commit", "main", "origins.1.files.0.commit"),
        ("origins.0.repository", "owner/name", "origins.0.files.0.repository"),
        (f"{F}.name", "x/a.csv", f"{F}.name"),
        (f"{F}.name", "x\\a.csv", f"{F}.name"),
        (f"{F}.name", ".a", f"{F}.name"),
        (f"{F}.name", "a.part", f"{F}.name"),
        (f"{F}.name", "origin.json", f"{F}.name"),
        (f"{F}.name", "B.XLS", "origins.2.files"),
        (f"{F}.path", "x/../a.csv", f"{F}.path"),
        (f"{F}.sha256", HASH, f"{F}.bytes"),
        (f"{F}.bytes", True, f"{F}.bytes"),
        (f"{F}.sha256", ..., f"{F}.sha256"),
        (f"{F}.lfs", True, f"{F}.sha256"),
        (f"{F}.form.kind", "doc", f"{F}.form.kind"),
        (f"{F}.form.kind", "pickle", f"{F}.form.safe"),
        (f"{F}.form.colums", ["text"], f"{F}.form.colums"),
        (f"{P}.sha256", None, f"{P}.sha256"),
        ("table", None, f"{F}.sha256"),
        ("origins.2.table", None, f"{F}.sha256"),
    ],
)
def test_a_wrong_pin_is_named(tmp_path, path, value, field):
    written(tmp_path, change(path, value))
    with pytest.raises(SeluError) as caught:
        read_pin(tmp_path / "incivility.yaml")
    words = str(caught.value)
    assert words.startswith(f"{tmp_path / 'incivility.yaml'}: {field}: ")
    assert words.endswith("; correct the pin or restore it from git.")


def test_what_a_pin_may_be(tmp_path):
    """An absent task needs no origin, a pickle a safe source."""
    record = change("origins", []) | {"availability": "absent", "table": None}
    assert read_pin(written(tmp_path, record)).origins == ()
    record = change(f"{P}.form", {"kind": "pickle", "safe": "the origin 'original'"})
    (file,) = read_pin(written(tmp_path, record)).origins[1].pickles
    assert file.form.safe == "the origin 'original'"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a", "is not a record of fields"),
        ("a: [", "can't be read as YAML"),
        ("a: !!python/object/apply:os.system [ls]", "can't be read as YAML"),
        ("task: x\ntask: y", "task is given twice"),
        ("origins:\n  - {name: x, name: y}", "name is given twice"),
        ("a: " + "[" * 3000, "can't be read as YAML"),
        ("\xff\xfe\x00", "can't be read as YAML"),
    ],
)
def test_what_is_no_pin(tmp_path, text, words):
    path = tmp_path / "incivility.yaml"
    path.write_text(text, "latin-1")
    with pytest.raises(SeluError, match=words):
        read_pin(path)
    with pytest.raises(SeluError, match=r"x.yaml is missing: restore it with 'git checkout"):
        read_pin(tmp_path / "x.yaml")


def test_a_folder_of_pins(tmp_path):
    for name in ("smell_doc", "incivility"):
        written(tmp_path, GOOD | {"task": name}, name)
    (tmp_path / "paper.csv").write_text("file,row\n")
    (tmp_path / "splits").mkdir()
    assert list(read_pins(tmp_path)) == ["incivility", "smell_doc"]
    with pytest.raises(SeluError, match="holds no pin"):
        read_pins(tmp_path / "splits")


class TestPinsOfSelu:
    """The project's own pins."""

    def test_every_task_has_one(self):
        assert set(read_pins(PINS)) == {task.id for task in registry.tasks("selu")}

    def test_rows_of_equal_tasks_are_the_papers(self):
        pins = read_pins(PINS)
        counted = {task.id: task.instances for task in registry.tasks("selu")}
        counted["se_entities"] = counted["requirement_completion"] = None  # counted in posts and documents
        equal = {name: pin.rows for name, pin in pins.items() if pin.availability is Availability.EQUAL}
        assert {n: r for n, r in equal.items() if counted[n] not in (None, r)} == {}
