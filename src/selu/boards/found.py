"""Fields of what ``boards.findings`` says of a board: the record that is written as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, final


class WithShares(TypedDict):
    """Probabilities that a system is better than, equal to and worse than another; None if untested."""

    system: str
    p_better: float | None
    p_equal: float | None
    p_worse: float | None


class WithTest(WithShares):
    """These probabilities, and the p-value that takes their place over few tasks."""

    p_value: float | None


class SystemFound(WithTest):
    """A system's place, its mean with interval, and how likely it differs from the first."""

    rank: int | None
    tied: bool
    mean: float | None
    low: float | None
    high: float | None
    sd: float | None
    mean_rank: float | None
    win_rate: float | None
    p_first: float | None
    tier: int | None
    missing: Sequence[str]


class TaskFound(TypedDict):
    """A task: whether it is ranked, how many systems have a score on it, and which is best."""

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
    """The first system without a task or by one seed, and how many systems have another rank."""

    name: str
    first: Sequence[str]
    moved: int
    changes_first: bool


class RoundingFound(TypedDict):
    """The possible effect of rounding."""

    could_be_first: Sequence[str]
    neighbours_that_could_change: int
    first_stays: float


class DrawsFound(TypedDict):
    """The number of pairs so near the threshold that other random draws could decide them otherwise."""

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
    """All findings on a board; ``scores`` has a row for each system, in the order of the table."""

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


# -- a few of a board's systems -----------------------------------------------------------------------


@final
class FirstFound(WithTest):
    """One of the first systems over chosen tasks, with the test against the first."""

    rank: int | None
    tied: bool
    score: float | None
    low: float | None
    high: float | None
    mean_rank: float | None
    missing: Sequence[str]


class Best(TypedDict):
    """The first systems over chosen tasks; ``interval`` says what low and high bound, if there are any."""

    tasks: list[str]
    systems: list[FirstFound]
    interval: str | None
    sentence: str


class OwnPlace(TypedDict):
    """The rank of the user's own system, and its evidence."""

    rank: int
    of: int
    mean: float | None
    low: float | None
    high: float | None
    mean_rank: float | None
    win_rate: float | None


@final
class Neighbour(WithTest):
    """The test of the user's own system against another one, whose rank and score these are."""

    rank: int | None
    score: float | None
    mean_rank: float | None


class Placed(TypedDict):
    """The user's own system among those of a board.

    ``holes`` are tasks without a score, ``beside`` scores that are not counted, ``equal`` who shares the rank.
    """

    tasks: list[str]
    holes: list[str]
    beside: list[str]
    place: OwnPlace
    ranked_by: str
    equal: list[str]
    against: list[Neighbour]
    sentence: str


class RankOf(TypedDict):
    """A system's rank; None if it has none."""

    rank: int | None
    tied: bool
    of: int


class Odds(TypedDict):
    """The probabilities that a system is better than another one, with Monte-Carlo errors and the decision."""

    better: float
    equal: float
    worse: float
    better_error: float
    equal_error: float
    worse_error: float
    rope: float
    decision: str


class Versus(TypedDict):
    """Two systems of a board side by side; ``difference`` is positive if ``a`` is better.

    A row of ``tasks`` has the scores under the systems' own names.
    """

    a: str
    b: str
    tasks: list[Mapping[str, str | float]]
    ranks: Mapping[str, RankOf]
    ranked_by: str
    difference: float | None
    low: float | None
    high: float | None
    posterior: Mapping[str, Odds] | None
    p_value: float | None
    sentence: str
