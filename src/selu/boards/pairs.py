"""Pairwise comparison of systems: the Bayesian signed-rank test, or the exact test for few tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from selu.boards.board import Board, FloatArray
from selu.boards.ranking import FEW, SEED, Ranking
from selu.stats.compare import BETTER, EQUAL, INCONCLUSIVE, WORSE
from selu.stats.signed_rank import monte_carlo_error, posterior
from selu.stats.tiers import tiers
from selu.stats.wilcoxon import signed_rank_p

ROPE = 0.1  # of the pooled standard deviation of the two, as in autorank
THRESHOLD = 0.95
MOST_DRAWS, LEAST_DRAWS = 50_000, 2_000
_LEAST_OF_SOME = 500  # draws where not all pairs are tested
_WORK = 20_000_000_000  # products of two weights, over all pairs and draws: about a second
_NO_WIDTH = 1e-12  # replaces an equivalence threshold of no width
_SAME = 10  # decimals


@dataclass(frozen=True)
class Pairs:
    """Tests of pairs of systems, of which the first is never ranked below the second.

    Attributes:
        first, second: positions of the systems.
        tasks: on how many both have a score; wins, ties and losses of the first one among these.
        difference: of the means over these, positive where the first is better; in standard deviations of each
            task where tasks are on different scales.
        better, equal, worse: posterior probabilities of the first one, nan over fewer than ``FEW`` tasks.
        rope: equivalence threshold, in score units.
        p: two-sided p-value of the exact signed-rank test, where there are fewer, but at least two.
        draws: of the posterior.
        all_pairs: whether every pair is tested, and not only neighbours in the ranking and the first with all.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    tasks: NDArray[np.int64]
    wins: NDArray[np.int64]
    losses: NDArray[np.int64]
    difference: FloatArray
    better: FloatArray
    equal: FloatArray
    worse: FloatArray
    rope: FloatArray
    p: FloatArray
    draws: int
    all_pairs: bool

    @cached_property
    def decisions(self) -> NDArray[np.str_]:
        """Return whether the first of each pair is better, equal or worse, or "inconclusive"."""
        found = np.full(len(self.first), INCONCLUSIVE, dtype="<U12")
        for name, share in ((BETTER, self.better), (EQUAL, self.equal), (WORSE, self.worse)):
            found[share >= THRESHOLD] = name
        return found

    @cached_property
    def at(self) -> Mapping[tuple[int, int], int]:
        """The index of a pair of positions."""
        return {
            (int(a), int(b)): place for place, (a, b) in enumerate(zip(self.first, self.second, strict=True))
        }

    @property
    def unsettled(self) -> int:
        """Count the pairs that other random draws could decide otherwise: two errors from the threshold."""
        shares = np.stack((self.better, self.equal, self.worse))
        near = np.abs(shares - THRESHOLD) < 2 * monte_carlo_error(
            np.full_like(shares, THRESHOLD), self.draws or 1
        )
        return int(near.any(axis=0).sum())


def compare_pairs(board: Board, ranking: Ranking) -> Pairs:
    """Test all pairs; of too many, neighbours in the ranking and the first with all.

    Draws are as many as a second of work allows: at most ``MOST_DRAWS``, and at least ``LEAST_DRAWS`` where all
    pairs are tested, else ``_LEAST_OF_SOME``.
    """
    order = np.array(ranking.order)
    tasks = len(board.tasks)
    terms = (tasks + 1) * (tasks + 2) // 2
    every = len(order) * (len(order) - 1) // 2
    all_pairs = every * terms * LEAST_DRAWS <= _WORK
    if all_pairs:
        above, below = np.triu_indices(len(order), 1)
    else:
        places = np.arange(1, len(order))
        above = np.concatenate((np.zeros(len(places), dtype=int), places[:-1]))
        below = np.concatenate((places, places[1:]))
    draws = int(np.clip(_WORK // max(len(above) * terms, 1), _LEAST_OF_SOME, MOST_DRAWS))
    return _tested(_comparable(board), order[above], order[below], draws, all_pairs)


def _comparable(board: Board) -> FloatArray:
    """Return the scores with higher better, in standard deviations of each task if the tasks' scales differ."""
    scores = board.oriented
    if not board.scales_differ:
        return scores
    there = ~np.isnan(scores)
    count = there.sum(axis=0)
    off = np.where(there, scores, 0.0)
    off = np.where(there, scores - off.sum(axis=0) / np.maximum(count, 1), np.nan)
    spread = np.sqrt(np.nansum(off**2, axis=0) / np.maximum(count - 1, 1))
    scaled: FloatArray = off / np.where(spread > 0, spread, 1.0)
    return scaled


def _tested(
    oriented: FloatArray,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    draws: int,
    every: bool,
) -> Pairs:
    a, b = oriented[first], oriented[second]
    shared = ~np.isnan(a) & ~np.isnan(b)
    tasks = shared.sum(axis=1)
    difference = np.where(shared, a - b, 0.0).round(_SAME)
    shares, p, rope = np.full((len(first), 3), np.nan), np.full(len(first), np.nan), np.full(len(first), np.nan)
    for n in np.unique(tasks):
        rows = np.flatnonzero(tasks == n)
        x, y = (side[rows][shared[rows]].reshape(len(rows), n) for side in (a, b))
        if n < 2:
            continue
        if n < FEW:
            p[rows] = signed_rank_p(x - y)
            continue
        pooled = np.sqrt((x.var(axis=1, ddof=1) + y.var(axis=1, ddof=1)) / 2)
        rope[rows] = np.maximum(ROPE * pooled, _NO_WIDTH)
        shares[rows] = posterior(y - x, rope[rows], draws=draws, seed=SEED)
    with np.errstate(invalid="ignore"):
        mean = difference.sum(axis=1) / tasks
    better, equal, worse = shares.T
    wins, losses = ((difference > 0).sum(axis=1), (difference < 0).sum(axis=1))
    return Pairs(first, second, tasks, wins, losses, mean, better, equal, worse, rope, p, draws, every)


def tiers_of(board: Board, ranking: Ranking, pairs: Pairs) -> list[list[int]]:
    """Group the systems that lack no task: a tier begins below the first that the tier's leader clearly beats.

    None where not every pair is tested, or over too few tasks to test.
    """
    complete = [system for system in ranking.order if board.missing[system] == 0]
    if not pairs.all_pairs or len(board.tasks) < FEW or len(complete) < 2:
        return []
    matrix = np.full((len(complete), len(complete)), "", dtype="<U12")
    for i, upper in enumerate(complete):
        for j, lower in enumerate(complete[i + 1 :], i + 1):
            matrix[i, j] = pairs.decisions[pairs.at[upper, lower]]
    return [[complete[place] for place in group] for group in tiers(matrix)]
