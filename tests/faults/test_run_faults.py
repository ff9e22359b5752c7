"""``selu run`` is killed, interrupted or loses a worker: what was fitted stays, and nothing is torn."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers import small_project as small
from selu.execution.plans import Wanted, plan
from selu.runs import record

CANDIDATES, JOBS, KILLS = 16, 2, 4
RUN_WORDS = ("run", "--task", small.BINARY, "--system", "fasttext", "--protocol", "paper", "--jobs", str(JOBS))
WANTED = Wanted((small.BINARY,), ("fasttext",), ("paper",))
BUSY = 200  # epochs of a unit that takes a while


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A task of few rows and a grid of many candidates, each of a tenth of a second or so."""
    root = small.make(tmp_path / "project", (small.BINARY, small.CLASSES), alike=True)
    grid = [0.1 + number / 100 for number in range(CANDIDATES)]
    small.alter(root, lambda p: p["baselines"]["fasttext"].update(lr=grid, epoch=[BUSY]))
    return root


def units(root: Path) -> dict[str, tuple[bytes, int]]:
    """Bytes and time of each unit that is there."""
    found = root.glob(".selu/units/*/*.json")
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in found if path.stem.isalnum()}


def children(process: subprocess.Popen[str]) -> list[int]:
    try:
        threads = list(Path(f"/proc/{process.pid}/task").iterdir())
        return [int(pid) for thread in threads for pid in (thread / "children").read_text().split()]
    except OSError:
        return []


