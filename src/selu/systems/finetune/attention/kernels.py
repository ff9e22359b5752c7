"""The kernel of a GPU for texts of any length: flash-attn's where it is installed, else torch's own.

Both are FlashAttention-2 (Dao 2023, arXiv:2307.08691); torch's is what its ``varlen_attn`` calls, with dropout.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

_OLDEST = (8, 0)  # capability of the first GPUs that FlashAttention-2 runs on (Ampere)
_STEP = 8  # widths of heads that it takes are multiples of it
_WIDTHS = (32, 64, 128)  # for which docker/flash_lean.py compiles flash-attn


@dataclass(frozen=True)
class Call:
    """The arguments of a kernel beside queries, keys and values of shape (tokens, heads, width)."""

    ends: Tensor  # shape (texts + 1,), where each text ends in the row, from 0 on
    longest: int  # tokens of the longest text
    scale: float | None
    dropout: float
    causal: bool
    window: tuple[
        int | None, int | None
    ]  # tokens that are seen to the left and to the right, each None for all


@dataclass(frozen=True)
class Kernel:
    """A kernel and its name, as records of runs have it (``used.attention``)."""

    name: str
    run: Callable[[Tensor, Tensor, Tensor, Call], Tensor]


def fits(dtype: torch.dtype, width: int) -> bool:
    """Return whether the kernels take heads of this width in this precision."""
    return dtype in (torch.bfloat16, torch.float16) and width % _STEP == 0 and width <= _WIDTHS[-1]


@cache
def find() -> Kernel | None:
    """Find the kernel of this machine, once per process; None if there is none."""
    if not torch.cuda.is_available() or torch.cuda.get_device_capability() < _OLDEST:
        return None
    try:
        from flash_attn import flash_attn_varlen_func  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return Kernel("torch_flash", of_torch) if torch.backends.cuda.is_flash_attention_available() else None
    return Kernel(
        "flash_attn_varlen", lambda q, k, v, call: of_flash_attn(flash_attn_varlen_func, q, k, v, call)
    )


def of_flash_attn(flash: Callable[..., Tensor], q: Tensor, k: Tensor, v: Tensor, call: Call) -> Tensor:
    """Compute attention by ``flash_attn_varlen_func``; heads of other widths get zeros behind them."""
    left, right = (-1 if seen is None else seen for seen in call.window)
    width = q.shape[-1]
    scale = width**-0.5 if call.scale is None else call.scale
    wide = next(enough for enough in _WIDTHS if enough >= width)
    if wide > width:
        q, k, v = (functional.pad(x, (0, wide - width)) for x in (q, k, v))
    out = flash(
        q, k, v, call.ends, call.ends, call.longest, call.longest,
        dropout_p=call.dropout, softmax_scale=scale, causal=call.causal, window_size=(left, right),
        deterministic=torch.are_deterministic_algorithms_enabled(),
    )  # fmt: skip
    return out[..., :width]


def of_torch(q: Tensor, k: Tensor, v: Tensor, call: Call) -> Tensor:
    """Compute attention by the kernel that torch brings."""
    out: Tensor = _OfTorch.apply(q, k, v, call.ends, call)  # type: ignore[no-untyped-call]
    return out


class _OfTorch(torch.autograd.Function):
    """torch's two operators, with a backward pass that adds in a fixed order where that is asked for."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, ends: Tensor, call: Call) -> Tensor:
        out, sums, seed, offset, _ = torch.ops.aten._flash_attention_forward(
            q, k, v, *_places(ends, call), False, **_sight(call)
        )
        ctx.save_for_backward(q, k, v, out, sums, seed, offset, ends)
        ctx.call = call
        return out  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, *found: Tensor) -> tuple[Tensor | None, ...]:
        q, k, v, out, sums, seed, offset, ends = ctx.saved_tensors
        with _strictly():
            gradients = torch.ops.aten._flash_attention_backward(
                found[0].contiguous(), q, k, v, out, sums, *_places(ends, ctx.call), seed, offset,
                **_sight(ctx.call),
            )  # fmt: skip
        return *gradients, None, None


def _places(ends: Tensor, call: Call) -> tuple[Any, ...]:
    return ends, ends, call.longest, call.longest, call.dropout, call.causal


def _sight(call: Call) -> dict[str, Any]:
    left, right = call.window
    return {"scale": call.scale, "window_size_left": left, "window_size_right": right}


@contextlib.contextmanager
def _strictly() -> Iterator[None]:
    """Demand determinism where it is wished for: under ``warn_only`` torch's kernel adds in any order."""
    mode = torch.get_deterministic_debug_mode()
    if mode:
        torch.set_deterministic_debug_mode("error")
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(mode)
