"""Cleaning of single texts as ``selu prepare`` cleans the rows of a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from selu.benchmarks import catalogue, own
from selu.vocabulary import Task


def cleaned(root: Path, task: Task, texts: Sequence[str]) -> list[str]:
    """The texts as the column ``paper`` of the task's rows would hold them.

    Raises:
        SeluError: the record of one's own task is wrong.
    """
    clean = _cleaner(root, task)
    return [clean(text) for text in texts]


def _cleaner(root: Path, task: Task) -> Callable[[str], str]:
    from selu.text.pipelines import cleaner

    benchmark = catalogue.benchmark_of(task.id)
    if benchmark == "nlbse24":
        from selu.benchmarks.nlbse24 import readers

        return partial(readers.clean, task=task)
    if benchmark == "own":
        return cleaner(own.read(root, task.id).record.cleaning, "paper")
    return cleaner(catalogue.cleaning(benchmark)[task.id], "paper")
