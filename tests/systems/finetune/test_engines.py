from __future__ import annotations

import pytest
import torch

from selu.systems.finetune import engines
from selu.vocabulary import MachineError

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("sharding", "processes", "precision", "engine"),
    [
        ("", "1", "fp32", "Engine"),
        ("none", "1", "mixed", "Engine"),
        ("", "1", "bf16", "Masters"),
        ("none", "1", "bf16", "Masters"),
        ("", "2", "mixed", "Replicas"),
        ("replicas", "1", "fp32", "Replicas"),
        ("zero2", "1", "bf16", "ZeRO2"),
        ("zero3", "1", "fp32", None),
        ("none", "2", "fp32", None),
    ],
)
def test_the_environment_says_which(sharding, processes, precision, engine, monkeypatch):
    for name in ("Engine", "Masters", "Replicas", "ZeRO2"):
        monkeypatch.setattr(engines, name, lambda *_, name=name: name)
    monkeypatch.setenv("SELU_SHARDING", sharding)
    monkeypatch.setenv("WORLD_SIZE", processes)
    if engine:
        assert engines.make(None, {"precision": precision}, CPU) == engine
    else:
        with pytest.raises(MachineError, match=f"^SELU_SHARDING is '{sharding}': give replicas or zero2, or n"):
            engines.make(None, {"precision": precision}, CPU)
