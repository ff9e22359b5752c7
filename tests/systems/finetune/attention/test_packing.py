"""Packed attention against dense attention under a block-diagonal mask, in double precision."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from selu.systems.finetune.attention import packing
from selu.systems.finetune.attention.layout import Layout

CPU = torch.device("cpu")
lengths = st.lists(st.integers(1, 40), min_size=1, max_size=12).map(lambda found: sorted(found, reverse=True))


def dense(q, k, v, lengths, scale, causal, window, bias=None):
    """Attention of every token to those tokens of its own text that it may see.

    ``bias``, shape (1, heads, longest, longest), is added to the scores of a text by the places in it.
    """
    text = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    place = torch.arange(sum(lengths))
    seen = text[:, None] == text[None]
    if causal:
        seen &= place[:, None] >= place[None]
    if window is not None:
        seen &= (place[:, None] - place[None]).abs() < window
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(-1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if bias is not None:
        inside = torch.cat([torch.arange(length) for length in lengths])
        scores = scores + bias[:, :, inside[:, None], inside[None]]
    return (scores.masked_fill(~seen, -math.inf).softmax(-1) @ v).transpose(1, 2)


def drawn(count, heads, shared, seed):
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randn(1, h, count, 8, generator=generator, dtype=torch.float64) for h in (heads, shared, shared)
    ]


class TestAttention:
    @settings(max_examples=150)
    @given(lengths, st.booleans(), st.none() | st.integers(1, 45), st.sampled_from([(4, 4), (4, 2), (6, 1)]),
           st.none() | st.floats(0.1, 3), st.integers(0, 9))  # fmt: skip
    def test_equals_dense_attention_of_each_text_to_itself(self, lengths, causal, window, heads, scale, seed):
        q, k, v = drawn(sum(lengths), *heads, seed)
        packing.use(Layout(lengths, CPU))
        module = SimpleNamespace(is_causal=causal)
        found, weights = packing.attention(module, q, k, v, None, scaling=scale, sliding_window=window)
        assert weights is None
        torch.testing.assert_close(found, dense(q, k, v, lengths, scale, causal, window), rtol=0, atol=1e-12)

    @pytest.mark.parametrize("causal", [True, False])
    @pytest.mark.parametrize("window", [None, 5])
    @pytest.mark.parametrize("biased", [True, False])
    def test_has_the_gradient_of_dense_attention_and_adds_a_learnt_bias(self, causal, window, biased):
        lengths = [30, 30, 29, 24, 9, 3, 1]
        found = []
        for way in (packing.attention, dense):
            tensors = [x.requires_grad_() for x in drawn(sum(lengths), 4, 2, 1)]
            bias = drawn(30, 4, 4, 2)[0][..., :1].mul(torch.arange(30)).requires_grad_() if biased else None
            packing.use(Layout(lengths, CPU))
            if way is dense:
                out = dense(*tensors, lengths, None, causal, window, bias)
            else:
                module, options = SimpleNamespace(is_causal=causal), {"bias": bias} if biased else {}
                out = way(module, *tensors, None, sliding_window=window, **options)[0]
            (out.sin() * torch.arange(8)).sum().backward()
            found.append([out.detach(), *(x.grad for x in tensors), *([bias.grad] if biased else [])])
        for ours, wanted in zip(*found, strict=True):
            torch.testing.assert_close(ours, wanted, rtol=0, atol=1e-11)
        plain = dense(*drawn(sum(lengths), 4, 2, 1), lengths, None, causal, window)
        assert torch.allclose(plain, found[0][0]) is not biased

    def test_is_never_called_without_a_layout_or_with_a_mask(self):
        q, k, v = drawn(3, 2, 2, 1)
        packing.use(Layout([3], CPU))
        with pytest.raises(RuntimeError, match="with a mask"):
            packing.attention(SimpleNamespace(), q, k, v, torch.ones(3, 3))
        packing.use(None)
        with pytest.raises(RuntimeError, match="without a layout"):
            packing.attention(SimpleNamespace(), q, k, v, None)
