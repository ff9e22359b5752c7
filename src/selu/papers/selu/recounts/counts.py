"""Counts of right and wrong answers, and the scores that follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Matrix:
    """A confusion matrix of single-label answers.

    Attributes:
        cells: shape (classes, classes + 1): rows are true classes, columns are answers, the last column holds
            answers that name no class.
    """

    cells: NDArray[np.int64]

    @property
    def support(self) -> list[int]:
        """Rows of each true class."""
        return [int(number) for number in self.cells.sum(axis=1)]

    def f1(self) -> NDArray[np.float64]:
        """Return F1 of each class; 0 if a class is neither true nor answered."""
        return f1_of(self.cells)

    def macro_f1(self) -> float:
        """Return the mean of the classes' F1."""
        return float(self.f1().mean())

    def interval(self, draws: int, seed: int, level: float) -> tuple[float, float]:
        """Bootstrap macro F1 over test rows; percentile interval of the level.

        Rows are exchangeable, so that the matrix of a resample is one multinomial draw.
        """
        total = int(self.cells.sum())
        chances = self.cells.ravel() / total
        drawn = np.random.default_rng(seed).multinomial(total, chances, size=draws)
        return _percentiles(f1_of(drawn.reshape(draws, *self.cells.shape)).mean(axis=-1), level)


def f1_of(cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute F1 of each class; shape (..., classes, answers) -> (..., classes)."""
    classes = cells.shape[-2]
    right = np.diagonal(cells[..., :classes], axis1=-2, axis2=-1)
    denominator = cells.sum(axis=-1) + cells[..., :classes].sum(axis=-2)
    found: NDArray[np.float64] = np.divide(
        2.0 * right, denominator, out=np.zeros(right.shape), where=denominator > 0
    )
    return found


@dataclass(frozen=True, slots=True)
class Labels:
    """Counts of each label of a task where an item may have several.

    Attributes:
        right: items that have the label and were given it, by label.
        support: items that have it.
        answered: items that were given it; None where the file does not say (no item was given it rightly).
        answered_in_all: sum of ``answered``, where the file says it.
        rows: items in all; None where labels are given to spans of a text, which are no items of their own.
    """

    right: tuple[int, ...]
    support: tuple[int, ...]
    answered: tuple[int | None, ...]
    answered_in_all: int | None = None
    rows: int | None = None

    def f1(self) -> NDArray[np.float64]:
        """Return F1 of each label; 0 if it was never given correctly."""
        found = [
            2 * right / (support + answered) if right and answered is not None else 0.0
            for right, support, answered in zip(self.right, self.support, self.answered, strict=True)
        ]
        return np.array(found)

    def macro_f1(self) -> float:
        """Return the mean of the labels' F1."""
        return float(self.f1().mean())

    def micro_f1(self) -> float | None:
        """Return F1 over all labels together; None if the number of labels given is unknown."""
        if self.answered_in_all is None:
            return None
        return 2 * sum(self.right) / (sum(self.support) + self.answered_in_all)

    def interval(self, draws: int, seed: int, level: float) -> tuple[float, float] | None:
        """Bootstrap macro F1 over items, with labels drawn independently; percentile interval of the level.

        The counts say of each label how often it is right, missed and wrongly given, and not which labels go
        together in an item. Each label's counts in a resample are one multinomial draw, of its own.

        Returns:
            None where it is not known how many items there are.
        """
        if self.rows is None:
            return None
        rng = np.random.default_rng(seed)
        sums = np.zeros(draws)
        for right, support, answered in zip(self.right, self.support, self.answered, strict=True):
            if not right or answered is None:
                continue  # F1 is 0 in every resample
            wrong, missed = answered - right, support - right
            chances = np.array([right, wrong, missed, self.rows - right - wrong - missed]) / self.rows
            drawn = rng.multinomial(self.rows, chances, size=draws)
            denominator = 2 * drawn[:, 0] + drawn[:, 1] + drawn[:, 2]
            sums += np.divide(2.0 * drawn[:, 0], denominator, out=np.zeros(draws), where=denominator > 0)
        return _percentiles(sums / len(self.right), level)


def usual(counts: Iterable[tuple[str, Matrix | Labels]]) -> dict[str, list[int]]:
    """Return the items of each label of a task, as most of its counts have them."""
    seen: dict[str, Counter[tuple[int, ...]]] = {}
    for task, of_file in counts:
        seen.setdefault(task, Counter())[tuple(of_file.support)] += 1
    return {task: list(counter.most_common(1)[0][0]) for task, counter in seen.items()}


def _percentiles(scores: NDArray[np.float64], level: float) -> tuple[float, float]:
    tail = (1 - level) / 2
    low, high = np.quantile(scores, [tail, 1 - tail])
    return float(low), float(high)
