"""Records that reports of several benchmarks hold: cells, how intervals are drawn, and a score's interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from selu.metrics.percentiles import Bounds, Resampling

CELL_FIELDS = ("task", "system", "evidence", "state", "value", "low", "high", "verdict", "reason")


class Bootstrap(TypedDict):
    """How intervals are drawn: resamples of the test rows, seed, level."""

    draws: int
    seed: int
    level: float


class Interval(TypedDict):
    """Bounds of a score, and the larger Monte-Carlo standard error of the two."""

    low: float
    high: float
    error: float


class PinnedSource(TypedDict):
    """A pinned file of a system's answers, and where it is published."""

    task: str
    system: str
    file: str
    sha256: str
    bytes: int
    repository: str
    commit: str
    path: str


def turned(metric: str, value: float) -> float:
    """Convert a score to the published orientation, in which higher is better."""
    return 1 - value if metric == "smape" else value


def bootstrap(draws: Resampling) -> Bootstrap:
    """Write down how intervals are drawn."""
    return {"draws": draws.draws, "seed": draws.seed, "level": draws.level}


def interval(found: Bounds) -> Interval:
    """Write down the bounds of a score."""
    return {"low": found.low, "high": found.high, "error": found.error}
