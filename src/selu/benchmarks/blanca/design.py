"""What BLANCA declares: its tasks."""

from __future__ import annotations

from functools import cache

from selu.benchmarks.api import read_tasks
from selu.vocabulary import System, Task

PACKAGE = __name__.rpartition(".")[0]
# No public repository that was searched holds the rows of R, L and H, so that nothing can be run on them.
ABSENT = ("answer_ranking", "linked_posts", "class_hierarchy")


@cache
def every() -> tuple[Task, ...]:
    """Read the tasks in the order of the paper, related questions (section 4.2) after linked posts."""
    return read_tasks(PACKAGE)


def tasks() -> tuple[Task, ...]:
    """Return the tasks whose rows are to be had."""
    return tuple(task for task in every() if task.id not in ABSENT)


def absence(_system: System, _task: Task) -> str:
    """Say why a system that answers with labels or numbers has no score: it has to give a distance."""
    return "BLANCA asks an encoder how far two texts are apart; this system gives no distance."
