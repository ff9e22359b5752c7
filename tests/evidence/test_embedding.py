"""Texts that a part embeds: by the encoder whose weights are pinned, and by no other of that name."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
import tiny
import yaml

from selu.evidence.evidence import Evidence
from selu.systems.embed.sentences import SentenceEncoder
from selu.vocabulary import SeluError


@pytest.mark.ci
def test_a_pinned_encoder_is_held_to_its_weights(tmp_path, monkeypatch):
    folder = tiny.make("bert", tmp_path / "models" / "own" / "tiny")
    monkeypatch.setenv("SELU_MODELS", str(tmp_path / "models"))
    weights = (folder / "model.safetensors").read_bytes()
    file = {"name": "model.safetensors", "sha256": hashlib.sha256(weights).hexdigest(), "bytes": len(weights)}
    pin = {"model": "tiny-encoder", "publisher": "own/tiny", "revision": None, "licence": "MIT"}
    path = tmp_path / "data" / "pins" / "models" / "tiny-encoder.yaml"
    path.parent.mkdir(parents=True)

    def embedded(**changed: str) -> np.ndarray:
        files = [file | changed]
        path.write_text(yaml.safe_dump(pin | {"parameters": 9, "quantisation": None, "files": files}))
        return Evidence(tmp_path, "faun_eval").embed("tiny-encoder", ["a b"])

    assert np.array_equal(embedded(), SentenceEncoder(folder, 512).embed(["a b"]))
    with pytest.raises(SeluError, match=r"holds other weights than .*tiny-encoder\.yaml pins: remove it"):
        embedded(sha256="0" * 64)
