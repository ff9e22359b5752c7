"""The meaning of logits: the loss for training, and the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from selu.metrics.masked import FARTHEST
from selu.systems.finetune.attention.layout import send
from selu.systems.finetune.examples import Example

TOKENS = ("entities", "masked")


def targets(examples: Sequence[Example], rows: Sequence[int], kind: str, device: torch.device) -> Tensor:
    """Return targets of these rows in the order of the logits."""
    if kind in TOKENS:
        found = [value for row in rows for value in examples[row].target]
    else:
        found = [examples[row].target for row in rows]
    dtype = torch.float32 if kind in ("multi_label", "regression") else torch.long
    return send(torch.tensor(found, dtype=dtype), device)


def units(examples: Sequence[Example], rows: Sequence[int], kind: str) -> int:
    """Return what the loss of these rows is a mean over: rows, or places at token level."""
    return sum(len(examples[row].places) for row in rows) if kind in TOKENS else len(rows)


def loss(logits: Tensor, wanted: Tensor, kind: str) -> Tensor:
    """Sum of the losses of a micro-batch: cross-entropy, mean binary one of the labels, or squared error."""
    logits = logits.float()
    if kind == "regression":
        return functional.mse_loss(logits[:, 0], wanted, reduction="sum")
    if kind == "multi_label":
        each = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="sum")
        return each / logits.shape[1]
    return functional.cross_entropy(logits, wanted, reduction="sum")


def answer(logits: Tensor, kind: str) -> list[Any]:
    """Read one answer per row of logits: a class, zeros and ones (1 above a probability of .5), or a number."""
    logits = logits.float()
    if kind == "regression":
        return [float(value) for value in logits[:, 0].tolist()]
    if kind == "multi_label":
        return (logits > 0).int().tolist()
    return logits.argmax(-1).tolist()


def filled(logits: Tensor, wanted: Tensor) -> list[tuple[int, int, float]]:
    """Return (true token, answered token, log-probability of the true one) of each masked place."""
    every = functional.log_softmax(logits.float(), -1)
    true = every.gather(1, wanted[:, None])[:, 0]
    true = true.double().clamp(-FARTHEST, 0.0)  # rounding may reach above 0
    return list(zip(wanted.tolist(), every.argmax(-1).tolist(), true.tolist(), strict=True))
