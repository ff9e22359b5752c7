"""The 216 tasks of the collection: type, category and languages of each, and which of its rows are available.

Types and numbers of tasks are those of Table 3, categories those of the authors' code. Where their files are
not here, a task's id is its data set's name in the manner of theirs.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from selu.names import nearest

FILE = "tasks.csv"
CLASSIFICATION = "Classification"
LABELS: Mapping[str, tuple[str, ...]] = {"cosqa": ("Yes", "No"), "buffer_overrun": ("Yes", "No")}


@dataclass(frozen=True, slots=True)
class Entry:
    """A task of the collection.

    Attributes:
        id: as the authors name it, or in their manner.
        source: the data set that it is made of.
        type: of Table 3, with its sub-type, such as ``Generation: Rewrite``.
        category: of the authors' code.
        given, wanted: languages of input and output; several inputs are joined by ``+``.
        set: the pinned set that its rows are cut out of; empty where none are here.
        rows: how many are here.
        missing: what of it is not here, and why; empty where nothing is.
    """

    id: str
    source: str
    type: str
    category: str
    given: str
    wanted: str
    set: str
    rows: int
    missing: str

    @property
    def main_type(self) -> str:
        """Its type without the sub-type."""
        return self.type.partition(":")[0]

    @property
    def labels(self) -> tuple[str, ...]:
        """The valid answers of a classification whose rows are here, else empty."""
        return LABELS.get(self.id, ())


@cache
def entries() -> tuple[Entry, ...]:
    """Read all 216 tasks, in the order of Table 3."""
    text = (resources.files(__package__) / FILE).read_text("utf-8")
    return tuple(
        Entry(**{**row, "rows": int(row["rows"])})  # type: ignore[arg-type]
        for row in csv.DictReader(text.splitlines())
    )


def entry(id: str) -> Entry:
    """Find a task by its id.

    Raises:
        SeluError: it does not exist; names the nearest one.
    """
    every = {task.id: task for task in entries()}
    if id not in every:
        raise nearest(id, every, "task of the collection")
    return every[id]


def with_rows() -> tuple[Entry, ...]:
    """List the tasks that have rows here."""
    return tuple(entry for entry in entries() if entry.rows)
