from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import plain
import pyarrow.parquet as pq
import pytest

from helpers import small_project as small
from helpers.running import refused, run, states
from selu.app.running.run import run as run_wanted
from selu.execution import runner
from selu.execution.plans import Planned, Wanted, plan
from selu.execution.results import read_rows
from selu.metrics.evaluate import evaluate
from selu.runs import record, seals
from selu.systems.baseline.learning import Lesson
from selu.vocabulary import Kind, SeluError

TASKS = (small.BINARY, small.CLASSES, small.LABELS, small.NUMBER)
EVERY = Wanted(tasks=TASKS)
WANTED = Wanted(tasks=(small.BINARY,))
# An interpreter in whose environment the package is lacking.
LACKING = """#!/bin/sh
read line
echo '{"versions": {"fasttext-wheel": null}, "python": "3.11.0"}'
"""


@pytest.fixture(autouse=True)
def authors(monkeypatch):
    """This Python stands for the authors': both locks of these projects are the current one."""
    monkeypatch.setenv("SELU_AUTHORS_PYTHON", sys.executable)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which both baselines were run on a task of each kind."""
    root = small.make(tmp_path_factory.mktemp("ran"), TASKS, alike=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SELU_AUTHORS_PYTHON", sys.executable)
        run_wanted(root, EVERY, "missing", 1, print)
    return root


@pytest.fixture
def project(ran: Path, tmp_path: Path) -> Path:
    return shutil.copytree(ran, tmp_path / "project")


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    return small.make(tmp_path / "fresh", (small.BINARY, small.LABELS), alike=True)


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Bytes and time of each file below a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def written_anew(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """Cells whose runs were written since."""
    changed = {name for name in after if name.endswith("run.json") and after[name] != before.get(name)}
    return {name.rpartition("/")[0] for name in changed}


def planned(root: Path, task: str, system: str, protocol: str) -> Planned:
    (found,) = plan(root, Wanted((task,), (system,), (protocol,)))
    return found


def predictions(planned_run: Planned) -> tuple[list[str], list[Any]]:
    table = pq.read_table(planned_run.folder / record.PREDICTIONS).to_pydict()
    return table["id"], table["prediction"]


def lesson_of(planned_run: Planned, rows: Any, fit: list[str], asked: str, folder: Path) -> Lesson:
    learnt, questions = rows[rows["part"].isin(fit)], rows[rows["part"] == asked]
    texts, answers = learnt["text"].tolist(), learnt["label"].tolist()
    labels = len(planned_run.task.labels)
    return Lesson(
        str(planned_run.task.kind), labels, texts, answers, questions["text"].tolist(), planned_run.seed, folder
    )


def answers(planned_run: Planned, lesson: Lesson, params: Any) -> list[Any]:
    """The plain pipelines for the trees; the learner itself, in this process, for FastText."""
    from selu.systems.baseline.fasttext import FastText

    if planned_run.system == "fasttext":
        return FastText(lesson).answer(params)
    return plain.answers(lesson, params["max_depth"], params["min_child_weight"], 1)


@pytest.mark.ci
@pytest.mark.parametrize(("protocol", "part"), [("paper", "test"), ("strict", "validation")])
@pytest.mark.parametrize("system", ["tfidf-xgboost", "fasttext"])
@pytest.mark.parametrize("task", TASKS)
def test_the_best_candidate_is_the_run(task, system, protocol, part, ran, tmp_path):
    """Picked on test rows under paper; under strict on validation rows, from which it learns then, too."""
    planned_run = planned(ran, task, system, protocol)
    rows, run_ = read_rows(ran, planned_run), record.read_run(planned_run.folder, planned_run.identity)
    asked, test = rows[rows["part"] == part], rows[rows["part"] == "test"]
    lesson = lesson_of(planned_run, rows, ["train"], part, tmp_path)
    every = [answers(planned_run, lesson, params) for params in planned_run.grid]
    regression, strict = planned_run.task.kind is Kind.REGRESSION, protocol == "strict"
    metric = "smape" if regression else "f1_macro"
    kind, labels = str(planned_run.task.kind), len(planned_run.task.labels)
    scores = [evaluate(kind, asked["label"].tolist(), found, labels)[metric] for found in every]
    assert [entry["score"] for entry in run_["grid"]] == scores
    # under paper the highest is picked of errors too, as the authors' script sorts
    best = scores.index(min(scores) if regression and strict else max(scores))
    assert run_["chosen"] == planned_run.grid[best]
    assert run_["picked_on"] == part
    again = lesson_of(planned_run, rows, ["train", "validation"], "test", tmp_path) if strict else lesson
    assert predictions(planned_run) == (
        test["id"].tolist(),
        answers(planned_run, again, planned_run.grid[best]),
    )


@pytest.mark.ci
def test_records_say_what_was_run(ran):
    for planned_run in plan(ran, EVERY):
        run_ = record.read_run(planned_run.folder, planned_run.identity)
        scores = record.read_scores(planned_run.folder)
        assert run_["state"] == "present"
        assert run_["fields"] == json.loads(json.dumps(dict(planned_run.fields)))
        packages = planned_run.fields["packages"]
        assert {name: run_["versions"][name] for name in packages} == packages
        assert run_["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
        assert run_["environment"] == planned_run.environment
        cost = run_["cost"]
        assert cost["units"] == len(planned_run.grid) + (planned_run.protocol == "strict")
        # the last fit of strict may be a candidate of paper, which learns from the same rows
        assert cost["units_taken"] <= (planned_run.protocol == "strict")
        assert 10 << 20 < cost["peak_memory_bytes"] < 4 << 30
        assert scores["predictions"] == run_["files"][record.PREDICTIONS]
        assert scores["identity"] == planned_run.identity
        assert scores["value"] == scores["scores"][planned_run.fields["pick"]["metric"]]


def test_texts_of_rows_are_kept_in_no_result_and_in_no_scratch(ran):
    text = small.table(small.task(small.BINARY))["paper"][0]
    for folder in ("results", ".selu"):
        assert not any(text.encode() in content for content, _ in contents(ran / folder).values())
    assert not list((ran / ".selu").rglob("lesson-*"))


def test_a_second_run_does_nothing(project):
    before = contents(project)
    assert run(project, EVERY) == ["nothing to do: 16 results are up to date"]
    assert contents(project) == before


@pytest.mark.ci
def test_all_fits_every_unit_anew_and_finds_the_same(project):
    wanted = Wanted((small.BINARY,), ("fasttext",))
    before, units = contents(project / "results" / "selu"), contents(project / ".selu" / "units")
    assert run(project, wanted, "all")[-1].startswith("2 runs: 2 run, 0 left")
    after = contents(project / "results" / "selu")
    assert written_anew(before, after) == {planned_run.name for planned_run in plan(project, wanted)}
    for name, (content, _) in before.items():
        if name.endswith((".parquet", "scores.json")):
            assert after[name][0] == content
    again = contents(project / ".selu" / "units")
    # the last of strict is one of paper's
    fits = sum(len(planned_run.grid) for planned_run in plan(project, wanted))
    assert sum(again[name] != old for name, old in units.items()) == fits
    assert again.keys() == units.keys()


def test_only_takes_five_words(fresh):
    assert run(fresh, WANTED, "none")[-1] == "4 runs: 0 run, 4 left as they are, 0 failed"
    assert not (fresh / "results").exists()
    wrong = (
        ("some", 1, "--only takes missing, failed, all, none or outdated"),
        ("all", 0, "--jobs takes a number"),
    )
    for only, jobs, says in wrong:
        with pytest.raises(SeluError, match=says):
            run_wanted(fresh, WANTED, only, jobs, print)


@pytest.mark.ci
def test_a_changed_setting_makes_its_runs_stale_and_takes_the_units_that_are_there(project):
    small.alter(project, lambda p: p["baselines"]["tfidf_xgboost"].update(max_depth=[2, 3, 4]))
    wanted = Wanted(tasks=(small.BINARY, small.CLASSES))
    trees = {planned_run.name for planned_run in plan(project, wanted) if planned_run.system == "tfidf-xgboost"}
    found = states(project, wanted)
    assert found == {name: "stale" if name in trees else "present" for name in found}
    before = contents(project / "results" / "selu")
    run(project, wanted)
    assert written_anew(before, contents(project / "results" / "selu")) == trees
    assert set(states(project, wanted).values()) == {"present"}
    for planned_run in plan(project, Wanted(wanted.tasks, ("tfidf-xgboost",))):
        taken = record.read_run(planned_run.folder)["cost"]["units_taken"]
        assert taken >= 4  # of six candidates; strict's last fit may be another


@pytest.mark.ci
def test_outdated_makes_anew_what_is_here_and_begins_nothing(project):
    runs = plan(project, EVERY)
    shutil.rmtree(runs[0].folder)
    messages: list[str] = []
    assert run_wanted(project, EVERY, "outdated", 1, messages.append) == []
    assert messages[-1] == f"nothing to do: {len(runs) - 1} results are up to date"
    small.alter(project, lambda p: p["baselines"]["fasttext"].update(threshold=0.4))
    stale = [
        run for run in plan(project, EVERY) if record.state(run.folder, run.identity) is record.State.STALE
    ]
    written = run_wanted(project, EVERY, "outdated", 1, messages.append)
    assert {path if path.is_dir() else path.parent for path in written} == {run.folder for run in stale}
    assert not runs[0].folder.exists()


def test_a_damaged_run_is_made_again(project):
    planned_run = planned(project, small.BINARY, "fasttext", "paper")
    path = planned_run.folder / record.PREDICTIONS
    good = path.read_bytes()
    path.write_bytes(good[:-9])
    assert states(project, WANTED)[planned_run.name] == "damaged"
    before = contents(project / "results" / "selu")
    run(project, WANTED)
    assert written_anew(before, contents(project / "results" / "selu")) == {planned_run.name}
    assert path.read_bytes() == good


def test_a_run_of_another_version_of_selu_is_stale_and_made_again(project):
    planned_run = planned(project, small.BINARY, "fasttext", "paper")
    path = planned_run.folder / record.RUN
    path.write_bytes(seals.to_bytes({**json.loads(path.read_text()), "format": 7}))
    assert states(project, WANTED)[planned_run.name] == "stale"
    with pytest.raises(SeluError, match=r"another version of selu: its format is 7, this version reads 1"):
        record.read_run(planned_run.folder)
    run(project, WANTED)
    assert states(project, WANTED)[planned_run.name] == "present"


def test_damaged_and_foreign_units_are_fitted_again(project):
    wanted = Wanted((small.BINARY,), ("fasttext",), ("paper",))
    units = sorted(project.glob(".selu/units/*/*.json"))
    for path in units:
        path.write_text(path.read_text().replace('"answers"', '"answer"'))
    good = contents(project / "results" / "selu")
    shutil.rmtree(project / "results" / "selu" / small.BINARY / "fasttext" / "paper-s42")
    run(project, wanted)
    planned_run = planned(project, small.BINARY, "fasttext", "paper")
    assert record.read_run(planned_run.folder)["cost"]["units_taken"] == 0
    name = f"{planned_run.name}/{record.PREDICTIONS}"
    assert (planned_run.folder / record.PREDICTIONS).read_bytes() == good[name][0]


def test_a_changed_metric_or_interval_scores_without_a_fit(project):
    small.alter(project, lambda p: p["bootstrap"].update(draws=300))
    before = contents(project / "results" / "selu")
    messages = run(project, WANTED)
    after = contents(project / "results" / "selu")
    assert written_anew(before, after) == set()
    scored = [line.removeprefix("scoring ") for line in messages if line.startswith("scoring ")]
    assert scored == list(states(project, WANTED))
    planned_run = planned(project, small.BINARY, "fasttext", "paper")
    assert record.read_scores(planned_run.folder)["bootstrap"]["draws"] == 300


def spoilt(planned_run: Planned, content: bytes) -> None:
    """Other predictions, under a record that vouches for them: they stand, and can't be scored."""
    run_ = record.read_run(planned_run.folder)
    fields = {name: run_[name] for name in ("state", "identity", "fields")}
    record.write_run(planned_run.folder, {record.PREDICTIONS: content}, fields)
    assert record.state(planned_run.folder, planned_run.identity) is record.State.PRESENT


