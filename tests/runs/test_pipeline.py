from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from selu.runs import pipeline
from selu.vocabulary import SeluError

Write = Callable[..., Path]
Paths = Mapping[str, list[str]]  # of stages by name


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes dvc.yaml with these stages and a lock with these outputs (and what a stage reads) of each."""

    def to_disk(
        stages: Mapping[str, Any],
        locked: Mapping[str, list[str]],
        reads: Mapping[str, list[str]] = {},
        **sections: Any,
    ) -> Path:
        (tmp_path / "dvc.yaml").write_text(yaml.safe_dump({**sections, "stages": stages}))
        listed = {
            name: {
                "cmd": f"make {name}",
                "deps": [{"path": path, "md5": "1e5"} for path in reads.get(name, [])],
                "outs": [{"path": path, "md5": "0123"} for path in outs],
            }
            for name, outs in locked.items()
        }
        (tmp_path / "dvc.lock").write_text(yaml.safe_dump({"schema": "2.0", "stages": listed}))
        return tmp_path

    return to_disk


TWO = {"site": {"outs": ["out/site"]}, "first": {"outs": ["out/a.json"]}}
LOCKED = {"site": ["out/site"], "first": ["out/a.json"]}


def test_digests_are_taken_as_they_are_written(write):
    """Of digits alone, or like 1e5, they would be numbers in YAML."""
    first, site = pipeline.read_lock(write(TWO, LOCKED, {"site": ["out/a.json"]}))
    assert first == pipeline.Stage("first", "make first", {}, {"out/a.json": "0123"})
    assert site == pipeline.Stage("site", "make site", {"out/a.json": "1e5"}, {"out/site": "0123"})


@pytest.mark.parametrize(
    ("written", "read", "waits"),
    [("a/b", "a/b", True), ("a/b", "a", True), ("a", "a/b/c", True), ("a/b", "a/bc", False), ("a", "b", False)],
)
def test_a_stage_waits_for_who_writes_what_it_reads_or_something_in_it_or_a_folder_around_it(
    write, written, read, waits
):
    stages = {"reads": {"outs": ["x"]}, "writes": {"outs": [written]}}
    found = pipeline.read_lock(write(stages, {"reads": ["x"], "writes": [written]}, {"reads": [read]}))
    assert [stage.name for stage in found] == (["writes", "reads"] if waits else ["reads", "writes"])
    assert pipeline.find_needs(found) == {"reads": {"writes"} if waits else set(), "writes": set()}


def test_a_circle_of_stages_is_refused(write):
    root = write(TWO, LOCKED, {"site": ["out/a.json"], "first": ["out/site"]})
    with pytest.raises(SeluError, match="wait for each other"):
        pipeline.read_lock(root)


GROUPS = [
    # of names and what they stand for; an output that persists is a mapping
    (
        {"x": "data/a", "y_2": "data/b"},
        [{"out/${key}.json": {"persist": True}}],
        {"x": "x.json", "y_2": "y_2.json"},
    ),
    (["fasttext", "tfidf"], ["out/by/${item}"], {"fasttext": "by/fasttext", "tfidf": "by/tfidf"}),
    ("${tasks}", ["out/${item}"], {"x": "x"}),
    ("${kinds}", ["out/${key}/${item}"], {"y": "y/Y"}),
    ({"x": {"reads": "a", "makes": "b"}}, ["out/${item.makes}.json"], {"x": "b.json"}),
]


@pytest.mark.parametrize(("foreach", "outs", "expected"), GROUPS)
def test_a_foreach_declares_one_stage_for_each(write, tmp_path, foreach, outs, expected):
    (tmp_path / "names.yaml").write_text("tasks: [x]\nother: [z]\n")
    stages = {**TWO, "group": {"foreach": foreach, "do": {"cmd": "m", "outs": outs}}}
    given = ["names.yaml:tasks", {"kinds": {"y": "Y"}}]
    locked = LOCKED | {f"group@{key}": [f"out/{out}"] for key, out in expected.items()}
    found = {stage.name: list(stage.writes) for stage in pipeline.read_lock(write(stages, locked, vars=given))}
    assert found == locked
    last = list(locked)[-1]
    for other in ({**locked, last: ["out/other"]}, {name: locked[name] for name in list(locked)[:-1]}):
        root = write(stages, other, vars=given)
        with pytest.raises(SeluError, match=f"differ on the stage '{last}'"):
            pipeline.read_lock(root)
    root = write(stages, {**locked, "zeroth": ["out/zeroth"]}, vars=given)
    with pytest.raises(SeluError, match="differ on the stage 'zeroth'"):
        pipeline.read_lock(root)


def test_a_shortened_lock_is_no_all_clear(write):
    root = write(TWO, {"site": ["out/site"]})
    with pytest.raises(SeluError, match=r"differ on the stage 'first' \(1 in all\)"):
        pipeline.read_lock(root)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("dvc.lock", text) for text in ("stages: [", "stages: 3\n", "nothing: here\n")),
        *(("dvc.yaml", f"stages: {{a: {{foreach: {each}, do: 5}}}}\n") for each in ("3", "null", "{x: 1}")),
        ("dvc.yaml", "vars: ['names.yaml:tasks']\nstages: {}\n"),
    ],
)
def test_what_is_damaged_is_refused(write, name, text):
    root = write(TWO, LOCKED)
    (root / "names.yaml").write_text("other: [x]\n")
    (root / name).write_text(text)
    with pytest.raises(SeluError, match=r"dvc\.lock or dvc\.yaml is damaged: 'git checkout"):
        pipeline.read_lock(root)


@pytest.mark.parametrize("name", ["dvc.lock", "dvc.yaml"])
def test_what_is_missing_is_named(write, name):
    root = write(TWO, LOCKED)
    (root / name).unlink()
    with pytest.raises(SeluError, match=f"{name} is missing: 'git checkout"):
        pipeline.read_lock(root)
