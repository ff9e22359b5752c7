"""How a paper declares its boards: which places of its published tables are the score of a system on a task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Source:
    """Places of one table.

    ``row`` and ``column`` are texts in which ``{system}`` and ``{task}`` stand for names, as in
    ``{system}/F1-score``. What stands in neither is named: ``system`` or ``task``.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    table: str
    row: str
    column: str
    system: str = ""
    task: str = ""
    without: tuple[str, ...] = ()  # names of systems or tasks that are left out, as a column of averages


@dataclass(frozen=True, slots=True)
class Declared:
    """A board of a paper, as ``paper.yaml`` of its package declares it.

    Attributes:
        lower: tasks on which a lower score is better.
        mean, rank: columns of the first table that say this of each system, and hold no scores.
        rows: its row with the number of test rows of each task.
        notes: what a reader should know of it, a sentence each.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    id: str
    title: str
    sources: tuple[Source, ...]
    lower: tuple[str, ...] = ()
    mean: str = ""
    rank: str = ""
    rows: str = ""
    notes: tuple[str, ...] = ()
