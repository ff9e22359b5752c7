"""Fields of statistics.json and sensitivity.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from selu.papers.selu.records.reruns import RecountedCell, RerunCell

Matrix = list[list[float]]  # in JSON null on the diagonal


class Settings(TypedDict):
    """Parameters of the method."""

    alpha: float
    rope: float
    threshold: float
    draws: int
    seed: int
    backend: str


class TaskEntry(TypedDict):
    """A task of the paper."""

    id: str
    kind: str
    family: str
    activity: str
    question: str
    metric: str
    instances: int
    targets: str
    sources: list[str]
    ranked: bool


class SystemEntry(TypedDict):
    """A system of the paper, with Table IV's columns."""

    id: str
    name: str
    approach: str
    shots: int | None
    series: str | None
    architecture: str | None
    adaptation: str | None
    size_published: str | None
    parameters: int | None
    parameters_counted: int | None
    hub: str | None
    context: int | None
    licence: str
    gated: bool | None
    rank: float
    M: float
    SD: float
    ci_lower: float
    ci_upper: float
    bonferroni_lower: float
    bonferroni_upper: float
    median: float
    d: float
    magnitude: str
    shapiro_p: float


class ScoreEntry(TypedDict):
    """A cell of Table VI as published."""

    id: str
    task: str
    system: str
    state: str
    printed: str | None
    evidence: str | None
    reason: str | None


class PosteriorEntry(TypedDict):
    """A posterior in rank order, row against column: probabilities, their errors and what they decide."""

    order: list[str]
    better: Matrix
    equal: Matrix
    rope: Matrix
    error_better: Matrix
    error_equal: Matrix
    decision: list[list[str]]


class BoardScore(TypedDict):
    """A system's mean over the tasks of a board, and the tasks that it lacks."""

    system: str
    n: int
    missing: list[str]
    M: float
    SD: float | None
    ci_lower: float | None
    ci_upper: float | None


class BoardRow(BoardScore):
    """The same with its place."""

    rank: int


class Leaderboard(TypedDict):
    """Means over the tasks of a family and a kind."""

    family: str
    kind: str
    tasks: list[str]
    rows: list[BoardRow]


class Analysis(TypedDict):
    """The results of the paper's method on the published scores."""

    settings: Settings
    tasks: list[TaskEntry]
    systems: list[SystemEntry]
    posteriors: Mapping[str, PosteriorEntry]  # by equivalence threshold: autorank, paper
    tiers: list[list[str]]
    leaderboards: list[Leaderboard]


class Statistics(Analysis):
    """The whole of statistics.json."""

    cells: list[ScoreEntry]


class CheckedScore(ScoreEntry):
    """A published score with the finding of its deepest check; ``differs`` is of checks on all rows alone."""

    check: RerunCell | RecountedCell | None
    differs: bool


class CheckedStatistics(Analysis):
    """The same with what was checked of each score."""

    cells: list[CheckedScore]


Change = TypedDict("Change", {"a": str, "b": str, "from": str, "to": str})


class VariationEntry(TypedDict):
    """What one variation of the analysis changes."""

    name: str
    changed: list[Change]
    largest_shift: float
    top: str
    moved_ranks: Mapping[str, int]


class SensitivityPart(TypedDict):
    """All variations of one kind, and per pair the share of them that keep its decision."""

    variations: list[VariationEntry]
    pairs: int
    unstable_pairs: Mapping[str, float]


class SensitivityFields(TypedDict):
    """Parameters of the variations."""

    seeds: int
    rounding: float
    roundings: int
    seed: int


class Sensitivity(TypedDict):
    """The whole of sensitivity.json."""

    settings: SensitivityFields
    order: list[str]
    draws: int
    parts: Mapping[str, SensitivityPart]
