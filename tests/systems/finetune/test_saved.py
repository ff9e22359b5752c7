from __future__ import annotations

import dataclasses
import json

import pytest
import tiny
from safetensors.torch import load_file

from selu.systems.finetune import fit, saved
from selu.vocabulary import SeluError


@pytest.fixture(scope="module")
def trained(model, tmp_path_factory):
    made = {}

    def train(family, kind, **params):
        key = (family, kind, *params.items())
        if key not in made:
            scratch = tmp_path_factory.mktemp("scratch")
            job = tiny.job(model(family), kind, epochs=1, **params)
            made[key] = (scratch / "model", job, fit.fit(job, scratch, lambda _: None, pause=99))
        return made[key]

    return train


@pytest.mark.parametrize(
    ("family", "kind", "head"),
    [("bert", "binary", "library"), ("modernbert", "entities", "figure3"), ("llama", "regression", "library"),
     ("t5", "multi_label", "figure3"), ("t5", "entities", "library"), ("gpt2", "multi_class", "figure3")],
)  # fmt: skip
def test_answers_from_another_place_alone_or_together(trained, tmp_path, family, kind, head):
    folder, job, outcome = trained(family, kind, head=head)
    moved = tmp_path / "elsewhere"
    folder.rename(moved)
    try:
        assert saved.answer(moved, job.questions) == outcome.answers
        one_by_one = [saved.answer(moved, [text])[0] for text in job.questions[:2]]
        if kind == "regression":
            one_by_one = [pytest.approx(value, abs=1e-5) for value in one_by_one]
        assert outcome.answers[:2] == one_by_one
        assert saved.answer(moved, []) == []
    finally:
        moved.rename(folder)


def test_odd_texts(trained):
    folder, _, _ = trained("bert", "binary", head="library")
    assert len(saved.answer(folder, ["", "\ud800", "w " * 500])) == 3


def test_what_is_kept(trained):
    folder, job, outcome = trained("bert", "binary", head="library")
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


def test_a_tied_weight_is_kept_once(trained):
    folder, _, _ = trained("t5", "multi_label", head="figure3")
    weights = load_file(folder / "model.safetensors")
    assert len([n for n in weights if "embed_tokens" in n or n.endswith("shared.weight")]) == 1


def test_masked_verbs_are_not_asked_of_plain_texts(trained):
    folder, _, _ = trained("bert", "masked")
    with pytest.raises(SeluError, match="plain texts do not show"):
        saved.answer(folder, ["fix it"])


def test_a_folder_that_holds_none(tmp_path):
    with pytest.raises(SeluError, match="holds no trained model: 'selu run'"):
        saved.answer(tmp_path, ["a"])
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
