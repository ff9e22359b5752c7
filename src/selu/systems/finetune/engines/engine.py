"""Gradients and updates of a network in one process."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from selu.systems.finetune.models import Network
from selu.systems.finetune.settings import RECOMPUTE
from selu.vocabulary import MachineError

# Tokens computed at once before memory says otherwise: a few texts keep a core's cache, a GPU wants many.
BUDGET = {"cpu": 1024, "cuda": 65536}
_SMALLEST = 64


def lacks_memory(error: RuntimeError) -> bool:
    """Return whether an error is a lack of memory: on a CPU torch has no class of its own for it."""
    return isinstance(error, torch.OutOfMemoryError) or "allocate memory" in str(error)


def too_small(budget: int) -> str:
    """Return the sentence that not even this many tokens fit."""
    return f"{budget} tokens at once, or one text, need more memory than there is: take a larger device."


def shorter(tokens: int) -> int:
    """Return the tokens up to which texts are computed as before, after one of this length did not fit."""
    return 3 * tokens // 4


def computed_twice(plain: int) -> str:
    """Return the sentence on what texts longer than these need."""
    return f"layers are computed twice for texts of more than {plain} tokens"


def tokens_of(name: str, given: str) -> int:
    """Read a number of tokens that a variable of the environment gives.

    Raises:
        MachineError: it is invalid.
    """
    if not given.isdecimal():
        raise MachineError(f"{name} is {given!r}: give a number of tokens.")
    return int(given)


class MemoryShortError(MachineError):
    """Memory is too small for one text, in any mode: more GPUs may share the weights and states."""


class Engine:
    """A network on its device, its optimizer, and the arithmetic of both.

    AdamW with weight decay on matrices alone, as the library's trainer has it; ``mixed`` computes in bf16 on
    fp32 weights, ``fp32`` in fp32. Weights in bf16 answer here, and learn under ``Masters`` or ``ZeRO2``.
    """

    processes, rank, sharding = 1, 0, "none"
    plain: int | None = None  # tokens above which a micro-batch has its layers computed again for gradients

    def __init__(self, network: Network, params: Mapping[str, Any], device: torch.device) -> None:
        self.network, self.device = network.to(device), device
        self._bare, self._again = network, False
        if asked := os.environ.get(RECOMPUTE):
            self.plain = tokens_of(RECOMPUTE, asked)
        self.mixed = params["precision"] == "mixed"
        self._clip = params["clip"]
        self.budget = BUDGET.get(device.type, BUDGET["cpu"])
        decayed: list[Tensor] = []
        free: list[Tensor] = []
        for name, parameter in network.named_parameters():
            (free if parameter.ndim < 2 or "bias" in name or "norm" in name.lower() else decayed).append(
                parameter
            )
        groups = [
            {"params": decayed, "weight_decay": params["weight_decay"]},
            {"params": free, "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(groups, lr=params["learning_rate"], fused=True)

    def arithmetic(self) -> contextlib.AbstractContextManager[Any]:
        """Return the context in which the network is called."""
        if self.mixed:
            return torch.autocast(self.device.type, dtype=torch.bfloat16)
        return contextlib.nullcontext()

    def backward(self, loss: Tensor) -> None:
        """Add the gradient of a micro-batch."""
        loss.backward()

    def update(self, rate: float) -> None:
        """Clip the gradient's norm, take a step at this learning rate, and clear the gradient."""
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self._clip)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.clear()

    def clear(self) -> None:
        """Clear the gradient."""
        self.optimizer.zero_grad(set_to_none=True)

    def prepare(self, tokens: int) -> None:
        """Prepare for a micro-batch of this many tokens: the layers of large ones are computed twice."""
        again = self.plain is not None and tokens > self.plain
        if again != self._again:
            self._bare.recompute(again)
            self._again = again

    def relieve(self, tokens: int, alone: bool) -> str:
        """Reduce the memory of training, and report what changes from now on.

        Fewer tokens are computed at once first; where that can't help, the layers of texts as long as this one
        are computed again for their gradients, which takes a third more time and a fraction of the memory.

        Args:
            tokens: of the micro-batch that memory was too small for.
            alone: it was a single text, which is never cut.

        Raises:
            MemoryShortError: both were done already.
        """
        if not alone and self.budget // 2 >= _SMALLEST:
            self.halve()
            return f"{self.budget} tokens at once"
        if self._again:
            raise MemoryShortError(too_small(tokens)) from None
        self._forget()
        self.plain = shorter(tokens)
        return computed_twice(self.plain)

    def halve(self) -> None:
        """Compute half as many tokens at once from now on.

        Raises:
            MachineError: that is too few to be worth it.
        """
        self._forget()
        self.budget //= 2
        if self.budget < _SMALLEST:
            raise MachineError(too_small(2 * self.budget)) from None

    def _forget(self) -> None:
        self.clear()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def weights(self) -> dict[str, Tensor]:
        """Return a copy of the weights, in the memory of the CPU; a tied one appears once."""
        seen: set[int] = set()
        found = {}
        for name, tensor in self.network.state_dict().items():
            if tensor.data_ptr() not in seen or not tensor.numel():
                seen.add(tensor.data_ptr())
                found[name] = tensor.detach().to("cpu", copy=True)
        return found

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Restore the weights that ``weights`` gave."""
        self.network.load_state_dict(weights, strict=False)

    def state(self) -> dict[str, Tensor]:
        """Return a copy of the optimizer's tensors by name, in the memory of the CPU."""
        return {
            f"{name}:{i}": value.detach().to("cpu", copy=True)
            for i, states in self.optimizer.state_dict()["state"].items()
            for name, value in states.items()
        }

    def load_state(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore the optimizer's tensors."""
        states: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            kind, _, number = name.rpartition(":")
            states.setdefault(int(number), {})[kind] = tensor
        record = self.optimizer.state_dict()
        self.optimizer.load_state_dict({**record, "state": states})

    def mine(self, rows: Sequence[int], lengths: Sequence[int]) -> Sequence[int]:  # noqa: ARG002
        """Return those of the rows that this process computes, an equal share of the tokens."""
        return rows

    def total(self, value: float) -> float:
        """Return a sum over all processes."""
        return value

    def gather(self, found: dict[int, Any]) -> dict[int, Any]:
        """Return what all processes found."""
        return found
