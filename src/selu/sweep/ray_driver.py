"""The process of Ray: takes orders of ``cluster`` from a pipe, sends its events back.

It ends with the pipe, and all tasks with it.
"""

from __future__ import annotations

import os
import secrets
import sys
import threading
import time
from collections import Counter
from concurrent.futures import Future
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any

from selu.cost.schedule import Needs
from selu.sweep.messages import Answer, CellAnswer, CellRequest, Failed, Node, NodeAnswer, NodeQuestion, Nodes

_LOOK_SECONDS = 1.0  # between looks at the nodes
_STORE = 2**28  # bytes of shared memory for answers, of a cluster of this machine alone
_SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


def main(pipe: Connection, address: str | None, cpus: int | None, log: str, temporary: str | None) -> None:
    """Join the cluster, or start one, and serve until the other end of the pipe is closed.

    What is sent first is why that can't be done, or an empty text; after it come events.
    """
    os.setsid()  # Ctrl-C is for the caller
    number = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(number, 1)
    os.dup2(number, 2)
    os.environ.update(_SETTINGS)
    if address is None:  # nobody else is to give it orders, and no token is to be left in the home folder
        os.environ.update({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)})
        os.environ.pop("RAY_AUTH_TOKEN_PATH", None)
    import ray

    options: dict[str, Any] = {"address": address or "local", "log_to_driver": False}
    if address is None:
        options |= {"num_cpus": cpus, "include_dashboard": False}
        options |= {"object_store_memory": _STORE, "_temp_dir": temporary}
    try:
        ray.init(**options)
    except Exception as error:  # of many kinds: connection, versions, memory, rights
        pipe.send(" ".join(str(error).split()) or type(error).__name__)
        return
    pipe.send("")
    driver = _Driver(pipe, ray)
    threading.Thread(target=driver.look, daemon=True).start()
    try:
        while True:
            order, arguments = pipe.recv()
            getattr(driver, order)(*arguments)
    except (EOFError, OSError):
        driver.end()
        sys.stdout.flush()


def call(name: str, request: NodeQuestion | CellRequest) -> tuple[str, NodeAnswer | CellAnswer]:
    """Import a function by name on a node, and call it; return the node's id and the result."""
    import ray

    module, _, function = name.partition(":")
    return ray.get_runtime_context().get_node_id(), getattr(import_module(module), function)(request)


class _Driver:
    def __init__(self, pipe: Connection, ray: ModuleType) -> None:
        self._pipe, self._ray = pipe, ray
        self._sending = threading.Lock()
        self._over = False
        self._tasks: dict[str, Any] = {}
        self._call = ray.remote(call)

    def submit(
        self, task: str, call: str, request: NodeQuestion | CellRequest, needs: Needs, node: str
    ) -> None:
        """Submit the call of ``call`` (``module:function``) with the request to this node."""
        options = {
            "num_cpus": needs.cpus,
            "num_gpus": needs.gpus,
            "memory": needs.memory or None,
            "max_retries": 0,  # who submits decides
            "label_selector": {"ray.io/node-id": node},
            "name": task,
        }
        reference = self._call.options(**options).remote(call, request)
        self._tasks[task] = reference
        reference.future().add_done_callback(lambda future: self._ended(task, future))

    def cancel(self, task: str) -> None:
        """Cancel a task, whatever it is doing."""
        if task in self._tasks:
            self._ray.cancel(self._tasks[task], force=True)

    def _ended(self, task: str, future: Future[tuple[str, NodeAnswer | CellAnswer]]) -> None:
        """Send the result of a task; runs in a thread of Ray's."""
        self._tasks.pop(task, None)
        try:
            node, value = future.result()
            self._send(Answer(task, value, node))
        except self._ray.exceptions.RayError as error:
            own = isinstance(error, self._ray.exceptions.RayTaskError)
            self._send(Failed(task, _sentence(error.cause if own else error), lost=not own))
        except Exception as error:
            self._send(Failed(task, _sentence(error), lost=False))

    def look(self) -> None:
        """Report the nodes whenever they change."""
        known: tuple[Node, ...] | None = None
        while not self._over:
            try:
                alive = _alive(self._ray.nodes())
            except Exception:  # the cluster is being left, or lost: then its library ends this process
                time.sleep(_LOOK_SECONDS)
                continue
            found = tuple(sorted(alive, key=lambda node: node.id))
            if found != known:
                known = found
                self._send(Nodes(found))
            time.sleep(_LOOK_SECONDS)

    def _send(self, event: object) -> None:
        with self._sending, suppress(OSError):  # nobody listens any more
            self._pipe.send(event)

    def end(self) -> None:
        """Cancel all tasks, and leave the cluster."""
        self._over = True
        for reference in list(self._tasks.values()):
            self._ray.cancel(reference, force=True)
        self._ray.shutdown()


def _alive(entries: list[dict[str, Any]]) -> list[Node]:
    """Return the nodes by machine name, with a part of their id if several have the same."""
    names = Counter(entry["NodeManagerHostname"] for entry in entries)
    found = []
    for entry in entries:
        name, node, has = entry["NodeManagerHostname"], entry["NodeID"], entry["Resources"]
        called = name if names[name] == 1 else f"{name}-{node[:4]}"
        if entry["Alive"]:
            cpus, gpus, memory = (has.get(what, 0) for what in ("CPU", "GPU", "memory"))
            found.append(Node(node, called, cpus, int(gpus), int(memory)))
    return found


def _sentence(error: BaseException | None) -> str:
    """Return an error's kind and first sentence, without the many lines of Ray's hints."""
    lines = str(error).strip().splitlines() or [""]
    first = lines[0].partition(". ")[0].removesuffix(".")
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
