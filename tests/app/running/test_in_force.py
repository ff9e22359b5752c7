"""What a stage of `dvc repro` makes of a system: what the profile in force asks for, and nothing else."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers import small_project as small
from selu import registry
from selu.app.running.in_force import FOLDER

ROOT = Path(__file__).parents[3]
MODELS = {"bert-base": ("bert", 512), "gpt2-small": ("gpt2", 1024), "t5-small": ("t5", 512)}


def put_in_force(root: Path, *systems: str, **settings: Any) -> None:
    profile = {"systems": list(systems), "tasks": [small.BINARY], "repro": True, "devices": [1]} | settings
    profile |= {"micro_batch_tokens": 8192}
    small.alter(root, lambda p: p["sweep"].update(profile="trial", profiles={"trial": profile}))


def made(root: Path, system: str) -> dict[str, Any]:
    code, _, errors = small.done(root, "run", "--in-force", "--system", system, "--jobs", "1")
    assert code == 0, errors
    found: dict[str, Any] = json.loads((root / FOLDER / f"{system}.json").read_text())
    return found


@pytest.mark.ci
def test_a_system_is_made_where_the_profile_says_so_and_else_left(tmp_path):
    """Else `dvc repro` trains for days on a laptop, or not at all where GPUs stand."""
    root = small.make(tmp_path / "project")
    left = {"in_force": False, "runs": {}}
    for profile in ({"systems": ["tfidf-xgboost"]}, {"repro": False}):
        put_in_force(root, "fasttext", **profile)
        assert made(root, "fasttext") == left
    assert not (root / "results").exists()
    put_in_force(root, "fasttext")
    found = made(root, "fasttext")
    assert found["in_force"]
    assert set(found["runs"]) == {f"{small.BINARY}/fasttext/{protocol}-s42" for protocol in ("paper", "strict")}
    assert made(root, "fasttext") == found  # and nothing is made twice
    assert made(root, "gpt-4o-zero-shot") == left  # nobody has said what may be spent


def test_each_system_of_the_paper_has_a_stage():
    """A model that no stage names is never trained by `dvc repro`."""
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["stages"]
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))["shared"]
    assert stages["made"]["foreach"] == "${shared.sweep.profiles.a100.systems}"
    named = {*params["sweep"]["profiles"]["a100"]["systems"], *stages["asked"]["foreach"]}
    assert named - {"minilm-l6"} == {system.id for system in registry.systems("selu")}


@pytest.mark.slow
@pytest.mark.parametrize("system", MODELS)
def test_a_model_of_each_architecture_is_trained_by_its_stage(tmp_path, monkeypatch, system):
    """By the command of its stage, with tiny weights under its name."""
    pytest.importorskip("transformers")
    sys.path.append(str(ROOT / "tests" / "systems" / "finetune"))
    import tiny

    family, context = MODELS[system]
    monkeypatch.setattr(tiny, "CONTEXT", context)
    tiny.make(family, tmp_path / "models" / system)
    root = small.make(tmp_path / "project")
    shutil.copytree(ROOT / "data" / "pins" / "selu", root / "data" / "pins" / "selu")
    small.alter(root, lambda p: p["finetune"].update(seeds=[42], epochs=1))
    put_in_force(root, system)
    monkeypatch.setenv("SELU_FINETUNE_PYTHON", sys.executable)
    monkeypatch.setenv("SELU_MODELS", str(tmp_path / "models"))
    found = made(root, system)
    assert {name.rpartition("/")[2] for name in found["runs"]} == {"paper-s42", "strict-s42"}
    for name in found["runs"]:
        scores = json.loads((root / "results" / "selu" / name / "scores.json").read_text())
        assert 0 <= scores["value"] <= 1
