"""A GGUF asked in this process; a real one is asked where SELU_MODELS names the folder of weights."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selu.systems.texts.gguf import Gguf
from selu.vocabulary import MachineError

REAL = Path(os.environ.get("SELU_MODELS", "none"), "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF")


@pytest.mark.slow
@pytest.mark.weights
def test_a_gguf_gives_a_batch_the_same_replies_whatever_it_was_asked_before():
    prompts = [f"Generate Python: set x{number} to {number}" for number in range(8)]
    model = Gguf(REAL / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf")
    first = [reply.text for reply in model.write(prompts, 12)], model.choose(prompts[:3], ["Yes", "No way"])
    model.write(["something else"], 4)
    assert [reply.text for reply in model.write(prompts, 12)] == first[0]
    assert [reply.scores for reply in model.choose(prompts[:3], ["Yes", "No way"])] == [
        r.scores for r in first[1]
    ]


def test_a_file_that_is_no_gguf_is_refused(tmp_path):
    (tmp_path / "x.gguf").write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(MachineError, match=r"no GGUF|not installed"):
        Gguf(tmp_path / "x.gguf")
