"""The lead of one system over another in a table of scores, and the limits of a claim that rests on it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from selu.papers.claims import joined, of, rounding, scope
from selu.papers.scores import Scores
from selu.vocabulary import Caveat, Finding, SeluError, Verdict

MIXED = "The tasks differ in scale, or in whether a higher score is better, so that a mean is meaningless."
NONE_SHARED = "There is no task on which both systems have a score."
SAME = 1e-12  # what floats add to a difference
SHOWN = 4  # decimals of a mean in a sentence


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
    if system not in scores.rows:
        raise SeluError(f"{scores.benchmark}: there is no system {system!r} in the table: correct its name.")
    return scores.rows[system]


def gap_of(scores: Scores, a: str, b: str) -> Gap:
    """Compare two systems on the tasks that both have; raises the errors of ``row_of``."""
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
    return f"{gap.mean:.{SHOWN}f}"


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
        [rounding(f"{of(close, len(gaps))} margins lie within the rounding of the scores.")] if close else []
    )
    return joined([*digits, *unshared(scores, gaps)])


def unshared(scores: Scores, gaps: Collection[Gap]) -> list[Caveat]:
    """Return the caveat on tasks for which one of a pair lacks a score."""
    fewest = min(len(gap.tasks) for gap in gaps)
    whole = len(scores.board.tasks)
    return [scope(f"A pair shares {fewest} of {whole} tasks.")] if fewest < whole else []
