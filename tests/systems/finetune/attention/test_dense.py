"""Attention with dropout on a CPU against its definition, with the same weights dropped."""

from __future__ import annotations

import pytest
import torch

from selu.systems.finetune.attention import dense, packing
from selu.systems.finetune.attention.layout import Layout

CPU = torch.device("cpu")
LENGTHS = [30, 30, 29, 24, 9, 3, 1]


def drawn(heads, shared, dtype=torch.float64, lengths=LENGTHS):
    generator = torch.Generator().manual_seed(1)
    shapes = [(sum(lengths), h, 8) for h in (heads, shared, shared)]
    return [torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype) for shape in shapes]


def groups(lengths=LENGTHS):
    return Layout(lengths, CPU).groups


def definition(q, k, v, group, scores, scale, dropout):
    """Attention written out, differentiated by torch."""
    mask, bias = scores
    q, k, v = (group.apart(x).transpose(1, 2) for x in (q, k, v))
    weights = q @ k.transpose(-1, -2) * scale
    if bias is not None:
        weights = weights + bias
    if mask is not None:
        weights = weights.masked_fill(~mask, -torch.inf)
    weights = weights.softmax(-1)
    kept = dense._kept(weights.flatten(0, 1), round(dropout * 65536))
    if kept is not None:
        weights = weights * kept.view(weights.shape) / (1 - round(dropout * 65536) / 65536)
    return group.together((weights @ v).transpose(1, 2))


def scores_of(group, causal, window, bias):
    bias = bias if bias is None else bias[..., : group.longest, : group.longest]
    return packing._mask(group, causal, window, CPU), bias


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("window", [None, 5])
@pytest.mark.parametrize("dropout", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("biased", [True, False])
def test_has_the_value_and_gradient_of_its_definition(causal, window, dropout, biased):
    found = []
    for way in (dense.attention, definition):
        tensors = [x.requires_grad_() for x in drawn(4, 4)]
        bias = torch.linspace(-2, 2, 3600, dtype=torch.float64).view(1, 4, 30, 30).requires_grad_()
        parts = [torch.split(x, [g.stop - g.start for g in groups()]) for x in tensors]
        torch.manual_seed(3)
        out = torch.cat([
            way(q, k, v, group, scores_of(group, causal, window, bias if biased else None), 0.3, dropout)
            for group, q, k, v in zip(groups(), *parts, strict=True)
        ])  # fmt: skip
        (out.sin() * torch.arange(8)).sum().backward()
        found.append([out.detach(), *(x.grad for x in tensors), *([bias.grad] if biased else [])])
    for ours, wanted in zip(*found, strict=True):
        torch.testing.assert_close(ours, wanted, rtol=0, atol=1e-11)


@pytest.mark.parametrize("dropout", [0.1, 0.5])
def test_drops_the_share_that_it_is_told_to_and_keeps_the_mean(dropout):
    torch.manual_seed(0)
    weights = torch.ones(40, 100, 100)
    kept = dense._kept(weights, round(dropout * 65536))
    assert set(kept.unique().tolist()) == {0.0, 1.0}
    spread = (dropout * (1 - dropout) / weights.numel()) ** 0.5
    assert abs(float(kept.mean()) - (1 - dropout)) < 5 * spread
    # neighbours come from the same random word
    both_kept = float((kept[..., ::4] * kept[..., 1::4]).mean())
    assert abs(both_kept - (1 - dropout) ** 2) < 0.005
