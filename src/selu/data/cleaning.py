"""How the texts of a task are cleaned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from selu import registry
from selu.vocabulary import Task


@dataclass(frozen=True, slots=True)
class Cleaning:
    """The steps of ``selu.text``, or a function of the benchmark's own."""

    steps: Sequence[str] = ()
    clean: Callable[[str], str] | None = None


def cleaning_of(root: Path, task: Task) -> Cleaning:
    """Find how the texts of a task are cleaned.

    Raises:
        SeluError: the record of a task that is declared in the clone is wrong.
    """
    benchmark = registry.benchmark(task.benchmark)
    if benchmark.local:
        return Cleaning(benchmark.local.steps(root, task.id))
    if benchmark.clean:
        clean = benchmark.clean
        return Cleaning(clean=lambda text: clean(text, task))
    return Cleaning(benchmark.steps(task) if benchmark.steps else ())


def cleaned(root: Path, task: Task, texts: Sequence[str]) -> list[str]:
    """Clean texts as the column ``paper`` of the task's rows has them; errors as of ``cleaning_of``."""
    from selu.text.pipelines import cleaner

    how = cleaning_of(root, task)
    clean = how.clean or cleaner(how.steps, "paper")
    return [clean(text) for text in texts]
