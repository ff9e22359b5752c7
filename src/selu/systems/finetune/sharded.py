"""How several processes meet, and share the rows of each update: an equal share of the tokens for each."""

from __future__ import annotations

import os
from collections.abc import Sequence

import torch
import torch.distributed as dist


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
