"""The tasks that have rows here, declared as the shared rooms take them."""

from __future__ import annotations

from functools import cache

from selu.benchmarks.crosscodebench.collection.meta import describe
from selu.benchmarks.crosscodebench.collection.tasks import CLASSIFICATION, Entry, with_rows
from selu.vocabulary import Activity, Citation, Family, Task

_PAPER = Citation(
    ref=1,
    authors="C. Niu, C. Li, V. Ng, B. Luo",
    title="CrossCodeBench: Benchmarking cross-task generalization of source code models",
    venue="ICSE 2023",
    year=2023,
    doi="10.1109/ICSE48619.2023.00060",
)


@cache
def tasks() -> tuple[Task, ...]:
    """Declare the tasks that have rows here, as ``selu prepare`` and ``selu run`` take them."""
    return tuple(_task(one) for one in with_rows())


def _task(one: Entry) -> Task:
    return Task(
        id=one.id,
        kind="text_choice" if one.main_type == CLASSIFICATION else "text_generation",
        question=describe(one).prompt,
        text=one.given,
        labels=(),
        metric="exact_match" if one.main_type == CLASSIFICATION else "bleu_b",
        activity=Activity.SOFTWARE_DEVELOPMENT,
        family=Family.CODE_ADJACENT,
        sources=(one.source,),
        instances=one.rows,
        targets=", ".join(one.labels) or "open",
        citation=(_PAPER,),
        benchmark="crosscodebench",
        sets=(one.set,),
    )
