"""Scores of one task in a row: who is first, by how much, and how each score was checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, NotRequired, TypedDict

_MARKS = 50  # systems that a strip marks


class Check(NamedTuple):
    """The result of recomputing a published score.

    Attributes:
        evidence: how deep it was checked: recounted, re-scored or re-run.
        low, high: the interval of our value.
        rows: of how many test rows it is.
        reason: why it differs, where that is known.
        about_interval: what the interval assumes, or why there is none.
    """

    evidence: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    rows: int | None = None
    verdict: str | None = None
    reason: str | None = None
    about_interval: str | None = None


class Counts(NamedTuple):
    """Counts of right and wrong answers behind a score: a row for each label.

    ``right`` is the column that counts right answers in row i, or None where it is column i.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int | None, ...]], ...]
    right: int | None = None


class Published(NamedTuple):
    """A system's place on a task: its published score as a text, or None and the reason.

    Attributes:
        system: the id that its page and its row are found by; ``name`` is what is shown.
        place: where the paper has the score.
        number: the score with all its digits, where the text is rounded.
        digits: decimals that scores of the task are shown with.
    """

    system: str
    name: str
    score: str | None
    reason: str | None = None
    checked: Check | None = None
    place: str = ""
    counts: Counts | None = None
    number: float | None = None
    digits: int = 3

    @property
    def value(self) -> float:
        """The score as a number; nan if there is none."""
        if self.number is not None:
            return self.number
        return float("nan") if self.score is None else float(self.score)


class RankedScore(NamedTuple):
    """A published score in its ranking.

    Attributes:
        rank: equal scores share it; None without a score, as is ``behind``, the distance from the first.
    """

    published: Published
    rank: int | None = None
    tied: bool = False
    behind: float | None = None


class ScorePlace(TypedDict):
    """A system's place on a task: its rank, and the positions of all scores between worst and best.

    Attributes:
        rank: None without a score; ``of``: how many have one.
        behind: its distance from the first; this and the next ones with a score alone.
        at, others: in percent from worst to best; no others where they are more than a strip can show.
    """

    score: str | None
    reason: str | None
    checked: Check | None
    place: str
    digits: int
    rank: int | None
    tied: bool
    of: int
    behind: NotRequired[float]
    at: NotRequired[str]
    others: NotRequired[list[str]]


class ScoreRow(ScorePlace):
    """A score's place with the name of the task and the address of its page."""

    title: str
    at_page: str


def by_rank(scores: Sequence[Published], lower: bool = False) -> list[RankedScore]:
    """Order systems by published score; those without a score come last, with the reason why.

    Args:
        lower: whether a lower score is better.
    """
    sign = 1.0 if lower else -1.0
    present = sorted(
        (score for score in scores if score.score is not None), key=lambda score: sign * score.value
    )
    values = [score.value for score in present]
    ranked = [
        RankedScore(
            score, 1 + values.index(score.value), values.count(score.value) > 1, abs(values[0] - score.value)
        )
        for score in present
    ]
    return ranked + [RankedScore(score) for score in scores if score.score is None]


def place(scores: Sequence[Published], system: str, lower: bool = False) -> ScorePlace:
    """Return a system's place on a task."""
    (own,) = (score for score in scores if score.system == system)
    values = [score.value for score in scores if score.score is not None]
    shown: ScorePlace = {
        "score": own.score,
        "reason": own.reason,
        "checked": own.checked,
        "place": own.place,
        "digits": own.digits,
        "rank": None,
        "tied": False,
        "of": len(values),
    }
    if own.score is None:
        return shown
    worst, best = (max(values), min(values)) if lower else (min(values), max(values))
    width = abs(best - worst) or 1.0
    marked = values if len(values) <= _MARKS else []
    better = sum(value < own.value if lower else value > own.value for value in values)
    return {
        **shown,
        "rank": 1 + better,
        "tied": values.count(own.value) > 1,
        "behind": abs(best - own.value),
        "at": f"{100 * abs(own.value - worst) / width:.1f}",
        "others": [f"{100 * abs(value - worst) / width:.1f}" for value in marked],
    }
