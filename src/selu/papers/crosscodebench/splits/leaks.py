"""Leaks of a split: rows of evaluation tasks that training tasks have, too, in either direction.

Texts are compared as the audits of all data sets compare them (``selu.splits.duplicates``): exact duplicates
are equal but for case and blanks, near duplicates share most of their word shingles. Only the instances count
that the authors' scripts read: the first 10,000 of a training task, the first 500 of an evaluation task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from selu.papers.crosscodebench.collection.instances import Instance, joined
from selu.papers.crosscodebench.splits.configurations import EVALUATION_CAP, TRAINING_CAP, Split

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from selu.splits.settings import DataSettings

Pairs = Sequence[tuple[str, str]]  # input and output of the instances of a task, in published order
WAYS = ("exact input", "exact pair", "reversed pair", "near input", "near either way")


@dataclass(frozen=True, slots=True)
class Groups:
    """Texts of a task by number: equal texts have equal ones, in all tasks; shape (instances, 2).

    The columns are input and output.
    """

    exact: NDArray[np.int64]
    near: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Leak:
    """A split: how many of its rows are here, and how many evaluation rows training has, by way.

    Attributes:
        tuned, evaluated: tasks that have rows here.
        training, rows: instances of these, capped.
        found: evaluation rows that a training row equals, by ``WAYS``.
        by_task: the same by evaluation task, with its rows.
        dropped: training rows that equal or nearly equal an evaluation row.
    """

    split: str
    tuned: int
    evaluated: int
    training: int
    rows: int
    found: Mapping[str, int]
    by_task: Mapping[str, Mapping[str, int]]
    dropped: int


def pairs_of(instances: Iterable[Instance]) -> list[tuple[str, str]]:
    """Return the texts of instances, as models are shown them."""
    return [(joined(instance.input), joined(instance.output)) for instance in instances]


def group(tasks: Mapping[str, Pairs], settings: DataSettings) -> dict[str, Groups]:
    """Group the texts of all tasks, at most 10,000 instances of each."""
    from selu.splits import duplicates

    capped = {name: pairs[:TRAINING_CAP] for name, pairs in tasks.items()}
    texts = [text for pairs in capped.values() for pair in pairs for text in pair]
    found = duplicates.find(texts, settings)
    ends = np.cumsum([2 * len(pairs) for pairs in capped.values()])[:-1]
    parts = zip(np.split(found.exact, ends), np.split(found.near, ends), strict=True)
    return {
        name: Groups(exact.reshape(-1, 2), near.reshape(-1, 2))
        for name, (exact, near) in zip(capped, parts, strict=True)
    }


def measure(split: Split, groups: Mapping[str, Groups]) -> Leak:
    """Count the evaluation rows of a split that its training rows have, too."""
    tune = [groups[task.id] for task in split.tune if task.id in groups]
    names = [task.id for task in split.eval if task.id in groups]
    trained = _joined(tune)
    by_task, marks = {}, []
    for name in names:
        own = Groups(groups[name].exact[:EVALUATION_CAP], groups[name].near[:EVALUATION_CAP])
        found = _compare(own, trained)
        by_task[name] = {"rows": len(own.exact)} | {way: int(mark.sum()) for way, mark in found.items()}
        marks.append(own)
    evaluated = _joined(marks)
    return Leak(
        split.name,
        len(tune),
        len(names),
        len(trained.exact),
        len(evaluated.exact),
        {way: sum(counts[way] for counts in by_task.values()) for way in WAYS},
        by_task,
        int(_compare(trained, evaluated)["near either way"].sum()),
    )


def _joined(parts: Sequence[Groups]) -> Groups:
    empty = np.empty((0, 2), dtype=np.int64)
    return Groups(
        np.concatenate([empty, *(part.exact for part in parts)]),
        np.concatenate([empty, *(part.near for part in parts)]),
    )


def _compare(own: Groups, other: Groups) -> dict[str, NDArray[np.bool_]]:
    """Mark the rows of ``own`` that ``other`` has; near either way: an input that is its input or output."""
    return {
        "exact input": np.isin(own.exact[:, 0], other.exact[:, 0]),
        "exact pair": _pairs_in(own.exact, other.exact),
        "reversed pair": _pairs_in(own.exact, other.exact[:, ::-1]),
        "near input": np.isin(own.near[:, 0], other.near[:, 0]),
        "near either way": np.isin(own.near[:, 0], other.near),
    }


def _pairs_in(own: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
    width = 1 + max(int(own.max(initial=0)), int(other.max(initial=0)))
    return np.isin(own[:, 0] * width + own[:, 1], other[:, 0] * width + other[:, 1])


def between(groups: Mapping[str, Groups]) -> list[dict[str, str | int]]:
    """Compare every two tasks: the rows of the first that the second has, where there are any."""
    found: list[dict[str, str | int]] = []
    for task, own in groups.items():
        for other, theirs in groups.items():
            if task != other:
                counts = {way: int(mark.sum()) for way, mark in _compare(own, theirs).items()}
                if any(counts.values()):
                    found.append({"task": task, "other": other, "rows": len(own.exact), **counts})
    return found
