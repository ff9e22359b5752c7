"""Intervals over resampled pairs, and scores under no relation between truth and answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selu.metrics import percentiles
from selu.metrics.percentiles import Resampling
from selu.papers.records import Interval, interval

Scores = Mapping[str, float]
Array = NDArray[Any]
Score = Callable[[Array], Scores]


def intervals(score: Score, pairs: int, draws: Resampling, names: Sequence[str]) -> Mapping[str, Interval]:
    """Draw percentile bounds of scores by bootstrap of the pairs, with their Monte-Carlo error.

    Args:
        score: scores of pairs, of which each counts so often.
    """
    random = np.random.default_rng(draws.seed)
    drawn = [score(np.bincount(random.integers(0, pairs, pairs), minlength=pairs)) for _ in range(draws.draws)]
    return _bounds(drawn, draws, names)


def permuted(
    prepare: Callable[[Array, Array], Score],
    truth: Array,
    answers: Array,
    draws: Resampling,
    names: Sequence[str],
) -> Mapping[str, Interval]:
    """Draw percentile bounds of scores where the truth is dealt again to the pairs at random.

    Args:
        prepare: ``separator`` or ``correlator``.
    """
    random = np.random.default_rng(draws.seed)
    once = np.ones(len(truth))
    drawn = [prepare(random.permutation(truth), answers)(once) for _ in range(draws.draws)]
    return _bounds(drawn, draws, names)


def _bounds(drawn: Sequence[Scores], draws: Resampling, names: Sequence[str]) -> Mapping[str, Interval]:
    return {
        name: interval(percentiles.bounds(np.array([scores[name] for scores in drawn]), draws.level))
        for name in names
    }
