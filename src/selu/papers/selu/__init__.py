"""SELU: A Software Engineering Language Understanding Benchmark (Pena and Herbold)."""

from __future__ import annotations

from pathlib import Path

from selu.papers.api import Benchmark
from selu.papers.selu import design

BENCHMARK = Benchmark(
    id="selu",
    name="SELU",
    about="22 tasks on software engineering text, 28 fine-tuned, prompted and classical systems",
    claim_prefix="C",
    tasks=design.tasks,
    systems=design.systems,
    others=design.others,
    asked=False,
    absence=design.absence,
    prompts=Path(__file__).parent / "prompts",
    hooks={
        "read": "readers:read",
        "rows": "readers:cut_rows",
        "steps": "design:steps",
        "stand_in": "readers.synthetic:rows",
        "material": "material:read",
        "cell_now": "evidence.baselines:cell_now",
        "authors_prompt": "prompts.authors:prompt",
        "bench": "choosing:read_bench",
        "compare": "compare:compare",
        "page": "pages.home:read_home",
        "rescore": "evidence.rescored_files:rescore",
    },
)
