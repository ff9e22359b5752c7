"""CrossCodeBench: 216 text-to-text tasks on code, and splits across tasks (Niu et al., ICSE 2023)."""

from __future__ import annotations

from functools import partial

from selu.papers.api import Benchmark
from selu.papers.crosscodebench import kinds
from selu.papers.declared import read_tasks
from selu.vocabulary import System, Task


def _absence(_system: System, _task: Task) -> str:
    """Return why a system that answers with labels or numbers has no score: it has to write a text."""
    return "CrossCodeBench asks for texts: 'selu run --paper crosscodebench --model NAME' asks a model."


BENCHMARK = Benchmark(
    id="crosscodebench",
    name="CrossCodeBench",
    about="whether a model trained on many code tasks can do unseen ones",
    claim_prefix="X",
    tasks=partial(read_tasks, __name__),
    absence=_absence,
    kinds=kinds.KINDS,
    hooks={
        "read": "collection.convert:read",
        "rows": "collection.convert:cut_rows",
        "prepared": "splits.record:prepare",
        "material": "splits.record:load",
        "page": "page:page",
        "rescore": "rescored_files:rescore",
        "audit": "collection.audit:audit",
        "cut": "splits.cut:cut_apart",
        "ask": "answering.own:run",
        "show_prompt": "prompts:show_prompt",
    },
)
