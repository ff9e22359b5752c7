"""What a stage runs lies in what it declares: else ``dvc status`` calls a result up to date that is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from helpers.entered import entered
from selu.app.reproduce import Stages, kind_of
from selu.package.stages import INPUTS
from selu.runs.pipeline import Stage, read_lock

ROOT = Path(__file__).parents[1]
ROWS = (ROOT / "data" / "clean").is_dir() and (ROOT / "data" / "raw").is_dir()
NO_ROOM = ("src/selu/cli/", "src/selu/__main__.py")  # the words of a command stand in its stage
# Of stages alike, one; that of a task whose rows are written for this project needs no third-party data.
ALIKE = {"data": "data@closed_question", "made": "made@tfidf-xgboost", "asked": "asked@gpt-4o-zero-shot"}


def reads(stage: Stage) -> list[str]:
    """What a stage declares that it depends on."""
    group, _, key = stage.name.partition("@")
    declared = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["stages"][group]
    over = declared.get("foreach")
    item = str(over[key]) if isinstance(over, dict) else key
    deps = declared.get("do", declared)["deps"]
    return [dep.replace("${key}", key).replace("${item}", item) for dep in deps]


def chosen() -> list[Stage]:
    stages = [s for s in read_lock(ROOT) if ALIKE.get(s.name.partition("@")[0], s.name) == s.name]
    kinds = {stage.name: kind_of(stage.command) for stage in stages}
    return [
        stage
        for stage in stages
        if kinds[stage.name] is Stages.FREE
        or (kinds[stage.name] is Stages.DATA and (ROWS or stage.name in ALIKE.values()))
        or stage.name.startswith("runs@")
    ]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs and results, to be written to."""
    folder = tmp_path_factory.mktemp("clone")
    for name in (*INPUTS, "data/splits", "reports", "results"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, folder / name)
    if ROWS:
        for name in ("raw", "clean"):
            (folder / "data" / name).symlink_to(ROOT / "data" / name)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("stage", [pytest.param(stage, id=stage.name) for stage in chosen()])
def test_a_stage_depends_on_every_room_that_it_enters(stage, clone, tmp_path):
    outside = {
        module
        for module in entered(stage.command, clone, tmp_path / "hook")
        if not any(module == read or module.startswith(f"{read}/") for read in (*reads(stage), *NO_ROOM))
        and not module.startswith(NO_ROOM)
    }
    assert not outside, f"{stage.name} enters {', '.join(sorted(outside))}, and dvc.yaml doesn't say so"
