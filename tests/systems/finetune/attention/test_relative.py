"""MPNet's layers give what the library's give, and learn the bias of each distance as those do."""

from __future__ import annotations

import pytest
import torch
from transformers.models.mpnet import modeling_mpnet as library

from selu.systems.finetune import batches, examples, models
from selu.systems.finetune.attention import relative
from selu.systems.finetune.models import Shape

TEXTS = ["the build fails", "fix it", "when a test runs twice and nobody knows why please fix it " * 3]
BIAS = "encoder.relative_attention_bias.weight"


def built(folder, packed):
    tokenizer = models.load_tokenizer(folder)
    shape = Shape("binary", 2, "figure3", 0.0)
    return models.build(folder, tokenizer, shape, 1, torch.float32, packed=packed), tokenizer


def kinds(network):
    return {type(module) for module in network.model.modules()}


@pytest.mark.parametrize("packed", [True, False])
def test_padded_batches_attend_as_the_library_does(model, packed):
    network, _ = built(model("mpnet"), packed)
    assert relative.Layer in kinds(network)
    ours = {relative.Encoder, relative.SelfAttention}
    theirs = {library.MPNetEncoder, library.MPNetSelfAttention}
    assert kinds(network) & (ours | theirs) == (ours if packed else theirs)


@pytest.mark.parametrize("mixed", [True, False])
def test_the_bias_is_learnt_as_the_librarys(model, mixed):
    """In mixed precision a CPU computes attention in another way, with its own backward pass."""
    found = []
    for packed in (True, False):
        network, tokenizer = built(model("mpnet"), packed)
        for module in network.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        ids, _ = examples.of_texts(tokenizer, TEXTS, 48)
        rows = sorted(range(len(ids)), key=lambda row: -len(ids[row]))
        batch = batches.collate(
            [examples.Example(each, 0) for each in ids], rows, network.form(torch.device("cpu")), False
        )
        with torch.autocast("cpu", torch.bfloat16, enabled=mixed):
            logits = network.train()(batch)
        (logits.float().sin() * torch.tensor([1.0, -2.0])).sum().backward()
        found.append([logits.detach().float(), network.model.get_parameter(BIAS).grad])
    (ours, ours_bias), (theirs, theirs_bias) = found
    near = 5e-2 if mixed else 1e-5
    assert float((ours - theirs).norm() / theirs.norm()) < near
    assert float((ours_bias - theirs_bias).norm() / theirs_bias.norm()) < near
    assert float(theirs_bias.abs().max()) > 0
