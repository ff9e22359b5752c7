"""A cluster without Ray: nodes are folders, tasks are called in this process, losses are told.

The functions that nodes run are the real ones; only who calls them is not.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from selu.cost.schedule import Needs
from selu.sweep import node as sweeping_node
from selu.sweep.messages import Answer, Event, Failed, Node, Nodes

GIB = 2**30


def node(name: str, cpus: float = 2, gpus: int = 0, memory: int = 64 * GIB) -> Node:
    return Node(f"id-{name}", name, cpus, gpus, memory)


class LocalWork:
    """Nodes with their folders; ``fate`` may say how a task ends on a node, and with None it is called."""

    def __init__(
        self,
        nodes: Sequence[Node],
        roots: Mapping[str, Path] | None = None,
        fate: Callable[[str, str], Event | Exception | None] = lambda _task, _node: None,
        gpus: Mapping[str, list[tuple[str, int]]] | None = None,
    ) -> None:
        self.nodes, self.roots, self.fate = list(nodes), roots or {}, fate
        self.gpus = gpus or {}
        self.events: deque[Event] = deque([Nodes(tuple(self.nodes))])
        self.queue: deque[tuple[str, str, Mapping[str, Any], Needs, str]] = deque()
        self.called: list[tuple[str, str, Needs]] = []
        self.cancelled: list[str] = []

    def submit(self, task: str, call: str, request: Mapping[str, Any], needs: Needs, node: str) -> None:
        self.queue.append((task, call, request, needs, node))

    def cancel(self, task: str) -> None:
        self.cancelled.append(task)
        self.queue = deque(entry for entry in self.queue if entry[0] != task)
        self.events.append(Failed(task, "TaskCancelledError", lost=True))

    def set_nodes(self, nodes: Sequence[Node]) -> None:
        self.nodes = list(nodes)
        self.events.append(Nodes(tuple(self.nodes)))

    def next(self, seconds: float) -> Event | None:
        if self.events:
            return self.events.popleft()
        alive = [machine.id for machine in self.nodes]
        for entry in list(self.queue):
            task, call, request, needs, chosen = entry
            if chosen in alive:
                self.queue.remove(entry)
                self.called.append((task, chosen, needs))
                return self._ran(task, call, request, chosen)
        return None

    def _ran(self, task: str, call: str, request: Mapping[str, Any], where: str) -> Event:
        fate = self.fate(task, where)
        if isinstance(fate, (Answer, Failed, Nodes)):
            return fate
        if isinstance(fate, Exception):
            return Failed(task, str(fate), lost=False)
        module, _, function = call.partition(":")
        before = os.environ.get(sweeping_node.NODE_ROOT)
        if where in self.roots:
            os.environ[sweeping_node.NODE_ROOT] = str(self.roots[where])
        try:
            value = getattr(import_module(module), function)(request)
        finally:
            os.environ.pop(sweeping_node.NODE_ROOT, None)
            if before is not None:
                os.environ[sweeping_node.NODE_ROOT] = before
        if task.startswith("node ") and where in self.gpus:
            value = {**value, "gpus": self.gpus[where]}
        return Answer(task, value, where)
