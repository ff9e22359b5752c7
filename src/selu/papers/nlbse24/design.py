"""The competition's declarations: its tasks, and the entrants of its tables."""

from __future__ import annotations

from functools import partial

from selu.papers.declared import read_tasks

PACKAGE = __name__.rpartition(".")[0]
tasks = partial(read_tasks, PACKAGE)  # of both competitions, in the order of the paper
