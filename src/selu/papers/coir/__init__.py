"""CoIR: A Comprehensive Benchmark for Code Information Retrieval Models: published scores alone."""

from __future__ import annotations

from selu.papers.api import Benchmark

BENCHMARK = Benchmark(
    id="coir",
    name="CoIR",
    about="code retrieval: the scores of ten models in the paper, and of 185 in the results of MTEB",
    claim_prefix="CR",
    hooks={"material": "material:Material.read", "page": "material:Material.page"},
)
