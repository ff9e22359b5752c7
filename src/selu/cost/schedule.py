"""The schedule of cells: the longest first, on the fewest GPUs that hold it, others in parallel.

``selu run``, ``dvc repro`` and ``selu sweep`` place their cells by this, and cost plans are calculated by it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

_WORTH = 1.5  # times as many device hours that more GPUs may take


@dataclass(frozen=True, slots=True)
class Needs:
    """The needs of a task on one node; below 1, a share of a GPU; memory in bytes."""

    cpus: float
    gpus: float = 0
    memory: int = 0


@dataclass(frozen=True, slots=True)
class Load:
    """A training: the numbers of GPUs that hold it, ascending, and its hours on each."""

    gpus: tuple[int, ...]
    hours: Callable[[int], float]


def share_gpus(loads: Mapping[str, Load], gpus: int) -> dict[str, int]:
    """Choose the GPUs of each training: the fewest, and more while one alone takes longer than the mean load.

    The mean load is the hours for which all GPUs are busy if none of them waits. More are given where the work
    of all of them together grows by no more than half.
    """
    chosen = {name: load.gpus[0] for name, load in loads.items()}
    took = {name: load.hours(chosen[name]) for name, load in loads.items()}
    mean = sum(chosen[name] * took[name] for name in loads) / gpus
    for name, load in loads.items():
        for count in load.gpus[1:]:
            if took[name] <= mean or count * load.hours(count) > _WORTH * chosen[name] * took[name]:
                break
            chosen[name], took[name] = count, load.hours(count)
    return chosen


class Room:
    """Free resources of nodes, by id."""

    def __init__(self, free: Mapping[str, Needs]) -> None:
        self.free = dict(free)
        self._kept: set[str] = set()  # whose GPUs wait for a longer cell

    def full(self, gpus: bool) -> bool:
        """Return whether no cell that takes GPUs, or none that takes CPUs alone, can begin."""
        nodes = self.free.items()
        if gpus:
            return all(node in self._kept or free.gpus <= 0 for node, free in nodes)
        return all(free.cpus < 1 for _, free in nodes)

    def find(self, needs: Needs, nodes: Collection[str]) -> str | None:
        """Find the node whose room suits best; None where it has to wait.

        Then shorter cells take no GPU of the node that has the most free: they would keep it waiting for ever.
        """
        there = [node for node in nodes if node in self.free and not (needs.gpus and node in self._kept)]
        fitting = [node for node in there if _holds(self.free[node], needs)]
        if fitting and needs.gpus:
            return min(fitting, key=lambda node: (self.free[node].gpus, node))
        if fitting:
            return max(fitting, key=lambda node: self.free[node].cpus)
        if needs.gpus and there:
            self._kept.add(max(there, key=lambda node: self.free[node].gpus))
        return None

    def take(self, node: str, needs: Needs) -> None:
        """Reserve what a cell needs on a node."""
        self.give(node, Needs(-needs.cpus, -needs.gpus, -needs.memory))

    def give(self, node: str, needs: Needs) -> None:
        """Release what a cell needed on a node."""
        free = self.free[node]
        self.free[node] = Needs(free.cpus + needs.cpus, free.gpus + needs.gpus, free.memory + needs.memory)


def _holds(free: Needs, needs: Needs) -> bool:
    return free.cpus >= needs.cpus and free.gpus >= needs.gpus - 1e-9 and free.memory >= needs.memory


def hours_on(loads: Mapping[str, Load], nodes: Sequence[int]) -> float:
    """Calculate the hours of trainings on nodes with these numbers of GPUs."""
    chosen = share_gpus(loads, sum(nodes))
    took = {name: load.hours(chosen[name]) for name, load in loads.items()}
    waiting = sorted(loads, key=lambda name: (-took[name], name))
    free = {str(number): Needs(0, gpus) for number, gpus in enumerate(nodes)}
    away: list[tuple[float, str, Needs]] = []
    now = 0.0
    while waiting or away:
        room = Room(free)
        for name in list(waiting):
            if room.full(gpus=True):
                break
            needs = Needs(0, chosen[name])
            node = room.find(needs, free)
            if node is not None:
                room.take(node, needs)
                waiting.remove(name)
                heappush(away, (now + took[name], node, needs))
        now, node, needs = heappop(away)
        room.give(node, needs)
        free = room.free
    return now
