from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from selu.benchmarks.selu.material import Material
from selu.project import load_selu

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def material() -> Material:
    """The paper as printed, with the paper's own number of draws."""
    return load_selu(ROOT)


@pytest.fixture(scope="session")
def quick(material: Material) -> Material:
    """The same with fewer draws, for tests that alter scores and compute the posteriors again."""
    return dataclasses.replace(material, knobs=dataclasses.replace(material.knobs, draws=5_000))
