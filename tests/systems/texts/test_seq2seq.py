"""An encoder with a decoder learns by the shared trainer: logits are the library's, a restart loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiny
import torch
from seq2seq_shapes import make

from selu.systems.finetune import batches
from selu.systems.finetune.batches import Form
from selu.systems.texts import seq2seq
from selu.systems.texts.taught import Taught
from selu.vocabulary import SeluError

PARAMS = {
    **{"batch": 4, "epochs": 2, "learning_rate": 3e-3, "warmup_steps": 2},
    **{"weight_decay": 0.0, "clip": 1.0, "precision": "fp32"},
}


def lay_out(shown: str, encode, padding: int) -> list[int]:
    """Two parts of 24 and 12 tokens, each padded, as CrossCodeBench lays out an instruction and a row."""
    found = []
    for text, marks, most in zip(shown.split("|"), (False, True), (24, 12), strict=True):
        ids = list(encode(text, marks, most))
        found += ids + [padding] * (most - len(ids))
    return found


LENGTHS = seq2seq.Lengths(lay_out, answer=6)
PAIRS = [(f"say the word: |{word}; output:", word) for word in tiny.WORDS[:12]]
HELD = [(f"|say the word: {word}", word) for word in tiny.WORDS[12:16]]
LEARNT = seq2seq.Pairs(PAIRS, HELD, LENGTHS)


@pytest.fixture(scope="module", params=["t5", "plbart"])
def folder(request, tmp_path_factory) -> Path:
    return make(request.param, tmp_path_factory.mktemp("tuned") / request.param)


def test_logits_of_a_batch_are_those_of_the_library_one_by_one(folder):
    import transformers

    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    pairs = [PAIRS[0], HELD[1], ("a b c |d; output:", "the build fails twice"), PAIRS[3]]
    examples = [seq2seq._example(model, tokenizer, *pair, LENGTHS) for pair in pairs]
    form = Form(packed=False, pad=tokenizer.pad_token_id, device=torch.device("cpu"))
    with torch.no_grad():
        batch = batches.collate(examples, range(4), form, tokens=True)
        found = seq2seq.Seq2Seq(model)(batch)
        at = 0
        for pair, example in zip(pairs, examples, strict=True):
            ids = torch.tensor([seq2seq.encode_prompt(tokenizer, pair[0], lay_out)])
            labels = torch.tensor([example.target])
            mask = (ids != tokenizer.pad_token_id).long()
            alone = model(input_ids=ids, attention_mask=mask, labels=labels).logits[0]
            torch.testing.assert_close(found[at : at + len(alone)], alone, rtol=1e-4, atol=1e-4)
            at += len(alone)
    assert at == len(found)


@pytest.mark.ci
def test_a_training_learns_and_a_restart_learns_the_same(folder, tmp_path):
    whole = seq2seq.tune(folder, LEARNT, PARAMS, 5, tmp_path / "whole", lambda _: None)
    losses = [entry["loss"] for entry in whole.state.history]
    assert losses[-1] < losses[0]
    assert whole.state.step == 6
    seq2seq.tune(folder, LEARNT, PARAMS, 5, tmp_path / "parts", lambda _: None, until=3)
    again = seq2seq.tune(folder, LEARNT, PARAMS, 5, tmp_path / "parts", lambda _: None)
    for first, second in zip(whole.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(first, second)


def test_a_model_without_a_decoder_beside_its_encoder_is_refused(tmp_path):
    with pytest.raises(SeluError, match="no encoder with a decoder"):
        seq2seq.tune(tiny.make("bert", tmp_path / "b"), LEARNT, PARAMS, 5, tmp_path, print)
    with pytest.raises(SeluError, match="no rows"):
        seq2seq.tune(tmp_path, LEARNT._replace(train=[]), PARAMS, 5, tmp_path, print)


def test_a_tuned_model_answers_as_the_library_does_one_by_one(folder, tmp_path):
    import transformers

    seq2seq.tune(folder, LEARNT, PARAMS, 5, tmp_path / "scratch", print).save(tmp_path / "tuned")
    prompts = [pair[0] for pair in (*HELD, ("a b c |d; output:", ""))]
    found = Taught(tmp_path / "tuned", lay_out, beams=3).write(prompts, 9)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "tuned").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "tuned")
    for prompt, reply in zip(prompts, found, strict=True):
        ids = torch.tensor([seq2seq.encode_prompt(tokenizer, prompt, lay_out)])
        mask = (ids != tokenizer.pad_token_id).long()
        alone = model.generate(ids, attention_mask=mask, num_beams=3, early_stopping=True, max_length=9)[0]
        assert reply.text == tokenizer.decode(alone, skip_special_tokens=True).strip()
        assert reply.asked == int(mask.sum())
        assert 0 < reply.answered < 9
