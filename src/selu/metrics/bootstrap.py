"""Percentile intervals of a score over resampled rows (Efron 1979).

A score of counts is made of sums over rows. It sees a resample only through how often each distinct row is in
it (rows that add the same to these sums are one), and those numbers are multinomial. Drawing them directly
gives exactly the distribution that drawing row by row gives, at a cost that grows with the distinct rows only.
Mean losses, which hardly repeat, are drawn row by row. Rows are first put in an order of their values, so
their own order does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selu.metrics import classification, entities, masked, multi_label, percentiles, regression
from selu.metrics.counts import Counts, averaged, ratio, terms
from selu.metrics.evaluate import check

FloatArray = NDArray[np.float64]

_BLOCK = 1 << 18  # numbers drawn at once
_CODES = 1 << 62
_RARE = 16  # a binomial number costs about as much as this many rows drawn one by one


def interval(
    kind: str,
    truth: Any,
    predicted: Any,
    labels: int | Sequence[str],
    name: str,
    resampling: percentiles.Resampling,
) -> percentiles.Bounds:
    """Draw a percentile bootstrap interval of one score over rows (sequences of entities, masked tokens).

    Args:
        kind, truth, predicted, labels: as ``evaluate.evaluate``.
        name: a score of that kind which is one number; not ``invalid``.
        resampling: each resample has as many rows as there are.

    Returns:
        the bounds, of the unit of the score. A mean loss is taken over the valid answers of each resample;
        resamples without any are left out.

    Raises:
        ValueError: as ``evaluate``, no rows, or a name, an invalid number of draws or level.
    """
    check(kind, labels)
    if len(truth) == 0:
        raise ValueError("there are no rows to resample")
    draws, seed, level = resampling
    if draws < 1 or not 0 < level < 1:
        raise ValueError(f"an interval needs at least one draw and a level in (0, 1), not {draws} and {level}")
    if name.endswith("_per_class"):
        raise ValueError(f"'{name}' is not one number: choose a score that is")
    drawn = _draw(kind, truth, predicted, labels, name, draws, np.random.default_rng(seed))
    if np.isnan(drawn).all():
        raise ValueError("no resample has a valid answer: give more draws or more rows")
    return percentiles.bounds(drawn, level)


def _draw(
    kind: str,
    truth: Any,
    predicted: Any,
    labels: Any,
    name: str,
    draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Score each resample, shape (draws,)."""
    if kind == "regression":
        return _draw_means(*_losses(truth, predicted, name), name, draws, rng)
    if kind == "masked" and name == "perplexity":
        losses = masked.surprise(predicted, len(truth))
        return _draw_means(losses, np.ones(len(losses), dtype=bool), name, draws, rng)
    repeats, counts = _distinct(kind, truth, predicted, labels, name)
    over_tokens = kind == "entities" and name != f"{entities.TOKEN}accuracy"  # which is plainly accuracy
    plain = name.removeprefix(entities.TOKEN) if over_tokens else name
    return _draw_ratios(repeats, *terms(counts, plain), draws, rng)


def _distinct(
    kind: str, truth: Any, predicted: Any, labels: Any, name: str
) -> tuple[NDArray[np.int64], Counts]:
    """Count how often each distinct row occurs, shape (distinct,), and what it adds to the counts."""
    if kind == "entities":
        contributions = (
            entities.token_contributions if name.startswith(entities.TOKEN) else entities.contributions
        )
        return np.ones(len(truth), dtype=np.int64), contributions(
            entities.code(truth, predicted, labels), len(labels)
        )
    if kind == "multi_label":
        known, yes, invalid = multi_label.checked(truth, predicted, labels)
        rows, repeats = _grouped([*known, *yes, invalid])
        return repeats, multi_label.contributions(known[:, rows], yes[:, rows], invalid[rows])
    if kind == "masked":
        if name != "accuracy":
            raise ValueError(f"no score is called '{name}' here: choose accuracy or perplexity")
        right = np.equal(*masked.checked(truth, predicted, labels))
        rows, repeats = _grouped([right])
        nothing = np.zeros((len(rows), 0))
        return repeats, Counts(nothing, nothing, nothing, right[rows], np.ones(len(rows)))
    known, answered = classification.checked(truth, predicted, labels)
    rows, repeats = _grouped([known, answered])
    return repeats, classification.contributions(known[rows], answered[rows], labels)


