"""Kernels run on GPUs alone: here stands which is taken, what it is told, and what it documents to do."""

from __future__ import annotations

import itertools
import math
import os
import sys
from types import ModuleType, SimpleNamespace

import pytest
import torch
from test_packing import CPU, dense, drawn

from selu.systems.finetune import fit
from selu.systems.finetune.attention import kernels, packing
from selu.systems.finetune.attention.layout import Layout

LENGTHS = [17, 9, 9, 4, 1]


def by_documents(q, k, v, ends, scale, window, causal=False):
    """What both libraries document of their kernels: windows are inclusive, below 0 is without an end."""
    assert ends.dtype == torch.int32
    left, right = window
    right = 0 if causal else right
    found = []
    for start, stop in itertools.pairwise(ends.tolist()):
        first, second, values = (x[start:stop].double().transpose(0, 1) for x in (q, k, v))
        second, values = (x.repeat_interleave(q.shape[1] // k.shape[1], 0) for x in (second, values))
        place = torch.arange(stop - start)
        apart = place[:, None] - place[None]  # above 0 for what stands before
        seen = (apart <= left if left >= 0 else apart >= apart) & (-apart <= right if right >= 0 else True)
        scores = first @ second.transpose(1, 2) * (q.shape[2] ** -0.5 if scale is None else scale)
        found.append((scores.masked_fill(~seen, -math.inf).softmax(-1) @ values).transpose(0, 1))
    return torch.cat(found).to(q.dtype)


def flash_attn(
    q, k, v, ends, same, longest, longest_too, dropout_p, softmax_scale, causal, window_size, **options
):
    assert (same is ends, longest, longest_too, dropout_p) == (True, 17, 17, 0.0)
    assert q.shape[2] == k.shape[2] == v.shape[2] == 32  # not 8: no kernel is compiled for it
    assert options == {"deterministic": torch.are_deterministic_algorithms_enabled()}
    return by_documents(q, k, v, ends, softmax_scale, window_size, causal)


class Torchs:
    """torch's two operators as documented; ``modes`` are those of determinism in which gradients were asked."""

    def __init__(self, monkeypatch):
        self.modes = []
        monkeypatch.setattr(torch.ops.aten, "_flash_attention_forward", self.forward)
        monkeypatch.setattr(torch.ops.aten, "_flash_attention_backward", self.backward)

    def forward(self, q, k, v, ends, same, longest, longest_too, dropout, causal, debug, *, scale, **sides):
        assert (same is ends, longest, longest_too, dropout, debug) == (True, 17, 17, 0.0, False)
        window = [-1 if sides[f"window_size_{side}"] is None else sides[f"window_size_{side}"]
                  for side in ("left", "right")]  # fmt: skip
        out = by_documents(q, k, v, ends, scale, window, causal)
        return out, *(torch.zeros(1) for _ in range(4))

    def backward(self, toward, q, k, v, out, sums, *rest, **options):
        self.modes.append(torch.get_deterministic_debug_mode())
        with torch.enable_grad():
            mine = [x.detach().requires_grad_() for x in (q, k, v)]
            return torch.autograd.grad(self.forward(*mine, *rest[:6], False, **options)[0], mine, toward)


@pytest.fixture
def on_a_gpu(monkeypatch):
    """The attention of a row as on a GPU; ``library`` is what is installed there."""

    def make(library):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (8, 0))
        monkeypatch.setattr(torch.backends.cuda, "is_flash_attention_available", lambda: True)
        module = ModuleType("flash_attn")
        module.flash_attn_varlen_func = flash_attn
        monkeypatch.setitem(sys.modules, "flash_attn", module if library == "flash-attn" else None)
        kernels.find.cache_clear()
        return kernels.find()

    yield make
    kernels.find.cache_clear()


@pytest.mark.parametrize("library", ["flash-attn", "torch"])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("window", [None, 1, 5])
@pytest.mark.parametrize("scale", [None, 0.7])
def test_are_told_what_the_model_means(library, causal, window, scale, on_a_gpu, monkeypatch):
    kernel = on_a_gpu(library)
    Torchs(monkeypatch)
    made = [x.to(torch.bfloat16).requires_grad_() for x in drawn(sum(LENGTHS), 4, 2, 3)]
    call = packing._call(Layout(LENGTHS, CPU), scale, 0.0, causal, window)
    found = kernel.run(*(x[0].transpose(0, 1) for x in made), call)
    exact = [x.detach().double().requires_grad_() for x in made]
    wanted = dense(*exact, LENGTHS, scale, causal, window)[0]
    torch.testing.assert_close(found.double(), wanted, rtol=1e-2, atol=1e-2)
    for way in (found, wanted):
        (way * torch.arange(8)).sum().backward()
    for mine, reference in zip(made, exact, strict=True):
        torch.testing.assert_close(mine.grad.double(), reference.grad, rtol=3e-2, atol=3e-2)


@pytest.mark.parametrize("mode", [0, 1])
def test_gradients_add_in_a_fixed_order_where_determinism_is_wished_for(mode, on_a_gpu, monkeypatch):
    """torch's kernel takes the wish (1) for a no, with a warning, and only the demand (2) for a yes."""
    kernel, torchs = on_a_gpu("torch"), Torchs(monkeypatch)
    before = torch.get_deterministic_debug_mode()
    try:
        torch.set_deterministic_debug_mode(mode)
        q, k, v = (x[0].transpose(0, 1).requires_grad_() for x in drawn(sum(LENGTHS), 4, 2, 3))
        kernel.run(q, k, v, packing._call(Layout(LENGTHS, CPU), None, 0.0, True, None)).sum().backward()
        assert torchs.modes == [2 * mode]
        assert torch.get_deterministic_debug_mode() == mode
    finally:
        torch.set_deterministic_debug_mode(before)


@pytest.mark.parametrize(
    ("heads", "width", "window"), [((12, 12), 64, None), ((32, 8), 64, 9), ((24, 2), 128, 4)]
)
def test_torchs_operators_take_dropout_windows_and_grouped_heads(heads, width, window):
    """Not faked: the installed torch, on tensors without content."""
    row = [torch.randn(30, h, width, device="meta", dtype=torch.bfloat16, requires_grad=True)
           for h in (heads[0], heads[1], heads[1])]  # fmt: skip
    ends = torch.empty(4, device="meta", dtype=torch.int32)
    layout = SimpleNamespace(ends=ends, lengths=(17, 9, 4))
    out = kernels.of_torch(*row, packing._call(layout, 0.1, 0.1, True, window))
    assert out.shape == row[0].shape
    out.sum().backward()
    assert [x.grad.shape for x in row] == [x.shape for x in row]


def test_the_fastest_that_is_there_is_found(on_a_gpu, monkeypatch):
    assert on_a_gpu("flash-attn").name == packing.kernel_name("cuda", torch.bfloat16) == "flash_attn_varlen"
    assert on_a_gpu("torch").name == packing.kernel_name("cuda", torch.float16) == "torch_flash"
    assert packing.kernel_name("cuda", torch.float32) == packing.kernel_name("cpu", torch.bfloat16) == "groups"
    machine = SimpleNamespace(mixed=True, device=torch.device("cuda"))
    families = [SimpleNamespace(packed=True, family=name) for name in ("bert", "mpnet")]
    assert [fit._attention(network, machine) for network in families] == ["torch_flash", "groups"]
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (7, 5))
    kernels.find.cache_clear()
    assert kernels.find() is None  # a card before Ampere
    assert kernels.fits(torch.bfloat16, 128)
    assert not any(
        kernels.fits(*odd) for odd in ((torch.float32, 64), (torch.bfloat16, 12), (torch.float16, 512))
    )


def test_products_on_a_gpu_add_in_a_fixed_order_unless_somebody_said_otherwise(monkeypatch):
    before = torch.get_deterministic_debug_mode()
    try:
        monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)
        fit._settle(CPU, 1)
        assert "CUBLAS_WORKSPACE_CONFIG" not in os.environ
        monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
        fit._settle(torch.device("cuda"), 1)
        assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":16:8"
        monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG")
        fit._settle(torch.device("cuda"), 1)
        assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":4096:8"
    finally:
        torch.set_deterministic_debug_mode(before)
        os.environ.pop("CUBLAS_WORKSPACE_CONFIG", None)
