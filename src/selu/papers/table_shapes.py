"""Shapes of claims about a table of scores as a whole: how many, how hard, how even."""

from __future__ import annotations

import numpy as np

from selu.papers.claims import finding, listed, scope
from selu.papers.scores import Scores
from selu.papers.shapes import MIXED, Shape, check_name
from selu.vocabulary import Caveat, Finding, SeluError, Verdict

_NAMED = 3  # systems, in a sentence
_COUNTED = ("systems", "tasks")


def counts(noun: str, count: int) -> Shape:
    """Shape "there are so many of these": ``systems`` or ``tasks``."""

    def are_so_many(scores: Scores) -> Finding:
        if noun not in _COUNTED:
            known = " or ".join(_COUNTED)
            raise SeluError(f"{scores.benchmark}: {noun!r} of a table can't be counted: name {known}.")
        found = len(getattr(scores.board, noun))
        return finding(found == count, f"The table has {found} {noun}.", found=found)

    return Shape(f"The table has {count} {noun}.", "It has more or fewer.", "", are_so_many)


def none_best_everywhere() -> Shape:
    """Shape "no system is best on each task"."""

    def none_is_best_on_each_task(scores: Scores) -> Finding:
        best = scores.board.oriented >= np.nanmax(scores.board.oriented, axis=0)
        firsts = {
            name: int(row.sum()) for name, row in zip(scores.board.systems, best, strict=True) if row.any()
        }
        return finding(
            max(firsts.values()) < len(scores.board.tasks),
            f"Best on a task, or on several: {listed(f'{name} ({count})' for name, count in firsts.items())}.",
            best=firsts,
        )

    return Shape(
        "No system has the best score on every task; equal scores count for both.",
        "One has.",
        "",
        none_is_best_on_each_task,
    )


def hardest(task: str) -> Shape:
    """Shape "the scores of TASK are the worst on average"."""

    def is_the_hardest(scores: Scores) -> Finding:
        check_name(scores, "task", task)
        if scores.board.is_mixed:
            return Finding(Verdict.NOT_CHECKABLE, MIXED)
        means = dict(zip(scores.board.tasks, np.nanmean(scores.board.oriented, axis=0).tolist(), strict=True))
        worst, second = sorted(means, key=lambda name: means[name])[:2]
        return finding(
            worst == task,
            f"{worst} has the worst mean ({abs(means[worst]):.3g}); next is {second} "
            f"({abs(means[second]):.3g}).",
            caveat=_holes(scores),
            means={name: round(abs(value), 6) for name, value in means.items()},
        )

    return Shape(
        "The mean over the systems that have a score on it is the worst of all tasks.",
        "Another task has a worse mean.",
        "A system lacks a score.",
        is_the_hardest,
    )


def variance(system: str, *, is_highest: bool) -> Shape:
    """Shape "SYSTEM has the highest variance over the tasks", or the lowest."""
    word = "highest" if is_highest else "lowest"

    def is_extreme(scores: Scores) -> Finding:
        check_name(scores, "system", system)
        if scores.board.is_mixed:
            return Finding(Verdict.NOT_CHECKABLE, MIXED)
        found = dict(zip(scores.board.systems, np.nanvar(scores.board.values, axis=1).tolist(), strict=True))
        first, second = sorted(found, key=lambda name: found[name], reverse=is_highest)[:2]
        return finding(
            first == system,
            f"{first} has the {word} variance ({found[first]:.3g}), before {second} ({found[second]:.3g}).",
            caveat=_holes(scores),
            variances={name: round(value, 6) for name, value in found.items()},
        )

    return Shape(
        f"The variance of its scores over the tasks is the {word} of all systems.",
        f"Another system has the {word} one.",
        "A system lacks a score.",
        is_extreme,
    )


def _holes(scores: Scores) -> Caveat | None:
    lacking = [
        name for name, row in zip(scores.board.systems, scores.board.values, strict=True) if np.isnan(row).any()
    ]
    if not lacking:
        return None
    named = (
        listed(lacking) if len(lacking) <= _NAMED else f"{len(lacking)} of {len(scores.board.systems)} systems"
    )
    return scope(f"A score is missing of {named}.")
