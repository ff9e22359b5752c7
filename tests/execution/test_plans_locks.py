"""Fine-tuned runs are planned under the lock that their environment was built from, whichever that is."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from helpers import small_project as small
from helpers import stand_in
from selu.app import reproduce_runs
from selu.app.running.run import run as run_wanted
from selu.execution.environments import built_from
from selu.execution.finetune import kept
from selu.execution.finetune.plan import PACKAGES
from selu.execution.planned import FINETUNE_LOCKS, Planned, Wanted
from selu.execution.plans import here, plan, plan_again
from selu.runs import nvidia, record
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[2]
LOCKS = sorted(path.stem for path in (ROOT / "locks").glob("*.txt"))
WANTED = Wanted((small.BINARY,), ("minilm-l6",), ("strict",), (42,))
REACT, SETFIT = "issue_react", "setfit-minilm"  # a system that is declared, and learns with torch, too


def environment(folder: Path, versions: dict[str, str]) -> Path:
    """The Python of a virtual environment with these packages, of which nothing but the names is there."""
    for name, version in versions.items():
        place = folder / "lib" / "python3.11" / "site-packages" / f"{name}-{version}.dist-info"
        place.mkdir(parents=True)
        (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (folder / "bin").mkdir(parents=True)
    return stand_in.interpreter(folder / "bin")


def pins(lock: str) -> dict[str, str]:
    """What a lock has of the packages that matter."""
    text = (ROOT / "locks" / f"{lock}.txt").read_text("utf-8")
    return dict(re.findall(rf"^({'|'.join(PACKAGES)})==([^\s;\\]+)", text, re.MULTILINE))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return small.make(tmp_path / "project")


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The CUDA image's environment is that of fine-tuning, with a training that takes no time."""
    marks = tmp_path / "marks"
    marks.mkdir()
    monkeypatch.setenv("STAND_IN", str(marks))
    return built_as(tmp_path / "cuda", "cuda", monkeypatch)


