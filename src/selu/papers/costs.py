"""Fields of what training and asking take: of cells and their sums, as in scale.json and prices.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict


class DiskOfCell(TypedDict):
    """Gigabytes of a cell: weights in the cache, one checkpoint, trained models and predictions of all runs."""

    weights_gb: float
    checkpoint_gb: float
    kept_gb: float
    predictions_gb: float


class Amounts(DiskOfCell):
    """Steps, tokens, hours, devices and money of a cell or of several."""

    runs: int
    steps: int
    tokens: int
    grouped_tokens: int
    batch_tokens: int
    padded_tokens: int
    hours: float
    padded_hours: float
    device_hours: float
    padded_device_hours: float
    least_device_hours: float
    short_device_hours: float
    most_device_hours: float
    devices: int | None
    memory_gib: float | None
    usd: float


class CellCost(Amounts):
    """The cost of a cell under one protocol.

    Time, money, tokens and what is kept on disk are of all its seeds together. A cell that does not fit has no
    ``devices``; its hours are those of the most of them, if they had more memory.

    Attributes:
        least_device_hours: of trainings that patience ends as soon as it may, with guessed texts at their
            shortest; whole trainings take ``short_device_hours`` with these, and ``most_device_hours`` with
            guessed texts at their longest.
        bound: what the time hangs on, arithmetic or updates.
        computed_twice: share of the tokens whose layers are computed again in the backward pass.
        lengths: where those of the texts are from.
    """

    cell: str
    task: str
    system: str
    protocol: str
    bound: str
    computed_twice: float
    lengths: str


class CostSum(Amounts):
    """Sums over cells, and the most devices, memory and disk that one of them takes.

    Attributes:
        saved: the share of the padded tokens that need not be computed.
        bound_by_updates: the share of the hours whose updates are too small to keep a device busy.
        weights_gb: published weights, which are there once a system.
        too_large: runs that do not fit; ``unfit_device_hours`` are theirs.
    """

    system: NotRequired[str]
    task: NotRequired[str]
    cells: int
    saved: float
    bound_by_updates: float
    too_large: int
    unfit_device_hours: float


class Disk(TypedDict):
    """Gigabytes on disk by how many runs there are at a time."""

    least_gb: float
    one_after_another_gb: float
    at_once_gb: float


class CostSums(TypedDict):
    """Sums of each system, of each task and of all, and what all leave on disk."""

    systems: Sequence[CostSum]
    tasks: Sequence[CostSum]
    total: CostSum
    disk: Disk


class OnNodes(TypedDict):
    """Cells for somebody who rents GPUs: hours on one node and on two, and the share on several GPUs.

    ``shared`` counts the cells that several GPUs train together (ZeRO-2), with their device hours.
    """

    tasks: int
    cells: int
    device_hours: float
    least_device_hours: float
    short_device_hours: float
    most_device_hours: float
    usd: float
    node: int
    node_hours: float
    two_nodes_hours: float
    shared: int
    shared_device_hours: float
    shared_systems: Sequence[str]


class Scope(TypedDict):
    """Cells of the paper of one approach, and those that are absent by design, with the reasons."""

    approach: str
    cells: int
    absent_by_design: int
    why: str


class Profile(TypedDict):
    """The machine for which trainings are estimated, as params.yaml has it."""

    name: str
    device: str
    memory_gib: float
    devices: Sequence[int]
    usd_per_hour: float
    utilisation: float | None
    tokens_per_second: float | None
    measured_on: str | None


class Assumptions(TypedDict):
    """The assumptions on every training that a page or a table names."""

    guessed: Sequence[float]
    padded_tokens: int
    priced: str


class CostPlan(CostSums):
    """The cost of training some cells.

    Attributes:
        profile, assumed: the machine and the assumptions of params.yaml.
        assumptions: each figure with its source.
    """

    profile: Profile
    assumed: Assumptions
    assumptions: Sequence[Mapping[str, str]]
    note: str
    scope: Sequence[Scope]
    cells: Sequence[CellCost]


class Table(TypedDict):
    """The paper's table run once, by its own systems under its protocol with one seed.

    ``table`` is what that takes on a node, ``rows_here`` the part whose tasks have rows of their own here.
    """

    once: CostSums
    table: OnNodes
    rows_here: OnNodes


class TrainingCost(CostPlan):
    """The cost of training, with ``Table`` for the paper's cells."""

    once: CostSums | None
    table: OnNodes | None
    rows_here: OnNodes | None


class MachineSum(CostSum):
    """The paper's table, run once on another machine."""

    profile: str
    device: str


class Scale(CostPlan, Table):
    """The cost of the paper's fine-tuned cells, also on other machines and with other padding."""

    machines: Sequence[MachineSum]
    padded_as_the_preprint: CostSums


class RunRow(TypedDict):
    """A planned run: its state and, if it is to be run, estimated minutes, memory and disk."""

    run: str
    environment: str
    data: str
    state: str
    fits: int
    minutes: float | None
    memory_mb: int | None
    disk_mb: float | None


class Asking(TypedDict):
    """The cost of asking some rows of a cell: requests, tokens of both sides, and USD at most."""

    to_ask: int
    asked_tokens: int
    answered_tokens: int
    usd_at_most: float


class CellPrice(TypedDict):
    """A prompted system's cell: states of its runs, and what is left to ask if its rows are here."""

    cell: str
    model: str
    prompts: str
    data: str
    state: str
    requests: int | None
    to_ask: int | None
    asked_tokens: int | None
    answered_tokens: int | None
    usd_at_most: float | None


class PriceSum(TypedDict):
    """The cost of a prompted system, or of all, on real rows."""

    system: NotRequired[str]
    cells: int
    requests: int
    asked_tokens: int
    answered_tokens: int
    usd_at_most: float


class AskingCost(TypedDict):
    """The cost of each system and of all, with the date of the prices."""

    priced: str
    systems: Sequence[PriceSum]
    total: PriceSum
