from __future__ import annotations

import pytest
import torch

from selu.systems.finetune import engines
from selu.vocabulary import MachineError

CPU = torch.device("cpu")


@pytest.fixture
def make(monkeypatch):
    """The name of the engine that is made, as one of so many processes."""
    for name in ("Engine", "Replicas", "ZeRO2"):
        monkeypatch.setattr(engines, name, lambda *_, name=name: name)

    def made(sharding, processes):
        monkeypatch.setenv("SELU_SHARDING", sharding)
        monkeypatch.setenv("WORLD_SIZE", processes)
        return engines.make(None, {}, CPU)

    return made


@pytest.mark.parametrize(
    ("sharding", "processes", "engine"),
    [
        ("", "1", "Engine"),
        ("none", "1", "Engine"),
        ("", "2", "Replicas"),
        ("replicas", "1", "Replicas"),
        ("replicas", "2", "Replicas"),
        ("zero2", "1", "ZeRO2"),
        ("zero2", "2", "ZeRO2"),
    ],
)
def test_the_environment_says_which(sharding, processes, engine, make):
    assert make(sharding, processes) == engine


@pytest.mark.parametrize(("sharding", "processes"), [("zero3", "1"), ("zero3", "2"), ("none", "2")])
def test_another_one_is_refused(sharding, processes, make):
    with pytest.raises(MachineError, match=f"^SELU_SHARDING is '{sharding}': give replicas or zero2, or none"):
        make(sharding, processes)
