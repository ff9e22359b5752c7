"""An engine for weights in bf16 in one process: AdamW steps on masters of them, and sums up, in fp32.

It computes what DeepSpeed's ZeRO stage 2 computes in one process, on a CPU to the bit, and gives and takes the
same state: a training can go from one GPU to several and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from selu.systems.finetune.engines.engine import Engine
from selu.systems.finetune.models import Network


class Masters(Engine):
    """Weights in bf16, as the authors had them, and beside them their masters: 18 bytes a parameter.

    A gradient is added to its sum (4 bytes) within the backward pass, as soon as it is whole, and dropped.
    """

    def __init__(self, network: Network, params: Mapping[str, Any], device: torch.device) -> None:
        super().__init__(network, params, device)
        self._masters: list[tuple[Tensor, Tensor]] = []  # beside their weights, by group
        for group in self.optimizer.param_groups:
            masters = []
            for weight in group["params"]:
                master = weight.detach().float()
                master.grad = torch.zeros_like(master)
                weight.register_post_accumulate_grad_hook(partial(_add, master.grad))
                masters.append(master)
                self._masters.append((weight, master))
            group["params"] = masters

    def update(self, rate: float) -> None:
        """Clip the norm of the sums, take a step in fp32, round it to the weights, and clear the sums."""
        sums = [[master.grad for master in group["params"]] for group in self.optimizer.param_groups]
        # in fp64 and by group, as DeepSpeed adds them
        norms = [torch.stack(torch._foreach_norm(group, 2, torch.float64)).square().sum() for group in sums]
        norm = torch.linalg.vector_norm(torch.stack(norms).float().sqrt())
        shrink = 1.0 / ((norm + 1e-6) / self._clip).clamp(min=1.0)
        for group, each in zip(self.optimizer.param_groups, sums, strict=True):
            group["lr"] = rate
            torch._foreach_mul_(each, shrink)
        self.optimizer.step()
        with torch.no_grad():
            for weight, master in self._masters:
                weight.copy_(master)
        self.clear()

    def clear(self) -> None:
        """Clear the gradient: its sums, and the rest of an interrupted backward pass."""
        self.network.zero_grad()
        self.optimizer.zero_grad(set_to_none=False)

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Restore weights, also in the masters."""
        super().load_weights(weights)
        for weight, master in self._masters:
            master.copy_(weight.detach())

    def state(self) -> dict[str, Tensor]:
        """Return a copy of the masters too, once there is a state beside them."""
        found = super().state()
        if not found:
            return found
        masters = enumerate(master for _, master in self._masters)
        return {**found, **{f"master:{i}": master.to("cpu", copy=True) for i, master in masters}}

    def load_state(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore the optimizer's tensors and the masters."""
        super().load_state({name: each for name, each in tensors.items() if not name.startswith("master:")})
        for i, (_, master) in enumerate(self._masters):
            if f"master:{i}" in tensors:
                master.copy_(tensors[f"master:{i}"])


def _add(total: Tensor, weight: Tensor) -> None:
    """Add a gradient to its sum, and drop it."""
    assert weight.grad is not None
    total += weight.grad
    weight.grad = None
