"""A table of scores: a value for each system and task, and the values that the table gives beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class Score(NamedTuple):
    """A score as published: its decimals, its place, and its number of rows.

    ``rows`` is 0 where nobody says it; ``seed`` names one of several runs; ``text`` is what is written there,
    empty where that is not text.
    """

    system: str
    task: str
    value: float
    digits: int
    place: str
    rows: int = 0
    seed: str = ""
    text: str = ""


class Summary(NamedTuple):
    """A number that the table derives from its scores: a mean or a rank."""

    value: float
    digits: int
    place: str


@dataclass(frozen=True)
class Board:
    """Scores of systems on tasks.

    Attributes:
        values: shape (systems, tasks), nan where a score is missing; the mean over seeds where there are some.
        digits: decimals that the scores of a task are published with.
        rows: shape (systems, tasks), of how many rows a score is, 0 where nobody says it.
        lower: whether a lower score is better, for each task.
        places: where each score is written, by (system, task).
        texts: how it is written there, where it is written as text.
        by_seed: the same as ``values`` for each seed.
        means, ranks: what the table says of each system.
        task_means: what it says of each task, over its systems.
        source: what was read, in words.
        notes: what a reader of the table should know of how it was read, a sentence each.
    """

    systems: tuple[str, ...]
    tasks: tuple[str, ...]
    values: FloatArray
    digits: NDArray[np.int64]
    rows: NDArray[np.int64]
    lower: NDArray[np.bool_]
    places: Mapping[tuple[str, str], str]
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    by_seed: Mapping[str, FloatArray] = field(default_factory=dict)
    means: Mapping[str, Summary] = field(default_factory=dict)
    ranks: Mapping[str, Summary] = field(default_factory=dict)
    task_means: Mapping[str, Summary] = field(default_factory=dict)
    source: str = ""
    notes: tuple[str, ...] = ()

    @cached_property
    def oriented(self) -> FloatArray:
        """The scores with higher as better."""
        return np.where(self.lower, -self.values, self.values)

    @cached_property
    def is_mixed(self) -> bool:
        """Return whether tasks differ in direction or scale, so that a mean is meaningless."""
        return bool(self.lower.any() and not self.lower.all()) or self.scales_differ

    @cached_property
    def scales_differ(self) -> bool:
        """Return whether some tasks' scores are shares, and others' go to 100 or more."""
        there = ~np.isnan(self.values).all(axis=0)
        largest = np.nanmax(np.abs(self.values[:, there]), axis=0) if there.any() else np.zeros(0)
        return len(set(np.digitize(largest, (1.0, 100.0), right=True).tolist())) > 1

    def over(self, tasks: NDArray[np.bool_]) -> Board:
        """Return the same board over some of its tasks."""
        kept = tuple(task for task, is_one in zip(self.tasks, tasks, strict=True) if is_one)
        return replace(
            self,
            tasks=kept,
            values=self.values[:, tasks],
            digits=self.digits[tasks],
            rows=self.rows[:, tasks],
            lower=self.lower[tasks],
            by_seed={seed: values[:, tasks] for seed, values in self.by_seed.items()},
        )

    @cached_property
    def missing(self) -> NDArray[np.int64]:
        """Count the tasks on which each system has no score."""
        missing: NDArray[np.int64] = np.isnan(self.values).sum(axis=1)
        return missing

    @cached_property
    def common(self) -> NDArray[np.bool_]:
        """Return for each task whether all systems have a score."""
        common: NDArray[np.bool_] = np.logical_not(np.isnan(self.values).any(axis=0))
        return common

    def holes(self, system: int) -> list[str]:
        """Name the tasks on which a system has no score."""
        return [self.tasks[task] for task in np.flatnonzero(np.isnan(self.values[system]))]


class Summaries(NamedTuple):
    """Numbers that a table has beside its scores: mean and rank of systems, and mean of tasks, by name."""

    means: Mapping[str, Summary] = MappingProxyType({})
    ranks: Mapping[str, Summary] = MappingProxyType({})
    task_means: Mapping[str, Summary] = MappingProxyType({})


_NONE = Summaries()


def board_of(
    scores: Iterable[Score],
    *,
    lower: Iterable[str] = (),
    systems: Sequence[str] = (),
    tasks: Sequence[str] = (),
    summaries: Summaries = _NONE,
    source: str = "",
    notes: Sequence[str] = (),
) -> Board:
    """Build a board from scores, at most one per system, task and seed.

    Args:
        lower: tasks on which a lower score is better.
        systems, tasks: in this order, those without a score, too; by default as they come.
    """
    found = list(scores)
    names = tuple(dict.fromkeys([*systems, *(score.system for score in found)]))
    asked = tuple(dict.fromkeys([*tasks, *(score.task for score in found)]))
    of_system = {name: place for place, name in enumerate(names)}
    of_task = {name: place for place, name in enumerate(asked)}
    shape = (len(names), len(asked))
    digits, rows = np.zeros(len(asked), dtype=np.int64), np.zeros(shape, dtype=np.int64)
    seeds = {seed: np.full(shape, np.nan) for seed in dict.fromkeys(score.seed for score in found)}
    for score in found:
        i, j = of_system[score.system], of_task[score.task]
        seeds[score.seed][i, j] = score.value
        rows[i, j] = score.rows
        digits[j] = max(digits[j], score.digits)
    values = _mean_of(list(seeds.values()), shape)
    below = set(lower)
    return Board(
        systems=names,
        tasks=asked,
        values=values,
        digits=digits,
        rows=rows,
        lower=np.array([task in below for task in asked], dtype=bool),
        places={(score.system, score.task): score.place for score in found},
        texts={(score.system, score.task): score.text for score in found if score.text},
        by_seed=seeds if len(seeds) > 1 else {},
        means=summaries.means,
        ranks=summaries.ranks,
        task_means=summaries.task_means,
        source=source,
        notes=tuple(notes),
    )


def _mean_of(tables: Sequence[FloatArray], shape: tuple[int, int]) -> FloatArray:
    """Return the mean of the tables over the values that are present."""
    if len(tables) == 1:
        return tables[0]
    total, count = np.zeros(shape), np.zeros(shape)
    for table in tables:
        there = ~np.isnan(table)
        total[there] += table[there]
        count += there
    with np.errstate(invalid="ignore"):
        mean: FloatArray = total / count
    return mean
