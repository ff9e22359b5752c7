"""L, F and related questions: how well related pairs of texts are separated from unrelated ones.

t grows with the number of pairs; gap, effect size and AUC do not, so that they stand beside it everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from selu.vocabulary import SeluError

Scores = Mapping[str, float]
CLASSES = ("direct", "indirect", "duplicate", "isolated")  # of related questions (Shirani et al., 2019)


def separator(related: ArrayLike, distance: ArrayLike) -> Callable[[NDArray[Any]], Scores]:
    """Prepare the scores of pairs, each weighted by a given count.

    The scores are ``near`` and ``far``, the means of related and of unrelated pairs; ``gap``, their difference;
    ``t`` with pooled variance, and its two-sided ``p``; ``effect``, Cohen's d; ``auc``, the probability that a
    related pair is nearer than an unrelated one, ties by half. Gap, t and effect are above 0 and AUC above 0.5
    where related pairs are the nearer ones. They are nan where a class has fewer than two pairs, and t and
    effect where no class varies.

    Args:
        related: whether each pair is, shape (pairs,).
        distance: of each pair, shape (pairs,).

    Raises:
        SeluError: lengths differ, a label is neither 0 nor 1, or a distance is not finite.
    """
    labels, near = np.asarray(related, dtype=np.float64), np.asarray(distance, dtype=np.float64)
    if labels.shape != near.shape or labels.ndim != 1:
        raise SeluError(f"{near.size} distances for {labels.size} labels: give one for each pair.")
    if not np.isin(labels, (0, 1)).all():
        raise SeluError("a pair is labelled neither 0 (unrelated) nor 1 (related): correct the file.")
    if not np.isfinite(near).all():
        raise SeluError("the distance of a pair is not a finite number: encode it anew or leave it out.")
    values, place = np.unique(near, return_inverse=True)

    def score(counts: NDArray[Any]) -> Scores:
        ones = np.bincount(place, counts * labels, values.size)
        others = np.bincount(place, counts * (1 - labels), values.size)
        return _score(values, ones, others)

    return score


def _score(values: NDArray[Any], ones: NDArray[Any], others: NDArray[Any]) -> Scores:
    """Score distances that occur so often among related and among unrelated pairs."""
    from scipy.special import stdtr

    n1, n0 = ones.sum(), others.sum()
    if min(n1, n0) < 2:
        return dict.fromkeys(("near", "far", "gap", "t", "p", "effect", "auc"), float("nan"))
    near, far = ones @ values / n1, others @ values / n0
    squares = ones @ (values - near) ** 2 + others @ (values - far) ** 2
    spread = np.sqrt(squares / (n1 + n0 - 2))
    effect = (far - near) / spread if spread > 0 else float("nan")
    t_value = effect / np.sqrt(1 / n1 + 1 / n0)
    farther = n0 - np.cumsum(others) + others / 2
    found = {
        "near": near,
        "far": far,
        "gap": far - near,
        "t": t_value,
        "p": 2 * stdtr(n1 + n0 - 2, -abs(t_value)),
    }
    found |= {"effect": effect, "auc": ones @ farther / (n1 * n0)}
    return {name: float(value) for name, value in found.items()}


def separate(related: ArrayLike, distance: ArrayLike) -> Scores:
    """Score pairs, each once; arguments, scores and errors as in ``separator``."""
    return separator(related, distance)(np.ones(np.size(distance)))


def evaluate(truth: Sequence[Any], answers: Sequence[Any], _labels: Sequence[str] = ()) -> Scores:
    """Score labels (1 related, 0 unrelated) against distances."""
    return separate(truth, answers)


def evaluate_classes(truth: Sequence[str], answers: Sequence[float], _labels: Sequence[str] = ()) -> Scores:
    """Score related questions: mean distance of each class, and each of the three against isolated pairs.

    Raises:
        SeluError: a class is none of the four, or as in ``separator``.
    """
    if strange := sorted(set(truth) - set(CLASSES)):
        raise SeluError(f"the class {strange[0]!r} is none of {', '.join(CLASSES)}: correct the file.")
    classes, near = np.array(truth), np.asarray(answers, dtype=np.float64)
    found: dict[str, float] = {}
    for name in CLASSES:
        mine = classes == name
        found[f"mean_{name}"] = float(near[mine].mean()) if mine.any() else float("nan")
        if name != CLASSES[-1]:
            compared = mine | (classes == CLASSES[-1])
            scores = separate(mine[compared], near[compared])
            found |= {f"{key}_{name}": scores[key] for key in ("t", "effect", "auc")}
    return found
