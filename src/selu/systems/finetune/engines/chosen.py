"""Which engine a process trains with: alone, or as one of several."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import torch

from selu.systems.finetune.engines.engine import Engine
from selu.systems.finetune.engines.masters import Masters
from selu.systems.finetune.engines.zero import ZeRO2
from selu.systems.finetune.models import Network
from selu.systems.finetune.settings import SHARDING
from selu.vocabulary import MachineError


def make(network: Network, params: Mapping[str, Any], device: torch.device) -> Engine:
    """Build the engine that SELU_SHARDING names; by default ``zero2`` for several processes.

    Weights in bf16 have fp32 masters in any case: one process alone keeps them itself.

    Raises:
        MachineError: it names something else, or DeepSpeed is not installed, or can't be used here.
    """
    several = int(os.environ.get("WORLD_SIZE", "1")) > 1
    name = os.environ.get(SHARDING) or ("zero2" if several else "none")
    if name == "none" and not several:
        return (Masters if params["precision"] == "bf16" else Engine)(network, params, device)
    if name == "zero2":
        return ZeRO2(network, params, device)
    raise MachineError(f"{SHARDING} is {name!r}: give zero2, or none for one process.")
