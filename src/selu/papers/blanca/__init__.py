"""BLANCA: what text encoders know of text about code (Abdelaziz et al., 2022)."""

from __future__ import annotations

from selu.papers.api import Benchmark
from selu.papers.blanca import design, kinds

BENCHMARK = Benchmark(
    id="blanca",
    name="BLANCA",
    about="how well text encoders represent code documentation and forum posts",
    claim_prefix="B",
    tasks=design.tasks,
    absence=design.absence,
    kinds=kinds.KINDS,
    made_of={"class_hierarchy": "sklearn"},
    hooks={
        "read": "readers:read",
        "rows": "readers:cut_rows",
        "make": "hierarchy:make",
        "material": "rescored_files:load",
        "page": "page:page",
        "rescore": "rescored_files:rescore",
        "placed": "placing:place",
    },
)
