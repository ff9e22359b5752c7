"""Impossible numbers: shares without a matching count, means unlike their parts, ranks out of order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from selu.boards.board import Board, FloatArray, Summary
from selu.boards.ranking import MEAN, Ranking
from selu.boards.readers import words
from selu.boards.readers.numbers import written

SHARE, AVERAGE, RANK, SCALE = "share", "mean", "rank", "scale"
_NOISE = 1e-9
_MOST = 0.5  # of a column: where more of its numbers are impossible, it is something else
_LEAST = 10  # of a column of percentages: what is below isn't one of them


class Impossible(NamedTuple):
    """An impossible number: its kind, its place, and a sentence why."""

    kind: str
    place: str
    says: str


def impossible(whole: Board, board: Board, ranking: Ranking) -> list[Impossible]:
    """List all numbers that the others of the table contradict.

    Args:
        whole: all that was read; ``board`` are the tasks that are ranked over.
    """
    return [
        *_scales(whole),
        *_among_percentages(whole),
        *_shares(whole),
        *_means(whole),
        *_task_means(whole),
        *_ranks(board, ranking),
    ]


# -- GRIM (Brown and Heathers, Social Psychological and Personality Science 8(4), 2017)


def nearest_counts(value: float, digits: int, rows: int) -> tuple[int, int] | None:
    """Return the counts around a share that is not a rounded count of that many rows; None if it is.

    A half is rounded either way, since papers do both.
    """
    half = 0.5 * 10.0**-digits + _NOISE
    below = min(max(math.floor(value * rows), 0), rows)
    above = min(below + 1, rows)
    fits = any(abs(count / rows - value) <= half for count in (below, above))
    return None if fits else (below, above)


def _shares(board: Board) -> Iterator[Impossible]:
    if board.by_seed:  # the mean over seeds is a share of more rows
        return
    others: list[tuple[str, int, int]] = []  # tasks whose scores are no shares at all: scores, checked scores
    for j, task in enumerate(board.tasks):
        if not words.is_share(task):
            continue
        column, digits, wrong = board.values[:, j], int(board.digits[j]), list[Impossible]()
        there = ~np.isnan(column)
        shift = 0 if column[there].max(initial=0) <= 1 else 2  # decimals from percentages to shares
        checked = np.flatnonzero(there & (board.rows[:, j] > 0))
        for i in checked:
            value, rows = float(column[i]), int(board.rows[i, j])
            if around := nearest_counts(value / 10**shift, digits + shift, rows):
                place = board.places[board.systems[i], task]
                near = " and ".join(
                    f"{count:,} of {rows:,} are {written(count / rows * 10**shift, digits + 1)}"
                    for count in dict.fromkeys(around)
                )
                says = f"{place}: {written(value, digits)} is not a share of {rows:,} rows: {near}."
                wrong.append(Impossible(SHARE, place, says))
        if len(checked) > 2 and len(wrong) > _MOST * len(checked):
            others.append((task, len(wrong), len(checked)))
        else:
            yield from wrong
    if others:
        task, count, total = others[0]
        rest = f"; so are most scores on {', '.join(name for name, _, _ in others[1:])}" if others[1:] else ""
        says = (
            f"{task}: {count} of {total} scores are no share of their rows{rest}. The metric is no share (as "
            "F1 isn't), or the number of rows is another one."
        )
        yield Impossible(SHARE, f"task {task}", says)


def _scales(board: Board) -> Iterator[Impossible]:
    """Yield each score above 1 among scores of at most 1: a percentage among shares."""
    for j, task in enumerate(board.tasks):
        column = board.values[:, j]
        above = np.flatnonzero(column > 1)
        there = int((~np.isnan(column)).sum())
        if not 0 < len(above) <= 0.2 * there or np.nanmin(column) < 0:
            continue
        if np.nanmax(column) > 2 and np.nanmedian(column) <= 1:
            fit = column[column <= 1]
            for i in above[(column[above] / 100 >= fit.min() / 2) & (column[above] / 100 <= fit.max() * 1.5)]:
                place = board.places[board.systems[i], task]
                text = written(float(column[i]), int(board.digits[j]))
                below = there - len(above)
                says = f"{place}: {text} is above 1 among {below} scores of at most 1: is it a percentage?"
                yield Impossible(SCALE, place, says)


def _among_percentages(board: Board) -> Iterator[Impossible]:
    """Yield each number among percentages that is like them only times 100, or without its sign."""
    for j, task in enumerate(board.tasks):
        column = board.values[:, j]
        like, odd = column[column >= _LEAST], np.flatnonzero(column < _LEAST)
        if not 0 < len(odd) <= len(like) or like.max() > 100 or ((column > 1) & (column < _LEAST)).any():
            continue
        meant = np.where(column < 0, -column, 100 * column)
        for i in odd[(meant[odd] >= like.min() / 2) & (meant[odd] <= like.max() * 1.5)]:
            value, key = float(column[i]), (board.systems[i], task)
            why = "is its sign a mistake" if value < 0 else "is it a fraction"
            says = (
                f"{board.places[key]}: {written(value, int(board.digits[j]))} among {len(like)} percentages "
                f"of at least {_LEAST}: {why}?"
            )
            yield Impossible(SCALE, board.places[key], says)


# -- a mean of its parts -----------------------------------------------------------------------------


def _means(board: Board) -> Iterator[Impossible]:
    """Yield published means over the tasks that the system's scores contradict."""
    half = 0.5 * 10.0 ** -board.digits.astype(float)
    wrong = []
    scale, common = _scale(board.means, board.values), board.common
    for i, system in enumerate(board.systems):
        published = board.means.get(system)
        there = ~np.isnan(board.values[i])
        if published is None or not there.any():
            continue
        weights = [np.ones(int(there.sum())), common[there].astype(float)]
        if (board.rows[i, there] > 0).all():
            weights.append(board.rows[i, there].astype(float))
        if f := _off(published, board.values[i, there], half[there], weights, scale):
            holes = f", without {', '.join(board.holes(i))}" if board.missing[i] else ""
            says = (
                f"{published.place}: the mean {written(published.value, published.digits)} isn't that of its "
                f"{there.sum()} scores, which is {f}{holes}."
            )
            wrong.append(Impossible(AVERAGE, published.place, says))
    yield from _unless_most(wrong, len(board.means), "means of systems", "over other tasks, or weighted")


