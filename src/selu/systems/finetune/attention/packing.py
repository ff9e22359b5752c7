"""Texts side by side in one row, without padding, and attention that keeps each text to itself.

The hidden states of a batch have shape (1, tokens, width): linear layers, norms and embeddings see no padding.
Attention runs per text: by a variable-length kernel on a GPU, and by groups of texts of like length on a CPU,
which gives the same numbers.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from selu.systems.finetune.attention import dense, kernels
from selu.systems.finetune.attention.layout import Group, Layout

NAME = "selu_packed"

_current: Layout | None = None


def use(layout: Layout | None) -> None:
    """Set the layout of the batch at work; recomputed layers of its backward pass read it too."""
    global _current
    _current = layout


def current() -> Layout:
    """Return the layout of the batch at work.

    Raises:
        RuntimeError: none was set.
    """
    if _current is None:
        raise RuntimeError("packed attention was called without a layout")
    return _current


def register() -> None:
    """Register the attention with the model library under ``NAME``."""
    from transformers import AttentionInterface

    AttentionInterface.register(NAME, attention)


def attention(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    bias: Tensor | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """Compute the attention of each text of the row to itself.

    Args:
        query: shape (1, heads, tokens, head width); key and value may have fewer heads.
        sliding_window: a token sees those less than this far away.
        bias: shape (1, heads, longest, longest), added to the scores of each text's tokens. No kernel of a GPU
            takes one.

    Returns:
        shape (1, tokens, heads, head width), and no weights.
    """
    layout = current()
    if attention_mask is not None or query.shape[0] != 1:
        raise RuntimeError("packed attention was called with a mask, or with several rows")
    causal = bool(getattr(module, "is_causal", False))
    q, k, v = (x[0].transpose(0, 1) for x in (query, key, value))  # (tokens, heads, width)
    if bias is None and query.device.type == "cuda" and (kernel := kernels.find()) is not None:
        half = torch.get_autocast_dtype("cuda") if torch.is_autocast_enabled("cuda") else query.dtype
        if kernels.fits(half, q.shape[2]):
            q, k, v = (x.to(half).contiguous() for x in (q, k, v))
            out = kernel.run(q, k, v, _call(layout, scaling, dropout, causal, sliding_window))
            return out.to(query.dtype)[None], None
    sizes = [group.stop - group.start for group in layout.groups]
    split = (torch.split(x, sizes) for x in (q, k, v))
    parts = [
        _of_group(group, mine, others, values, (scaling, dropout, bias), (causal, sliding_window))
        for group, mine, others, values in zip(layout.groups, *split, strict=True)
    ]
    return torch.cat(parts)[None], None


def _of_group(
    group: Group,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    weighted: tuple[float | None, float, Tensor | None],
    sight: tuple[bool, int | None],
) -> Tensor:
    """Compute the attention of one group: texts as a small batch, results as a stretch of the row."""
    (scaling, dropout, bias), (causal, window) = weighted, sight  # bias is added to scores
    if bias is not None:
        bias = bias[..., : group.longest, : group.longest]
    if q.device.type == "cpu" and (dropout or torch.is_autocast_enabled("cpu") or q.dtype == torch.bfloat16):
        mask = _mask(group, causal, window, q.device)
        return dense.attention(q, k, v, group, (mask, bias), scaling or q.shape[-1] ** -0.5, dropout)
    plain = causal and bias is None and (window is None or window >= group.longest)
    q, k, v = (group.apart(x).transpose(1, 2) for x in (q, k, v))
    # the tokens after a text are invisible to it under causal attention anyway
    mask = None if plain else _mask(group, causal, window, q.device)
    if bias is not None:
        bias = bias.to(q.dtype)
        mask = bias if mask is None else bias.masked_fill(~mask, -torch.inf)
    out = functional.scaled_dot_product_attention(
        q, k, v, mask, dropout, is_causal=plain, scale=scaling, enable_gqa=q.shape[1] != k.shape[1]
    )
    return group.together(out.transpose(1, 2))


def _mask(group: Group, causal: bool, window: int | None, device: torch.device) -> Tensor | None:
    """Return which tokens each token sees, broadcastable to (texts, 1, longest, longest); None if all."""
    steps = torch.arange(group.longest, device=device)
    apart = steps[:, None] - steps[None]
    mask = None
    if causal:
        mask = (apart >= 0)[None, None]
    if window is not None and window < group.longest:
        near = (apart.abs() < window)[None, None]
        mask = near if mask is None else mask & near
    if group.valid is not None:
        seen = group.valid[:, None, None, :]
        # what stands behind a text sees itself, since a softmax over nothing is not a number
        mask = seen if mask is None else mask & seen | (apart == 0)
    return mask


def kernel_name(device: str, dtype: torch.dtype) -> str:
    """Return the attention that training on this device uses: a kernel's name, or groups of like length."""
    kernel = kernels.find() if device == "cuda" and dtype in (torch.bfloat16, torch.float16) else None
    return kernel.name if kernel else "groups"


def _call(
    layout: Layout, scaling: float | None, dropout: float, causal: bool, window: int | None
) -> kernels.Call:
    """Return a kernel's arguments; windows count the tokens seen on each side, without the token itself."""
    near: tuple[int | None, int | None] = (None, None)
    if window is not None:
        near = (window - 1, 0 if causal else window - 1)
    return kernels.Call(
        layout.ends, layout.lengths[0], scaling, dropout, causal=causal and window is None, window=near
    )
