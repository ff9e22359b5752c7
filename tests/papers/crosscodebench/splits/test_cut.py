from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import archives
import pytest
from typer.testing import CliRunner

from selu.cli.app import app
from selu.papers.crosscodebench.collection import archive
from selu.papers.crosscodebench.splits import cut as cutting
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[4]


@pytest.fixture
def folder(tmp_path):
    ids = ("bfp_small", "tp_fixing", "tp_mutant", "ncs")
    inputs = ("fix", "fix this", "mutate", "fix")  # a row of ncs has the input of one that is evaluated
    names = [
        archives.write(tmp_path, id, archives.rows(text), number)
        for number, (id, text) in enumerate(zip(ids, inputs, strict=True), start=1)
    ]
    archives.write_split(tmp_path, "fixing", names[2:], names[:2])
    return tmp_path


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_cut_has_the_rows_of_both_sides(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "EVALUATION_CAP", 5)
    monkeypatch.setattr(cutting, "TRAINING_CAP", 7)
    done = cutting.cut(folder, "fixing", tmp_path / "out")
    assert (done.training, done.evaluation, done.left_out_tasks, done.leaked) == (14, 10, (), 5)
    train, evaluated = (lines(tmp_path / "out" / file) for file in ("train.jsonl", "eval.jsonl"))
    assert [len(train), len(evaluated)] == [14, 10]
    assert evaluated[0] == {"task": "task_001_bfp_small", **archives.rows("fix")[0]}


def test_kept_apart_it_has_no_shared_data_set_and_no_shared_row(folder, tmp_path):
    done = cutting.cut(folder, "fixing", tmp_path / "out", apart=True)
    assert (done.training, done.left_out_tasks, done.leaked) == (0, ("task_003_tp_mutant",), 12)


def test_the_command_keeps_a_split_apart_and_says_what_is_left(folder, tmp_path):
    words = ["audit", str(folder), "--paper", "crosscodebench", "--split", "fixing", "--json", "--out"]
    done = CliRunner().invoke(app, [*words, str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert list(json.loads(done.stdout).values()) == [0, 24, "task_003_tp_mutant", 12]
    assert len(lines(tmp_path / "out" / "eval.jsonl")) == 24
    before = (tmp_path / "out" / "eval.jsonl").read_bytes()
    done = CliRunner().invoke(app, [*words, str(tmp_path / "out")])
    assert "is there and not empty" in str(done.exception)
    assert (tmp_path / "out" / "eval.jsonl").read_bytes() == before
    done = CliRunner().invoke(app, [*words[:-2], "--json"])
    assert "go together" in str(done.exception)


def test_nothing_is_overwritten_or_left_half_written(folder, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    with pytest.raises(SeluError, match="is there and not empty"):
        cutting.cut(folder, "fixing", out)
    (folder / "task_004_ncs.data.json").write_text('{"Instances": [{"input": "a')
    with pytest.raises(SeluError, match=r"task_004_ncs.data.json: Instances\[0\] is cut short"):
        cutting.cut(folder, "fixing", tmp_path / "other")
    assert list((tmp_path / "other").iterdir()) == []
    with pytest.raises(SeluError, match=r"none\.json is missing"):
        cutting.cut(folder, "none", tmp_path / "third")
    assert not (tmp_path / "third").exists()


def _peak(tmp_path, rows):
    """Megabytes that checking and cutting so many rows of two tasks take, in a process of their own."""
    folder = tmp_path / str(rows)
    script = ROOT / "speed" / "crosscodebench_streaming.py"
    done = subprocess.run(
        [sys.executable, str(script), str(folder), "--rows", str(rows), "--tasks", "2"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.ci
def test_memory_does_not_grow_with_the_rows(tmp_path):
    """A reader that loads a file would take 30 MB more for the larger one, and the collection 30 GB."""
    small, large = _peak(tmp_path, 2_000), _peak(tmp_path, 60_000)
    assert (large["rows"], large["problems"]) == (60_000, 0)
    assert (large["training"], large["evaluation"]) == (10_000, 500)
    assert large["peak_mb"] - small["peak_mb"] < 12


def test_a_row_is_read_and_no_more_of_the_file(tmp_path):
    path = tmp_path / "task_001_ncs.data.json"
    path.write_text(json.dumps({"Instances": archives.rows(number=20_000)}) + "damaged")
    task = archive.TaskFiles("task_001_ncs", path, None)
    assert next(archive.read_instances(task)).idx == 0
