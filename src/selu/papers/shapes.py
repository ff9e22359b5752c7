"""Shapes of claims about a table of scores: each has its rule, and is decided by the published scores alone.

A claim is one line: ``first = claim("T01", "Table 1", "Alpha has the highest mean.", best_mean("Alpha"))``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from selu.boards.readers.numbers import number
from selu.papers import claims
from selu.papers.claims import exceptions, finding, joined, listed, portion, rounding, scope
from selu.papers.scores import Scores
from selu.vocabulary import Caveat, Claim, Finding, SeluError, Verdict

MIXED = "The tasks differ in scale, or in whether a higher score is better, so that a mean is meaningless."
NONE_SHARED = "There is no task on which both systems have a score."
SAME = 1e-12  # what floats add to a difference
MOST = {"half": "the plain meaning of 'most': more than half"}
_DIGITS = "The digits that the paper leaves out could turn this."


class Shape(NamedTuple):
    """The rule of a claim, in words and as a function."""

    holds: str
    fails: str
    caveat: str
    check: Callable[[Scores], Finding]
    thresholds: Mapping[str, str] = {}  # each number that the rule names, and where it is from


def claim(
    id: str,
    section: str,
    statement: str,
    shape: Shape,
    *,
    weight: str = "detail",
    quote: str = "",
    if_it_fails: str = "",
) -> Claim:
    """Declare a claim of this shape; one without the paper's words is a check of ours."""
    declare = claims.claim(
        id,
        section,
        statement,
        holds=shape.holds,
        fails=shape.fails,
        caveat=shape.caveat,
        thresholds=shape.thresholds,
        weight=weight,
        kind="" if quote else "our check",
        quote=quote,
        if_it_fails=if_it_fails,
    )
    return declare(shape.check)


def on(ranking: str, shape: Shape) -> Shape:
    """Decide it by another ranking of the paper than the first."""
    return shape._replace(check=lambda scores: shape.check(scores.on(ranking)))


def best_mean(system: str) -> Shape:
    """Shape "SYSTEM has the best mean"."""

    def is_best_on_average(scores: Scores) -> Finding:
        every = {other: gap_of(scores, system, other) for other in scores.board.systems if other != system}
        gaps = {other: gap for other, gap in every.items() if gap.tasks}
        if not_checkable := unless_comparable(scores, gaps.values()):
            return not_checkable
        ahead = [other for other, gap in gaps.items() if gap.mean <= SAME]
        nearest = min(gaps, key=lambda other: gaps[other].mean)
        return finding(
            not ahead,
            f"{portion(len(ahead), len(gaps))} other systems have the same or a better mean: {listed(ahead)}."
            if ahead
            else f"{nearest} is nearest of {len(gaps)} others: its mean is {apart(gaps[nearest])} worse.",
            caveat=limits(scores, gaps.values()),
            margins={other: round(gap.mean, 6) for other, gap in gaps.items()},
        )

    return Shape(
        "Its mean is better than that of each other system, over the tasks on which both have a score.",
        "Another system has the same or a better mean, over these tasks.",
        "A margin lies within the rounding of the scores, or a pair does not share all tasks.",
        is_best_on_average,
    )


def order(*systems: str) -> Shape:
    """Shape "the means of these systems fall in this order", the best one first."""

    def falls_in_this_order(scores: Scores) -> Finding:
        if len(set(systems)) < max(2, len(systems)):
            raise SeluError(f"{scores.benchmark}: an order has two or more systems, each once: name them.")
        gaps = {(a, b): gap_of(scores, a, b) for a, b in pairwise(systems)}
        if not_checkable := unless_comparable(scores, gaps.values()):
            return not_checkable
        wrong = [f"{b} is no worse than {a}" for (a, b), gap in gaps.items() if gap.mean <= SAME]
        smallest = min(gaps, key=lambda pair: gaps[pair].mean)
        return finding(
            not wrong,
            f"{listed(wrong)}."
            if wrong
            else f"The smallest step is from {smallest[0]} to {smallest[1]}: {apart(gaps[smallest])}.",
            caveat=limits(scores, gaps.values()),
            steps={f"{a} minus {b}": round(gap.mean, 6) for (a, b), gap in gaps.items()},
        )

    return Shape(
        "Each of these means is better than the next one, over the tasks on which both have a score.",
        "One of them is the same as the next one or worse, over these tasks.",
        "A step lies within the rounding of the scores, or a pair does not share all tasks.",
        falls_in_this_order,
    )


