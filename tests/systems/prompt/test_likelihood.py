"""Answers by the likelihood of labels: which label is answered, and what a request that lists none is told."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest
from carried import PARAMS

from selu.systems.prompt import likelihood, wire
from selu.systems.prompt.hiding import Hidden
from selu.systems.prompt.likelihood import Likelihood, Scorer, most_likely
from selu.systems.prompt.own_server import LIKELIHOODS, OwnServer
from selu.systems.prompt.provider_local import Local
from selu.systems.prompt.providers import RefusedError

MODEL = "tiny-q4"
LABELS = ["unc", "civil", "none of them"]


class Guess:
    """A scorer that knows its answers."""

    def prompt(self, messages):
        return list(messages[0]["content"].encode())

    def score(self, prompts, labels):
        return [[Likelihood(-float(len(label)), len(label)) for label in labels] for _ in prompts]


def body(text="Is it so?", labels=LABELS):
    return wire.body("openai", MODEL, text, {**PARAMS, "schema": wire.schema("multi_class", labels)})


def test_the_reply_is_the_most_likely_label_and_says_how_likely_each_is():
    found = likelihood.reply(body(), Guess(), MODEL)
    assert wire.read("openai", found) == wire.Reply("unc", False, False, 9, 3 + 5 + 12, MODEL)
    assert found["likelihoods"]["civil"] == {"log_probability": -5.0, "tokens": 5}


def test_of_equally_likely_labels_the_first_is_answered():
    assert most_likely([Likelihood(-2.0, 1), Likelihood(-1.0, 3), Likelihood(-1.0, 1)]) == 1


def test_a_request_without_labels_is_none():
    with pytest.raises(KeyError):
        likelihood.reply(wire.body("openai", MODEL, "?", PARAMS), Guess(), MODEL)


REAL = Path(os.environ.get("SELU_MODELS", "none"), "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF")
FILE = str(REAL / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf")
PROMPTS = [
    f"Is this requirement functional? Answer yes or no.\n{text}"
    for text in (
        "the log is kept for a year",
        "pages load in a second",
        "a user can sort it: blue",
        "a user can sort it: red",
    )
]


@pytest.mark.slow
@pytest.mark.weights
def test_likelihoods_of_the_real_model(tmp_path):
    """They depend on no prompt before, are probabilities, and go over the wire as they are."""
    pytest.importorskip("llama_cpp")
    settings = {"file": FILE, "model": MODEL, "context": 1024, "threads": 1, "seed": 1}
    keeps, forgets = Scorer(FILE, 1024), Scorer(FILE, 1024, remember=False)
    tokens = [keeps.prompt([{"role": "user", "content": text}]) for text in PROMPTS]
    alone = [forgets.score([each], ["yes", "no"])[0] for each in tokens]
    assert [keeps.score([each], ["yes", "no"])[0] for each in tokens] == alone
    assert [keeps.score([each], ["yes", "no"])[0] for each in tokens[::-1]] == alone[::-1]
    assert all(0 < math.fsum(math.exp(score.log_probability) for score in row) < 1 for row in alone)
    together = keeps.score(tokens, ["yes", "no"])
    assert [most_likely(row) for row in together] == [most_likely(row) for row in alone]
    with pytest.raises(ValueError, match="prompts and 2 labels"):
        keeps.score(tokens * 30, ["yes", "no"])
    with OwnServer(settings, tmp_path / "server.log", command=LIKELIHOODS) as own:
        provider = Local(own.key, own.url(), 300.0, Hidden([own.key]), MODEL, "", own)
        answer = provider.ask(body(PROMPTS[0], ["yes", "no"]))
        assert answer["likelihoods"]["yes"] == alone[0][0]._asdict()
        with pytest.raises(RefusedError, match="no labels"):
            provider.ask(wire.body("openai", MODEL, "?", PARAMS))
