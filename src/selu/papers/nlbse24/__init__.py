"""The NLBSE'24 tool competition: issue reports and code comments (Kallis et al., 2024)."""

from __future__ import annotations

from selu.papers.api import Benchmark
from selu.papers.nlbse24 import design

BENCHMARK = Benchmark(
    id="nlbse24",
    name="NLBSE'24",
    about="the tool competition on issue reports and code comments",
    claim_prefix="N",
    tasks=design.tasks,
    hooks={
        "read": "readers:read",
        "rows": "readers:cut_rows",
        "clean": "readers:clean",
        "material": "evidence.counted:load",
        "compare": "compare:compare",
        "page": "page:page",
        "prepared": "facts:count",
        "rescore": "evidence.rescored_files:rescore",
    },
)
