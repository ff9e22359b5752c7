from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helpers import small_project as small
from selu import registry
from selu.cost import estimate
from selu.execution.plans import Planned, Wanted, plan
from selu.runs import record

TASKS = (small.BINARY, small.CLASSES, small.NUMBER)
WANTED = Wanted(tasks=TASKS)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return small.make(tmp_path / "project", TASKS)


def planned(root: Path, name: str) -> Planned:
    task, system, run = name.split("/")
    return next(
        planned_run for planned_run in plan(root, Wanted((task,), (system,))) if planned_run.folder.name == run
    )


def timed(root: Path, name: str, seconds: float = 60.0, units: int = 10, **record_fields: Any) -> Planned:
    """A run that took so many seconds of a core for each of ten candidates."""
    run, waited = planned(root, name), 3
    cost = {
        "unit_seconds": waited * units * seconds,
        "cpu_seconds": units * seconds,
        "units": units,
        "peak_memory_bytes": 50 << 20,
    }
    content = {
        "state": "present",
        "identity": run.identity,
        "fields": dict(run.fields),
        "cost": cost,
        **record_fields,
    }
    record.write_run(run.folder, {record.PREDICTIONS: b""}, content)
    return run


def rows(root: Path) -> dict[str, dict[str, Any]]:
    return {row["run"]: row for row in estimate.table(root, WANTED)}


def test_without_any_run_there_is_a_first_guess(project):
    found = rows(project)
    assert list(found) == [run.name for run in plan(project, WANTED)]
    for name, row in found.items():
        assert (row["state"], row["memory_mb"]) == ("missing", None)
        assert row["fits"] == (1 if small.NUMBER in name and "fasttext" in name else 4) + ("strict" in name)
    big, little = (found[f"{task}/tfidf-xgboost/paper-s42"]["minutes"] for task in (small.NUMBER, small.BINARY))
    assert big > little
    (project / "data" / "clean" / "selu" / f"{small.NUMBER}.parquet").unlink()
    guessed = rows(project)[f"{small.NUMBER}/tfidf-xgboost/paper-s42"]
    assert guessed["disk_mb"] > 5  # from the paper's rows


def test_a_cells_own_timed_runs_tell_first(project):
    timed(project, f"{small.BINARY}/tfidf-xgboost/paper-s42")
    found = rows(project)
    row = found[f"{small.BINARY}/tfidf-xgboost/paper-s42"]
    assert (row["environment"], row["state"], row["fits"], row["minutes"]) == ("authors", "not scored", 0, None)
    same = found[f"{small.BINARY}/tfidf-xgboost/strict-s42"]
    assert (same["fits"], same["minutes"], same["memory_mb"]) == (5, 5.0, 50)


def test_other_cells_of_the_system_tell_by_rows_and_outputs(project):
    run = timed(project, f"{small.BINARY}/tfidf-xgboost/paper-s42")
    other = small.task(small.CLASSES)
    expected = 60 * other.instances * len(other.labels) / run.task.instances * 4 / 60
    found = rows(project)
    assert found[f"{small.CLASSES}/tfidf-xgboost/paper-s42"]["minutes"] == pytest.approx(expected, abs=0.06)
    fasttext = found[f"{small.CLASSES}/fasttext/paper-s42"]
    assert fasttext["memory_mb"] is None
    assert fasttext["minutes"] < 10


def lengthen(root: Path, task: str, times: float) -> None:
    """Make the tracked texts of a task so many times as long, far below what a model reads."""
    path = root / "reports" / "selu" / "data" / task / "record.json"
    kept = json.loads(path.read_text("utf-8"))
    quantiles = ("min", "q25", "median", "q75", "p90", "p99", "max", "mean")
    tokens = {"count": 9, **dict.fromkeys(quantiles, 10 * times)}
    kept["audit"] = {"lengths": {"cleaned": {"tokens": tokens}}}
    path.write_text(json.dumps(kept), "utf-8")


def test_trainings_tell_each_other_by_tokens(project):
    lengthen(project, small.BINARY, 1)
    lengthen(project, small.CLASSES, 3)
    wanted = Wanted(tasks=(small.BINARY, small.CLASSES), systems=("minilm-l6",), seeds=(42,))
    first = {row["run"]: row["minutes"] for row in estimate.table(project, wanted)}
    timed(project, f"{small.BINARY}/minilm-l6/strict-s42", 600.0, units=1, used={"device": "cpu"})
    timed(project, f"{small.BINARY}/minilm-l6/strict-s43", 2.0, units=1, used={"device": "NVIDIA H100"})
    found = {row["run"]: row["minutes"] for row in estimate.table(project, wanted)}
    sizes = {  # 1.3 sub-words a word, and two special tokens
        task: small.task(task).instances * (1.3 * words + 2)
        for task, words in ((small.BINARY, 10), (small.CLASSES, 30))
    }
    assert found[f"{small.BINARY}/minilm-l6/paper-s42"] == 10.0
    times = sizes[small.CLASSES] / sizes[small.BINARY]
    assert found[f"{small.CLASSES}/minilm-l6/paper-s42"] == pytest.approx(10 * times, rel=0.02)
    guess = sizes[small.CLASSES] * 10 * 22.7e6 * 1.9e-11 / 60
    assert first[f"{small.CLASSES}/minilm-l6/strict-s42"] == pytest.approx(guess, rel=0.02, abs=0.06)