def run_missing(root: Path, messages: list[str]) -> None:
    run_wanted(root, WANTED, "missing", 1, messages.append)


def score_anew(root: Path, messages: list[str]) -> None:
    runner.score(root, plan(root, WANTED), messages.append, anew=True)


@pytest.mark.parametrize("command", [run_missing, score_anew])
def test_a_run_that_cant_be_scored_ends_no_other(project, command):
    small.alter(project, lambda p: p["bootstrap"].update(draws=100))
    bad = [planned_run for planned_run in plan(project, WANTED) if planned_run.system == "fasttext"]
    for planned_run, content in zip(bad, (b"PAR1 and no more", b""), strict=True):  # for reasons of their own
        spoilt(planned_run, content)
    messages: list[str] = []
    with pytest.raises(SeluError, match=r"^2 of 4 runs (failed|have no score), for the reasons above: [^\n]*$"):
        command(project, messages)
    for planned_run in bad:
        (line,) = [line for line in messages if line.startswith(f"{planned_run.name}: ")]
        assert "it can't be scored (" in line
        assert line.endswith("'selu run --only all' makes it again.")
        # nothing is recorded of it
        assert record.state(planned_run.folder, planned_run.identity) is record.State.PRESENT
    good = [planned_run for planned_run in plan(project, WANTED) if planned_run.system != "fasttext"]
    assert {record.read_scores(planned_run.folder)["bootstrap"]["draws"] for planned_run in good} == {100}


