"""Packed attention against dense attention under a block-diagonal mask, in double precision."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from selu.systems.finetune import packing
from selu.systems.finetune.layout import Layout

CPU = torch.device("cpu")
lengths = st.lists(st.integers(1, 40), min_size=1, max_size=12).map(lambda found: sorted(found, reverse=True))


def dense(q, k, v, lengths, scale, causal, window):
    """Attention of every token to those tokens of its own text that it may see."""
    text = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    place = torch.arange(sum(lengths))
    seen = text[:, None] == text[None]
    if causal:
        seen &= place[:, None] >= place[None]
    if window is not None:
        seen &= (place[:, None] - place[None]).abs() < window
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(-1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
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
    def test_has_the_gradient_of_dense_attention(self, causal, window):
        lengths = [30, 30, 29, 24, 9, 3, 1]
        gradients = []
        for way in (packing.attention, dense):
            tensors = [x.requires_grad_() for x in drawn(sum(lengths), 4, 2, 1)]
            packing.use(Layout(lengths, CPU))
            if way is dense:
                out = dense(*tensors, lengths, None, causal, window)
            else:
                out = way(SimpleNamespace(is_causal=causal), *tensors, None, sliding_window=window)[0]
            (out.sin() * torch.arange(8)).sum().backward()
            gradients.append([x.grad for x in tensors])
        for found, wanted in zip(*gradients, strict=True):
            torch.testing.assert_close(found, wanted, rtol=0, atol=1e-11)

    def test_is_never_called_without_a_layout_or_with_a_mask(self):
        q, k, v = drawn(3, 2, 2, 1)
        packing.use(Layout([3], CPU))
        with pytest.raises(RuntimeError, match="with a mask"):
            packing.attention(SimpleNamespace(), q, k, v, torch.ones(3, 3))
        packing.use(None)
        with pytest.raises(RuntimeError, match="without a layout"):
            packing.attention(SimpleNamespace(), q, k, v, None)


def by_documents(q, k, v, ends, scale, window, causal=False):
    """What both libraries document of their kernels: windows are inclusive, -1 is without an end."""
    assert ends.dtype == torch.int32
    left, right = window
    right = 0 if causal else right
    found = []
    for start, stop in itertools.pairwise(ends.tolist()):
        one, other, values = (x[start:stop].double().transpose(0, 1) for x in (q, k, v))
        other, values = (x.repeat_interleave(q.shape[1] // k.shape[1], 0) for x in (other, values))
        place = torch.arange(stop - start)
        apart = place[:, None] - place[None]  # above 0 for what stands before
        seen = (apart <= left if left >= 0 else apart >= apart) & (-apart <= right if right >= 0 else True)
        scores = one @ other.transpose(1, 2) * (q.shape[2] ** -0.5 if scale is None else scale)
        found.append((scores.masked_fill(~seen, -math.inf).softmax(-1) @ values).transpose(0, 1))
    return torch.cat(found).to(q.dtype)


class TestKernelsForGpus:
    """Their kernels run on GPUs alone: here stands what they are told, and what they document to do with it."""

    @pytest.mark.parametrize("library", ["flash-attn", "torch"])
    @pytest.mark.parametrize("causal", [True, False])
    @pytest.mark.parametrize("window", [None, 1, 5])
    @pytest.mark.parametrize("scale", [None, 0.7])
    def test_are_told_what_the_model_means(self, library, causal, window, scale, monkeypatch):
        lengths = [17, 9, 9, 4, 1]

        def flash(q, k, v, ends, same, longest, longest_too, dropout_p, softmax_scale, causal, window_size):
            assert (same is ends, longest, longest_too, dropout_p) == (True, 17, 17, 0.0)
            return by_documents(q, k, v, ends, softmax_scale, window_size, causal)

        def varlen(q, k, v, ends, same, longest, longest_too, *, scale, window_size, enable_gqa):
            assert (same is ends, longest, longest_too, enable_gqa) == (True, 17, 17, True)
            return by_documents(q, k, v, ends, scale, window_size)

        monkeypatch.setattr(packing, "_flash", lambda: flash if library == "flash-attn" else None)
        monkeypatch.setattr("torch.nn.attention.varlen.varlen_attn", varlen)
        tensors = [x.to(torch.bfloat16) for x in drawn(sum(lengths), 4, 2, 3)]
        packing.use(Layout(lengths, CPU))
        row = [x[0].transpose(0, 1) for x in tensors]
        found = packing._kernel(*row, scale, 0.0, causal, window)
        wanted = dense(*(x.double() for x in tensors), lengths, scale, causal, window)[0]
        torch.testing.assert_close(found.double(), wanted, rtol=1e-2, atol=1e-2)

    def test_torch_s_knows_no_dropout_and_neither_full_precision(self, monkeypatch):
        monkeypatch.setattr(packing, "_flash", lambda: None)
        packing.use(Layout([3], CPU))
        row = [x[0].transpose(0, 1) for x in drawn(3, 2, 2, 1)]
        assert packing._kernel(*row, None, 0.0, False, None) is None
        half = [x.to(torch.bfloat16) for x in row]
        assert packing._kernel(*half, None, 0.1, False, None) is None


def test_full_precision_and_cpus_compute_in_groups():
    assert packing.kernel_name("cpu", torch.bfloat16, 0.1) == "groups"
    assert packing.kernel_name("cuda", torch.float32, 0.0) == "groups"
    assert packing.kernel_name("cuda", torch.bfloat16, 0.0) in ("torch_varlen", "flash_attn_varlen")
    assert packing.kernel_name("cuda", torch.bfloat16, 0.1) in ("groups", "flash_attn_varlen")