def beats(system: str, other: str) -> Shape:
    """Shape "SYSTEM is better than OTHER on each task"."""

    def is_better_on_each_task(scores: Scores) -> Finding:
        gap = gap_of(scores, system, other)
        if not gap.tasks:
            return Finding(Verdict.NOT_CHECKABLE, NONE_SHARED)
        tasks = dict(zip(gap.tasks, gap.by_task, strict=True))
        worse = [task for task, value in tasks.items() if value < -SAME]
        equal = [task for task, value in tasks.items() if abs(value) <= SAME]
        caveats = [exceptions(f"The published scores on {listed(equal)} are equal.")] if equal else []
        caveats += unshared(scores, [gap])
        because = (
            f"{system} is better than {other} on {len(tasks) - len(worse) - len(equal)} of {len(tasks)} tasks"
        )
        return finding(
            not worse and len(equal) < len(tasks),
            f"{because}, and worse on {listed(worse)}." if worse else f"{because}.",
            caveat=joined(caveats),
            differences={task: round(value, 6) for task, value in tasks.items()},
        )

    return Shape(
        "On each task on which both have a score, its score is the better one.",
        "It is worse on one of them, or better on none.",
        "Some scores are equal as published, or one of the two lacks a score.",
        is_better_on_each_task,
    )


def ahead_on_most(system: str, other: str) -> Shape:
    """Shape "SYSTEM is better than OTHER on most tasks"."""

    def is_better_on_most_tasks(scores: Scores) -> Finding:
        gap = gap_of(scores, system, other)
        if not gap.tasks:
            return Finding(Verdict.NOT_CHECKABLE, NONE_SHARED)
        won, count = sum(value > SAME for value in gap.by_task), len(gap.tasks)
        equal = sum(abs(value) <= SAME for value in gap.by_task)
        return finding(
            2 * won > count,
            f"{system} is better than {other} on {won} of {count} tasks, and equal on {equal or 'none'}.",
            caveat=joined(unshared(scores, [gap])),
            won=won,
            equal=equal,
            tasks=count,
        )

    return Shape(
        "Of the tasks on which both have a score, its score is the better one on more than half.",
        "It is the better one on half of them or fewer.",
        "One of the two lacks a score.",
        is_better_on_most_tasks,
        MOST,
    )


def most_firsts(system: str) -> Shape:
    """Shape "SYSTEM is best on more tasks than any other"."""

    def is_best_most_often(scores: Scores) -> Finding:
        oriented = scores.board.oriented
        best = oriented >= np.nanmax(oriented, axis=0)
        counts = dict(zip(scores.board.systems, best.sum(axis=1).tolist(), strict=True))
        mine = best[row_of(scores, system)].sum()
        rivals = [name for name, count in counts.items() if name != system and count >= mine]
        shared = [task for task, n in zip(scores.board.tasks, best.sum(axis=0), strict=True) if n > 1]
        because = f"{system} is best on {mine} of {len(scores.board.tasks)} tasks"
        return finding(
            not rivals,
            f"{because}, {listed(rivals)} on as many or more." if rivals else f"{because}.",
            caveat=rounding(f"Several systems share the best published score on {listed(shared)}.")
            if shared
            else None,
            best={name: count for name, count in counts.items() if count},
        )

    return Shape(
        "It has the best score on more tasks than each other system; equal scores count for both.",
        "Another system has the best score on as many tasks or more.",
        "Several systems share the best published score on some tasks.",
        is_best_most_often,
    )


def difference(system: str, other: str, stated: tuple[str, str, str]) -> Shape:
    """Shape "the mean of SYSTEM is so much above that of OTHER", as a place of a table states it.

    Args:
        stated: table, row and column, such as ``("text", "section 5", "gain over Beta")``.
    """

    def differs_by_what_is_stated(scores: Scores) -> Finding:
        text = scores.published(*stated)
        parsed = number(text)
        if parsed is None:
            raise SeluError(f"{stated[0]}.csv, row {stated[1]!r}: {text!r} is not a number; correct it.")
        gap, half = gap_of(scores, system, other), 0.5 * 10.0**-parsed.digits
        if not_checkable := unless_comparable(scores, [gap]):
            return not_checkable
        off = abs(gap.value - parsed.value)
        return finding(
            off <= half + gap.unit + SAME,
            f"The means differ by {written(gap.value, gap, parsed.digits)}, and {text} is stated.",
            caveat=rounding(_DIGITS) if off > half + SAME else None,
            difference=round(gap.value, 6),
            stated=text,
        )

    return Shape(
        "The difference of the two means, over the tasks on which both have a score, is rounded as stated.",
        "It is another one, whatever digits were left out of the scores.",
        "It is only with digits that were left out of the scores.",
        differs_by_what_is_stated,
    )