def test_a_disk_that_refuses_one_run_ends_no_other(fresh, monkeypatch):
    settle, wanted = record.settle, Wanted((small.BINARY,), ("fasttext",))

    def refusing(folder: Path) -> None:
        if folder.name.startswith("paper"):
            raise PermissionError(13, "Permission denied", str(folder))
        settle(folder)

    monkeypatch.setattr(record, "settle", refusing)
    error, messages = refused(fresh, wanted)
    assert error.startswith("1 of 2 runs failed")
    assert any(
        "Permission denied; nothing is half-written: 'sudo chown --recursive " in line for line in messages
    )
    assert list(states(fresh, wanted).values()) == ["missing", "present"]


@pytest.mark.ci
def test_a_failure_that_cant_be_recorded_ends_no_other(fresh, monkeypatch):
    rows = small.table(small.task(small.BINARY))
    small.put(fresh, small.BINARY, rows.assign(label=[int(number % 5 == 0) for number in range(len(rows))]))

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device", "run.json")

    monkeypatch.setattr(record, "write_failed", full)
    error, messages = refused(fresh, Wanted((small.BINARY, small.LABELS), ("fasttext",)))
    assert error.startswith("2 of 4 runs failed")
    assert sum("this can't be recorded: run.json: No space left on device" in line for line in messages) == 2


