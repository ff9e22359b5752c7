"""What the process in which Ray lives tells of the cluster, and what tasks take of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Node:
    """A machine of the cluster with what Ray may hand out there; memory in bytes."""

    id: str
    name: str
    cpus: float
    gpus: int
    memory: int


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes that are alive, as of now."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a task returned, and the id of the node where it was called."""

    task: str
    value: Any
    node: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A task ended with an error; ``lost`` where its node or process died, so that it may begin again."""

    task: str
    why: str
    lost: bool


Event = Nodes | Answer | Failed
