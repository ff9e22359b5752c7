"""Weights without safetensors: tensors are taken over to the bit, and no program in a pickle is run."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from selu.systems.finetune import convert, models
from selu.systems.finetune.models import Shape
from selu.vocabulary import SeluError

PYTHON = Path(sys.executable)


def pickled(model, folder):
    """A model's folder as an older hub has it."""
    shutil.copytree(model, folder)
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    return weights


@pytest.mark.ci
def test_a_converted_model_is_the_model(model, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "secret")
    weights, folder = pickled(model("bert"), tmp_path / "m"), tmp_path / "m"
    with pytest.raises(SeluError, match=f"'selu convert {folder}' makes"):
        models.check_folder(folder)
    record = convert.convert(folder, PYTHON)
    found = load_file(folder / "model.safetensors")
    assert found.keys() == weights.keys()
    assert all(torch.equal(found[name], weights[name]) for name in weights)
    assert json.loads((folder / "converted.json").read_text()) == record
    for place, name in (("from", "pytorch_model.bin"), ("to", "model.safetensors")):
        assert record[place] == {name: hashlib.sha256((folder / name).read_bytes()).hexdigest()}
    tokenizer = models.load_tokenizer(folder)
    models.build(folder, tokenizer, Shape("binary", 2, "library", 0.1), 1, torch.float32)
    with pytest.raises(SeluError, match="holds safetensors already"):
        convert.convert(folder, PYTHON)


class Program:
    """A pickle that would run something."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


@pytest.mark.ci
@pytest.mark.parametrize("harm", ["program", "list", "cut"])
def test_a_pickle_that_is_no_mere_tensors_is_refused_and_not_run(model, tmp_path, harm):
    folder, ran = tmp_path / "m", tmp_path / "ran"
    pickled(model("bert"), folder)
    file = folder / "pytorch_model.bin"
    if harm == "cut":
        file.write_bytes(file.read_bytes()[:1000])
    else:
        torch.save({"w": Program(str(ran))} if harm == "program" else [torch.zeros(1)], file)
    with pytest.raises(SeluError, match=f"{folder} c(an't|ould not) be converted"):
        convert.convert(folder, PYTHON)
    assert not ran.exists()
    assert not [*folder.glob("*.safetensors"), *folder.glob(".*.part"), *folder.glob("converted.json")]


def test_a_folder_without_weights(tmp_path):
    with pytest.raises(SeluError, match=r"holds no pytorch_model\*\.bin"):
        convert.convert(tmp_path, PYTHON)
