"""The ranking of a board: means, ranks with ties, intervals, and what its first place depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from selu.boards.board import Board, FloatArray

MEAN, MEAN_RANK, WIN_RATE = "mean", "mean rank", "win rate"
LEVEL = 0.95
SEED = 42
FEW = 6  # tasks: over fewer, no signed-rank test reaches 5 %, and an interval says little about other tasks
_DRAWS, _FEWER, _MANY = 10_000, 1_000, 500  # draws of an interval; the second for more systems than the third
_SAME = 10  # decimals: means that differ only in the last bits are equal
_AT_ONCE = 256  # systems
_NOISE = 1e-12


@dataclass(frozen=True)
class Ranking:
    """Systems by rank: first those with all tasks (by win rate: at least half of them), then the others.

    Attributes:
        order: positions of the systems, best first; equal ones in the order of the table.
        ranked: whether a system is one of the first group, and shares a task with another.
        ranks: of each system; equal ones share the smallest, and the next ones are left out.
        tied: whether a system shares its rank.
        by: what is ranked by: the mean; the mean rank where directions are mixed; the win rate where fewer than
            half of the systems, or fewer than two, have a score on all tasks.
        key: its value, higher is better.
        means, deviations: over the tasks that a system has; nan where there are too few.
        mean_ranks: likewise, of the ranks on each task; equal scores share the mean of theirs.
        win_rates: likewise, of the share of the other systems on a task that it is better than, a tie a half.
        task_ranks: of each system on each task, nan where it lacks it.
        low, high: of the mean, by the Bayesian bootstrap over tasks (Rubin, Annals of Statistics 9(1), 1981);
            nan where a system has fewer than ``FEW``.
        p_first: the share of its draws in which a system that lacks no task has the best mean.
        draws: how many there are.
    """

    order: list[int]
    ranked: NDArray[np.bool_]
    ranks: NDArray[np.int64]
    tied: NDArray[np.bool_]
    by: str
    key: FloatArray
    means: FloatArray
    deviations: FloatArray
    mean_ranks: FloatArray
    win_rates: FloatArray
    task_ranks: FloatArray
    low: FloatArray
    high: FloatArray
    p_first: FloatArray
    draws: int

    @property
    def first(self) -> list[int]:
        """The systems of rank 1."""
        return [system for system in self.order if self.ranks[system] == 1]


def rank(board: Board) -> Ranking:
    """Rank the systems of a board that has a score."""
    missing, task_ranks = board.missing, ranks_on_tasks(board.oriented)
    means, mean_ranks = _means(board.values), _means(task_ranks)
    win_rates = _means(_won(task_ranks, _count(task_ranks)))
    by = MEAN_RANK if board.is_mixed else MEAN
    key = -mean_ranks if board.is_mixed else -means if board.lower.any() else means
    if lack_tasks(missing):
        by, key = WIN_RATE, win_rates
        lacks_most = (2 * missing > len(board.tasks)).astype(np.int64)
        missing = lacks_most if lacks_most.min() == 0 else np.zeros_like(missing)
    order, ranks, tied = _ranked(missing, key)
    low, high, p_first, draws = _intervals(board)
    return Ranking(
        order=order,
        ranked=(missing == missing.min()) & ~np.isnan(key),
        ranks=ranks,
        tied=tied,
        by=by,
        key=key,
        means=np.round(means, _SAME),  # equal ones print alike
        deviations=_deviations(board.values),
        mean_ranks=mean_ranks,
        win_rates=np.round(win_rates, _SAME),
        task_ranks=task_ranks,
        low=low,
        high=high,
        p_first=p_first,
        draws=draws,
    )


def comparable(board: Board) -> Board:
    """Drop the tasks that not all systems have, if at least half of the tasks remain.

    Only where fewer than half of the systems, or fewer than two, have all tasks: else those are ranked.
    """
    missing, common = board.missing, board.common
    complete = int((missing == 0).sum())
    if complete >= max(2, len(missing) / 2) or 2 * common.sum() < len(board.tasks) or not common.any():
        return board
    return board.over(common)


def lack_tasks(missing: NDArray[np.int64]) -> bool:
    """Return whether fewer than half of the systems, or fewer than two of several, have all tasks."""
    complete = int((missing == 0).sum())
    return len(missing) > 1 and (complete < 2 or 2 * complete < len(missing))


def ranks_on_tasks(oriented: FloatArray) -> FloatArray:
    """Rank the systems on each task, 1 is best; equal scores share the mean of their ranks, as in autorank."""
    ranks = np.full(oriented.shape, np.nan)
    for task in range(oriented.shape[1]):
        there = np.flatnonzero(~np.isnan(oriented[:, task]))
        _, which, counts = np.unique(-oriented[there, task], return_inverse=True, return_counts=True)
        ranks[there, task] = (np.cumsum(counts) - (counts - 1) / 2)[which]
    return ranks


def _count(values: FloatArray) -> NDArray[np.int64]:
    """Count the systems that each task has a value of."""
    there: NDArray[np.int64] = (~np.isnan(values)).sum(axis=0)
    return there


def _won(task_ranks: FloatArray, systems: NDArray[np.int64]) -> FloatArray:
    """Return the share of other systems on each task that a system beats; nan if there is no other system."""
    others = systems - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        won: FloatArray = np.where(others > 0, 1 - (task_ranks - 1) / others, np.nan)
    return won


def _means(values: FloatArray) -> FloatArray:
    count = (~np.isnan(values)).sum(axis=1)
    with np.errstate(invalid="ignore"):
        means: FloatArray = np.nansum(values, axis=1) / count
    return means


def _deviations(values: FloatArray) -> FloatArray:
    there = ~np.isnan(values)
    count = there.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = np.where(there, values - _means(values)[:, None], 0.0)
        spread: FloatArray = np.sqrt((off**2).sum(axis=1) / (count - 1))
    return np.where(count > 1, spread, np.nan)


def _ranked(
    missing: NDArray[np.int64], key: FloatArray
) -> tuple[list[int], NDArray[np.int64], NDArray[np.bool_]]:
    rounded = np.round(np.nan_to_num(key, nan=-np.inf), _SAME)
    order = np.lexsort((-rounded, missing))
    places = np.arange(1, len(order) + 1)
    same = np.zeros(len(order), dtype=bool)
    same[1:] = (missing[order][1:] == missing[order][:-1]) & (rounded[order][1:] == rounded[order][:-1])
    ranks, tied = np.zeros(len(order), dtype=np.int64), np.zeros(len(order), dtype=bool)
    ranks[order] = np.maximum.accumulate(np.where(same, 0, places))
    tied[order] = same | np.append(same[1:], False)
    return order.tolist(), ranks, tied


def _intervals(board: Board) -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """Bounds of the means, and how often each system that lacks no task is first."""
    values, sign = board.values, -1.0 if board.lower.any() else 1.0
    systems, tasks = values.shape
    low, high, p_first = (np.full(systems, np.nan) for _ in range(3))
    draws = _DRAWS if systems <= _MANY else _FEWER
    if tasks < FEW or board.is_mixed:
        return low, high, p_first, 0
    weights = np.random.RandomState(SEED).standard_exponential((tasks, draws))
    there = ~np.isnan(values)
    best, leader = np.full(draws, -np.inf), np.full(draws, -1)
    cut = int((1 - LEVEL) / 2 * draws)
    for start in range(0, systems, _AT_ONCE):
        block = slice(start, start + _AT_ONCE)
        with np.errstate(invalid="ignore"):
            means = (np.where(there[block], values[block], 0.0) @ weights) / (there[block] @ weights)
        complete = start + np.flatnonzero(there[block].all(axis=1))
        if len(complete):
            leads = sign * means[complete - start]
            top = leads.argmax(axis=0)
            above = (value := leads[top, np.arange(draws)]) > best
            leader[above], best[above] = complete[top[above]], value[above]
        means.sort(axis=1)
        several = there[block].sum(axis=1) >= FEW
        low[block] = np.where(several, means[:, cut], np.nan)
        high[block] = np.where(several, means[:, draws - 1 - cut], np.nan)
    if (leader >= 0).all():
        counts = np.bincount(leader, minlength=systems) / draws
        p_first = np.where(there.all(axis=1), counts, np.nan)
    return low, high, p_first, draws


# -- what the first place depends on -----------------------------------------------------------------


class Without(NamedTuple):
    """The ranking without a task, or of one seed: who is first, and how many systems have another rank."""

    name: str
    first: list[int]
    moved: int


def without_each(board: Board, ranking: Ranking) -> list[Without]:
    """Rank again without each task."""
    if len(board.tasks) < 2 or not ranking.ranked.any():
        return []
    whole = -ranking.task_ranks if board.is_mixed else board.oriented
    if ranking.by == WIN_RATE:
        whole = _won(ranking.task_ranks, _count(ranking.task_ranks))
    ranked = np.flatnonzero(ranking.ranked)
    return [
        _again(name, _means(np.delete(whole[ranked], task, axis=1)), ranked, ranking)
        for task, name in enumerate(board.tasks)
    ]


def of_each_seed(board: Board, ranking: Ranking) -> list[Without]:
    """Rank again by the scores of each seed alone, the systems that lack none of it."""
    found = []
    for name, values in board.by_seed.items():
        complete = np.flatnonzero(~np.isnan(values).any(axis=1))
        if len(complete) and ranking.by == MEAN:
            key = np.where(board.lower, -values, values)[complete].mean(axis=1)
            found.append(_again(name, key, complete, ranking))
    return found


def _again(name: str, key: FloatArray, complete: NDArray[np.int64], ranking: Ranking) -> Without:
    _, ranks, _ = _ranked(np.zeros(len(key), dtype=np.int64), key)
    first = complete[ranks == 1].tolist()
    return Without(name, first, int((ranks != ranking.ranks[complete]).sum()))


class Rounding(NamedTuple):
    """The possible effect of rounding: who could be first, and how many neighbours could swap ranks.

    ``p_first`` is how often the first one stays so, where each score is drawn evenly from what rounds to it.
    """

    could_lead: list[int]
    neighbours: int
    p_first: float


def under_rounding(board: Board, ranking: Ranking) -> Rounding | None:
    """Move each score by at most half a unit of its task's last decimal; None where means aren't ranked by."""
    complete = [system for system in ranking.order if ranking.ranked[system]]
    if ranking.by != MEAN or len(complete) < 2:
        return None
    half = 0.5 * 10.0 ** -board.digits.astype(float)
    reach = max(2 * half.mean() - _NOISE, _NOISE)
    key = ranking.key[complete]
    could = [system for system, value in zip(complete, key, strict=True) if key[0] - value < reach]
    neighbours = int((key[:-1] - key[1:] < reach).sum())
    if len(could) == 1:
        return Rounding(could, neighbours, 1.0)
    some = board.oriented[could[:_MANY]]
    noise = np.random.RandomState(SEED)
    stays = sum(
        int((some + noise.uniform(-half, half, some.shape)).mean(axis=1).argmax() == 0) for _ in range(_FEWER)
    )
    return Rounding(could, neighbours, stays / _FEWER)
