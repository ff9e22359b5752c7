from __future__ import annotations

import dataclasses
import json

import pytest
import tiny
from safetensors.torch import load_file

from selu.systems.finetune import fit, saved
from selu.vocabulary import SeluError


def test_what_is_kept(model, tmp_path):
    job = tiny.job(model("bert"), "binary", epochs=1, head="library")
    outcome, folder = fit.fit(job, tmp_path, lambda _: None, pause=99), tmp_path / "model"
    about = saved.read(folder)
    assert about["picked_step"] == outcome.picked_step
    assert about["params"] == job.params
    assert (about["task"], about["labels"], about["revision"]) == ("made-up", ["no", "yes"], "r1")
    weights = load_file(folder / "model.safetensors")
    assert "model.classifier.weight" in weights
    assert not list(folder.glob("*.bin"))
    card = (folder / "README.md").read_text()
    assert f"step {outcome.picked_step}" in card
    assert "made-up" in card
    assert str(job.model["folder"]) not in "".join(p.read_text() for p in folder.glob("*.json"))


def test_a_folder_that_holds_none(tmp_path):
    with pytest.raises(SeluError, match="holds no trained model: 'selu run'"):
        saved.ask(tmp_path, ["a"])
    (tmp_path / saved.NAME).write_text("{")
    with pytest.raises(SeluError, match="holds no trained model"):
        saved.read(tmp_path)


def test_jobs_go_through_json_and_have_a_key(model):
    job = tiny.job(model("bert"), "entities")
    again = type(job).from_json(json.loads(json.dumps(job.to_json())))
    assert again.key == job.key
    moved = dataclasses.replace(job, model={**job.model, "folder": "elsewhere"})
    assert moved.key == job.key
    for change in (
        {"seed": 8}, {"task": "x"}, {"labels": ["A", "C"]}, {"model": {**job.model, "revision": "r2"}},
        {"params": {**job.params, "clip": 2.0}}, {"held": job.train}, {"questions": job.questions[1:]},
        {"context": 9},
    ):  # fmt: skip
        assert dataclasses.replace(job, **change).key != job.key
