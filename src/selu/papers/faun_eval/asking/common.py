"""What the three tasks share: the draw, the cost, and the parts of which a model's page is made."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Annotated, Generic, NamedTuple, TypeVar

import numpy as np
from annotated_types import Ge

from selu.metrics.percentiles import Resampling
from selu.papers.asked import Replies, Reply
from selu.papers.faun_eval.records import AskedCost, Mean
from selu.stats.agreement import share

T = TypeVar("T")
Count = Annotated[int, Ge(1)]


class Row(NamedTuple):
    """A reply: the paper's task, the question or the issue that was asked about, and what was read from it."""

    task: str
    name: str
    read: str
    reply: Reply


class Part(NamedTuple, Generic[T]):
    """What a model replied to one of the paper's tasks, the record of its scores, and the rows to look at."""

    replies: Replies
    record: T
    rows: Sequence[Row]


def draw(names: Sequence[T], count: int, seed: int) -> list[T]:
    """Draw names; a larger sample begins with a smaller one."""
    order = np.random.default_rng(seed).permutation(len(names))
    return [names[at] for at in order[:count]]


def average_cost(replies: Sequence[Reply]) -> AskedCost | None:
    """Average the tokens asked and answered and the seconds of replies; None without any."""
    if not replies:
        return None
    return {
        "asked": fmean(reply.asked for reply in replies),
        "answered": fmean(reply.answered for reply in replies),
        "seconds": fmean(reply.seconds for reply in replies),
    }


def find_share(hits: Sequence[float], draws: Resampling) -> Mean:
    """Return the share of tasks with a hit (1, else 0), with Wilson's interval."""
    found = share(int(sum(hits)), len(hits), draws.level)
    return {"score": found["share"], "low": found["low"], "high": found["high"]}