class TestBadInput:
    """One clear sentence each; the other cells are run."""

    def failing(
        self, root: Path, says: str, recorded: bool, bad: str = small.BINARY, good: str = small.LABELS
    ) -> None:
        wanted = Wanted((bad, good), ("fasttext",))
        error, messages = refused(root, wanted)
        assert error.startswith("2 of 4 runs failed, for the reasons above: ")
        sentences = [line for line in messages if line.startswith(f"{bad}/") and line.partition(": ")[2]]
        assert len(sentences) == 2
        assert all(says in line for line in sentences), sentences
        found = states(root, wanted)
        assert {state for name, state in found.items() if name.startswith(good)} == {"present"}
        bad_states = {state for name, state in found.items() if name.startswith(bad)}
        assert bad_states == {"failed" if recorded else "missing"}

    def relabelled(self, root: Path, name: str, change: Callable[[Any, int], Any]) -> None:
        rows = small.table(small.task(name))
        rows["label"] = [change(value, number) for number, value in enumerate(rows["label"])]
        small.put(root, name, rows)

    @pytest.mark.ci
    def test_a_task_without_rows(self, fresh):
        (fresh / "data" / "clean" / "selu" / f"{small.BINARY}.parquet").unlink()
        self.failing(fresh, f"has no prepared rows here: run 'selu prepare {small.BINARY}'", recorded=False)

    @pytest.mark.ci
    @pytest.mark.parametrize(
        ("bad", "good", "change", "says"),
        [
            (
                small.BINARY,
                small.LABELS,
                lambda v, n: 2 if n == 13 else v,
                "a row has the label 2, not one of 0 to 1",
            ),
            (small.LABELS, small.BINARY, lambda v, n: v[:-1], "a row has not 5 labels of 0 or 1"),
            (small.BINARY, small.LABELS, lambda v, n: int(n % 5 == 0), "all train rows have the same label"),
            (
                small.NUMBER,
                small.BINARY,
                lambda v, n: float("nan") if n == 3 else v,
                f"a target of {small.NUMBER} is not a finite number",
            ),
        ],
    )
    def test_labels_that_can_t_be_learnt_from(self, fresh, bad, good, change, says):
        small.put(fresh, bad)
        self.relabelled(fresh, bad, change)
        self.failing(fresh, says, True, bad, good)

    @pytest.mark.ci
    def test_what_failed_waits_until_it_is_asked_for(self, fresh):
        """``missing`` leaves it, ``failed`` runs nothing else."""
        wanted = Wanted((small.BINARY,), ("fasttext",))
        self.relabelled(fresh, small.BINARY, lambda value, number: int(number % 5 == 0))
        refused(fresh, wanted)
        planned_run = planned(fresh, small.BINARY, "fasttext", "paper")
        assert "same label" in record.read_run(planned_run.folder, planned_run.identity)["error"]
        assert run(fresh, wanted)[-1] == (
            "2 runs: 0 run, 2 left as they are, 0 failed (2 of those left failed before: '--only failed' runs "
            "them again)"
        )
        error, _ = refused(fresh, wanted, "failed")
        assert error.startswith("2 of 2 runs failed")
        small.put(fresh, small.BINARY)  # fixed: the identity is another, and so the run is missing again
        assert run(fresh, wanted, "failed")[-1].startswith("2 runs: 0 run")
        assert run(fresh, wanted)[-1].startswith("2 runs: 2 run")
        assert set(states(fresh, wanted).values()) == {"present"}


