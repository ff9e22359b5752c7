"""Rows that published scores leave out, systems with one answer, F1 of classes: by the authors' counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from selu.papers.selu.recounts.counts import Labels, Matrix, usual
from selu.papers.selu.recounts.reading import Counted, Key

FEW = 0.01  # share of the rows: what so few could change is computed


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A published score whose file counts another number than most files of the task.

    Attributes:
        counted, expected: test rows; of entities, spans.
        spans: whether they are spans of a text, whose number depends on how a model cuts texts into tokens.
        score: macro F1 from the counts; None of spans.
        as_wrong: the score if the rows left out are answered wrongly; None where they are many, or spans.
    """

    task: str
    system: str
    counted: int
    expected: int
    spans: bool
    score: float | None
    as_wrong: float | None


def left_out(files: Mapping[Key, Counted]) -> list[LeftOut]:
    """List the published scores that count other rows than most of their task, in the order of the files."""
    supports, found = _supports(files), []
    for file in files.values():
        expected = supports[file.task]
        if file.counts is None or list(file.counts.support) == expected:
            continue
        single = isinstance(file.counts, Matrix)
        found.append(
            LeftOut(
                file.task,
                file.system,
                sum(file.counts.support),
                sum(expected),
                not single,
                file.counts.macro_f1() if single else None,
                _as_wrong(file.counts, expected),
            )
        )
    return found


def _supports(files: Mapping[Key, Counted]) -> Mapping[str, list[int]]:
    """Return the items of each label of a task, as most files of the task count them."""
    return usual((file.task, file.counts) for file in files.values() if file.counts is not None)


def _as_wrong(counts: Matrix | Labels, expected: list[int]) -> float | None:
    """Score a matrix with the missing rows added as answers that name no class."""
    missing = np.array(expected) - np.array(counts.support)
    if not isinstance(counts, Matrix) or (missing < 0).any() or missing.sum() > FEW * sum(expected):
        return None
    cells = counts.cells.copy()
    cells[:, -1] += missing
    return Matrix(cells).macro_f1()


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
            label = int(file.counts.cells.sum(axis=0).argmax()) if isinstance(file.counts, Matrix) else None
            found.append(OneAnswer(file.task, file.system, label, file.counts.macro_f1()))
    return found


def dead(files: Mapping[Key, Counted]) -> list[Dead]:
    """List classes that no answer, or no right one, names; systems with one answer are left out."""
    found = []
    for file in files.values():
        if (counts := file.counts) is None or one_answer(counts):
            continue
        if isinstance(counts, Labels):  # of wrong answers it is not always known whom they name
            answered, hit = counts.answered, [bool(right) for right in counts.right]
        else:
            answered = tuple(int(number) for number in counts.cells.sum(axis=0))
            hit = [bool(number) for number in answered]
        found += [
            Dead(file.task, file.system, label, support, answered[label])
            for label, support in enumerate(counts.support)
            if support and not hit[label]
        ]
    return found


@dataclass(frozen=True, slots=True)
class ClassScore:
    """F1 of a class in a published score. ``label`` is its place among the task's labels."""

    task: str
    label: int
    system: str
    f1: float


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a class in the differences between systems on a task.

    Attributes:
        label: its place among the task's labels.
        support: rows of the test part that have it.
        rows: its share of the task's supports.
        share: covariance of its F1 with the macro F1 over systems, divided by the number of classes and by the
            variance of the macro F1. A task's shares sum to 1; one below 0 runs against the others.
        lowest, highest: F1 over systems.
    """

    task: str
    label: int
    support: int
    rows: float
    share: float
    lowest: float
    median: float
    highest: float


def class_scores(files: Mapping[Key, Counted]) -> list[ClassScore]:
    """List the F1 of each class of each score, in the order of the files."""
    return [
        ClassScore(file.task, label, file.system, float(f1))
        for file in files.values()
        if file.counts is not None
        for label, f1 in enumerate(file.counts.f1())
    ]


def shares(files: Mapping[Key, Counted]) -> list[Share]:
    """List each class's share in the differences between the systems of a task, by task and class.

    Tasks on which all systems score the same are left out.
    """
    found = []
    for task, support in _supports(files).items():
        f1 = np.array([file.counts.f1() for file in files.values() if file.task == task and file.counts])
        centred = f1 - f1.mean(axis=0)
        macro = centred.mean(axis=1)
        variance = float(macro @ macro)
        if not variance:
            continue
        parts = centred.T @ macro / (len(support) * variance)
        found += [
            Share(
                task,
                label,
                rows,
                rows / sum(support),
                float(parts[label]),
                float(f1[:, label].min()),
                float(np.median(f1[:, label])),
                float(f1[:, label].max()),
            )
            for label, rows in enumerate(support)
        ]
    return found
