"""Texts side by side in one row, without padding, and attention that keeps each text to itself.

The hidden states of a batch have shape (1, tokens, width): linear layers, norms and embeddings see no padding.
Attention runs per text: by a variable-length kernel on a GPU, and by groups of texts of like length on a CPU,
which gives the same numbers. Texts lie longest first, so that a group is one stretch of the row.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

NAME = "selu_packed"
# A group holds texts down to this share of its longest: smaller wastes less, larger starts fewer kernels.
_SHARE, _SLACK = 0.75, 8


@dataclass(frozen=True)
class Group:
    """Texts of like length: where they start in the row, their number, the longest, and each one's length."""

    start: int
    stop: int
    longest: int
    lengths: tuple[int, ...]
    index: Tensor | None  # (texts, longest) places in the row, None where all are equally long
    valid: Tensor | None  # (texts, longest) bool


class Layout:
    """How texts lie in a row."""

    def __init__(self, lengths: Sequence[int], device: torch.device) -> None:
        if any(a < b for a, b in itertools.pairwise(lengths)):
            raise ValueError("texts must lie longest first")
        self.lengths = tuple(lengths)
        self.groups = [_group(first, members, device) for first, members in _alike(lengths)]
        self.ends = torch.tensor([0, *lengths], device=device, dtype=torch.int32).cumsum(0, dtype=torch.int32)

    @property
    def computed(self) -> int:
        """Tokens that attention computes, padding inside groups counted."""
        return sum(group.longest * len(group.lengths) for group in self.groups)


def _alike(lengths: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
    found: list[tuple[int, tuple[int, ...]]] = []
    begin = place = 0
    for i in range(1, len(lengths) + 1):
        last = i == len(lengths)
        if last or lengths[i] < min(lengths[begin] * _SHARE, lengths[begin] - _SLACK):
            found.append((place, tuple(lengths[begin:i])))
            place += sum(lengths[begin:i])
            begin = i
    return found


def _group(start: int, lengths: tuple[int, ...], device: torch.device) -> Group:
    longest, stop = lengths[0], start + sum(lengths)
    if lengths[-1] == longest:
        return Group(start, stop, longest, lengths, None, None)
    sizes = torch.tensor(lengths)
    starts = start + torch.cumsum(sizes, 0) - sizes
    steps = torch.arange(longest)
    valid = steps[None] < sizes[:, None]
    index = starts[:, None] + torch.where(valid, steps[None], 0)
    return Group(start, stop, longest, lengths, index.to(device), valid.to(device))


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
    """Attention of each text of the row to itself.

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
    parts = [_of_group(group, q, k, v, scaling, dropout, causal, sliding_window) for group in _current.groups]
    return torch.cat(parts)[None], None


def _of_group(
    group: Group,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    scaling: float | None,
    dropout: float,
    causal: bool,
    window: int | None,
) -> Tensor:
    """Attention of one group: its texts as a small batch, the answers as a stretch of the row again."""
    if group.index is None:
        shape = (len(group.lengths), group.longest)
        q, k, v = (x[group.start : group.stop].unflatten(0, shape).transpose(1, 2) for x in (q, k, v))
    else:
        q, k, v = (x[group.index].transpose(1, 2) for x in (q, k, v))
    mask = None
    near = window if window is not None and window < group.longest else None
    if near is not None:
        steps = torch.arange(group.longest, device=q.device)
        apart = steps[:, None] - steps[None]
        mask = ((apart.abs() < near) & (apart >= 0 if causal else apart.abs() >= 0))[None, None]
    if group.valid is not None and not (causal and near is None):
        # behind a text stand tokens that no token of it sees under causal attention anyway
        seen = group.valid[:, None, None, :]
        mask = (
            seen if mask is None else mask & seen | torch.eye(group.longest, dtype=torch.bool, device=q.device)
        )
    out = functional.scaled_dot_product_attention(
        q, k, v, mask, dropout, is_causal=causal and mask is None, scale=scaling,
        enable_gqa=q.shape[1] != k.shape[1],
    )  # fmt: skip
    out = out.transpose(1, 2)
    return out.flatten(0, 1) if group.valid is None else out[group.valid]


def kernel_name(device: str, dtype: torch.dtype) -> str:
    """The attention that training on this device uses: flash-attn's kernel, torch's, or groups."""
    if device == "cuda" and dtype in (torch.bfloat16, torch.float16):
        return "flash_attn_varlen" if _flash() is not None else "torch_varlen"
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
