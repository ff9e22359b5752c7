from __future__ import annotations

import pytest
import torch

from selu.systems.finetune import engines
from selu.vocabulary import MachineError

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("sharding", "processes", "engine"),
    [
        ("", "1", "Engine"),
        ("none", "1", "Engine"),
        ("", "2", "Replicas"),
        ("replicas", "1", "Replicas"),
        ("zero2", "1", "ZeRO2"),
        ("zero3", "1", None),
        ("none", "2", None),
    ],
)
def test_the_environment_says_which(sharding, processes, engine, monkeypatch):
    for name in ("Engine", "Replicas", "ZeRO2"):
        monkeypatch.setattr(engines, name, lambda *_, name=name: name)
    monkeypatch.setenv("SELU_SHARDING", sharding)
    monkeypatch.setenv("WORLD_SIZE", processes)
    if engine:
        assert engines.make(None, {}, CPU) == engine
    else:
        with pytest.raises(MachineError, match=f"^SELU_SHARDING is '{sharding}': give replicas or zero2, or n"):
            engines.make(None, {}, CPU)
