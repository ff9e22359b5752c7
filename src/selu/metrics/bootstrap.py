"""Percentile intervals of a score, and of the paired difference of two, over resampled rows (Efron 1979).

A score of counts is made of sums over rows. It sees a resample only through how often each distinct row is in
it (rows that add the same to these sums, for both systems, are one), and those numbers are multinomial.
Drawing them directly gives exactly the distribution that drawing row by row gives, at a cost that grows with
the distinct rows only. Mean losses, which hardly repeat, are drawn row by row. Rows are first put in an order
of their values, so their own order does not matter.

A difference is paired: both systems are scored on the same resampled rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from selu.metrics import classification, entities, masked, multi_label, regression
from selu.metrics.counts import Counts, averaged, ratio, terms
from selu.metrics.evaluate import check, evaluate

FloatArray = NDArray[np.float64]

_BLOCK = 1 << 18  # numbers drawn at once
_CODES = 1 << 62
_RARE = 16  # a binomial number costs about as much as this many rows drawn one by one


class Interval(NamedTuple):
    """Bounds of a score; ``error`` is the larger of their two Monte-Carlo standard errors."""

    low: float
    high: float
    error: float


class Difference(NamedTuple):
    """First minus second on the full sample, bounds, and the larger Monte-Carlo standard error of these."""

    value: float
    low: float
    high: float
    error: float


def interval(
    kind: str,
    truth: Any,
    predicted: Any,
    labels: int | Sequence[str],
    name: str,
    draws: int,
    seed: int,
    level: float,
) -> Interval:
    """Percentile bootstrap interval of one score over rows (sequences for entities, tokens for masked).

    Args:
        kind, truth, predicted, labels: as ``evaluate.evaluate``.
        name: a score of that kind which is one number; not ``invalid``.
        draws: resamples, each of as many rows as there are.
        seed: of numpy's default generator.
        level: probability that the interval is to cover, in (0, 1).

    Returns:
        the bounds, of the unit of the score. A mean loss is taken over the valid answers of each resample;
        resamples without any are left out.

    Raises:
        ValueError: as ``evaluate``, no rows, or a name, number of draws or level that is none.
    """
    return Interval(*_bounds(_draw(kind, truth, (predicted,), labels, name, draws, seed, level)[0], level))


def difference(
    kind: str,
    truth: Any,
    first: Any,
    second: Any,
    labels: int | Sequence[str],
    name: str,
    draws: int,
    seed: int,
    level: float,
) -> Difference:
    """Score of the first system minus that of the second, with a paired percentile bootstrap interval.

    Args and errors as ``interval``; a system is exactly 0 apart from itself, with bounds 0 and 0.
    """
    drawn = _draw(kind, truth, (first, second), labels, name, draws, seed, level)
    values = [evaluate(kind, truth, answers, labels)[name] for answers in (first, second)]
    return Difference(float(values[0] - values[1]), *_bounds(drawn[0] - drawn[1], level))


def _draw(
    kind: str,
    truth: Any,
    answers: tuple[Any, ...],
    labels: int | Sequence[str],
    name: str,
    draws: int,
    seed: int,
    level: float,
) -> FloatArray:
    """The score of each system on each resample, shape (systems, draws)."""
    check(kind, labels)
    if len(truth) == 0:
        raise ValueError("there are no rows to resample")
    if draws < 1 or not 0 < level < 1:
        raise ValueError(f"an interval needs at least one draw and a level in (0, 1), not {draws} and {level}")
    if name.endswith("_per_class"):
        raise ValueError(f"'{name}' is not one number: choose a score that is")
    rng = np.random.default_rng(seed)
    if kind == "regression":
        return _draw_means([_losses(truth, given, name) for given in answers], name, draws, rng)
    if kind == "masked" and name == "perplexity":
        losses = [masked.surprise(given, len(truth)) for given in answers]
        return _draw_means([(loss, np.ones(len(loss), dtype=bool)) for loss in losses], name, draws, rng)
    repeats, parts = _distinct(kind, truth, answers, labels, name)
    over_tokens = kind == "entities" and name != f"{entities.TOKEN}accuracy"  # which is plainly accuracy
    plain = name.removeprefix(entities.TOKEN) if over_tokens else name
    return _draw_ratios(repeats, [terms(part, plain) for part in parts], draws, rng)


def _distinct(
    kind: str, truth: Any, answers: tuple[Any, ...], labels: Any, name: str
) -> tuple[NDArray[np.int64], list[Counts]]:
    """How often each distinct row occurs, shape (distinct,), and what it adds to the counts of each system."""
    if kind == "entities":
        of = entities.token_contributions if name.startswith(entities.TOKEN) else entities.contributions
        coded = [entities.code(truth, given, labels) for given in answers]
        return np.ones(len(truth), dtype=np.int64), [of(each, len(labels)) for each in coded]
    if kind == "multi_label":
        checked = [multi_label.checked(truth, given, labels) for given in answers]
        asked = [checked[0][0], *(part for _, yes, invalid in checked for part in (yes, invalid[None]))]
        rows, repeats = _grouped(asked)
        return repeats, [multi_label.contributions(*(part[..., rows] for part in parts)) for parts in checked]
    if kind == "masked":
        if name != "accuracy":
            raise ValueError(f"no score is called '{name}' here: choose accuracy or perplexity")
        right = [np.equal(*masked.checked(truth, given, labels)) for given in answers]
        rows, repeats = _grouped([np.array(right)])
        nothing = np.zeros((len(rows), 0))
        return repeats, [Counts(nothing, nothing, nothing, each[rows], np.ones(len(rows))) for each in right]
    pairs = [classification.checked(truth, given, labels) for given in answers]
    rows, repeats = _grouped([pairs[0][0][None], *(given[None] for _, given in pairs)])
    return repeats, [classification.contributions(known[rows], given[rows], labels) for known, given in pairs]


def _grouped(
    columns: Sequence[NDArray[Any]], repeats: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of whole numbers per row, arrays of shape (columns, rows): one row of each kind, and how often it occurs.

    They are in an order of their values alone, the most frequent first. ``repeats`` says how often each of the
    given rows occurs, once if it is left out.
    """
    codes, size = np.zeros(columns[0].shape[1], dtype=np.int64), 1
    for column in (column for block in columns for column in block):
        lowest = int(column.min())
        span = int(column.max()) - lowest + 1
        if size * span > _CODES:  # keep the order, use no more numbers than there are distinct rows
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
    parts: list[tuple[NDArray[Any], NDArray[Any]]],
    draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Average ratio of summed numerators and denominators, both of shape (distinct, ratios) for each system.

    F1 is 2 TP / (2 TP + FP + FN) here for entities too; the other form differs by rounding alone.
    """
    rows, repeats = _grouped([side.T for part in parts for side in part], repeats)
    sides = [[side[rows].astype(np.float64) for side in part] for part in parts]
    drawn = np.empty((len(parts), draws))
    rare = int(repeats[repeats < _RARE].sum())
    for block in _blocks(draws, len(repeats) + rare):
        # Whole numbers below 2**53: these products are exact, so their bytes depend on no order of summation.
        weights = _weights(repeats, block.stop - block.start, rng).astype(np.float64)
        for system, (above, below) in enumerate(sides):
            drawn[system, block] = averaged(ratio(weights @ above, weights @ below))
    return drawn


def _weights(repeats: NDArray[np.int64], draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """How often each distinct row is in each resample, shape (draws, distinct): multinomial by ``repeats``.

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
    losses: list[tuple[FloatArray, NDArray[np.bool_]]], name: str, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Means over the valid rows of each resample, drawn row by row; not a number where a resample has none."""
    order = np.lexsort([part for pair in losses for part in pair])
    losses = [(loss[order], valid[order]) for loss, valid in losses]
    rows = len(order)
    drawn = np.empty((len(losses), draws))
    for block in _blocks(draws, rows):
        picked = rng.integers(0, rows, size=(block.stop - block.start, rows))
        for system, (loss, valid) in enumerate(losses):
            number = np.float64(rows) if valid.all() else valid[picked].sum(axis=1, dtype=np.float64)
            with np.errstate(invalid="ignore"):
                drawn[system, block] = loss[picked].sum(axis=1) / number
    return {"rmse": np.sqrt, "perplexity": np.exp}.get(name, np.asarray)(drawn)


def _losses(truth: Any, predicted: Any, name: str) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Loss of each row, 0 where the answer is invalid, and which answers are valid."""
    known, answered, valid = regression.checked(truth, predicted)
    if not valid.any():
        raise ValueError("there is no valid answer to resample")
    return regression.loss(known, np.where(valid, answered, known), name), valid


def _bounds(drawn: FloatArray, level: float) -> tuple[float, float, float]:
    """Two quantiles and the larger standard error of them.

    The number of draws below a quantile is binomial; its standard deviation, put through the quantiles of the
    draws, is the error of the bound. It is 0 where a score steps so coarsely that the bound stays on its step.
    """
    drawn = np.sort(drawn[~np.isnan(drawn)])
    if len(drawn) == 0:
        raise ValueError("no resample has a valid answer of every system: give more draws or more rows")
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    spread = np.sqrt(tails * (1 - tails) / len(drawn))
    low, high = np.quantile(drawn, tails)
    above, below = np.minimum(tails + spread, 1), np.maximum(tails - spread, 0)
    errors = (np.quantile(drawn, above) - np.quantile(drawn, below)) / 2
    return float(low), float(high), float(errors.max())


def _blocks(draws: int, width: int) -> Iterator[slice]:
    """Draws in portions that keep memory small whatever the number of rows."""
    size = max(1, _BLOCK // width)
    return (slice(start, min(start + size, draws)) for start in range(0, draws, size))
