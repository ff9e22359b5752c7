"""A toy benchmark: how far apart two sentences are."""

from __future__ import annotations

from selu.papers.toy import kinds

from selu.papers.api import Benchmark
from selu.papers.declared import read_tasks

BENCHMARK = Benchmark(
    id="toy",
    name="Toy",
    about="distances of made-up sentences",
    claim_prefix="T",
    tasks=lambda: read_tasks(__name__),
    kinds=(kinds.PAIR_DISTANCE,),
    hooks={"read": "readers:read", "rows": "readers:cut_rows", "material": "material:load"},
)