def _grouped(
    columns: Iterable[NDArray[Any]], repeats: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find, of columns of whole numbers per row, one row of each kind, and how often it occurs.

    They are in an order of their values alone, the most frequent first. ``repeats`` says how often each of the
    given rows occurs, once if it is left out.
    """
    codes, size = np.zeros(1, dtype=np.int64), 1
    for column in columns:
        lowest = int(column.min())
        span = int(column.max()) - lowest + 1
        if size * span > _CODES:  # keep the order, use at most as many numbers as distinct rows
            codes = np.unique(codes, return_inverse=True)[1]
            size = int(codes.max()) + 1
        codes, size = codes * span + (column.astype(np.int64) - lowest), size * span
    _, first, kind, number = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)
    if repeats is not None:
        number = np.bincount(kind, weights=repeats).astype(np.int64)
    order = np.argsort(-number, kind="stable")
    return first[order], number[order]


def _draw_ratios(
    repeats: NDArray[np.int64],
    above: NDArray[Any],
    below: NDArray[Any],
    draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw the average ratio of summed numerators and denominators, both of shape (distinct, ratios).

    F1 is 2 TP / (2 TP + FP + FN) here for entities too; the other form differs by rounding alone.
    """
    rows, repeats = _grouped([*above.T, *below.T], repeats)
    above, below = above[rows].astype(np.float64), below[rows].astype(np.float64)
    drawn = np.empty(draws)
    rare = int(repeats[repeats < _RARE].sum())
    for block in blocks(draws, len(repeats) + rare):
        # Whole numbers below 2**53: these products are exact, so their bytes depend on no order of summation.
        weights = _weights(repeats, block.stop - block.start, rng).astype(np.float64)
        drawn[block] = averaged(ratio(weights @ above, weights @ below))
    return drawn


def _weights(repeats: NDArray[np.int64], draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw how often each distinct row is in each resample, by ``repeats``; shape (draws, distinct).

    Rare rows are drawn together as one, and then one by one among themselves, which costs less than a binomial
    number for each. ``repeats`` must fall.
    """
    rows, frequent = int(repeats.sum()), int((repeats >= _RARE).sum())
    rare = repeats[frequent:]
    together = np.append(repeats[:frequent], rare.sum())
    numbers = rng.multinomial(rows, together / rows, size=draws)
    if not len(rare):
        return numbers[:, :-1]
    which = np.repeat(np.arange(len(rare)), rare)[rng.integers(0, rare.sum(), size=numbers[:, -1].sum())]
    cells = np.repeat(np.arange(draws) * len(rare), numbers[:, -1]) + which
    each = np.bincount(cells, minlength=draws * len(rare)).reshape(draws, len(rare))
    return np.concatenate([numbers[:, :-1], each], axis=1)


def _draw_means(
    losses: FloatArray, valid: NDArray[np.bool_], name: str, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw means over the valid rows of each resample, row by row; not a number where a resample has none."""
    order = np.lexsort([losses, valid])
    losses, valid, rows = losses[order], valid[order], len(order)
    drawn = np.empty(draws)
    for block in blocks(draws, rows):
        picked = rng.integers(0, rows, size=(block.stop - block.start, rows))
        number = np.float64(rows) if valid.all() else valid[picked].sum(axis=1, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            drawn[block] = losses[picked].sum(axis=1) / number
    return {"rmse": np.sqrt, "perplexity": np.exp}.get(name, np.asarray)(drawn)


def _losses(truth: Any, predicted: Any, name: str) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the loss of each row, 0 if the answer is invalid, and which answers are valid."""
    known, answered, valid = regression.checked(truth, predicted)
    if not valid.any():
        raise ValueError("there is no valid answer to resample")
    return regression.loss(known, np.where(valid, answered, known), name), valid


def blocks(draws: int, width: int) -> Iterator[slice]:
    """Yield slices of the draws, small enough that their numbers fit in memory."""
    size = max(1, _BLOCK // max(1, width))
    return (slice(start, min(start + size, draws)) for start in range(0, draws, size))
