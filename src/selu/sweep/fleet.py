"""The nodes of a sweep: each is asked for its resources before it gets a cell, and may be left out."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import cast

from selu.cost.schedule import Needs
from selu.sweep.cluster import Cluster
from selu.sweep.messages import Answer, Failed, Node, NodeAnswer, NodeQuestion
from selu.sweep.needs import GIB, Ready

NODE = "selu.sweep.node"  # whose functions are called on nodes
_ASK = "node "  # before a node's id, in the names of tasks that ask a node what it has
_TELL_SECONDS = 120.0  # for a node to report its resources
_SEVERAL, _MUCH_GB = 2, 1.0  # nodes and gigabytes from which one folder of weights is asked for
_IN_VAIN = 3  # failed cells in a row after which a node gets no more


class Fleet:
    """Nodes by id: those that are alive, and among them those that can run cells.

    Args:
        question: what each node is asked with.
        wait: seconds for nodes to come, or to come back.
        weights: gigabytes that each of them may fetch.
    """

    def __init__(self, question: NodeQuestion, wait: float, weights: float, say: Callable[[str], None]) -> None:
        self._question, self._wait, self._weights, self._say = question, wait, weights, say
        self._fetching: set[str] = set()  # nodes that fetch weights for themselves
        self._alive: dict[str, Node] = {}
        self._asked: dict[str, float] = {}
        self._ready: dict[str, Ready] = {}
        self._in_vain: Counter[str] = Counter()
        self._met = False
        self._short_since: float | None = None  # since when nodes are lacking, of those that there were

    def ready(self, without: set[str] | frozenset[str] = frozenset()) -> list[Ready]:
        """List the nodes that can be given cells."""
        return [node for name, node in self._ready.items() if name not in without]

    def name(self, node: str) -> str:
        """Name a node."""
        return self._alive[node].name if node in self._alive else "a node that is gone"

    def undecided(self) -> bool:
        """Return whether a node that can take what others can't may still appear."""
        now = time.monotonic()
        answering = any(now - since < _TELL_SECONDS for since in self._asked.values())
        short = self._short_since is not None and now - self._short_since < self._wait
        return answering or short or not self._met

    def meet(self, work: Cluster, nodes: Sequence[Node]) -> set[str]:
        """Query new nodes for their resources, forget lost ones; return the ids of all that are alive."""
        alive, self._met = {node.id: node for node in nodes}, True
        for gone in [name for name in self._alive if name not in alive]:
            self._say(f"the node {self._alive[gone].name} is gone")
            self._short_since = time.monotonic()
            for known in (self._alive, self._ready, self._asked):
                known.pop(gone, None)
        for node in nodes:
            if node.id not in self._alive:
                self._alive[node.id], self._asked[node.id] = node, time.monotonic()
                work.submit(_ASK + node.id, f"{NODE}:describe_node", self._question, Needs(0), node.id)
        return set(alive)

    def take_in(self, event: Answer | Failed) -> bool:
        """Store what a node reported of itself; False if the event is of something else."""
        if not event.task.startswith(_ASK):
            return False
        node = event.task.removeprefix(_ASK)
        if self._asked.pop(node, None) is None:
            return True
        called = self._alive[node].name
        if isinstance(event, Failed):
            self._say(f"the node {called} can't run this package ({event.why}): install it there as it is here")
            return True
        answer = cast("NodeAnswer", event.value)
        if answer["refusal"]:
            self._say(f"the node {called} is left out: {answer['refusal']}")
        else:
            self._ready[node] = found = _ready(self._alive[node], answer)
            self._say(f"the node {called}: {_has(found)}")
            self._count_weights(node, answer["own_weights"])
            if found.lacks:
                tasks = ", ".join(sorted(found.lacks))
                self._say(
                    f"  it has no prepared rows of {tasks}, whose cells go elsewhere: 'selu prepare' there"
                )
        return True

    def _count_weights(self, node: str, own: bool) -> None:
        """Recommend once a shared folder of weights if several nodes would download gigabytes each."""
        before = len(self._fetching)
        self._fetching |= {node} if own else set()
        if before < len(self._fetching) == _SEVERAL and self._weights >= _MUCH_GB:
            self._say(
                f"  each node fetches up to {self._weights:.0f} GB of published weights: set HF_HOME on all of "
                "them to one folder that they share, and they are fetched once"
            )

    def did(self, node: str, well: bool) -> None:
        """Record how a cell ended on a node; a node that always fails is left out while others remain."""
        self._in_vain[node] = 0 if well else self._in_vain[node] + 1
        if self._in_vain[node] >= _IN_VAIN and node in self._ready and len(self._ready) > 1:
            self._ready.pop(node)
            self._say(f"the node {self.name(node)} is left out: {_IN_VAIN} cells in a row failed there")


def _ready(node: Node, answer: NodeAnswer) -> Ready:
    """Return the node with what it reported of itself."""
    gpus, lacks = answer["gpus"], frozenset(answer["lacks"])
    name, memory = gpus[0][0] if gpus else None, min((memory for _, memory in gpus), default=0)
    counted = min(node.gpus, len(gpus))
    return Ready(node.id, node.name, node.cpus, counted, node.memory, name, memory, lacks, answer["shared"])


def _has(ready: Ready) -> str:
    text = f"{ready.cpus:g} CPUs, {ready.memory / GIB:.0f} GiB"
    if ready.gpus:
        text += f", {ready.gpus} {ready.gpu} of {ready.gpu_memory / GIB:.0f} GiB"
    return text if ready.shared else f"{text}, a clone of its own"
