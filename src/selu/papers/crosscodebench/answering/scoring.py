"""Scores of answers: by task with intervals, by type and over all, pooled as published and macro by task.

An interval is drawn by resampling the rows of each task. Answers and references are cut as the paper's models
cut them, to 256 tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from selu.metrics.percentiles import Resampling
from selu.papers.crosscodebench import metrics
from selu.papers.crosscodebench.answering.rows import TaskRows
from selu.papers.crosscodebench.formats import CHARACTERS, TARGET
from selu.papers.crosscodebench.records import MeanScores, RowScores, Scores, SystemScores, TypeScores

METRICS = tuple(metrics.BY_ROW)
ALL = "All types"
_Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of a task's rows, a column for each of ``METRICS``.

    Attributes:
        batches: of each row, the number of what is drawn together; without, rows are drawn one by one.
    """

    task: TaskRows
    rows: tuple[int, ...]
    values: _Array
    batches: tuple[int, ...] = ()


def score(task: TaskRows, rows: Sequence[int], texts: Sequence[str]) -> Scored:
    """Score answers to some rows of a task."""
    most = TARGET * CHARACTERS
    given, expected = [text[:most] for text in texts], [task.outputs[row][:most] for row in rows]
    values = np.array([metric(given, expected) for metric in metrics.BY_ROW.values()], dtype=np.float64)
    return Scored(task, tuple(rows), values.T)


class Resampled:
    """Means of tasks over resampled rows, each task with a random stream of its own."""

    def __init__(self, draws: Resampling) -> None:
        self._draws = draws
        self._kept: dict[Scored, _Array] = {}  # a task is drawn once, in however many means it is

    def task(self, scored: Scored) -> RowScores:
        """Summarize a task: its rows, and each metric with its interval."""
        return {
            "rows": len(scored.rows),
            "scores": self._bounded(scored.values.mean(axis=0), self._means(scored)),
        }

    def together(self, every: Sequence[Scored], weights: str, of_tasks: bool = False) -> MeanScores:
        """Summarize several tasks: ``pooled``, each row alike, or ``macro``, each task alike.

        Args:
            of_tasks: whether tasks are drawn, too, and then rows of those drawn.
        """
        sizes = np.array([len(scored.rows) for scored in every], dtype=np.float64)
        share = sizes / sizes.sum() if weights == "pooled" else np.full(len(every), 1 / len(every))
        value = share @ np.array([scored.values.mean(axis=0) for scored in every])
        shares = np.broadcast_to(share, (self._draws.draws, len(every)))
        if of_tasks:
            drawn = np.random.default_rng(self._draws.seed).multinomial(
                len(every), np.full(len(every), 1 / len(every)), size=self._draws.draws
            )
            shares = drawn * share / (drawn * share).sum(axis=1, keepdims=True)
        means = np.einsum("dt,tdm->dm", shares, np.array([self._means(scored) for scored in every]))
        return {"tasks": len(every), "rows": int(sizes.sum()), "scores": self._bounded(value, means)}

    def _means(self, scored: Scored) -> _Array:
        if scored not in self._kept:
            self._kept[scored] = self._drawn(scored)
        return self._kept[scored]

    def _drawn(self, scored: Scored) -> _Array:
        rng = np.random.default_rng([self._draws.seed, crc32(scored.task.id.encode())])
        names, of_row = np.unique(scored.batches or range(len(scored.rows)), return_inverse=True)
        share = np.full(len(names), 1 / len(names))
        chosen = rng.multinomial(len(names), share, size=self._draws.draws)[:, of_row]
        found: _Array = chosen / chosen.sum(axis=1, keepdims=True) @ scored.values
        return found

    def _bounded(self, value: _Array, means: _Array) -> Scores:
        tail = (1 - self._draws.level) / 2
        low, high = np.quantile(means, [tail, 1 - tail], axis=0)
        return {
            name: {"value": float(value[at]), "low": float(low[at]), "high": float(high[at])}
            for at, name in enumerate(METRICS)
        }


def by_type(every: Sequence[Scored], resampled: Resampled) -> list[TypeScores]:
    """Summarize tasks by type, and over all, in both ways."""
    groups: dict[str, list[Scored]] = {}
    for scored in every:
        groups.setdefault(scored.task.entry.type, []).append(scored)
    if len(groups) > 1:
        groups[ALL] = list(every)
    return [
        {"type": name, "mean": way, **resampled.together(some, way)}
        for name, some in groups.items()
        for way in ("pooled", "macro")
    ]


def difference(base: Scored, other: Scored) -> Scored:
    """Subtract row by row: what the second has more than the first, on the rows of both."""
    common = [row for row in base.rows if row in set(other.rows)]
    first, second = (scored.values[[scored.rows.index(row) for row in common]] for scored in (base, other))
    return Scored(base.task, tuple(common), second - first)


def as_record(systems: Mapping[str, Sequence[Scored]], resampled: Resampled) -> list[SystemScores]:
    """Summarize systems: tasks one by one, and together."""
    return [
        {
            "system": name,
            "tasks": [
                {"task": scored.task.id, "type": scored.task.entry.type, **resampled.task(scored)}
                for scored in every
            ],
            "types": by_type(every, resampled),
        }
        for name, every in systems.items()
    ]
