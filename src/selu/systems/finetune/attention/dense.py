"""Attention with dropout on a CPU, with its own backward pass.

torch's fused kernel on CPUs knows no dropout; its way without that kernel computes in fp32 and draws one double
for each weight. This one multiplies in the precision of its input, as the model library's plain attention does,
and draws four weights from one random word.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from selu.systems.finetune.attention.layout import Group

_STEPS = 1 << 16  # dropout is rounded to this many steps


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    group: Group,
    scores: tuple[Tensor | None, Tensor | None],
    scale: float,
    dropout: float,
) -> Tensor:
    """Compute the attention of each text of a group to itself.

    Args:
        q: shape (tokens, heads, width), the group's stretch of the row; k and v may have fewer heads.
        scores: True for what is seen, of a shape like (texts, 1, longest, longest), and what is added to
            the scores of each text, shape (1, heads, longest, longest).

    Returns:
        shape (tokens, heads, width).
    """
    if torch.is_autocast_enabled("cpu"):
        q, k, v = (x.to(torch.get_autocast_dtype("cpu")) for x in (q, k, v))
    if (times := q.shape[1] // k.shape[1]) > 1:
        k, v = k.repeat_interleave(times, 1), v.repeat_interleave(times, 1)
    (mask, bias), hidden = scores, None
    if bias is not None:
        bias = bias.to(q.dtype)
    if mask is not None:
        hidden = torch.zeros(mask.shape, dtype=q.dtype).masked_fill_(~mask, -torch.inf)
    out: Tensor = _Dense.apply(q, k, v, group, hidden, bias, scale, round(dropout * _STEPS))  # type: ignore[no-untyped-call]
    return out


class _Dense(torch.autograd.Function):
    """softmax(q k / sqrt(width)) v with weights dropped, over texts and heads at once."""

    @staticmethod
    def forward(
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, group: Group, hidden: Tensor | None, bias: Tensor | None,
        scale: float, drop: int,
    ) -> Tensor:  # fmt: skip
        with torch.autocast("cpu", enabled=False):
            q, k, v = (_heads(x, group) for x in (q, k, v))
            weights = torch.bmm(q, k.transpose(1, 2)).mul_(scale)
            for added in (bias, hidden):
                if added is not None:
                    weights.unflatten(0, (len(group.lengths), -1)).add_(added)
            weights = torch.softmax(weights, -1)
            kept = _kept(weights, drop)
            ctx.save_for_backward(q, k, v, weights, kept)
            ctx.group, ctx.scale, ctx.rest = group, scale, (_STEPS - drop) / _STEPS
            return _row(torch.bmm(weights if kept is None else weights * kept, v).div_(ctx.rest), group)

    @staticmethod
    def backward(ctx: Any, *found: Tensor) -> tuple[Tensor | None, ...]:
        q, k, v, weights, kept = ctx.saved_tensors
        group: Group = ctx.group
        with torch.autocast("cpu", enabled=False):
            out = group.apart(found[0] / ctx.rest)
            if group.valid is not None:
                out = out * group.valid[:, :, None, None].to(out.dtype)
            out = out.transpose(1, 2).flatten(0, 1)
            to_v = torch.bmm((weights if kept is None else weights * kept).transpose(1, 2), out)
            score = torch.bmm(out, v.transpose(1, 2))
            if kept is not None:
                score.mul_(kept)
            score = torch._softmax_backward_data(score, weights, -1, weights.dtype)
            to_bias = None
            if ctx.needs_input_grad[5]:
                to_bias = score.unflatten(0, (len(group.lengths), -1)).sum(0, keepdim=True)
            score.mul_(ctx.scale)
            to_q, to_k = torch.bmm(score, k), torch.bmm(score.transpose(1, 2), q)
        return *(_row(x, group) for x in (to_q, to_k, to_v)), None, None, to_bias, None, None


def _heads(row: Tensor, group: Group) -> Tensor:
    """Reshape (tokens, heads, width) to (texts x heads, longest, width)."""
    return group.apart(row).transpose(1, 2).flatten(0, 1)


def _row(texts: Tensor, group: Group) -> Tensor:
    """Reshape (texts x heads, longest, width) to (tokens, heads, width)."""
    return group.together(texts.unflatten(0, (len(group.lengths), -1)).transpose(1, 2))


def _kept(weights: Tensor, drop: int) -> Tensor | None:
    """Return 1 for a kept weight, 0 for a dropped one, ``drop`` of 65,536; None if all are kept."""
    if not drop:
        return None
    words = torch.empty(-(-weights.numel() // 4), dtype=torch.int64).random_(-(1 << 63), None)
    draws = words.view(torch.int16)[: weights.numel()].view(weights.shape)
    return torch.ge(draws, drop - _STEPS // 2, out=torch.empty_like(weights))
