"""Heads: from the hidden states of the tokens that a task reads to its logits (SELU Figure 3).

Under protocol ``paper`` they are the library's own, reached through its auto classes; Figure 3's is pooling,
dropout and one linear layer. Both are given hidden states that were picked already, one per text or place, so
that they do not know how texts lie in a batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

Head = Callable[[Tensor], Tensor]


class Figure3(nn.Module):
    """Dropout and a linear layer on pooled hidden states: shape (picked, width) to (picked, outputs)."""

    def __init__(self, width: int, outputs: int, dropout: float, spread: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.linear = nn.Linear(width, outputs)
        nn.init.normal_(self.linear.weight, std=spread)
        nn.init.zeros_(self.linear.bias)

    def forward(self, picked: Tensor) -> Tensor:
        """Return logits of the picked hidden states."""
        out: Tensor = self.linear(self.dropout(picked))
        return out


def of_texts(model: Any) -> Head:
    """Return the library's head for whole texts, on hidden states of shape (texts, width)."""
    return {
        "bert": lambda h: model.classifier(model.dropout(model.bert.pooler(h[:, None]))),
        "roberta": lambda h: model.classifier(h[:, None]),
        "mpnet": lambda h: model.classifier(h[:, None]),
        "modernbert": lambda h: model.classifier(model.drop(model.head(h))),
        "gpt2": lambda h: model.score(h),
        "llama": lambda h: model.score(h),
        "starcoder2": lambda h: model.score(h),
        "t5": lambda h: model.classification_head(h),
    }[model.config.model_type]


def of_tokens(model: Any) -> Head:
    """Return the library's head for single tokens, on hidden states of shape (places, width)."""
    if model.config.model_type == "modernbert":
        return lambda h: model.classifier(model.drop(model.head(h)))
    return lambda h: model.classifier(model.dropout(h))


def of_masks(model: Any) -> Head:
    """Return the library's head for masked tokens, on hidden states of shape (places, width)."""
    return {
        "bert": lambda h: model.cls(h),
        "roberta": lambda h: model.lm_head(h),
        "mpnet": lambda h: model.lm_head(h),
        "modernbert": lambda h: model.decoder(model.head(h)),
    }[model.config.model_type]


def mean(hidden: Tensor, texts: Tensor, count: int) -> Tensor:
    """Return mean hidden state of each text.

    Args:
        hidden: shape (tokens, width), without padding.
        texts: shape (tokens,), the text that each token is of.
    """
    total = torch.zeros(count, hidden.shape[1], dtype=torch.float32, device=hidden.device)
    total = total.index_add(0, texts, hidden.float())
    sizes = texts.new_zeros(count).index_add(0, texts, torch.ones_like(texts))  # no GPU is waited for
    return (total / sizes[:, None]).to(hidden.dtype)
