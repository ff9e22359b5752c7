"""BLANCA's declarations: its tasks."""

from __future__ import annotations

from functools import partial

from selu.papers.declared import read_tasks
from selu.vocabulary import System, Task

PACKAGE = __name__.rpartition(".")[0]
tasks = partial(read_tasks, PACKAGE)


def absence(_system: System, _task: Task) -> str:
    """Return why a system that answers with labels or numbers has no score: it has to give a distance."""
    return "BLANCA asks an encoder how far two texts are apart; this system gives no distance."
