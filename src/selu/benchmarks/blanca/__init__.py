"""BLANCA: what text encoders know of text about code (Abdelaziz et al., 2022)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from selu.benchmarks.api import Benchmark
from selu.benchmarks.evidence import Tables

if TYPE_CHECKING:
    from selu.benchmarks.blanca.material import Material


def _material(_root: Path, tables: Tables, _altered: bool) -> Material:
    from selu.benchmarks.blanca import material

    return material.read(tables)


BENCHMARK = Benchmark(
    id="blanca",
    name="BLANCA",
    about="what text encoders know of documentation and forum posts about code",
    claim_prefix="B",
    material=_material,
)
