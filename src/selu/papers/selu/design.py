"""The paper's declarations: its tasks and systems, and the scores that are absent by design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from selu.papers.api import Extra
from selu.papers.declared import read_mapping, read_records, read_tasks
from selu.vocabulary import Approach, Kind, System, Task

PACKAGE = __name__.rpartition(".")[0]
RESULTS = Path("results") / "selu"
SPLITS = Path("data") / "splits" / "selu"
OF_MASKS = "minilm-l6-own-head"
tasks = partial(read_tasks, PACKAGE)  # in the order of Table I


@cache
def systems() -> tuple[System, ...]:
    """Read the paper's systems, in the order of its columns."""
    return read_records(PACKAGE, "systems.yaml", System)


@cache
def others() -> tuple[Extra, ...]:
    """Read the systems that are run beside those of the paper and are in none of its tables."""
    return read_records(PACKAGE, "systems_extra.yaml", Extra)


@cache
def cleaning() -> Mapping[str, tuple[str, ...]]:
    """Read the cleaning steps of each task, in the authors' order; none for tasks that are read as they are."""
    steps: dict[str, Any] = read_mapping(PACKAGE, "readers/cleaning.yaml")
    return {task: tuple(names or ()) for task, names in steps.items()}


def steps(task: Task) -> Sequence[str]:
    """Return the cleaning steps of a task."""
    return cleaning()[task.id]


def absence(system: System, task: Task) -> str | None:
    """Return why this system has no score on the task by design, or None (SELU section IV-B)."""
    if system.id == OF_MASKS and task.kind is not Kind.MASKED:
        return "it is declared for masked words alone: minilm-l6 has the same weights"
    if task.kind not in (Kind.ENTITIES, Kind.MASKED):
        return None
    if system.approach is Approach.PROMPTED:
        return "prompted models are run on classification and regression tasks only"
    if system.approach is Approach.BASELINE:
        return "the classical baselines have no standard form for token-level tasks"
    if system.architecture == "decoder-only":
        return "decoder-only models have no mechanism for token-level labels or masked tokens"
    if task.kind is Kind.MASKED and system.architecture != "encoder-only":
        return "masked tokens need an encoder-only model with full bidirectional context"
    return None
