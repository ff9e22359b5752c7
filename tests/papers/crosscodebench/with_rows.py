"""A small project in which tasks of the collection have rows."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from helpers import small_project as small
from selu.papers.crosscodebench.answering.rows import TaskRows


def make(folder: Path, root: Path, tasks: Iterable[TaskRows]) -> Path:
    """Make the project, with the paper's tables and pins of the root."""
    made = small.make(folder, ())
    for task in tasks:
        count = len(task.inputs)
        columns = {"id": [f"p{number:06}" for number in range(count)], "input": task.inputs}
        columns |= {"label": task.outputs, "group": [None] * count, "source": ["made"] * count}
        small.put(made, task.id, pd.DataFrame(columns))
    for name in ("paper", "pins"):
        shutil.copytree(root / "data" / name / "crosscodebench", made / "data" / name / "crosscodebench")
    return made
