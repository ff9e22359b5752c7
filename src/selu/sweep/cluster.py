"""Work on the nodes of a Ray cluster: submitted by name, answered as events.

Ray lives in a process of its own (``ray_driver``): it prints, takes signals over, waits for ever where a head
is out of reach, and ends its process when a head is lost. All of that ends there.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import socket
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Self, cast

from selu.cost.schedule import Needs
from selu.sweep import ray_driver
from selu.sweep.messages import CellRequest, Event, NodeQuestion
from selu.vocabulary import MachineError, SeluError

_START_SECONDS = 180  # of a local cluster, on a slow and busy machine
_JOIN_SECONDS = 60
_CONNECT_SECONDS = 5
_STOP_SECONDS = 20


class Cluster:
    """A cluster that was joined, or one of this machine alone, which ends with the ``with`` block.

    Args:
        address: HOST:PORT of a Ray head, ``auto`` for one on this machine, or None for a cluster of its own.
        cpus: of a cluster of its own; by default all.
        log: where Ray's own words go.

    Raises:
        SeluError: a wrong address, Ray is not installed, or no such head can be joined.
    """

    def __init__(self, address: str | None, cpus: int | None, log: Path) -> None:
        if find_spec("ray") is None:
            raise SeluError("a sweep needs Ray: 'make sweep-environment' installs it.")
        self._name = f"the Ray head at {address}" if address else "Ray on this machine"
        if address is not None and address != "auto":
            _reach(address)
        self._joined = False
        self._log, self._temporary = log, tempfile.mkdtemp(prefix="selu-") if address is None else None
        log.parent.mkdir(parents=True, exist_ok=True)
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=ray_driver.main, args=(theirs, address, cpus, str(log), self._temporary), name="ray"
        )
        self._process.start()
        theirs.close()
        seconds = _START_SECONDS if address is None else _JOIN_SECONDS
        try:
            refusal = self._take(seconds)
            if refusal is None:
                raise MachineError(
                    f"{self._name} gives no answer in {seconds} s: make sure that a Ray head runs there; what "
                    f"was printed is in {self._log}."
                )
            if refusal:
                raise MachineError(f"{self._name} can't be used: {refusal}")
        except BaseException:
            self.stop()
            raise
        self._joined = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def submit(
        self, task: str, call: str, request: NodeQuestion | CellRequest, needs: Needs, node: str
    ) -> None:
        """Submit the call of ``call`` (``module:function``) to this node, for when it has room."""
        self._order("submit", task, call, request, needs, node)

    def cancel(self, task: str) -> None:
        """Cancel a task; it comes back as failed."""
        self._order("cancel", task)

    def next(self, seconds: float) -> Event | None:
        """Wait for the next event; None if none comes within the time.

        Raises:
            MachineError: the cluster was lost.
        """
        return cast("Event | None", self._take(seconds))

    def stop(self) -> None:
        """Stop running tasks, and the cluster if it is this machine's own."""
        self._pipe.close()  # by which the other side knows
        self._process.join(_STOP_SECONDS if self._joined else 0)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        if self._temporary is not None and self._process.pid is not None:
            _end_session(self._process.pid)  # of Ray's own processes those that it left
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _take(self, seconds: float) -> object:
        try:
            return self._pipe.recv() if self._pipe.poll(seconds) else None
        except (EOFError, OSError):
            raise self._lost() from None

    def _order(self, order: str, *arguments: object) -> None:
        """Order the call of the method of this name in Ray's process."""
        try:
            self._pipe.send((order, arguments))
        except OSError:
            raise self._lost() from None

    def _lost(self) -> MachineError:
        return MachineError(
            f"{self._name} was lost; what it printed is in {self._log}. All that was done stays: 'selu sweep' "
            "continues from there."
        )


def _end_session(leader: int) -> None:
    """Kill what is left of a session whose leader has ended."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[3]) == leader:
                os.kill(int(path.parent.name), signal.SIGKILL)


def _reach(address: str) -> None:
    """Refuse an address where nothing listens: Ray itself would wait for it for ever."""
    host, _, port = address.rpartition(":")
    if not host or "/" in address or not port.isdigit() or not 0 < int(port) < 65536:
        raise SeluError(f"--address takes HOST:PORT of a Ray head, as 10.0.0.1:6379, or auto, not {address!r}.")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except OSError as error:
        why = "no answer" if isinstance(error, TimeoutError) else (error.strerror or str(error)).lower()
        raise MachineError(
            f"the Ray head at {address} can't be reached ({why}): start it there with 'ray start --head', or "
            "correct --address."
        ) from None
