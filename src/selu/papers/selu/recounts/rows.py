"""Rows of the test part that a published score leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from selu.papers.selu.recounts.counts import Labels, Matrix
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
    usual = supports(files)
    found = []
    for file in files.values():
        expected = usual[file.task]
        if file.counts is None or file.counts.support == expected or list(file.counts.support) == expected:
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


def supports(files: Mapping[Key, Counted]) -> Mapping[str, list[int]]:
    """Return the items of each label of a task, as most files of the task count them."""
    seen: dict[str, Counter[tuple[int, ...]]] = {}
    for file in files.values():
        if file.counts is not None:
            seen.setdefault(file.task, Counter())[tuple(file.counts.support)] += 1
    return {task: list(counter.most_common(1)[0][0]) for task, counter in seen.items()}


def _as_wrong(counts: Matrix | Labels, expected: list[int]) -> float | None:
    """Score a matrix with the missing rows added as answers that name no class."""
    missing = np.array(expected) - np.array(counts.support)
    if not isinstance(counts, Matrix) or (missing < 0).any() or missing.sum() > FEW * sum(expected):
        return None
    cells = counts.cells.copy()
    cells[:, -1] += missing
    return Matrix(cells).macro_f1()
