"""Fields of prices.json and scale.json: what asking and training take."""

from __future__ import annotations

from typing import TypedDict


class _Asked(TypedDict):
    cells: int
    requests: int
    asked_tokens: int
    answered_tokens: int
    usd_at_most: float


class SystemPrice(_Asked):
    """What asking about each test row once costs at most, of a system."""

    system: str


class Prices(TypedDict):
    """The whole of prices.json."""

    priced: str
    systems: list[SystemPrice]
    total: _Asked


class Profile(TypedDict):
    """The machine that trainings are reckoned for."""

    name: str
    device: str
    memory_gib: float
    devices: list[int]
    usd_per_hour: float
    utilisation: float


class Sums(TypedDict):
    """What trainings take together; tokens, hours, money and disk."""

    cells: int
    runs: int
    steps: int
    tokens: int
    grouped_tokens: int
    batch_tokens: int
    padded_tokens: int
    saved: float
    hours: float
    padded_hours: float
    device_hours: float
    padded_device_hours: float
    least_device_hours: float
    short_device_hours: float
    most_device_hours: float
    bound_by_updates: float
    devices: int
    memory_gib: float
    usd: float
    weights_gb: float
    checkpoint_gb: float
    kept_gb: float
    predictions_gb: float
    too_large: int
    unfit_device_hours: float


class SystemSums(Sums):
    """The same of a system."""

    system: str


class TaskSums(Sums):
    """The same of a task."""

    task: str


class Disk(TypedDict):
    """Gigabytes on disk by how many runs there are at a time."""

    least_gb: float
    one_after_another_gb: float
    at_once_gb: float


class Once(TypedDict):
    """The paper's table once: protocol ``paper``, one seed."""

    systems: list[SystemSums]
    tasks: list[TaskSums]
    total: Sums
    disk: Disk


class Here(TypedDict):
    """The tasks whose own rows are here, with one seed under protocol ``paper``, and hours on a node."""

    tasks: int
    cells: int
    device_hours: float
    least_device_hours: float
    usd: float
    node: int
    node_hours: float


class Scale(Once):
    """The whole of scale.json, and what its page shows besides: all that is configured, and the table once."""

    profile: Profile
    once: Once
    rows_here: Here
    padded_as_the_preprint: Once
