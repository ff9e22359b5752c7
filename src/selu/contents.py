"""The records of a run on the disk: what ``run.json`` and ``scores.json`` hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

Answer = (
    int | float | str | Sequence[int] | Sequence[str] | Sequence[float] | None
)  # to a row; None: no valid one


class Machine(TypedDict):
    """The machine of a run; ``extensions`` are those of its processor that decide kernels."""

    processor: str
    extensions: NotRequired[list[str]]
    cores: int | None
    memory_bytes: int
    system: str
    architecture: str


class Details(TypedDict, total=False):
    """Optional fields of a run's record, by the family of its system.

    Attributes:
        error: of a failed run.
        cost: time, memory, tokens and money, each under its unit.
        grid: candidates with their scores, of which ``chosen`` is the best one.
        invalid, invalid_as_authors: replies that were no answer, by reason.
        inference: seconds per text of each repeat.
        used: the device and precision of a training.
        told: what a learner says of itself.
        vocabulary: of a model that fills masks.
    """

    error: str
    cost: Mapping[str, Any]
    chosen: Mapping[str, Any]
    grid: list[Mapping[str, Any]]
    model: Mapping[str, Any]
    invalid: Mapping[str, int]
    invalid_as_authors: Mapping[str, int]
    inference: list[float]
    history: list[Mapping[str, float]]
    picked_step: int
    steps: int
    stopped_early: bool
    collapsed: bool
    truncated: Mapping[str, int]
    vocabulary: int | None
    used: Mapping[str, Any]
    told: Mapping[str, Any]


class Predictions(TypedDict):
    """The columns of ``predictions.parquet``: ids of test rows, and their answers."""

    id: list[str]
    prediction: list[Any]


class UnitCost(TypedDict):
    """Wall-clock and processor seconds of a unit."""

    seconds: float
    cpu: float


class Unit(TypedDict):
    """A sealed file of one candidate: an answer per row, its cost, its peak of memory in bytes."""

    key: str
    params: Mapping[str, Any]
    answers: list[Any]
    cost: UnitCost
    memory: int
    inference: NotRequired[list[float]]
    told: NotRequired[Mapping[str, Any]]
    probabilities: NotRequired[list[list[float]]]


class Trained(TypedDict):
    """A sealed file of one training: the model that was trained, and its outcome as the learner wrote it."""

    key: str
    model: Mapping[str, str]
    outcome: Mapping[str, Any]


class Answering(TypedDict):
    """The fields of a run that metrics need, and the vocabulary of a model that fills masks."""

    fields: Mapping[str, Any]
    vocabulary: NotRequired[int | None]


class RunContent(Details):
    """``run.json``: what was run and how. ``format``, ``files`` and ``seal`` are added when written."""

    identity: str
    fields: Mapping[str, Any]
    standing: str
    environment: str
    format: NotRequired[int]
    files: NotRequired[Mapping[str, str]]
    seal: NotRequired[str]
    state: NotRequired[str]
    picked_on: NotRequired[str]
    versions: NotRequired[Mapping[str, Any]]
    machine: NotRequired[Machine]
    started: NotRequired[str]


class Grouped(TypedDict):
    """The score on the test rows that have no near copy among the rows to learn from."""

    rows: int
    value: float | None


class Bootstrap(TypedDict):
    """How intervals are drawn: resamples of the test rows, seed, level."""

    draws: int
    seed: int
    level: float


class Points(TypedDict):
    """The scores of a run that need no draws."""

    metric: str
    value: float
    rows: int
    scores: Mapping[str, Any]
    grouped: Grouped
    constant: bool


class ScoresContent(Points):
    """``scores.json``: scores of a run with their intervals; ``predictions`` is the hash of those scored."""

    task: str
    system: str
    run: str
    protocol: str
    seed: int
    environment: str
    identity: str
    standing: str
    intervals: Mapping[str, Mapping[str, float]]
    bootstrap: Bootstrap
    made_with: str
    predictions: str
    seal: NotRequired[str]
