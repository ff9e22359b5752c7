"""Several answers to the same test rows, scored jointly on resamples of these rows and on a part of them.

``bootstrap`` draws the score of one. Here all runs of a cell meet on the same resampled rows, so that means
over seeds and differences between systems or test sets keep what their errors share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from selu.metrics import classification, multi_label, regression
from selu.metrics.bootstrap import blocks
from selu.metrics.counts import Counts, score
from selu.metrics.evaluate import evaluate
from selu.metrics.percentiles import Resampling

FloatArray = NDArray[np.float64]


class Drawn(NamedTuple):
    """Scores of several answers: on all rows and on the kept ones, in full and on each resample.

    Attributes:
        full, kept: shape (answers,), of the sample itself.
        full_draws, kept_draws: shape (answers, draws).
    """

    full: FloatArray
    kept: FloatArray
    full_draws: FloatArray
    kept_draws: FloatArray


def draw(
    kind: str,
    truth: Sequence[object],
    answers: Sequence[Sequence[object]],
    kept: Sequence[bool],
    labels: int,
    name: str,
    draws: Resampling,
) -> Drawn:
    """Score every answer on the same resamples of the rows.

    Args:
        kind: binary, multi_class, multi_label or regression.
        truth: shape (rows,), or (rows, labels).
        answers: of each run, shaped like ``truth``.
        kept: rows of the smaller test set; a resample's share of it varies as it would with other rows.
        labels: number of declared labels.
        name: a score that is one number.
        draws: resamples, and the seed of numpy's default generator.

    Raises:
        ValueError: as ``evaluate.evaluate``, or there are no rows.
    """
    inside = np.asarray(kept, dtype=bool)
    full = [evaluate(kind, truth, given, labels)[name] for given in answers]
    part = [
        evaluate(kind, _only(truth, inside), _only(given, inside), labels)[name] if inside.any() else np.nan
        for given in answers
    ]
    rng = np.random.default_rng(draws.seed)
    if kind == "regression":
        found = _draw_means(truth, answers, inside, name, draws.draws, rng)
    else:
        found = _draw_counts(_contributions(kind, truth, answers, labels), inside, name, draws.draws, rng)
    return Drawn(np.array(full), np.array(part), *found)


def _only(values: Sequence[object], inside: NDArray[np.bool_]) -> list[object]:
    return [value for value, keep in zip(values, inside, strict=True) if keep]


def _contributions(
    kind: str, truth: Sequence[Any], answers: Sequence[Sequence[Any]], labels: int
) -> list[Counts]:
    if kind == "multi_label":
        each = [multi_label.checked(truth, given, labels) for given in answers]
        return [multi_label.contributions(*checked) for checked in each]
    pairs = [classification.checked(truth, given, labels) for given in answers]
    return [classification.contributions(*checked, labels) for checked in pairs]


def _draw_counts(
    parts: list[Counts], inside: NDArray[np.bool_], name: str, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw by counts per distinct row: whole numbers, so the sums are exact in any order."""
    flat = [np.concatenate([p.hits, p.predicted, p.actual, p.right[:, None]], axis=1) for p in parts]
    rows, repeats = np.unique(
        np.concatenate([~inside[:, None], *flat], axis=1).astype(np.int8), axis=0, return_counts=True
    )
    kept, matrix = int((rows[:, 0] == 0).sum()), rows[:, 1:].astype(np.float64)  # the kept ones come first
    total, width, classes = int(repeats.sum()), flat[0].shape[1], parts[0].hits.shape[1]

    def scored(weights: FloatArray) -> FloatArray:
        sums, number = weights @ matrix[: weights.shape[1]], weights.sum(axis=1)
        return np.array([score(_counts(sums[:, i * width :], number, classes), name) for i in range(len(flat))])

    found = np.empty((2, len(parts), draws))
    for block in blocks(draws, len(repeats)):
        weights = rng.multinomial(total, repeats / total, size=block.stop - block.start).astype(np.float64)
        found[0, :, block], found[1, :, block] = scored(weights), scored(weights[:, :kept])
    return found[0], found[1]


def _counts(sums: FloatArray, rows: FloatArray, classes: int) -> Counts:
    hits, predicted, actual = (sums[:, start * classes : (start + 1) * classes] for start in range(3))
    return Counts(hits, predicted, actual, sums[:, 3 * classes], rows)


def _draw_means(
    truth: Sequence[Any],
    answers: Sequence[Sequence[Any]],
    inside: NDArray[np.bool_],
    name: str,
    draws: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Draw row by row, summing along a row of memory, whose order does not depend on the machine."""
    losses, valid = [], []
    for given in answers:
        known, answered, fine = regression.checked(truth, given)
        losses.append(regression.loss(known, np.where(fine, answered, known), name))
        valid.append(fine)
    order = np.lexsort([inside, *losses, *valid])
    found = np.full((2, len(answers), draws), np.nan)
    for block in blocks(draws, len(order)):
        picked = order[rng.integers(0, len(order), size=(block.stop - block.start, len(order)))]
        keep = inside[picked]
        for place, (loss, fine) in enumerate(zip(losses, valid, strict=True)):
            lost, counted = loss[picked], fine[picked]
            for part, mask in enumerate((counted, counted & keep)):
                number = mask.sum(axis=1).astype(np.float64)
                np.divide((lost * mask).sum(axis=1), number, out=found[part, place, block], where=number > 0)
    root: Callable[[FloatArray], FloatArray] = np.sqrt if name == "rmse" else np.asarray
    return root(found[0]), root(found[1])