class TestEnvironments:
    def test_the_authors_environment_is_missing(self, fresh, monkeypatch):
        monkeypatch.delenv("SELU_AUTHORS_PYTHON")
        wanted = Wanted((small.BINARY,), ("fasttext",))
        error, messages = refused(fresh, wanted)
        assert error.startswith("1 of 2 runs failed")
        missing = fresh / ".venv-authors" / "bin" / "python"
        sentence = f"the authors' environment is missing ({missing}): 'make environments' builds it."
        assert f"{small.BINARY}/fasttext/paper-s42: {sentence}" in messages
        assert states(fresh, wanted) == {
            f"{small.BINARY}/fasttext/paper-s42": "missing",
            f"{small.BINARY}/fasttext/strict-s42": "present",
        }

    def test_another_version_than_the_lock_pins_is_refused(self, fresh):
        path = fresh / "locks" / "authors.txt"
        path.write_text(path.read_text().replace("\nfasttext-wheel==", "\nfasttext-wheel==99."))
        _, messages = refused(fresh, Wanted((small.BINARY,), ("fasttext",), ("paper",)))
        (sentence,) = [line for line in messages if "99." in line]
        assert "the environment 'authors' has fasttext-wheel 0.9.2 where locks/authors.txt pins 99." in sentence
        assert sentence.endswith("'make environments' installs it.")
        assert states(fresh, WANTED)[f"{small.BINARY}/fasttext/paper-s42"] == "missing"
        assert states(fresh, WANTED)[f"{small.BINARY}/fasttext/paper-s42-baselines"] == "present"

    @pytest.mark.parametrize(
        ("script", "says"),
        [
            (LACKING, "has fasttext-wheel in no version where"),
            ("#!/no/such/shell\n", "can't be started"),
        ],
    )
    def test_an_interpreter_that_is_none_of_the_authors(self, script, says, fresh, tmp_path, monkeypatch):
        path = tmp_path / "python"
        path.write_text(script)
        path.chmod(0o755)
        monkeypatch.setenv("SELU_AUTHORS_PYTHON", str(path))
        _, messages = refused(fresh, Wanted((small.BINARY,), ("fasttext",), ("paper",)))
        (sentence,) = [line for line in messages if line.startswith(f"{small.BINARY}/fasttext/paper-s42: ")]
        assert says in sentence
        assert set(states(fresh, WANTED).values()) == {"missing"}


def test_sources_that_change_while_a_run_goes_on(fresh, monkeypatch):
    """Nothing is written, and nothing recorded: the run is to be made again."""
    from selu.execution import plans

    def changed(root: Path, planned_run: Planned) -> Planned:
        small.alter(root, lambda p: p["baselines"]["fasttext"].update(lr=[0.07]))
        wanted = Wanted((planned_run.task.id,), (planned_run.system,), (planned_run.protocol,))
        return plans.plan(root, wanted)[0]

    monkeypatch.setattr(plans, "plan_again", changed)
    _, messages = refused(fresh, Wanted((small.BINARY,), ("fasttext",), ("paper",)))
    assert any("the sources or parameters changed while" in line for line in messages)
    assert not list((fresh / "results").rglob("run.json"))


def test_the_command_writes_where_it_says(fresh):
    words = ("run", "--task", small.BINARY, "--system", "fasttext", "--protocol", "strict", "--jobs", "1")
    code, out, errors = small.done(fresh, *words)
    assert code == 0, errors
    path = fresh / "results" / "selu" / small.BINARY / "fasttext" / "strict-s42" / "scores.json"
    assert out.split() == ["wrote", str(path)]
    assert path.is_file()
    assert errors[-1] == "1 runs: 1 run, 0 left as they are, 0 failed"
