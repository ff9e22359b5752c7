"""R: how well answers are ordered by votes when they are ranked by distance to the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from selu.vocabulary import SeluError

FloatArray = NDArray[np.float64]


class Ranked(NamedTuple):
    """One question: reciprocal rank of its best answer, and NDCG (nan where no answer has a vote)."""

    reciprocal_rank: float
    ndcg: float


def read_votes(votes: Sequence[float | None]) -> FloatArray:
    """Return the votes of a question's answers; missing ones count 0.

    Raises:
        SeluError: there is no answer, or votes are negative.
    """
    found = np.array([0.0 if vote is None or vote != vote else vote for vote in votes])
    if not found.size:
        raise SeluError("a question has no answers: leave it out.")
    if (found < 0).any():
        raise SeluError(f"an answer has {found.min():g} votes: NDCG takes none below 0, so count them as 0.")
    return found


def rank(votes: Sequence[float | None], distances: ArrayLike) -> Ranked:
    """Score the order of one question's answers, the nearest first.

    Gain is the raw votes, discount log2(rank + 1). Answers at the same distance share their places: scores are
    then the expected ones of a random order among them. Where several answers share the most votes, the
    reciprocal rank is the mean of theirs. Neither depends on the order in which answers are given.

    Args:
        votes: of each answer.
        distances: of each answer to the question, shape (answers,).

    Raises:
        SeluError: their numbers differ, a distance is not a number, or as in ``read_votes``.
    """
    gains, near = read_votes(votes), np.asarray(distances, dtype=np.float64)
    if near.shape != gains.shape:
        raise SeluError(f"{near.size} distances for {gains.size} answers: give one for each.")
    if not np.isfinite(near).all():
        raise SeluError("the distance of an answer is not a finite number: encode it anew or leave it out.")
    _, group, sizes = np.unique(near, return_inverse=True, return_counts=True)
    starts = np.cumsum(sizes) - sizes

    def shared(values: FloatArray) -> FloatArray:
        means: FloatArray = (np.add.reduceat(values, starts) / sizes)[group]
        return means

    places = np.arange(1.0, gains.size + 1)
    discounts = 1 / np.log2(places + 1)
    ideal = float(np.sort(gains)[::-1] @ discounts)
    found = float(gains @ shared(discounts))
    best = shared(1 / places)[gains == gains.max()]
    return Ranked(float(best.mean()), found / ideal if ideal > 0 else float("nan"))


def average(questions: Sequence[Ranked]) -> dict[str, float | int]:
    """Average over questions, with standard errors of the means; NDCG over those that have a vote.

    Raises:
        SeluError: there are none.
    """
    if not questions:
        raise SeluError("there are no questions: give some.")
    reciprocal = np.array([question.reciprocal_rank for question in questions])
    gains = np.array([question.ndcg for question in questions])
    gains = gains[~np.isnan(gains)]
    return {
        "mrr": float(reciprocal.mean()),
        "mrr_se": _error(reciprocal),
        "ndcg": float(gains.mean()) if gains.size else float("nan"),
        "ndcg_se": _error(gains),
        "questions": len(questions),
        "skipped": len(questions) - gains.size,
    }


def _error(values: FloatArray) -> float:
    """Return the standard error of a mean; nan for fewer than two values."""
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else float("nan")


def random_order(votes: Sequence[Sequence[float | None]]) -> dict[str, float | int]:
    """Return the expected scores of answers in random order: exact, nothing is drawn."""
    return average([rank(each, np.zeros(len(each))) for each in votes])


def evaluate(
    truth: Sequence[Sequence[float | None]], answers: Sequence[ArrayLike], _labels: Sequence[str] = ()
) -> Mapping[str, float | int]:
    """Score votes against distances, a list of each for every question, and beside it a random order."""
    found = average([rank(votes, near) for votes, near in zip(truth, answers, strict=True)])
    random = random_order(truth)
    return found | {"mrr_random": random["mrr"], "ndcg_random": random["ndcg"]}
