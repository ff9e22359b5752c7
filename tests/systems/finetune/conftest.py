from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
sys.path.append(str(Path(__file__).parent))  # behind others: names of tests recur

import pytest
import tiny
import torch
import trial

Make = Callable[[str], Path]


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Gives the folder of a tiny model of an architecture; nobody writes into it."""
    return cache(lambda family: tiny.make(family, tmp_path_factory.mktemp("models") / family))


@pytest.fixture
def made(model, tmp_path):
    """Makes a training; ``scores`` are those of its evaluations."""
    return trial.maker(model, tmp_path)


@pytest.fixture
def run(monkeypatch):
    """Fits, interrupted before some updates."""
    return trial.runner(monkeypatch)
