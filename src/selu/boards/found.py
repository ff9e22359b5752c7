"""Fields of what ``boards.findings`` says of a board: the record that is written as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class SystemFound(TypedDict):
    """A system's place, its mean with interval, and how likely it differs from the first."""

    rank: int | None
    tied: bool
    system: str
    mean: float | None
    low: float | None
    high: float | None
    sd: float | None
    mean_rank: float | None
    win_rate: float | None
    p_first: float | None
    tier: int | None
    p_better: float | None
    p_equal: float | None
    p_worse: float | None
    p_value: float | None
    missing: Sequence[str]


class TaskFound(TypedDict):
    """A task: whether it is ranked over, how many systems have a score on it, and which is best."""

    task: str
    ranked: bool
    systems: int
    best: Sequence[str]
    score: float | None
    lower_is_better: bool
    decimals: int
    missing: Sequence[str]


class PairFound(TypedDict):
    """A tested pair of systems, the one with the better rank as ``a``."""

    a: str
    b: str
    tasks: int
    wins: int
    ties: int
    losses: int
    difference: float | None
    p_better: float | None
    p_equal: float | None
    p_worse: float | None
    threshold: float | None
    p_value: float | None
    winner: str | None


class LeftOut(TypedDict):
    """Who is first without a task or by one seed, and which share of the ranks differs."""

    name: str
    first: Sequence[str]
    moved: int
    changes_first: bool


class RoundingFound(TypedDict):
    """What unrounded scores could change."""

    could_be_first: Sequence[str]
    neighbours_that_could_change: int
    first_stays: float


class DrawsFound(TypedDict):
    """How many pairs lie so near the threshold that other random draws could decide them otherwise."""

    pairs_near_the_threshold: int
    pairs: int


class DependsOn(TypedDict):
    """What the first place depends on."""

    task_left_out: Sequence[LeftOut]
    seed: Sequence[LeftOut]
    rounding: RoundingFound | None
    random_draws: DrawsFound


class Method(TypedDict):
    """How the board was ranked and tested, and how large it is."""

    source: str
    systems: int
    tasks: int
    ranked_by: str
    interval: str | None
    level: float
    interval_draws: int
    test: str | None
    equivalence_threshold: str
    clear_winner: str
    test_draws: int
    seed: int
    all_pairs: bool
    scores: int


class Found(TypedDict):
    """All that is said of a board; ``scores`` has a row for each system, in the order of the table."""

    sentence: str
    systems: list[SystemFound]
    tasks: list[TaskFound]
    scores: list[list[float | None]]
    pairs: list[PairFound]
    tiers: list[list[str]]
    depends_on: DependsOn
    impossible: list[Mapping[str, Any]]
    notes: list[str]
    method: Method
