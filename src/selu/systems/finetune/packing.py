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

from selu.systems.finetune import dense
from selu.systems.finetune.layout import Group, Layout

NAME = "selu_packed"

_current: Layout | None = None


def use(layout: Layout | None) -> None:
    """Set the layout of the batch at work; recomputed layers of its backward pass read it too."""
    global _current
    _current = layout


def register() -> None:
    """Make the attention known to the model library under ``NAME``."""
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
    **_: Any,
) -> tuple[Tensor, None]:
    """Compute the attention of each text of the row to itself.

    Args:
        query: shape (1, heads, tokens, head width); key and value may have fewer heads.
        sliding_window: a token sees those less than this far away.

    Returns:
        shape (1, tokens, heads, head width), and no weights.
    """
    if _current is None or attention_mask is not None or query.shape[0] != 1:
        raise RuntimeError("packed attention was called without a layout, or with a mask")
    causal = bool(getattr(module, "is_causal", False))
    q, k, v = (x[0].transpose(0, 1) for x in (query, key, value))  # (tokens, heads, width)
    if query.device.type == "cuda":
        out = _kernel(q, k, v, scaling, dropout, causal, sliding_window)
        if out is not None:
            return out.to(query.dtype)[None], None
    sizes = [group.stop - group.start for group in _current.groups]
    split = (torch.split(x, sizes) for x in (q, k, v))
    parts = [
        _of_group(group, mine, others, values, (scaling, dropout), (causal, sliding_window))
        for group, mine, others, values in zip(_current.groups, *split, strict=True)
    ]
    return torch.cat(parts)[None], None


def _of_group(
    group: Group,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    weighted: tuple[float | None, float],
    sight: tuple[bool, int | None],
) -> Tensor:
    """Attention of one group: its texts as a small batch, the answers as a stretch of the row again.

    Args:
        weighted: the scaling, and the share of weights that is dropped.
        sight: whether a token sees only those before it, and how far.
    """
    (scaling, dropout), (causal, window) = weighted, sight
    if q.device.type == "cpu" and (dropout or torch.is_autocast_enabled("cpu") or q.dtype == torch.bfloat16):
        mask = _mask(group, causal, window, q.device)
        return dense.attention(q, k, v, group, mask, scaling or q.shape[-1] ** -0.5, dropout)
    plain = causal and (window is None or window >= group.longest)
    q, k, v = (group.apart(x).transpose(1, 2) for x in (q, k, v))
    # behind a text stand tokens that no token of it sees under causal attention anyway
    mask = None if plain else _mask(group, causal, window, q.device)
    out = functional.scaled_dot_product_attention(
        q, k, v, mask, dropout, is_causal=plain, scale=scaling, enable_gqa=q.shape[1] != k.shape[1]
    )
    return group.together(out.transpose(1, 2))


def _mask(group: Group, causal: bool, window: int | None, device: torch.device) -> Tensor | None:
    """What each token sees, of a shape like (texts, 1, longest, longest), or None where it sees all."""
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
        # what stands behind a text sees itself, since a softmax over nothing is no number
        mask = seen if mask is None else mask & seen | (apart == 0)
    return mask


def kernel_name(device: str, dtype: torch.dtype, dropout: float) -> str:
    """Return the attention that training on this device uses.

    flash-attn's kernel for texts of any length, torch's, which knows no dropout, or groups of like length.
    """
    if device == "cuda" and dtype in (torch.bfloat16, torch.float16):
        if _flash() is not None:
            return "flash_attn_varlen"
        return "groups" if dropout else "torch_varlen"
    return "groups"


def _flash() -> Any:
    try:
        from flash_attn import flash_attn_varlen_func  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    return flash_attn_varlen_func


def _kernel(
    q: Tensor, k: Tensor, v: Tensor, scaling: float | None, dropout: float, causal: bool, window: int | None
) -> Tensor | None:
    """A variable-length kernel's answer, or None where none fits (full precision, or dropout with torch's)."""
    assert _current is not None
    half = torch.get_autocast_dtype("cuda") if torch.is_autocast_enabled("cuda") else q.dtype
    if half not in (torch.bfloat16, torch.float16):
        return None
    q, k, v = (x.to(half).contiguous() for x in (q, k, v))
    ends, longest = _current.ends, _current.lengths[0]
    near = (-1, -1) if window is None else (window - 1, 0 if causal else window - 1)
    if causal and window is None:
        near = (-1, 0)
    if (flash := _flash()) is not None:
        out: Tensor = flash(
            q, k, v, ends, ends, longest, longest,
            dropout_p=dropout, softmax_scale=scaling, causal=causal, window_size=near,
        )  # fmt: skip
        return out
    if dropout:
        return None
    from torch.nn.attention.varlen import varlen_attn

    found = varlen_attn(
        q, k, v, ends, ends, longest, longest,
        scale=scaling, window_size=near, enable_gqa=q.shape[1] != k.shape[1],
    )  # fmt: skip
    return found if isinstance(found, Tensor) else found[0]
