from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from helpers import small_project as small
from selu import cli
from selu.app import reproduce_runs
from selu.app.running.run import run as run_wanted
from selu.execution import results
from selu.execution.environments import Environments
from selu.execution.grids import run as grids_run
from selu.execution.planned import Orders, Planned, Wanted
from selu.execution.plans import plan
from selu.runs import record
from selu.vocabulary import SeluError

BOTH_TASKS = Wanted((small.BINARY, small.NUMBER))
FAST = Wanted((small.BINARY,), ("fasttext",))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = small.make(
        tmp_path_factory.mktemp("reearning") / "project", (small.BINARY, small.NUMBER), alike=True
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SELU_AUTHORS_PYTHON", sys.executable)
        run_wanted(root, BOTH_TASKS, "missing", 1, lambda _line: None)
    return root


@pytest.fixture
def project(ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SELU_AUTHORS_PYTHON", sys.executable)
    return shutil.copytree(ran, tmp_path / "project")


def falsify(root: Path, run: Planned, answers: int) -> None:
    """The tracked run says other answers, and all its records fit them."""
    kept = record.read_run(run.folder)
    table = pq.read_table(io.BytesIO(record.read_file(run.folder, record.PREDICTIONS)))
    values = table["prediction"].to_pylist()
    values[:answers] = [1 - value for value in values[:answers]]
    place = table.schema.get_field_index("prediction")
    table = table.set_column(place, table.schema.field(place), pa.array(values, table.schema.field(place).type))
    out = io.BytesIO()
    pq.write_table(table, out)
    fields = {name: value for name, value in kept.items() if name not in ("files", "seal")}
    shutil.rmtree(run.folder)
    record.write_run(run.folder, {record.PREDICTIONS: out.getvalue()}, fields)
    results.score_run(root, run, results.read_rows(root, run))


@pytest.mark.ci
def test_runs_of_both_baselines_are_equal_to_the_byte_and_nothing_tracked_is_written(project: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (project / "results").rglob("*")}
    messages: list[str] = []
    assert reproduce_runs.reearn(project, BOTH_TASKS, None, 1, messages.append) == []
    count = len(plan(project, BOTH_TASKS))
    assert {path: path.stat().st_mtime_ns for path in (project / "results").rglob("*")} == before
    assert not (project / reproduce_runs.AGAIN).exists()
    assert messages[0].startswith(f"{count} of {count} tracked runs, about ")
    assert f"the predictions of {count} are equal to the byte, 0 differ" in messages[-1]


@pytest.mark.ci
def test_a_tracked_answer_that_is_not_the_runs_own_is_named(project: Path) -> None:
    run = plan(project, FAST)[0]
    falsify(project, run, 1)
    (message,) = reproduce_runs.reearn(project, FAST, None, 1, lambda _line: None)
    assert message.startswith(f"{run.name}: 1 of 12 answers differ, f1_macro is ")
    assert "is tracked, " in message


@pytest.mark.ci
def test_a_training_may_move_within_its_interval_and_a_baseline_may_not(project: Path) -> None:
    from dataclasses import replace

    tracked = plan(project, FAST)[0]
    copy = replace(tracked, folder=shutil.copytree(tracked.folder, project / "copy" / tracked.name))
    falsify(project, tracked, 1)
    sentence, deviates = reproduce_runs._difference(tracked, copy) or ("", False)
    assert "within its interval" in sentence
    assert deviates
    assert reproduce_runs._difference(replace(tracked, environment="finetune"), copy) == (sentence, False)


@pytest.mark.ci
def test_what_was_made_before_an_interruption_stands(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    real = grids_run.make_one

    def interrupted(orders: Orders, run: Planned, environments: Environments) -> Path:
        if len(made) == 1:
            raise KeyboardInterrupt
        made.append(run.name)
        return real(orders, run, environments)

    monkeypatch.setattr(grids_run, "make_one", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reproduce_runs.reearn(project, FAST, None, 1, lambda _line: None)
    monkeypatch.setattr(grids_run, "make_one", real)
    messages: list[str] = []
    assert reproduce_runs.reearn(project, FAST, None, 1, messages.append) == []
    assert "2 runs: 1 run, 1 left as they are, 0 failed" in messages
    assert (
        "1 runs made again in 0 min, 1 by the interrupted command before: the predictions of 2" in messages[-1]
    )


@pytest.mark.ci
def test_runs_that_an_interrupted_command_made_are_not_called_made_anew(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are made and none is compared: 'nothing to do' stood above '2 runs made again'."""

    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    real = reproduce_runs._difference
    monkeypatch.setattr(reproduce_runs, "_difference", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reproduce_runs.reearn(project, FAST, None, 1, lambda _line: None)
    monkeypatch.setattr(reproduce_runs, "_difference", real)
    messages: list[str] = []
    assert reproduce_runs.reearn(project, FAST, None, 1, messages.append) == []
    assert not any("nothing to do" in line for line in messages)
    assert (
        "0 runs made again in 0 min, 2 by the interrupted command before: the predictions of 2" in messages[-1]
    )


@pytest.mark.ci
def test_a_budget_takes_the_shortest_runs(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = plan(project, BOTH_TASKS)
    seconds = {run.name: 60.0 * number for number, run in enumerate(runs, start=1)}
    monkeypatch.setattr(reproduce_runs, "_seconds", lambda run: seconds[run.name])
    monkeypatch.setattr(reproduce_runs.os, "cpu_count", lambda: 2)
    chosen = reproduce_runs._chosen(project, BOTH_TASKS, 1.5, lambda _line: None)
    assert chosen == runs[:2]
    with pytest.raises(SeluError, match=r"no run can be made in 0.1 min here: give --minutes more"):
        reproduce_runs._chosen(project, BOTH_TASKS, 0.1, lambda _line: None)


def test_an_hour_on_a_cpu_is_not_spent_on_what_a_gpu_made(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = run, other = plan(project, FAST)
    monkeypatch.setattr(reproduce_runs.planning, "plan", lambda _root, _wanted: list(runs))
    content = record.read_run(run.folder)
    fields = {name: value for name, value in content.items() if name not in ("files", "seal")}
    files = {record.PREDICTIONS: record.read_file(run.folder, record.PREDICTIONS)}
    record.write_run(run.folder, files, {**fields, "used": {"device": "NVIDIA H100 80GB HBM3"}})
    messages: list[str] = []
    chosen = {
        chosen_run.name for chosen_run in reproduce_runs._chosen(project, Wanted(), 10_000, messages.append)
    }
    assert messages[0] == "1 runs that a GPU made are left out: '--task' or '--system' makes them here"
    assert run.name not in chosen
    assert other.name in chosen
    assert run in reproduce_runs._chosen(project, FAST, None, messages.append)  # which names it


@pytest.mark.ci
def test_from_the_shell_with_a_mirror(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELU_MIRROR", str(project))  # for 'selu prepare', before
    words = ["--root", str(project), "reproduce", "--runs", "--task", small.BINARY, "--system", "fasttext"]
    result = CliRunner().invoke(cli.app, words)
    assert result.exit_code == 0, result.output
    assert "2 runs made again in 0 min: the predictions of 2 are equal to the byte, 0 differ" in result.stderr
    monkeypatch.delenv("SELU_MIRROR")
    for options, message in (
        (["--runs", "--data"], "without --data"),
        (["--minutes", "3"], "--minutes needs --runs"),
    ):
        failed = CliRunner().invoke(cli.app, ["--root", str(project), "reproduce", *options])
        assert message in str(failed.exception)


def test_mistakes_are_one_sentence_before_anything_is_made(project: Path) -> None:
    with pytest.raises(SeluError, match="--minutes takes a number above 0"):
        reproduce_runs.reearn(project, FAST, 0, 1, print)
    (project / "data" / "clean" / "selu" / f"{small.BINARY}.parquet").unlink()
    with pytest.raises(SeluError, match=f"^{small.BINARY} has no prepared rows here: 'make data'"):
        reproduce_runs.reearn(project, FAST, None, 1, print)
    shutil.rmtree(project / "results")
    with pytest.raises(SeluError, match="no tracked run passes these filters: 'dvc pull' brings"):
        reproduce_runs.reearn(project, FAST, None, 1, print)
    assert not (project / reproduce_runs.AGAIN).exists()