def _task_means(board: Board) -> Iterator[Impossible]:
    """Yield published means over the systems that the task's scores contradict."""
    wrong = []
    scale = _scale(board.task_means, board.values.T)
    for j, task in enumerate(board.tasks):
        published, column = board.task_means.get(task), board.values[:, j]
        column = column[~np.isnan(column)]
        if published is None or not len(column):
            continue
        half = np.full(len(column), 0.5 * 10.0 ** -float(board.digits[j]))
        if f := _off(published, column, half, [np.ones(len(column))], scale):
            says = (
                f"{published.place}: the mean {written(published.value, published.digits)} isn't that of the "
                f"{len(column)} scores on {task}, which is {f}."
            )
            wrong.append(Impossible(AVERAGE, published.place, says))
    yield from _unless_most(wrong, len(board.task_means), "means of tasks", "over other systems")


def _scale(published: Mapping[str, Summary], values: FloatArray) -> float:
    """Return the factor that brings means to the scores' scale: 0.01 for percentages beside shares."""
    if not published or np.isnan(values).all():
        return 1.0
    top, middle = (
        float(np.nanmax(np.abs(values))),
        float(np.median([abs(mean.value) for mean in published.values()])),
    )
    return 0.01 if top <= 1 < middle else 1.0


def _off(
    published: Summary, values: FloatArray, half: FloatArray, weights: Sequence[FloatArray], scale: float
) -> str:
    """Return the mean of the values if no scores that round to them give the published mean; else ""."""
    for w in (w for w in weights if w.any()):
        share = w / w.sum()
        reach = float(share @ half) + 0.5 * 10.0**-published.digits * scale + _NOISE
        if abs(float(share @ values) - published.value * scale) <= reach:
            return ""
    return written(float(values.mean()) / scale, published.digits + 1)


def _unless_most(wrong: list[Impossible], every: int, what: str, why: str) -> Iterator[Impossible]:
    """Yield one entry in place of many if most of a column or row is wrong."""
    if every > 2 and len(wrong) > _MOST * every:
        says = f"{len(wrong)} of {every} published {what} aren't those of the scores here: they are {why}, or"
        yield Impossible(wrong[0].kind, wrong[0].place, f"{says} wrong. The first: {wrong[0].says}")
    else:
        yield from wrong


# -- an order of ranks -------------------------------------------------------------------------------


def _ranks(board: Board, ranking: Ranking) -> Iterator[Impossible]:
    """Yield published ranks whose lower system has better scores, by mean and by mean rank."""
    ranked = [(board.ranks[name], i) for i, name in enumerate(board.systems) if name in board.ranks]
    ranked = [(published, i) for published, i in ranked if board.missing[i] == 0]
    ranked.sort(key=lambda pair: pair[0].value)
    if len(ranked) < 2:
        return
    half = 0.5 * 10.0 ** -board.digits.astype(float)
    tried = [_out_of_order(ranked, -ranking.mean_ranks, _NOISE)]
    if ranking.by == MEAN:
        tried.append(_out_of_order(ranked, ranking.key, 2 * float(half.mean()) + _NOISE))
    if all(board.systems[i] in board.means for _, i in ranked):
        means = np.array([board.means[name].value if name in board.means else np.nan for name in board.systems])
        tried.append(_out_of_order(ranked, -means if board.lower.any() else means, _NOISE))
    else:  # papers rank by their main task, too
        tried += [_out_of_order(ranked, board.oriented[:, j], 2 * half[j] + _NOISE) for j in range(len(half))]
    fewest = min(tried, key=len)
    if len(ranked) > 3 and 2 * len(fewest) > len(ranked):
        place = ranked[0][0].place
        says = f"{place}: the published ranks follow neither the means nor the mean ranks of the scores here."
        yield Impossible(RANK, place, says)
        return
    what, values = ("mean", ranking.means) if ranking.by == MEAN else ("mean rank", ranking.mean_ranks)
    digits = int(board.digits.max()) + 1
    for upper, lower in fewest:
        (a, on), (b, below) = ((name := board.systems[at], board.ranks[name]) for at in (upper, lower))
        says = (
            f"{on.place}: {a} is published on rank {on.value:g}, above {b} on {below.value:g}, which has the "
            f"better {what} ({written(float(values[lower]), digits)}; {a} has "
            f"{written(float(values[upper]), digits)})."
        )
        yield Impossible(RANK, on.place, says)


def _out_of_order(ranked: list[tuple[Summary, int]], key: FloatArray, reach: float) -> list[tuple[int, int]]:
    """Pairs of neighbours by published rank of which the lower one is better by more than rounding explains."""
    found = []
    for (a, upper), (b, lower) in pairwise(ranked):
        if a.value < b.value and key[lower] - key[upper] > reach:
            found.append((upper, lower))
    return found
