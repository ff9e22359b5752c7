"""F1 of each class of each published score, and which classes separate the systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from selu.papers.selu.recounts.reading import Counted, Key
from selu.papers.selu.recounts.rows import supports


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
    usual = supports(files)
    found = []
    for task, support in usual.items():
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
