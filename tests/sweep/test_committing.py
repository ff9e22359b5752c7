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
ISSUE = "issue_react"  # of another benchmark
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
    return committing.commit(root, runs, said.append), said


def only_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both protocols belong to a stage; here the other one is not planned."""
    real = plans.plan
    monkeypatch.setattr(
        plans, "plan", lambda root, wanted: real(root, Wanted(wanted.tasks, wanted.systems, ("strict",)))
    )


def test_stages_whose_runs_all_stand_are_committed(root, runs, called, monkeypatch):
    only_strict(monkeypatch)
    declare(root, {"finetune": {"foreach": list(TASKS), "do": STAGE}})
    names, said = said_of(root, runs[:1])
    assert names == [f"finetune@{small.BINARY}"]
    assert called == [["-m", "dvc", "commit", "--quiet", "--force", *names]]
    assert said == [f"committed: {names[0]}; 'dvc repro' makes their reports, 'dvc push' stores them"]
    names, _said = said_of(root, runs)
    assert names == [f"finetune@{task}" for task in TASKS]


def test_a_stage_that_lacks_a_run_is_not(root, runs, called):
    declare(root, {"finetune": {"foreach": list(TASKS), "do": STAGE}})
    names, said = said_of(root, runs)
    assert (names, called) == ([], [])
    assert said == [
        f"not committed: finetune@{task}, 1 of whose runs are lacking, as {task}/minilm-l6/paper-s42"
        for task in TASKS
    ]


def test_a_run_without_current_scores_is_lacking(root, runs, called, monkeypatch):
    only_strict(monkeypatch)
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


def test_a_group_over_a_list_of_the_parameters(root, runs, called, monkeypatch):
    only_strict(monkeypatch)
    small.alter(root, lambda p: p["sweep"]["trained"].update(encoders=["minilm-l6"]))
    outs = [{f"results/selu/{task}/${{item}}": {"persist": True}} for task in TASKS]
    group = {"foreach": "${shared.sweep.trained.encoders}", "do": {**STAGE, "outs": outs}}
    declare(root, {"trained-encoders": group})
    assert said_of(root, runs)[0] == ["trained-encoders@minilm-l6"]


def test_cells_of_another_benchmark_are_committed_as_selu_s_are(tmp_path, called, monkeypatch):
    monkeypatch.delenv("DVC_STAGE", raising=False)
    made = small.make(tmp_path / "project", (ISSUE,), alike=True)
    (made / ".dvc").mkdir()
    wanted = Wanted((ISSUE,), ("tfidf-logistic",))
    runner.run(made, wanted, "missing", 1, lambda _line: None)
    stage = {"cmd": "selu run --system ${item}", "outs": [{f"results/nlbse24/{ISSUE}/${{item}}": {}}]}
    declare(made, {"declared": {"foreach": ["fasttext-lines", "tfidf-logistic"], "do": stage}})
    called.clear()
    names, said = said_of(made, plans.plan(made, wanted))
    assert names == ["declared@tfidf-logistic"]
    assert called == [["-m", "dvc", "commit", "--quiet", "--force", *names]]
    assert len(said) == 1
    runs = plans.plan(made, Wanted((ISSUE,), ("fasttext-lines", "tfidf-logistic")))
    lacking = f"{ISSUE}/fasttext-lines/paper-s42"
    assert said_of(made, runs)[1][0] == (
        f"not committed: declared@fasttext-lines, 1 of whose runs are lacking, as {lacking}"
    )


def test_what_no_stage_declares_of_another_benchmark(root):
    one, other = "java_expand", "java_usage"
    outs = [{f"results/selu/{small.BINARY}/${{item}}": {}}]
    baseline = {"foreach": ["tfidf-xgboost"], "do": {"deps": ["data/splits/selu"], "outs": outs}}
    do = {"deps": ["data/splits/nlbse24"], "outs": [{f"results/nlbse24/{one}/${{item}}": {}}]}
    declared = {"foreach": ["fasttext-lines"], "do": {**do, "params": ["nlbse24.systems"]}}
    stages = {"baseline": baseline, "finetune": {"foreach": [small.BINARY], "do": STAGE}, "declared": declared}
    declare(root, stages)

    def lacking(*cells: str) -> list[str]:
        return committing.additions(root, [f"results/nlbse24/{cell}" for cell in cells]).splitlines()

    def stage_of(*cells: str) -> tuple[str, dict[str, Any]]:
        ((name, group),) = yaml.safe_load("\n".join(lacking(*cells)[1:])).items()
        return name, group

    assert lacking(f"{other}/fasttext-lines") == [
        f"  to the outs of 'declared': - results/nlbse24/{other}/${{item}}: {{persist: true}}"
    ]
    name, group = stage_of(f"{one}/stacc", f"{other}/stacc")
    assert (name, group["foreach"]) == ("nlbse24-stacc", [one, other])
    assert group["do"] == {
        "cmd": "python -m selu run --task ${item} --system stacc",
        "deps": ["data/splits/nlbse24", "src/selu/benchmarks/nlbse24/tasks.yaml"],
        "params": ["nlbse24.systems"],
        "outs": [{"results/nlbse24/${item}/stacc": {"persist": True}}],
    }
    for system, split in (
        ("bert-base", "data/splits/nlbse24/${item}"),  # of the paper: its verdicts are not of these tasks
        ("tfidf-xgboost", "data/splits/nlbse24"),
    ):
        name, group = stage_of(f"{one}/{system}")
        assert (name, group["do"]["deps"][0]) == (f"nlbse24-{system}", split)
        assert group["do"]["outs"] == [{f"results/nlbse24/${{item}}/{system}": {"persist": True}}]
    declare(root, {**stages, name: group})
    assert lacking(f"{other}/{system}") == [f"  to the foreach of '{name}': - {other}"]


def test_what_no_stage_declares_is_said_with_what_to_add(root, runs, called, monkeypatch):
    only_strict(monkeypatch)
    declare(root, {"finetune": {"foreach": [small.BINARY], "do": STAGE}})
    names, said = said_of(root, runs)
    assert names == [f"finetune@{small.BINARY}"]
    assert said[1:] == [
        f"dvc.yaml has no stage for results/selu/{small.LABELS}/minilm-l6; to be added there, before "
        "'dvc commit':",
        f"  to the foreach of 'finetune': - {small.LABELS}",
    ]


def test_a_further_system_gets_a_stage_that_dvc_takes(root):
    outs = [{f"results/selu/{small.BINARY}/${{item}}": {"persist": True}}]
    baseline = {"foreach": ["fasttext"], "do": {"cmd": "python -m selu run --system ${item}", "outs": outs}}
    stages = {"baseline": baseline, "finetune": {"foreach": [small.BINARY], "do": STAGE}}
    declare(root, stages)
    cells = [f"results/selu/{small.LABELS}/{system}" for system in ("fasttext", "bert-base")]
    cells.append(f"results/selu/{small.BINARY}/bert-base")
    baselines, what, *stage = committing.additions(root, cells).splitlines()
    assert [stage.pop() for _ in cells] == [f"  to the deps of 'cells': - {cell}" for cell in reversed(cells)]
    assert (
        baselines == f"  to the outs of 'baseline': - results/selu/{small.LABELS}/${{item}}: {{persist: true}}"
    )
    assert what == "  as a stage of its own:"
    assert yaml.safe_load("\n".join(stage)) == {
        "finetune-bert-base": {
            "foreach": [small.LABELS, small.BINARY],
            "do": {
                **STAGE,
                "cmd": "python -m selu run --task ${item} --system bert-base",
                "outs": [{"results/selu/${item}/bert-base": {"persist": True}}],
            },
        }
    }


def test_inside_of_a_stage_nothing_is_committed(root, runs, called, monkeypatch):
    monkeypatch.setenv("DVC_STAGE", "finetune@x")
    assert said_of(root, runs) == ([], [])


def test_dvc_s_refusal_in_a_sentence(root, runs, monkeypatch):
    only_strict(monkeypatch)
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
    only_strict(monkeypatch)
    declare(root, {"finetune": {"foreach": list(TASKS), "do": STAGE}})
    (root / ".dvc").rmdir()
    dvc = [sys.executable, "-m", "dvc"]
    subprocess.run([*dvc, "init", "--no-scm", "--quiet"], cwd=root, check=True)
    assert len(said_of(root, runs)[0]) == 2
    status = subprocess.run([*dvc, "status"], cwd=root, capture_output=True, text=True, check=True)
    assert status.stdout == "Data and pipelines are up to date.\n"
