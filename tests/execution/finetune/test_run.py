"""``selu run`` of fine-tuned systems, with a training that takes no time in real processes."""

from __future__ import annotations

import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from helpers import small_project as small
from helpers import stand_in
from helpers.running import refused, run, states
from selu.execution.finetune import trainings
from selu.execution.planned import Planned, Wanted
from selu.execution.plans import plan
from selu.execution.results import read_rows
from selu.runs import record

TASKS = (small.BINARY, small.LABELS, small.NUMBER, small.TAGS, small.VERBS)
EVERY = Wanted(tasks=TASKS, systems=("minilm-l6",))
WANTED = Wanted(tasks=(small.BINARY,), systems=("minilm-l6",))
CELL = f"{small.BINARY}/minilm-l6"


@pytest.fixture
def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Has the stand-in train; the folder in which it leaves its marks."""
    folder = tmp_path / "marks"
    folder.mkdir()
    monkeypatch.setenv("STAND_IN", str(folder))
    monkeypatch.setenv("SELU_FINETUNE_PYTHON", str(stand_in.interpreter(folder)))
    return folder


def project(folder: Path, tasks: tuple[str, ...] = (small.BINARY,), seeds: tuple[int, ...] = (42,)) -> Path:
    root = small.make(folder, tasks)
    small.alter(root, lambda p: p["finetune"].update(seeds=list(seeds)))
    return root


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    return project(tmp_path / "fresh")


def predictions(planned_run: Planned) -> list[Any]:
    return pq.read_table(planned_run.folder / record.PREDICTIONS).to_pydict()["prediction"]


@pytest.mark.ci
def test_every_kind_from_rows_to_scores(tmp_path, marks):
    root = project(tmp_path / "project", TASKS)
    messages = run(root, EVERY, jobs=2)
    assert messages[-1] == "10 runs: 10 run, 0 left as they are, 0 failed"
    assert any(line.endswith("minilm-l6/paper-s42: step 10 of 10") for line in messages)
    for planned_run in plan(root, EVERY):
        content = record.read_run(planned_run.folder, planned_run.identity)
        scores = record.read_scores(planned_run.folder)
        assert scores["value"] == scores["scores"][scores["metric"]]
        assert scores["metric"] in scores["intervals"]
        assert (scores["rows"], scores["grouped"]["rows"]) == (12, 10)
        assert content["history"][0]["score"] is None  # nan has no JSON form
        assert (content["picked_step"], content["truncated"]["questions"]) == (10, 2)
        assert content["versions"]["torch"].endswith("+cpu")
        assert content["model"] == {
            "revision": planned_run.fields["model"]["revision"],
            "weights": "w",
            "origin": "package",
        }
        assert content["cost"]["unit_seconds"] == 2.0
        assert content["cost"]["flops"] == 100
        assert "answers" not in content
        model = root / ".selu" / "models" / planned_run.name
        assert (model / "weights").is_file()
        card = (model / "README.md").read_text()
        assert card.startswith("# card\n")
        assert ("picked on test rows, so that its score there is too high." in card) == (
            planned_run.protocol == "paper"
        )
        assert ("picked on validation rows.\n" in card) == (planned_run.protocol == "strict")
    assert not list((root / ".selu" / "training").iterdir())
    assert run(root, EVERY)[-1] == "nothing to do: 10 results are up to date"


@pytest.mark.ci
def test_predictions_of_token_tasks(tmp_path, marks):
    root = project(tmp_path / "project", (small.TAGS, small.VERBS))
    run(root, Wanted(tasks=(small.TAGS, small.VERBS), systems=("minilm-l6",)))
    tags, verbs = (
        plan(root, Wanted(tasks=(task,), systems=("minilm-l6",)))[0] for task in (small.TAGS, small.VERBS)
    )
    rows = read_rows(root, tags)
    test = rows[rows["part"] == "test"]
    assert [len(each) for each in predictions(tags)] == [len(words) for words in test["text"]]
    assert set(predictions(tags)[0]) <= {"O", f"B-{tags.task.labels[0].name}"}
    filled = [place for row in predictions(verbs) for place in row]
    assert set(filled[0]) == {"position", "truth", "answer", "log_probability"}
    scores = record.read_scores(verbs.folder)
    assert scores["value"] == sum(p["truth"] == p["answer"] for p in filled) / len(filled)
    assert scores["scores"]["perplexity"] == pytest.approx(2.718281828**0.5)
    assert scores["intervals"]["perplexity"]["low"] == pytest.approx(2.718281828**0.5)


@pytest.mark.ci
def test_one_that_fails_is_recorded_and_the_others_go_on(fresh, marks):
    (marks / "fail").write_text(f"{small.BINARY} paper 42")
    error, messages = refused(fresh, WANTED)
    assert error.startswith("1 of 2 runs failed")
    assert any(
        line.endswith("the loss is not a number at step 3 of 30: lower the learning rate.") for line in messages
    )
    assert states(fresh, WANTED) == {f"{CELL}/paper-s42": "failed", f"{CELL}/strict-s42": "present"}
    assert run(fresh, WANTED)[-1] == (
        "2 runs: 0 run, 2 left as they are, 0 failed (1 of those left failed before: '--only failed' runs them "
        "again)"
    )
    (marks / "fail").unlink()
    run(fresh, WANTED, only="failed")
    assert set(states(fresh, WANTED).values()) == {"present"}


@pytest.mark.ci
def test_what_was_found_is_kept_so_that_a_lost_record_needs_no_training(fresh, marks):
    run(fresh, WANTED)
    before = {p.name: p.read_bytes() for p in fresh.rglob(record.PREDICTIONS)}
    shutil.rmtree(fresh / "results")
    run(fresh, WANTED)
    assert len(stand_in.begun(marks)) == 2
    assert {p.name: p.read_bytes() for p in fresh.rglob(record.PREDICTIONS)} == before
    content = record.read_run(plan(fresh, WANTED)[0].folder)
    assert (content["cost"]["units_taken"], content["cost"]["unit_seconds"]) == (1, 2.0)
    run(fresh, WANTED, only="all")
    assert len(stand_in.begun(marks)) == 4


@pytest.mark.ci
def test_a_model_that_a_killed_process_left_comes_to_its_place(fresh, marks):
    run(fresh, WANTED)
    (planned_run, *_) = plan(fresh, WANTED)
    model, left = fresh / ".selu" / "models" / planned_run.name, fresh / ".selu" / "training" / "left"
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    left.mkdir()
    model.rename(left / "model")
    run(fresh, WANTED)
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before
    assert not left.exists()
    assert len(stand_in.begun(marks)) == 2
    shutil.copytree(model, left / "model")
    shutil.rmtree(planned_run.folder)  # a run that does not stand: its model waits for it
    trainings.settle(fresh)
    assert (left / "model" / "weights").is_file()


@pytest.mark.ci
def test_models_may_lie_on_another_disk(fresh, marks, tmp_path):
    disk = Path("/dev/shm")
    if not disk.is_dir() or disk.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is one disk")
    with tempfile.TemporaryDirectory(dir=disk) as place:
        (fresh / ".selu").mkdir(exist_ok=True)
        (fresh / ".selu" / "models").symlink_to(place)
        for only in ("missing", "all"):  # the second time another model is in the way
            assert run(fresh, WANTED, only=only)[-1].endswith(", 0 failed")
        (planned_run, *_) = plan(fresh, WANTED)
        assert (Path(place) / planned_run.name / "weights").is_file()
        assert [
            path.name for path in (Path(place) / planned_run.name).parent.iterdir() if path.name[0] == "."
        ] == []


@pytest.mark.ci
def test_what_was_found_under_other_numbers_is_not_taken(fresh, marks):
    run(fresh, WANTED)
    small.alter(fresh, lambda p: p["finetune"].update(patience=2))
    assert set(states(fresh, WANTED).values()) == {"stale"}
    run(fresh, WANTED)
    assert len(stand_in.begun(marks)) == 4


@pytest.mark.ci
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_a_sweep_that_is_ended_loses_only_what_was_in_flight(number, tmp_path, marks):
    """Those that ended are written and scored; those in flight go on from their checkpoint."""
    fresh = project(tmp_path / "fresh", seeds=(42, 43))
    run(fresh, Wanted(tasks=(small.BINARY,), systems=("minilm-l6",), seeds=(42,)))
    (marks / "wait").touch()
    process = small.selu(fresh, "run", "--task", small.BINARY, "--system", "minilm-l6", "--jobs", "2")
    training = fresh / ".selu" / "training"
    until(lambda: len(list(training.glob("*/state"))) == 2)
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    assert sorted(states(fresh, WANTED).values()) == ["missing", "missing", "present", "present"]
    until(lambda: not busy(training))  # no worker trains on without anybody to take what it finds
    (marks / "wait").unlink()
    messages = run(fresh, WANTED)
    assert sum(line.endswith("goes on after step 5") for line in messages) == 2
    assert set(states(fresh, WANTED).values()) == {"present"}
    assert not list(training.iterdir())


def until(done: Any) -> None:
    end = time.monotonic() + 20
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


def busy(training: Path) -> bool:
    """Whether a process holds the lock of a training."""
    import fcntl

    for path in training.glob("*.lock"):
        with path.open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    return False


@pytest.mark.ci
def test_two_sweeps_do_not_train_the_same_at_once(fresh, marks):
    (marks / "wait").touch()
    words = ("run", "--task", small.BINARY, "--system", "minilm-l6", "--seed", "42", "--protocol", "strict")
    first = small.selu(fresh, *words)
    until(lambda: busy(fresh / ".selu" / "training"))
    code, _, errors = small.done(fresh, *words)
    assert code == 2
    assert any("another process is at this training: wait until it ends." in line for line in errors)
    assert record.State.MISSING.value in states(fresh, WANTED).values()
    (marks / "wait").unlink()
    assert first.wait(timeout=20) == 0
    first.communicate()


def test_an_interpreter_that_is_none(fresh, monkeypatch):
    monkeypatch.setenv("SELU_FINETUNE_PYTHON", str(fresh / "python"))
    _, messages = refused(fresh, WANTED)
    assert any("SELU_FINETUNE_PYTHON names" in line for line in messages)


@pytest.mark.ci
def test_rows_of_others_that_a_killed_process_left_are_removed(fresh, marks):
    left = fresh / ".selu" / "training" / "ab.job-4000000000.json"
    left.parent.mkdir(parents=True)
    left.write_text("{}")
    run(fresh, WANTED)
    assert not left.exists()


def test_tags_that_are_not_declared_are_refused(tmp_path, marks):
    root = project(tmp_path / "project", (small.TAGS,))
    rows = small.table(small.task(small.TAGS))
    rows.at[3, "label"] = ["B-Planet", *["O"] * (len(rows.at[3, "tokens"]) - 1)]
    small.put(root, small.TAGS, rows)
    _, messages = refused(root, Wanted(tasks=(small.TAGS,), systems=("minilm-l6",)))
    assert any("has the tag B-Planet, which is not declared" in line for line in messages)
    rows.at[3, "label"] = ["O"]
    small.put(root, small.TAGS, rows)
    _, messages = refused(root, Wanted(tasks=(small.TAGS,), systems=("minilm-l6",)))
    assert any("the row p000003 of se_entities has" in line for line in messages)
