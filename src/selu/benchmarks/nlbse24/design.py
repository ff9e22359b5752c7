"""What the competition declares: its tasks, and the entrants of its tables."""

from __future__ import annotations

from functools import cache

from selu.benchmarks.api import read_tasks
from selu.vocabulary import Task

PACKAGE = __name__.rpartition(".")[0]


@cache
def tasks() -> tuple[Task, ...]:
    """Read the tasks of both competitions, in the order of the paper."""
    return read_tasks(PACKAGE)
