"""Fields of finetuned.json and frozen.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypedDict

Spent = Literal["unit_seconds", "cpu_seconds", "useful_tokens", "computed_tokens", "flops"]  # that add up


class TrainingCost(TypedDict):
    """The cost of a training, or of several together; None if it could not be measured."""

    unit_seconds: float | None
    cpu_seconds: float | None
    useful_tokens: float | None
    computed_tokens: float | None
    flops: float | None
    peak_memory_bytes: int


class Pick(TypedDict):
    """How a checkpoint was picked."""

    metric: str
    best: str
    on: str


class Evaluation(TypedDict):
    """A point of a learning curve."""

    step: int
    epoch: float
    loss: float
    held_loss: float
    score: float | None


class Used(TypedDict):
    """What a training ran on, and how."""

    device: str
    attention: str
    precision: str
    bf16_products: str | None
    threads: int
    processes: int
    sharding: str


class Machine(TypedDict):
    """The machine of a training."""

    processor: str
    cores: int | None


class RunHead(TypedDict):
    """A run that may be missing."""

    name: str
    seed: int
    state: str
    error: str | None


class TrainedRun(RunHead, total=False):
    """A training; its other fields exist if ``state`` is present."""

    value: float
    low: float
    high: float
    error_of_bounds: float
    rows: int
    grouped: float | None
    rows_left: int
    collapsed: bool
    invalid: int
    picked_step: int
    steps: int
    stopped_early: bool
    truncated: Mapping[str, int]
    pick: Pick
    params: Mapping[str, object]
    history: list[Evaluation]
    cost: TrainingCost
    used: Used
    machine: Machine


class ProtocolScore(TypedDict):
    """The combined result of a protocol's seeds; None without every one of them."""

    value: float | None
    lowest: float | None
    highest: float | None
    low: float | None
    high: float | None
    rows: int | None
    cost: TrainingCost | None
    runs: list[TrainedRun]


class CellHead(TypedDict):
    """Which cell it is, and the standing of its rows."""

    task: str
    system: str
    name: str
    kind: str
    metric: str
    standing: str | None


class CellBody(TypedDict):
    """The state of a cell and its scores by protocol."""

    state: str
    reason: str | None
    paper: ProtocolScore
    strict: ProtocolScore


class FinetunedCell(CellHead, CellBody):
    """A cell of a system that is not in the paper: an entry of finetuned.json."""


class FrozenHead(TypedDict):
    """Which encoder on which task."""

    task: str
    system: str
    name: str
    metric: str
    standing: str | None


class FrozenValues(TypedDict):
    """A score; None if there is none."""

    value: float | None
    low: float | None
    high: float | None
    rows: int | None
    C: float | None
    cpu_seconds: float | None


class FrozenScore(FrozenValues):
    """A score with the reason why there is none."""

    state: str
    reason: str | None


class FrozenCell(FrozenHead, FrozenScore):
    """An encoder that is not trained, under a linear head: an entry of frozen.json."""
