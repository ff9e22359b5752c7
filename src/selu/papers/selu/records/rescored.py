"""Fields of rescored.json, recounts.json and the scores that the authors publish beside their predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

Report = Mapping[str, Any]  # score -> a number, a list of them by label, or confusion counts


class _ResultsHash(TypedDict, total=False):
    results_sha256: str | None


class Source(_ResultsHash):
    """The file of the predictions, and the hashes of what was read."""

    repository: str
    commit: str
    path: str
    pinned: bool
    sha256: str | None


class Interval(TypedDict):
    """Bounds over resampled test rows, and how these were drawn."""

    low: float
    high: float
    error: float
    draws: int
    seed: int
    level: float


class FlipEntry(TypedDict):
    """An answer that must change for the authors' report to hold; ``id`` is of the row."""

    row: int
    id: str
    label: str
    before: bool | str
    after: bool | str
    score: float
    margin: float


class Rescoring(TypedDict, total=False):
    """The result of scoring a score's predictions."""

    metric: str
    value: float
    rows: int
    interval: Interval
    their_value: float | None
    printed: str
    printed_equal: bool
    verdict: str | None
    apart: list[str]
    flips: list[FlipEntry]
    flips_settle: bool
    collapsed: str | None
    ties: int
    scores: Report


class RescoringFound(Rescoring):
    """The result of scoring with sentences."""

    finding: str


class Labels(TypedDict):
    """The labels that predictions were scored against."""

    standing: str
    sha256: str


class Unscored(TypedDict):
    """A score, and why it is not re-scored."""

    task: str
    system: str
    state: str
    finding: str


class RescoredCell(Unscored, Rescoring, total=False):
    """An entry of ``cells``; the scores are there where ``state`` is present."""

    evidence: str
    source: Source
    labels: Labels
