"""Systems that give all rows one answer, and classes that they never answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from selu.papers.selu.recounts.counts import Labels, Matrix
from selu.papers.selu.recounts.reading import Counted, Key


@dataclass(frozen=True, slots=True)
class OneAnswer:
    """A published score of a system that gives all rows of a task one answer.

    Attributes:
        label: its place among the task's labels; None of a multi-label task, where no label is given rightly.
        score: from the counts.
    """

    task: str
    system: str
    label: int | None
    score: float


@dataclass(frozen=True, slots=True)
class Dead:
    """A class that a system never answers, or a label that it never gives correctly, though rows have it.

    Attributes:
        label: its place among the task's labels.
        support: rows, or spans, that have it.
        answered: how often it was answered; None where the file does not say it, and no answer was right.
    """

    task: str
    system: str
    label: int
    support: int
    answered: int | None


def one_answer(counts: Matrix | Labels) -> bool:
    """Return whether all rows were given one class, or no label is ever correct."""
    if isinstance(counts, Labels):
        return not any(counts.right)
    return int((counts.cells.sum(axis=0) > 0).sum()) == 1


def one_answers(files: Mapping[Key, Counted]) -> list[OneAnswer]:
    """List the published scores of systems that give all rows one answer."""
    found = []
    for file in files.values():
        if file.counts is not None and one_answer(file.counts):
            single = isinstance(file.counts, Matrix)
            label = int(file.counts.cells.sum(axis=0).argmax()) if isinstance(file.counts, Matrix) else None
            found.append(OneAnswer(file.task, file.system, label if single else None, file.counts.macro_f1()))
    return found


def dead(files: Mapping[Key, Counted]) -> list[Dead]:
    """List classes that no answer, or no right one, names; systems with one answer are left out."""
    found = []
    for file in files.values():
        if file.counts is None or one_answer(file.counts):
            continue
        for label, support in enumerate(file.counts.support):
            if support and _never(file.counts, label):
                found.append(Dead(file.task, file.system, label, support, _answered(file.counts, label)))
    return found


def _never(counts: Matrix | Labels, label: int) -> bool:
    """Return whether a class is never answered, or a label never given correctly (wrong ones are unknown)."""
    if isinstance(counts, Labels):
        return not counts.right[label]
    return not counts.cells[:, label].any()


def _answered(counts: Matrix | Labels, label: int) -> int | None:
    if isinstance(counts, Labels):
        return counts.answered[label]
    return int(counts.cells[:, label].sum())
