"""Products of bf16 matrices by way of fp32: the numbers that a CPU with instructions for them gives."""

from __future__ import annotations

import pytest
import tiny
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

from selu.systems.finetune import launch, saved, upcast

HALF_STEP = 2.0**-8  # of bf16, relative


def products(dtype, seed=1, size=(5, 7, 3)):
    """Answers and gradients of every kind of product, for the same numbers of bf16."""
    rows, inner, columns = size
    draw = torch.Generator().manual_seed(seed)

    def made(*shape):
        return torch.randn(shape, generator=draw).bfloat16().to(dtype).requires_grad_()

    x, w, bias = made(rows, inner), made(columns, inner), made(columns)
    many, others, added = made(2, rows, inner), made(2, inner, columns), made(2, rows, columns)
    q, k, v = (made(1, 2, rows, inner) for _ in range(3))
    found = {
        "mm": x @ w.T,
        "addmm": functional.linear(x, w, bias),
        "bmm": many @ others,
        "baddbmm": torch.baddbmm(added, many, others, beta=0.5, alpha=2.0),
        "attention": functional.scaled_dot_product_attention(q, k, v),
    }
    leaves = (x, w, bias, many, others, added, q, k, v)
    return found, leaves


class TestUpcast:
    @given(seed=st.integers(0, 10**6), size=st.tuples(*[st.integers(1, 40)] * 3))
    def test_a_product_is_the_exact_one_rounded_once(self, seed, size):
        exact, _ = products(torch.float64, seed, size)
        with upcast.Upcast():
            found, _ = products(torch.bfloat16, seed, size)
        for name in ("mm", "addmm", "bmm", "baddbmm"):
            assert found[name].dtype == torch.bfloat16
            # half a step for the rounding; sums in fp32 of at most 40 products add next to nothing to it
            torch.testing.assert_close(found[name].double(), exact[name], rtol=HALF_STEP, atol=1e-4)

    def test_gradients_and_attention_are_those_of_the_plain_way(self):
        ends = []
        for way in (None, upcast.Upcast()):
            with way or torch.enable_grad():
                found, leaves = products(torch.bfloat16, size=(24, 32, 16))
                sum(out.float().square().sum() for out in found.values()).backward()
            ends.append([found["attention"].detach(), *(leaf.grad for leaf in leaves)])
        for plain, ours in zip(*ends, strict=True):
            assert ours.dtype == torch.bfloat16
            torch.testing.assert_close(ours, plain, rtol=4 * HALF_STEP, atol=0.02 * float(plain.abs().max()))

    def test_no_product_of_bf16_reaches_the_machine_forward_or_backward(self):
        reached = []

        class Machine(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                if func in upcast._PRODUCTS or func is upcast._ATTENTION or "mm" in str(func):
                    reached.append((func, args[0].dtype))
                return func(*args, **(kwargs or {}))

        layer, rows = torch.nn.Linear(8, 4), torch.randn(3, 8, requires_grad=True)
        with Machine(), upcast.Upcast():
            found, _ = products(torch.bfloat16)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                found["autocast"] = layer(rows)
            sum(out.float().sum() for out in found.values()).backward()
        assert found["autocast"].dtype == torch.bfloat16
        assert {func for func, _ in reached} == {*upcast._PRODUCTS, upcast._ATTENTION}
        assert {dtype for _, dtype in reached} == {torch.float32}


def test_it_is_needed_where_the_processor_cannot_and_no_gpu_is_there(monkeypatch):
    for can in (True, False):
        monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda can=can: can)
        found = [upcast.needed(precision) for precision in ("mixed", "bf16", "fp32")]
        assert found == [not can, not can, False]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert not upcast.needed("mixed")


@pytest.mark.ci
@pytest.mark.parametrize(("family", "precision"), [("bert", "mixed"), ("gpt2", "bf16"), ("t5", "bf16")])
def test_a_training_learns_the_same_and_says_how(model, tmp_path, monkeypatch, family, precision):
    job = tiny.job(model(family), "multi_label", precision=precision, epochs=2)
    ends = {}
    for needed in (False, True):
        monkeypatch.setattr(upcast, "needed", lambda _, needed=needed: needed)
        scratch = tmp_path / str(needed)
        ends[needed] = launch.run(job, scratch, lambda _: None, 1, "none")
        assert saved.ask(scratch / "model", job.questions).answers == ends[needed].answers
    assert ends[True].used == {**ends[False].used, "bf16_products": "in fp32, rounded"}
    for plain, ours in zip(ends[False].history, ends[True].history, strict=True):
        assert ours["held_loss"] == pytest.approx(plain["held_loss"], rel=0.02)
