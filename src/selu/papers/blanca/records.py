"""Records of BLANCA that are written and read as JSON: re-scored distances, encoders that are run, tuning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

from selu.papers.records import Interval, PinnedSource

# -- rescored.json -----------------------------------------------------------------------------------------


class Held(TypedDict):
    """A published or logged number beside the one that is computed."""

    column: str
    printed: str
    value: float
    equal: bool


class Shape(TypedDict, total=False):
    """How distances are spread: counts of related and unrelated pairs, or a curve of means."""

    edges: list[float]
    related: list[int]
    unrelated: list[int]
    class_distance: list[float]
    embedding_distance: list[float]


class Related(TypedDict):
    """The number of related pairs; absent for tasks of class distances."""

    related: NotRequired[int]


class Distances(Related):
    """An encoder's distances on a task: scores, their intervals, and those of permuted labels.

    ``verdict`` says whether the numbers equal the paper's.
    """

    task: str
    system: str
    state: str
    evidence: str
    pairs: int
    scores: Mapping[str, float]
    intervals: Mapping[str, Interval]
    permuted: Mapping[str, Interval]
    shape: Shape
    printed: list[Held]
    logged: list[Held]
    verdict: str


class RescoredRow(Distances):
    """Distances, and their source file."""

    source: PinnedSource


Usage = TypedDict(
    "Usage",
    {
        "pairs": int,
        "mean distance": float,
        "largest M": int,
        "smallest C": int,
        "largest C": int,
        "test pairs": int,
        "test pairs with distances": int,
        "recomputed distances": int,
    },
)


class Rescored(TypedDict):
    """``rescored.json``."""

    finding: str
    usage: Usage
    rows: list[RescoredRow]


# -- encoders.json and tuning.json -------------------------------------------------------------------------


class EncoderRun(TypedDict):
    """An encoder that was run on a task: scores, intervals, time and memory."""

    task: str
    system: str
    name: str
    pairs: int
    scores: Mapping[str, float]
    intervals: Mapping[str, Interval]
    seconds_per_1000_texts: float | None
    peak_memory_bytes: int


class Encoders(TypedDict):
    """``encoders.json``."""

    finding: str
    runs: list[EncoderRun]


class Difference(TypedDict):
    """The score of a tuned encoder minus that of the frozen one, on the same pairs."""

    pairs: int
    score: str
    tuned: float
    frozen: float
    difference: float
    interval: Interval


class Gain(Difference):
    """The effect of tuning on a task, and on test pairs without a near copy among train pairs."""

    task: str
    system: str
    name: str
    seed: int
    learnt: Mapping[str, int]
    validated: Mapping[str, int]
    steps: int
    batch: int
    rate: float
    tokens: int
    looks: list[list[float]]
    cpu_seconds: float
    without_near_copies: Difference


class Measured(Interval):
    """A score with the bounds of its interval."""

    score: float


class Relative(TypedDict):
    """An encoder beside the published distances of another, on the same pairs.

    ``between`` correlates both distances, ``r`` each with usage; ``change`` is r here minus r published, and
    ``apart`` the mean absolute difference of the distances. ``r`` and ``means`` are those of our distances
    (``here``) and of the published ones (``published``).
    """

    finding: str
    system: str
    pairs: int
    between: Measured
    r: Mapping[str, Measured]
    change: Measured
    means: Mapping[str, float]
    apart: float


class Gains(TypedDict):
    """``tuning.json``."""

    finding: str
    runs: list[Gain]
    relative: Relative
