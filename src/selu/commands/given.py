"""What a task is prepared from, however its rows were read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from selu.benchmarks import own
    from selu.sources.pins import Pin
    from selu.splits.published import PublishedSplit

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a task as read. ``standing``: equal, partial, synthetic, or package where only the authors'
    own file was to be had, whose rows nobody could compare yet; own of a task that is not the paper's."""

    table: pd.DataFrame
    standing: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Given:
    """What a task is prepared from; ``pin`` is of the papers' tasks, ``own`` of one's own.

    ``clean`` makes the text that protocols see where no steps do.
    """

    rows: Rows
    steps: Sequence[str]
    published: PublishedSplit | None
    deviations: list[str]
    pin: Pin | None = None
    own: own.Own | None = None
    clean: Callable[[str], str] | None = None