def ended(pid: int) -> bool:
    """Gone, or waiting for whoever inherits it to take note."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def until(holds: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def torn(root: Path) -> list[str]:
    """What should not be among the results: names that are being written, and runs that are not whole."""
    left = [str(path) for path in (root / "results").rglob("*") if ".tmp-" in path.name]
    for run in plan(root, WANTED):
        if record.state(run.folder, run.identity) is record.State.DAMAGED:
            left.append(run.name)
    return left


def finish(root: Path) -> str:
    code, _, errors = small.done(root, *RUN_WORDS)
    assert code == 0, errors
    (run,) = plan(root, WANTED)
    assert record.state(run.folder, run.identity) is record.State.PRESENT
    assert record.read_scores(run.folder)
    assert torn(root) == []
    assert not [path for path in root.glob(".selu/units/*/*") if not path.name.endswith(".json")]
    assert not list(root.glob(".selu/units/*/lesson-*"))
    return record.read_run(run.folder)["files"][record.PREDICTIONS]


@pytest.mark.slow
def test_killed_at_random_moments_it_goes_on_from_the_units_that_are_there(project):
    """Whatever was fitted before a kill is taken as it is; only units in flight are fitted again."""
    numbers, fitted = random.Random(5), 0
    for kill in range(KILLS):
        before = units(project)
        process = small.selu(project, *RUN_WORDS)
        wanted = len(before) + numbers.randrange(1, 3)
        until(lambda wanted=wanted, p=process: len(units(project)) >= wanted or p.poll() is not None)
        time.sleep(numbers.random() / 20)
        workers = children(process)
        process.kill()
        process.communicate(timeout=60)
        until(lambda workers=workers: all(map(ended, workers)))  # each ends its unit and finds nobody there
        after = units(project)
        assert {name: after[name] for name in before} == before, kill
        fitted += len(after) - len(before)
        assert torn(project) == []
    kept = units(project)
    assert 0 < len(kept) == fitted < CANDIDATES
    digest = finish(project)
    after = units(project)
    assert {name: after[name] for name in kept} == kept
    assert len(after) == CANDIDATES
    (run,) = plan(project, WANTED)
    assert record.read_run(run.folder)["cost"]["units_taken"] == len(kept)
    code, _, errors = small.done(project, *RUN_WORDS, "--only", "all")
    assert code == 0, errors
    assert record.read_run(run.folder)["files"][record.PREDICTIONS] == digest


@pytest.mark.ci
def test_an_interruption_ends_it_within_seconds(project):
    """Also in the middle of long fits; no worker is left and nothing is half-written."""
    small.alter(project, lambda p: p["baselines"]["fasttext"].update(epoch=[15_000]))
    process = small.selu(project, *RUN_WORDS)
    until(lambda: list(project.glob(".selu/units/*/train-*.txt")))
    workers = children(process)
    assert len(workers) == JOBS
    started = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    took = time.monotonic() - started
    assert process.returncode == 128 + signal.SIGTERM
    assert took < 3
    assert errors.splitlines()[-1] == "selu: interrupted; no file is half-written: run it again."
    assert "Traceback" not in errors
    assert all(map(ended, workers))
    assert not list((project / "results").rglob("*.json"))
    assert not list(project.glob(".selu/units/*/lesson-*"))
    assert units(project) == {}
    small.alter(project, lambda p: p["baselines"]["fasttext"].update(epoch=[5]))
    finish(project)


@pytest.mark.ci
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_ended_at_a_random_moment(number, project):
    """While it plans, starts workers, waits for them or writes: no worker is left, and nothing is torn."""
    numbers, ended_early = random.Random(7), 0
    small.alter(project, lambda p: p["baselines"]["fasttext"].update(epoch=[20]))
    for _ in range(KILLS):
        process = small.selu(project, *RUN_WORDS, "--only", "all")
        time.sleep(0.5 + 1.5 * numbers.random())
        workers = children(process)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        ended_early += process.returncode != 0  # it may have been done before
        if process.returncode and number is signal.SIGINT:
            assert process.returncode == 130, errors
            assert errors.splitlines()[-1] == "selu: interrupted; no file is half-written: run it again."
        assert "Traceback" not in errors
        until(lambda workers=workers: all(map(ended, workers)), 3)
        assert torn(project) == []
    assert ended_early
    finish(project)


@pytest.mark.ci
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_worker_that_dies_is_said_and_the_other_runs_go_on(number, project):
    """A kill is the machine's, and the run stays to be run; a fault in a library is a failure of the cell."""
    small.alter(project, lambda p: p["baselines"]["fasttext"].update(lr=[0.1, 0.2]))
    small.alter(project, lambda p: p["baselines"]["fasttext"].update(epoch=[6_000]))
    words = ("run", "--task", small.BINARY, "--task", small.CLASSES, "--system", "fasttext")
    process = small.selu(project, *words, "--protocol", "paper", "--jobs", "1")
    until(lambda: list(project.glob(".selu/units/*/train-*.txt")))
    (worker,) = children(process)
    os.kill(worker, number)
    _, errors = process.communicate(timeout=120)
    lines = errors.splitlines()
    assert process.returncode == 2
    assert "Traceback" not in errors
    name = f"{small.BINARY}/fasttext/paper-s42"
    (sentence,) = [line for line in lines if number.name in line]
    assert sentence.startswith(f"{name}: a worker process was ended by {number.name}")
    assert ("--jobs 1" in sentence) == (number is signal.SIGKILL)
    assert lines[-1] == f"selu: 1 of 2 runs failed, for the reasons above: {name}."
    found = plan(project, Wanted((small.BINARY, small.CLASSES), ("fasttext",), ("paper",)))
    states = [record.state(run.folder, run.identity).value for run in found]
    if number is signal.SIGKILL:
        assert states == ["missing", "present"]
        return
    assert states == ["failed", "present"]
    assert sentence == f"{name}: {record.read_run(found[0].folder)['error']}"
    assert str(project) not in sentence
    code, _, errors = small.done(project, *words, "--protocol", "paper", "--only", "failed")
    assert code == 0, errors


@pytest.mark.slow
def test_two_side_by_side_find_the_same(project):
    """Both fit what is not there yet; the results are whole, and the same as those of one alone."""
    small.alter(project, lambda p: p["baselines"]["fasttext"].update(lr=[0.1 + n / 10 for n in range(6)]))
    processes = [small.selu(project, *RUN_WORDS) for _ in range(2)]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    digest = finish(project)
    (run,) = plan(project, WANTED)
    scores = record.read_scores(run.folder)
    code, _, errors = small.done(project, *RUN_WORDS, "--only", "all")
    assert code == 0, errors
    assert record.read_run(run.folder)["files"][record.PREDICTIONS] == digest
    assert record.read_scores(run.folder) == scores


@pytest.mark.ci
def test_rows_of_killed_processes_are_swept(project):
    small.alter(project, lambda p: p["baselines"]["fasttext"].update(epoch=[5]))
    process = small.selu(project, *RUN_WORDS)
    until(lambda: list(project.glob(".selu/units/*/lesson-*.json")))
    process.kill()
    process.communicate(timeout=60)
    finish(project)
    assert len(units(project)) == CANDIDATES
