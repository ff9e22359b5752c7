"""The messages of Ray's process about the cluster, and the orders that tasks send it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from selu.execution.planned import Wanted


@dataclass(frozen=True, slots=True)
class AskedRun:
    """A run that a node is to make: its name, its identity, and the filters that it alone passes."""

    name: str
    identity: str
    which: Wanted


class Sweep(TypedDict):
    """A sweep: its folder, a file there by which nodes recognise it, and where runs are gathered."""

    root: str
    mark: str
    gather: str | None


class NodeQuestion(Sweep):
    """The question to a node: the tasks of the sweep, and some of its runs."""

    tasks: list[str]
    runs: list[AskedRun]


class NodeAnswer(TypedDict):
    """A node's resources."""

    gpus: list[tuple[str, int]]  # name and bytes of each
    lacks: list[str]  # tasks whose rows are not there
    shared: bool  # it sees the folder of the sweep
    own_weights: bool  # it would fetch published weights to a home folder of its own
    refusal: str | None  # why it can be given nothing at all, in a sentence


class CellRequest(Sweep):
    """The run that a node is to make: chosen by ``only``, with this number of GPUs, under these variables."""

    run: AskedRun
    only: str
    gpus: float
    environment: Mapping[str, str]


class CellAnswer(TypedDict):
    """The result of a run on a node."""

    state: str  # of the run, or why there is none
    why: str | None  # it is not present, in a sentence
    seconds: float  # of work
    shared: bool  # the node sees the folder of the sweep
    files: Mapping[str, bytes] | None  # of the run, where whoever called carries them


@dataclass(frozen=True, slots=True)
class Node:
    """A machine of the cluster with the resources that Ray may assign there; memory in bytes."""

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
    """A task's result, and the id of the node where it was called."""

    task: str
    value: NodeAnswer | CellAnswer
    node: str


@dataclass(frozen=True, slots=True)
class Failed:
    """An error that ended a task; ``lost`` if its node or process died, so that it may start again."""

    task: str
    why: str
    lost: bool


Event = Nodes | Answer | Failed
