"""FAUN-Eval: how language models handle real issues, from the answer to the edit (Hu et al., 2024)."""

from __future__ import annotations

from selu.papers.api import Benchmark

BENCHMARK = Benchmark(
    id="faun_eval",
    name="FAUN-Eval",
    about="how language models answer questions on an issue, find the faulty file and edit it",
    claim_prefix="F",
    hooks={
        "material": "rescored_files:load",
        "page": "page:page",
        "rescore": "rescored_files:rescore",
        "mine": "pipeline.command:mine",
        "answered": "agent.page:place",
        "ask": "asking.model:ask",
        "show_prompt": "asking.prompts:show_prompt",
    },
)
