"""Weights that lack tensors are refused: with some of them drawn at random, scores would be anybody's guess."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiny
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel

from selu.systems.embed.encoder import Encoder
from selu.systems.embed.sentences import SentenceEncoder
from selu.systems.finetune import models
from selu.systems.finetune.models import Shape
from selu.systems.loading import load_whole
from selu.systems.texts.hub import Hub
from selu.vocabulary import MachineError

WAYS = [(way, family) for way in ("trained", "encoder") for family in tiny.FAMILIES]
WAYS += [("sentences", family) for family in tiny.ENCODERS]
WAYS += [("asked", family) for family in (*tiny.DECODERS, "t5")]


def load(way: str, folder: Path) -> object:
    if way == "encoder":
        return Encoder(folder, 40)
    if way == "sentences":
        return SentenceEncoder(folder, 40)
    if way == "asked":
        return Hub(folder)
    tokenizer = models.load_tokenizer(folder)
    return models.build(folder, tokenizer, Shape("binary", 2, "library", 0.1), 1, torch.float32)


@pytest.mark.ci
@pytest.mark.parametrize(("way", "family"), WAYS)
def test_weights_without_a_tensor_are_refused_whole_ones_are_not(way, family, tmp_path):
    folder = tiny.make(family, tmp_path / family)
    load(way, folder)
    file = folder / "model.safetensors"
    tensors = load_file(file)
    name = next(key for key in tensors if "1." in key and key.endswith("weight"))
    save_file({key: value for key, value in tensors.items() if key != name}, file, {"format": "pt"})
    with pytest.raises(
        MachineError, match=r"lack 1 of the network's tensors .*: 'rm -r .*' and get the model anew"
    ):
        load(way, folder)


@pytest.mark.parametrize("family", tiny.FAMILIES)
def test_what_is_loaded_is_what_the_library_loads(family, tmp_path):
    """The ledger of programs rests on it: runs from before whole weights were asked for stay up to date."""
    folder = tiny.make(family, tmp_path / family)
    plain = AutoModel.from_pretrained(str(folder), local_files_only=True, dtype=torch.float32)
    whole = load_whole(AutoModel, folder, dtype=torch.float32)
    assert plain.config.to_dict() == whole.config.to_dict()
    assert plain.training == whole.training
    tensors = whole.state_dict()
    assert plain.state_dict().keys() == tensors.keys()
    assert all(
        torch.equal(tensor, tensors[name])
        for name, tensor in plain.state_dict().items()
        if "pooler" not in name
    )