def means_agree() -> Shape:
    """Shape "each published mean is that of the published scores"."""

    def each_mean_follows(scores: Scores) -> Finding:
        wrong, undecided, count = [], [], 0
        for row, values in zip(scores.board.systems, scores.board.values, strict=True):
            published = scores.board.means.get(row)
            there = ~np.isnan(values)
            if published is None or not there.any():
                continue
            count += 1
            off, half = abs(values[there].mean() - published.value), 0.5 * 10.0**-published.digits + SAME
            if off > half + 0.5 * float((10.0 ** -scores.board.digits[there]).mean()):
                digits = published.digits
                wrong.append(f"{row} ({published.value:.{digits}f}, not {values[there].mean():.{digits + 1}f})")
            elif off > half:
                undecided.append(row)
        if not count:
            why = "No mean is published beside the scores: 'mean' of a board in paper.yaml names its column."
            return Finding(Verdict.NOT_CHECKABLE, why, {"wrong": wrong})
        because = f"{portion(count - len(wrong), count)} published means follow from the scores"
        return finding(
            not wrong,
            f"{because}; these do not: {listed(wrong)}." if wrong else f"{because}.",
            caveat=rounding(f"Of {listed(undecided)} only with digits that were left out.")
            if undecided
            else None,
            wrong=wrong,
        )

    return Shape(
        "Each published mean is the mean of the system's published scores, rounded.",
        "One of them is not, whatever digits were left out of the scores.",
        "Some are only with digits that were left out of the scores.",
        each_mean_follows,
    )


# -- the lead of one system over another ---------------------------------------------------------


class Gap(NamedTuple):
    """The lead of one system over another on the tasks that both have; above 0 it is the better one.

    ``value`` is the difference of the means as they are, ``unit`` what rounding can add to it.
    """

    tasks: tuple[str, ...]
    by_task: Sequence[float]
    mean: float
    value: float
    unit: float


def row_of(scores: Scores, system: str) -> int:
    """Find the row of a system; a SeluError where the table has none of that name."""
    check_name(scores, "system", system)
    return scores.rows[system]


def check_name(scores: Scores, what: str, name: str) -> None:
    """Refuse the name of a ``system`` or ``task`` that the table doesn't have, which would turn a verdict."""
    if name not in (scores.board.systems if what == "system" else scores.board.tasks):
        raise SeluError(f"{scores.benchmark}: there is no {what} {name!r} in the table: correct its name.")


def gap_of(scores: Scores, a: str, b: str) -> Gap:
    """Compare two systems on the tasks that both have; raises as ``row_of``, and if they are the same."""
    if a == b:
        raise SeluError(f"{scores.benchmark}: {a!r} is compared with itself: name two different systems.")
    first, second, board = row_of(scores, a), row_of(scores, b), scores.board
    shared = ~np.isnan(board.values[first]) & ~np.isnan(board.values[second])
    if not shared.any():
        return Gap((), (), 0.0, 0.0, 0.0)
    ahead = (board.oriented[first] - board.oriented[second])[shared]
    value = float((board.values[first] - board.values[second])[shared].mean())
    tasks = tuple(task for task, is_shared in zip(board.tasks, shared, strict=True) if is_shared)
    return Gap(tasks, ahead.tolist(), float(ahead.mean()), value, float((10.0 ** -board.digits[shared]).mean()))


def apart(gap: Gap) -> str:
    """Write a gap for a sentence."""
    return written(gap.mean, gap)


def written(value: float, gap: Gap, digits: int = 0) -> str:
    """Write a difference of means with one digit more than the scores have, at least so many, at most four."""
    of_scores = math.ceil(-math.log10(gap.unit) - SAME) if gap.unit else 0
    return f"{value:.{min(max(of_scores + 1, digits), 4)}f}"


def unless_comparable(scores: Scores, gaps: Collection[Gap]) -> Finding | None:
    """Return ``not checkable`` if means are meaningless or no two systems share a task; else None."""
    if scores.board.is_mixed:
        why = MIXED
    elif not gaps or not all(gap.tasks for gap in gaps):
        why = NONE_SHARED
    else:
        return None
    return Finding(Verdict.NOT_CHECKABLE, why)


def limits(scores: Scores, gaps: Collection[Gap]) -> Caveat | None:
    """Return the caveat on digits that were left out and on tasks that a pair does not share."""
    close = sum(abs(gap.mean) <= gap.unit + SAME for gap in gaps)
    digits = (
        [rounding(f"{portion(close, len(gaps))} margins lie within the rounding of the scores.")]
        if close
        else []
    )
    return joined([*digits, *unshared(scores, gaps)])


def unshared(scores: Scores, gaps: Collection[Gap]) -> list[Caveat]:
    """Return the caveat on tasks for which one of a pair lacks a score."""
    fewest = min(len(gap.tasks) for gap in gaps)
    whole = len(scores.board.tasks)
    return [scope(f"A pair shares {fewest} of {whole} tasks.")] if fewest < whole else []
