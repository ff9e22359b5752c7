"""Counts and F1 of several answers to the same test rows, in full and on the same resamples of them.

Issues are resampled within their repository. A comment sentence stands in several categories of its language:
it is drawn once for all of them, so that means over categories keep what their errors share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from selu.metrics.counts import ratio

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Answers = Mapping[str, Mapping[str, IntArray]]  # entrant -> place -> shape (seeds, rows)
_BLOCK = 1 << 21  # numbers drawn at once


@dataclass(frozen=True)
class Question:
    """The test rows of one place.

    Attributes:
        place: repository, or category of a language.
        stratum: what is resampled by itself: the repository, or the language.
        units: shape (rows,), number of what is drawn as a whole: an issue, or a sentence.
        truth: shape (rows,), label indices.
        classes: the labels that are scored.
    """

    place: str
    stratum: str
    units: IntArray
    truth: IntArray
    classes: tuple[int, ...]


class Scores(NamedTuple):
    """Of each scored class, shape (classes,), the mean over seeds."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray


def scores(question: Question, answers: IntArray) -> Scores:
    """Return precision, recall and F1 of each class, one against the rest; 0 if the divisor is 0.

    Args:
        answers: shape (seeds, rows).
    """
    given = np.equal.outer(answers, question.classes)
    known = np.equal.outer(question.truth, question.classes)
    hits, predicted = (given & known).sum(axis=1), given.sum(axis=1)
    actual = np.broadcast_to(known.sum(axis=0), hits.shape)
    pairs = (hits, predicted), (hits, actual), (2 * hits, predicted + actual)
    return Scores(*(ratio(*pair).mean(axis=0) for pair in pairs))


def f1_draws(
    questions: Sequence[Question], answers: Answers, draws: int, seed: int
) -> Mapping[tuple[str, str], FloatArray]:
    """Return F1 of each class on resamples, shape (draws, classes), averaged over seeds, by (entrant, place).

    Each stratum has a random stream of its own, and what is drawn depends on its units alone: another entrant
    changes nobody's draws.

    Raises:
        ValueError: a question without rows.
    """
    found = {}
    for number, stratum in enumerate(dict.fromkeys(question.stratum for question in questions)):
        own = [question for question in questions if question.stratum == stratum]
        columns, places = _columns(own, answers)
        sums = _sums(columns, draws, np.random.default_rng((seed, number)))
        for question in own:
            actual = sums[:, places["", question.place]]
            for entrant, answer in answers.items():
                if question.place in answer:
                    part = sums[:, places[entrant, question.place]]
                    counts = part.reshape(draws, 2, -1, len(question.classes))
                    f1 = ratio(2 * counts[:, 0], counts[:, 1] + actual[:, None])
                    found[entrant, question.place] = f1.mean(axis=1)
    return found


def _columns(
    questions: Sequence[Question], answers: Answers
) -> tuple[FloatArray, Mapping[tuple[str, str], slice[int, int, None]]]:
    """Return what each unit adds to the counts, shape (units, columns), and the columns by (entrant, place).

    Without an entrant stand the rows of each class; of an entrant first the hits, then the predicted rows, of
    every seed and class.
    """
    units = 1 + max(int(question.units.max()) for question in questions)
    blocks: list[NDArray[Any]] = []
    places, start = {}, 0
    for question in questions:
        known = np.equal.outer(question.truth, question.classes)
        parts = {"": known}
        for entrant, answer in answers.items():
            if question.place in answer:
                given = np.equal.outer(answer[question.place].T, question.classes)
                counts = np.stack([given & known[:, None], given], axis=1)
                parts[entrant] = counts.reshape(len(known), -1)
        for entrant, part in parts.items():
            block = np.zeros((units, part.shape[1]))
            np.add.at(block, question.units, part)
            blocks.append(block)
            places[entrant, question.place] = slice(start, start + part.shape[1])
            start += part.shape[1]
    return np.concatenate(blocks, axis=1), places


def _sums(columns: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """Return column sums of each resample, shape (draws, columns): whole numbers, exact in any order."""
    units = len(columns)
    found = np.empty((draws, columns.shape[1]))
    size = max(1, _BLOCK // units)
    for start in range(0, draws, size):
        number = min(size, draws - start)
        picked = rng.integers(0, units, size=(number, units)) + np.arange(number)[:, None] * units
        weights = np.bincount(picked.ravel(), minlength=number * units).reshape(number, units)
        found[start : start + number] = weights.astype(np.float64) @ columns
    return found
