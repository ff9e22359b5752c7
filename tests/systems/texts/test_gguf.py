"""A GGUF asked in this process; a real one is asked where SELU_MODELS names the folder of weights."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selu.systems.prompt.likelihood import Scorer
from selu.systems.texts.gguf import Gguf
from selu.systems.texts.reply import SYSTEM
from selu.vocabulary import MachineError

REAL = Path(os.environ.get("SELU_MODELS", "none"), "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF")


@pytest.mark.slow
@pytest.mark.weights
def test_a_gguf_gives_a_batch_the_same_replies_whatever_it_was_asked_before():
    """And labels the likelihoods that prompted runs have, in which the end of the turn counts."""
    prompts = [f"Generate Python that sets a variable: set x{number} to {number}" for number in range(4)]
    labels = ["Yes", "Yes, of course"]
    file = REAL / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
    model, alone = Gguf(file), Scorer(str(file), 1024, remember=False)
    first = [reply.text for reply in model.write(prompts, 6)]
    for _ in range(2):
        for prompt, reply in zip(prompts[:2], model.choose(prompts[:2], labels), strict=True):
            messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}]
            (expected,) = alone.score([alone.prompt(messages)], labels)
            assert reply.scores == tuple(score.log_probability for score in expected)
        model.write(["something else"], 4)
        assert [reply.text for reply in model.write(prompts, 6)] == first
    with pytest.raises(MachineError, match="are more than 16,384"):
        model.choose(["x " * 20000], labels)


def test_a_file_that_is_no_gguf_is_refused(tmp_path):
    (tmp_path / "x.gguf").write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(MachineError, match=r"no GGUF|not installed"):
        Gguf(tmp_path / "x.gguf")
