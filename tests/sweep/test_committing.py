from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers import small_project as small
from helpers import stand_in
from selu.execution import plans, runner
from selu.execution.planned import Planned, Wanted
from selu.runs import record
from selu.sweep import committing
from selu.vocabulary import SeluError

TASKS = (small.BINARY, small.LABELS)
WANTED = Wanted(TASKS, ("minilm-l6",), ("strict",))
STAGE = {
    "cmd": "python -m selu run --task ${item} --system minilm-l6 --protocol strict",
    "deps": ["data/splits/selu/${item}"],
    "params": ["shared.finetune"],
    "outs": [{"results/selu/${item}/minilm-l6": {"persist": True}}],
}


def declare(root: Path, stages: dict[str, Any]) -> None:
    (root / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose runs of one protocol stand."""
    folder = tmp_path_factory.mktemp("committing")
    made = small.make(folder / "project", TASKS, alike=True)
    small.alter(made, lambda p: p["finetune"].update(seeds=[42]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STAND_IN", str(folder))
        patch.setenv("SELU_FINETUNE_PYTHON", str(stand_in.interpreter(folder)))
        runner.run(made, WANTED, "missing", 1, lambda _line: None)
    return made


@pytest.fixture
def runs(root: Path, monkeypatch: pytest.MonkeyPatch) -> list[Planned]:
    monkeypatch.delenv("DVC_STAGE", raising=False)
    (root / ".dvc").mkdir(exist_ok=True)
    return plans.plan(root, WANTED)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """DVC's command lines, which do nothing."""
    found: list[list[str]] = []

    def noted(command: list[str], **_more: Any) -> subprocess.CompletedProcess[str]:
        found.append(command[1:])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", noted)
    return found


def said_of(root: Path, runs: list[Planned]) -> tuple[list[str], list[str]]:
    said: list[str] = []
    return committing.commit_stages(root, runs, said.append), said


def test_stages_whose_runs_all_stand_are_committed(root, runs, called, monkeypatch):
    declare(root, {"finetune": {"foreach": list(TASKS), "do": STAGE}})
    names, said = said_of(root, runs[:1])
    assert names == [f"finetune@{small.BINARY}"]
    assert called == [["-m", "dvc", "commit", "--quiet", "--force", *names]]
    assert said == [f"committed: {names[0]}; 'dvc repro' makes their reports, 'dvc push' stores them"]
    names, _said = said_of(root, runs)
    assert names == [f"finetune@{task}" for task in TASKS]


def test_a_stage_that_lacks_a_run_is_not(root, runs, called):
    declare(root, {"runs": {"cmd": "selu run", "outs": [{"results/selu": {"persist": True}}]}})
    both = plans.plan(root, Wanted(TASKS, ("minilm-l6",)))
    names, said = said_of(root, both)
    assert (names, called) == ([], [])
    assert said == [f"not committed: runs, 2 of whose runs are lacking, as {small.BINARY}/minilm-l6/paper-s42"]
    assert said_of(root, runs)[0] == ["runs"]  # what was not swept is none of its business


def test_a_run_without_current_scores_is_lacking(root, runs, called, monkeypatch):
    declare(root, {"finetune": {"foreach": list(TASKS), "do": STAGE}})
    path = runs[0].folder / record.SCORES
    kept = path.read_bytes()
    path.unlink()
    try:
        names, said = said_of(root, runs)
    finally:
        path.write_bytes(kept)
    assert names == [f"finetune@{runs[1].task.id}"]
    assert said[0].startswith(f"not committed: finetune@{runs[0].task.id}, 1 of whose runs are lacking")


def test_what_no_stage_declares_is_said(root, runs, called):
    declare(root, {"finetune": {"foreach": [small.BINARY], "do": STAGE}})
    names, said = said_of(root, runs)
    assert names == [f"finetune@{small.BINARY}"]
    assert said[1:] == [
        f"not committed: no stage of dvc.yaml has results/selu/{small.LABELS}/minilm-l6 in its outputs"
    ]


def test_inside_of_a_stage_nothing_is_committed(root, runs, called, monkeypatch):
    monkeypatch.setenv("DVC_STAGE", "finetune@x")
    assert said_of(root, runs) == ([], [])


def test_dvc_s_refusal_in_a_sentence(root, runs, monkeypatch):
    declare(root, {"finetune": {"foreach": list(TASKS), "do": STAGE}})
    refusal = subprocess.CompletedProcess([], 255, "", "ERROR: Unable to acquire lock\nhint\n")
    monkeypatch.setattr(subprocess, "run", lambda *_a, **_k: refusal)
    with pytest.raises(SeluError) as caught:
        said_of(root, runs[:1])
    assert str(caught.value) == (
        f"DVC could not commit finetune@{small.BINARY} (Unable to acquire lock): the runs stand; run "
        "'selu sweep' again."
    )
    assert not list((root / ".selu" / "sweep").glob("commit"))


def test_a_damaged_pipeline_in_a_sentence(root, runs):
    (root / "dvc.yaml").write_text("stages: [")
    with pytest.raises(SeluError, match="is damaged, so nothing was committed"):
        said_of(root, runs)


@pytest.mark.slow
def test_dvc_finds_everything_up_to_date(root, runs, monkeypatch):
    declare(root, {"finetune": {"foreach": list(TASKS), "do": STAGE}})
    (root / ".dvc").rmdir()
    dvc = [sys.executable, "-m", "dvc"]
    subprocess.run([*dvc, "init", "--no-scm", "--quiet"], cwd=root, check=True)
    assert len(said_of(root, runs)[0]) == 2
    status = subprocess.run([*dvc, "status"], cwd=root, capture_output=True, text=True, check=True)
    assert status.stdout == "Data and pipelines are up to date.\n"
