"""The NLBSE'25 Tool Competition: code comments: published scores alone."""

from __future__ import annotations

from selu.papers.api import Benchmark

BENCHMARK = Benchmark(
    id="nlbse25",
    name="NLBSE'25",
    about="the tool competition on code comments: F1 of six classifiers in 19 categories; its conclusions are "
    "those of one team, Mock et al.",
    claim_prefix="NC",
    hooks={"material": "material:Material.read", "page": "material:Material.page"},
)