def test_on_a_machine_with_a_gpu_what_one_took_tells(project, monkeypatch):
    wanted = Wanted(tasks=(small.BINARY,), systems=("minilm-l6",), seeds=(42,))
    timed(project, f"{small.BINARY}/minilm-l6/strict-s42", 200.0, units=1, used={"device": "NVIDIA H100"})
    name = f"{small.BINARY}/minilm-l6/paper-s42"
    guessed = {row["run"]: row["minutes"] for row in estimate.table(project, wanted)}
    assert guessed[name] != 10.0
    monkeypatch.setattr(estimate.nvidia, "has_gpu", lambda: True)
    minutes = {row["run"]: row["minutes"] for row in estimate.table(project, wanted)}
    assert minutes[name] == 10.0  # by the clock


def test_a_stale_run_tells_too(project):
    timed(project, f"{small.BINARY}/fasttext/paper-s42", seconds=30.0)
    small.alter(project, lambda p: p["baselines"]["fasttext"].update(quoted=False))
    found = rows(project)[f"{small.BINARY}/fasttext/paper-s42"]
    assert (found["state"], found["minutes"]) == ("stale", 2.0)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"cost": {}}', '{"cost": {"cpu_seconds": 1, "units": 0}}', '{"cost": {}, "used": 1}'],
)
def test_a_record_that_tells_nothing_is_passed_over(content, project):
    run = timed(project, f"{small.BINARY}/fasttext/paper-s42")
    (run.folder / record.RUN).write_text(content)
    found = rows(project)[run.name]
    assert found["state"] == "damaged"
    assert found["minutes"] < 0.5


def test_a_failed_run_is_not_counted_among_those_to_be_run(project):
    run = planned(project, f"{small.BINARY}/fasttext/paper-s42")
    record.write_failed(run.folder, {"error": "x", "identity": run.identity, "fields": dict(run.fields)})
    table = estimate.table(project, WANTED)
    assert next(row for row in table if row["run"] == run.name)["state"] == "failed"
    assert estimate.summary(table).startswith(
        f"{len(table)} runs, {len(table) - 1} of them not run yet; about "
    )


def test_a_model_of_unknown_size_has_no_guess_until_a_run_of_it_was_timed(project, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SELU_MODELS", raising=False)
    model = {"hub": "google/bert", "architecture": "encoder-only", "context": 512}
    small.alter(project, lambda p: p["finetune"].update(models={"mine": model}, seeds=[42]))

    def estimated(*systems: str) -> tuple[list[dict[str, Any]], str]:
        table = estimate.table(project, Wanted((small.BINARY,), systems))
        return table, estimate.summary(table)

    found, summary = estimated("mine")
    assert [(row["state"], row["minutes"], row["disk_mb"]) for row in found] == [("missing", None, None)] * 2
    assert summary == (
        "2 runs, 2 of them not run yet; no time estimate (model size unknown for 2, not counted: the model's "
        "config.json is not here)."
    )
    assert estimated("mine", "minilm-l6")[1].startswith("4 runs, 4 of them not run yet; about ")
    assert "(model size unknown for 2, not counted" in estimated("mine", "minilm-l6")[1]
    timed(project, f"{small.BINARY}/mine/strict-s42", 600.0, units=1)
    found, summary = estimated("mine")
    assert [(row["minutes"], row["disk_mb"]) for row in found if row["state"] == "missing"] == [(10.0, None)]
    assert summary.startswith(
        "2 runs, 1 of them not run yet; about 10 minutes of one core like those that were timed; 1 "
    )
    small.alter(project, lambda p: p["finetune"].update(models={"mine": {**model, "parameters": 10**8}}))
    assert {row["disk_mb"] for row in estimated("mine")[0]} == {None, 2000.0}


def test_without_rows_and_without_results_there_is_still_a_plan(tmp_path):
    """Of a fresh clone: the records and splits are tracked, the rows are not."""
    tasks = [task.id for task in registry.tasks("selu")]
    root = small.make(tmp_path / "clone", [task.id for task in registry.tasks("selu") if task.ranked])
    for path in (root / "data" / "clean" / "selu").iterdir():
        path.unlink()
    code, out, errors = small.done(root, "plan", "--json")
    assert code == 0, errors
    found = json.loads(out)
    assert {row["state"] for row in found} == {"no data"}
    assert {row["run"].split("/")[0] for row in found} < set(tasks)
    assert errors[-1] == estimate.summary(found)
    assert errors[-1].endswith(
        f"; {len(found)} of them lack their prepared rows ('make data' fetches and prepares them)."
    )
    assert not (root / "results").exists()
    assert not (root / ".selu").exists()
