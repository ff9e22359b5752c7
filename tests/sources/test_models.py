"""Weights of models: taken where they are the pinned bytes, fetched where they are missing, else refused."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
import yaml
from made import network

from selu.sources.models import find_weights, read_model
from selu.vocabulary import MachineError, SeluError

PINS = Path(__file__).parents[2] / "data" / "pins" / "models"
WEIGHTS, CONFIG = b"GGUF" + bytes(range(256)) * 40, b"{}"


def file(name: str, content: bytes) -> dict[str, Any]:
    return {"name": name, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


GOOD: dict[str, Any] = {
    "model": "small",
    "publisher": "owner/small-GGUF",
    "revision": None,
    "licence": "MIT",
    "parameters": 10,
    "quantisation": "Q4_K_M",
    "files": [file("small.gguf", WEIGHTS), file("sub/config.json", CONFIG)],
}


@pytest.fixture
def pin(tmp_path):
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(GOOD))
    return read_model(tmp_path, "small")


@pytest.fixture
def models(tmp_path):
    folder = tmp_path / "models"
    for name, content in (("small.gguf", WEIGHTS), ("sub/config.json", CONFIG)):
        path = folder / "owner" / "small-GGUF" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def test_each_tracked_pin_is_whole():
    names = [path.stem for path in PINS.glob("*.yaml")]
    assert {"all-mpnet-base-v2", "qwen2.5-coder-0.5b-instruct-q4_k_m", "smollm2-135m-instruct-q4_1"} <= set(
        names
    )
    for name in names:
        found = read_model(PINS, name)
        assert 4 < 8 * found.weights.bytes / found.parameters < 33  # bits of a parameter


def test_the_publishers_files_are_taken(pin, models, tmp_path):
    found = find_weights(pin, models, tmp_path / "kept", print)
    assert found == models / "owner" / "small-GGUF"
    found.rename(models / "small")  # or under its own name
    assert find_weights(pin, models, tmp_path / "kept", print) == models / "small"


def test_what_is_missing_comes_from_the_hub(pin, models, tmp_path, server, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    (models / "owner" / "small-GGUF" / "small.gguf").unlink()
    server.put("/owner/small-GGUF/resolve/main/small.gguf", WEIGHTS)
    found = find_weights(pin, models, tmp_path / "kept", print, network(server.url))
    assert (found / "small.gguf").read_bytes() == WEIGHTS
    server.put("/owner/small-GGUF/resolve/main/sub/config.json", CONFIG)
    found = find_weights(pin, None, tmp_path / "kept", print, network(server.url))
    assert found == tmp_path / "kept" / "owner" / "small-GGUF"


def test_a_hub_that_has_no_such_file_is_named(pin, models, tmp_path, server, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    (models / "owner" / "small-GGUF" / "small.gguf").unlink()
    with pytest.raises(MachineError, match="SELU_MODELS names the folder of all models"):
        find_weights(pin, models, tmp_path / "kept", print, network(server.url))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"files": [file("model.bin", WEIGHTS)]}, "hold no program"),
        ({"files": [file("../small.gguf", WEIGHTS)]}, "inside its folder"),
        ({"files": [file("config.json", CONFIG)]}, "must hold weights"),
        ({"publisher": "small"}, "publisher"),
        ({"url": "https://x"}, "url"),
    ],
)
def test_a_wrong_pin_is_refused(tmp_path, change, words):
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(GOOD | change))
    with pytest.raises(SeluError, match=words):
        read_model(tmp_path, "small")


def test_an_unknown_model_is_named(tmp_path):
    with pytest.raises(SeluError, match="pins no model 'other'"):
        read_model(PINS, "other")
