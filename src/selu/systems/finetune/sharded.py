"""Engines for several processes that share the rows of each update.

Each process computes its share of an update's rows, an equal share of the tokens, and gradients are summed: a
loss is divided by the size of the whole batch already. The first process has weights and states to be saved.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from selu.systems.finetune.engine import Engine
from selu.systems.finetune.knobs import SHARDING as SHARDING
from selu.systems.finetune.models import Network


def shares(rows: Sequence[int], lengths: Sequence[int], processes: int) -> list[list[int]]:
    """Share rows between processes: the longest that is left goes to the one that has the fewest tokens."""
    parts: list[list[int]] = [[] for _ in range(processes)]
    held = [0] * processes
    for row in sorted(rows, key=lambda row: (-lengths[row], row)):
        least = held.index(min(held))
        parts[least].append(row)
        held[least] += lengths[row]
    return parts


def join(device: torch.device) -> None:
    """Meet the other processes, as torchrun's environment tells; without it this process is alone."""
    if dist.is_initialized():
        return
    backend = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
    if "RANK" in os.environ:
        dist.init_process_group(backend)
    else:
        store = dist.HashStore()  # type: ignore[attr-defined]
        dist.init_process_group(backend, store=store, rank=0, world_size=1)


class Replicas(Engine):
    """Whole copies of the network, whose gradients are summed once an update.

    Processes may compute different numbers of micro-batches, since they wait for each other only then.
    """

    sharding = "replicas"

    def __init__(self, network: Network, params: Mapping[str, Any], device: torch.device) -> None:
        join(device)
        self.rank, self.processes = dist.get_rank(), dist.get_world_size()
        super().__init__(network, params, device)
        self._spread()

    def update(self, rate: float) -> None:
        """Sum the gradients of all processes, clip the sum's norm, and take a step."""
        parameters = list(self.network.parameters())
        # A parameter that no process has a gradient of is left alone, as one process leaves it.
        used = torch.tensor([parameter.grad is not None for parameter in parameters], dtype=torch.int32)
        dist.all_reduce(used)
        sums = []
        for parameter, learnt in zip(parameters, used.tolist(), strict=True):
            if learnt:
                if parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)
                sums.append(dist.all_reduce(parameter.grad, async_op=True))
        for each in sums:
            each.wait()
        super().update(rate)

    def weights(self) -> dict[str, Tensor]:
        """Return the weights in the first process, nothing in the others: one copy in memory is enough."""
        return super().weights() if self.rank == 0 else {}

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Put the first process's weights in place everywhere."""
        if self.rank == 0:
            super().load_weights(weights)
        self._spread()

    def state(self) -> dict[str, Tensor]:
        """Return the optimizer's tensors in the first process, which are the same in all."""
        return super().state() if self.rank == 0 else {}

    def mine(self, rows: Sequence[int], lengths: Sequence[int]) -> Sequence[int]:
        """Return this process's share."""
        return shares(rows, lengths, self.processes)[self.rank]

    def total(self, value: float) -> float:
        """Return a sum over all processes, equal in each of them to the bit."""
        return self._reduced(value, dist.ReduceOp.SUM)

    def gather(self, found: dict[int, Any]) -> dict[int, Any]:
        """Return what all processes found."""
        parts: list[dict[int, Any]] = [{} for _ in range(self.processes)]
        dist.all_gather_object(parts, found)
        return {key: value for part in parts for key, value in part.items()}

    def _reduced(self, value: float, how: Any) -> float:
        sums = torch.tensor(value, dtype=torch.float64)
        dist.all_reduce(sums, how)
        return float(sums)

    def _spread(self) -> None:
        tensors = {tensor.data_ptr(): tensor for tensor in self.network.state_dict().values()}
        for tensor in tensors.values():
            dist.broadcast(tensor.detach(), 0)
