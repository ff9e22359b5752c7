"""A GGUF asked in this process; a real one is asked where the environment names it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selu.systems.texts.gguf import Gguf
from selu.vocabulary import MachineError

GGUF = "SELU_TEST_GGUF"  # a file of any small chat model


@pytest.mark.skipif(GGUF not in os.environ, reason=f"{GGUF} names no GGUF")
def test_a_gguf_gives_a_batch_the_same_replies_whatever_it_was_asked_before():
    prompts = [f"Generate Python: set x{number} to {number}" for number in range(8)]
    model = Gguf(Path(os.environ[GGUF]))
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
