"""The user's own tasks: a record of at most 20 lines and a CSV, prepared, run and shown as the papers' are.

They are in none of the papers' tables, ranks, averages and claims.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from selu.papers.api import Benchmark, TaskRows
from selu.papers.own import prompt, record, rows
from selu.vocabulary import Task

if TYPE_CHECKING:
    import pandas as pd


class OwnTasks:
    """The tasks that the records in ``data/own`` of a clone declare."""

    state: ClassVar[str] = "a task of one's own, in no table of the paper"
    prompted_as: ClassVar[str] = record.FOLDER.name

    names = staticmethod(record.names)

    def task(self, root: Path, name: str, instances: int) -> Task:
        """Read one task."""
        return record.read(root, name, instances).task

    def steps(self, root: Path, name: str) -> Sequence[str]:
        """Return the steps that clean its texts."""
        return record.read(root, name).record.cleaning

    def rows(self, root: Path, name: str) -> TaskRows:
        """Read the rows of its CSV."""
        return TaskRows(rows.read(record.read(root, name)))

    def check_parts(self, root: Path, name: str, table: pd.DataFrame, parts: Sequence[str]) -> None:
        """Refuse a split in which a label is missing somewhere."""
        rows.check_parts(record.read(root, name), table, parts)

    def fingerprint(self, root: Path, name: str) -> Mapping[str, str]:
        """Hash its CSV, and its record with its template."""
        return rows.fingerprint(record.read(root, name))

    def check_current(self, root: Path, name: str, made_of: Mapping[str, str]) -> None:
        """Refuse prepared rows of another record, template or CSV."""
        rows.check_current(record.read(root, name), made_of)

    def files(self, root: Path, name: str, templates: Path) -> Mapping[str, bytes]:
        """Return all files of its prompts, by name in one folder, made from these templates."""
        return prompt.files(record.read(root, name), templates)

    def about(self, root: Path, task: Task) -> dict[str, object]:
        """Return what the task's record declares, how it is scored, and where its rows are."""
        mine = record.read(root, task.id)
        declared = asdict(mine.record) | {"labels": [asdict(label) for label in task.labels]}
        shown = {field: value for field, value in declared.items() if value is not None and field != "file"}
        return shown | {"metric": task.metric, "instances": task.instances or None, "rows": str(mine.csv)}


BENCHMARK = Benchmark(
    id=record.AVAILABILITY,
    name="Tasks of one's own",
    about="tasks that the records in data/own declare",
    claim_prefix="",
    asked=False,
    local=OwnTasks(),
)