def built_as(folder: Path, lock: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    python = environment(folder, pins(lock))
    monkeypatch.setenv("SELU_FINETUNE_PYTHON", str(python))
    monkeypatch.setenv("STAND_IN_LOCK", lock if pins(lock) else "finetune")
    return python


def planned(root: Path, wanted: Wanted = WANTED) -> Planned:
    (run,) = plan(root, wanted)
    return run


@pytest.mark.ci
@pytest.mark.parametrize(
    "lock", ["cuda", "finetune", "finetune-cpu", "verify"]
)  # the last is one without torch
def test_a_run_is_planned_and_made_with_whatever_lock_is_installed(lock, root, tmp_path, monkeypatch):
    """Else the image that was built for it can start none; without torch it is planned as tracked."""
    (tmp_path / "marks").mkdir()
    monkeypatch.setenv("STAND_IN", str(tmp_path / "marks"))
    built_as(tmp_path / lock, lock, monkeypatch)
    expected = "cuda" if lock == "cuda" else "finetune"
    run = planned(root, here(root, WANTED))
    assert (run.environment, run.fields["packages"]) == (expected, pins(expected))
    assert run.folder.name == ("strict-s42-cuda" if lock == "cuda" else "strict-s42")
    assert small.done(root, "run", *words())[0] == 0
    made = record.read_run(run.folder, run.identity)
    assert made["versions"]["torch"].partition("+")[0] == pins(expected)["torch"]
    assert plan_again(root, run).identity == run.identity


def words() -> list[str]:
    return ["--task", small.BINARY, "--system", "minilm-l6", "--protocol", "strict", "--seed", "42"]


def test_every_lock_with_torch_is_one_that_runs_are_planned_under():
    """A new lock with other versions needs its name in the plan, or nothing could be run in it."""
    distinct = {tuple(v.partition("+")[0] for v in pins(lock).values()) for lock in LOCKS if pins(lock)}
    assert distinct == {tuple(pins(lock).values()) for lock in FINETUNE_LOCKS}


@pytest.mark.ci
def test_a_run_of_the_image_lies_beside_the_tracked_one(root, tmp_path, monkeypatch, built):
    """Else a GPU's owner would lose the tracked result, and 'verify' would refuse the clone."""
    monkeypatch.setenv("STAND_IN_LOCK", "finetune")
    run_wanted(root, replace(WANTED, environments=("finetune",)), "missing", 1, print)
    tracked = planned(root)
    before = (tracked.folder / record.RUN).read_bytes()
    monkeypatch.setenv("STAND_IN_LOCK", "cuda")
    run_wanted(root, WANTED, "all", 1, print)
    assert (tracked.folder / record.RUN).read_bytes() == before
    assert sorted(path.name for path in tracked.folder.parent.iterdir()) == ["strict-s42", "strict-s42-cuda"]
    # what reports read is the tracked one, in the image and outside of it
    assert planned(root).folder.name == "strict-s42"
    code, messages, _ = small.done(root, "plan", *words(), "--environment", "cuda", "--json")
    assert (code, '"state": "present"' in messages) == (0, True)


@pytest.mark.ci
def test_where_only_the_image_made_runs_reports_and_models_are_theirs(root, built, monkeypatch):
    """A reader outside of the image sees what was made in it, not 'missing'; and its model answers."""
    run_wanted(root, WANTED, "missing", 1, print)
    monkeypatch.delenv("SELU_FINETUNE_PYTHON")
    run = planned(root)
    assert (run.environment, record.state(run.folder, run.identity)) == ("cuda", record.State.PRESENT)
    assert planned(root, replace(WANTED, environments=("finetune",))).folder.name == "strict-s42"
    assert {planned_run.folder.name for planned_run in plan(root, reproduce_runs._named([run]))} >= {
        "strict-s42-cuda"
    }
    assert kept._RUN.fullmatch(run.folder.name)


def test_a_declared_system_that_learns_with_torch_too(tmp_path, built):
    root = small.make(tmp_path / "declared", (REACT,))
    wanted = Wanted((REACT,), (SETFIT,))
    assert {run.environment for run in plan(root, wanted)} == {"finetune"}
    there = plan(root, here(root, wanted))
    assert {run.folder.name.rpartition("-")[2] for run in there} == {"cuda"}
    assert {run.fields["packages"]["torch"] for run in there} == {pins("cuda")["torch"]}
    (plain,) = plan(root, here(root, Wanted((REACT,), ("tfidf-logistic",))))
    assert (plain.environment, plain.folder.name) == ("baselines", "paper-s42")


def test_versions_of_no_lock_are_refused_by_name(root, tmp_path, monkeypatch, built):
    """A newer torch beside the project's own: which package it is, what is pinned, and how to have it."""
    other = {**pins("finetune"), "torch": "2.9.1", "tokenizers": "0.1"}
    monkeypatch.setenv("SELU_FINETUNE_PYTHON", str(environment(tmp_path / "other", other)))
    path = root / "locks" / "finetune.txt"
    text = path.read_text("utf-8")  # the stand-in has what the true lock pins: here another one is pinned
    path.write_text(re.sub(r"^(torch|tokenizers)==", r"\1==99.", text, flags=re.MULTILINE), "utf-8")
    assert built_from(root, PACKAGES) == "finetune"
    monkeypatch.setenv("STAND_IN_LOCK", "finetune")
    messages: list[str] = []
    with pytest.raises(SeluError):
        run_wanted(root, WANTED, "missing", 1, messages.append)
    (sentence,) = {line.partition(": ")[2] for line in messages if "99." in line}
    assert record.state(planned(root).folder, planned(root).identity) is record.State.MISSING
    has = {name: f"{version}+cpu" for name, version in pins("finetune").items()}
    assert sentence == (
        f"the environment 'finetune' has torch {has['torch']} where locks/finetune.txt pins "
        f"99.{pins('finetune')['torch']}, tokenizers {has['tokenizers']} where it pins "
        f"99.{pins('finetune')['tokenizers']}: 'make finetune-environment' installs it."
    )


def test_this_python_is_asked_where_no_other_is_named(root, tmp_path, monkeypatch):
    """As in an image, whose one environment runs everything."""
    monkeypatch.delenv("SELU_FINETUNE_PYTHON", raising=False)
    assert built_from(root, PACKAGES) == "finetune"
    environment(tmp_path / "cuda", pins("cuda"))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "cuda" / "lib" / "python3.11" / "site-packages")])
    assert built_from(root, PACKAGES) == "cuda"


@pytest.mark.ci
@pytest.mark.parametrize("verb", ["plan", "run", "sweep"])
def test_a_torch_for_cpus_is_refused_beside_a_gpu(verb, root, tmp_path, monkeypatch):
    """Else a machine with eight GPUs trains for months on its processors, without a word."""
    (tmp_path / "marks").mkdir()
    monkeypatch.setenv("STAND_IN", str(tmp_path / "marks"))
    built_as(tmp_path / "cpu", "finetune-cpu", monkeypatch)
    (tmp_path / "nvidia0").touch()
    monkeypatch.setattr(nvidia, "_DEVICES", tmp_path)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    code, _, errors = small.done(root, verb, *words())
    assert code != 0
    assert "is built for CPUs and would leave the GPU of this machine unused" in str(errors)
    assert not planned(root).folder.exists()
    baseline = ("--task", small.BINARY, "--system", "tfidf-xgboost")
    assert small.done(root, "plan", *baseline)[0] == 0
    if verb == "run":
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")  # the remedy for whoever wants it so
        assert small.done(root, verb, *words())[0] == 0
