"""Fields of the records in docs/measurements that tables and figures show."""

from __future__ import annotations

from typing import TypedDict

from selu.stats.agreement import Share


class _Model(TypedDict):
    publisher: str
    sha256: str
    quantisation: str


class Way(TypedDict):
    """A prompt wording for a task's rows, its score, and how many rows get other answers (``others``)."""

    task: str
    template: str
    labels: str
    shots: int
    order: str
    rows: int
    value: float
    low: float
    high: float
    others: Share


class Wording(TypedDict):
    """The whole of wording.json."""

    model: str
    weights: _Model
    ways: list[Way]


class TrainedTwice(TypedDict):
    """A training on a CPU, whose interval is given, and on a GPU."""

    task: str
    seed: int
    cpu: float
    gpu: float
    low: float
    high: float
    rows: int
    other_answers: int
    cpu_steps: int
    gpu_steps: int
    cpu_picked: int
    gpu_picked: int
    cpu_seconds: float
    gpu_seconds: float


class Devices(TypedDict):
    """The whole of gpu.json."""

    device: str
    runs: list[TrainedTwice]


class FirstWay(TypedDict):
    """The cost of the first way to reproduce."""

    seconds: float
    install_seconds: float
    disk_bytes: int
    memory_bytes: int


class SecondWay(TypedDict):
    """The cost of the second way to reproduce before its runs."""

    prepare_seconds: float
    disk_bytes: int


class Ways(TypedDict):
    """The whole of ways.json."""

    machine: str
    date: str
    beside: str
    minutes: FirstWay
    hour: SecondWay
