"""A server of our own for one model, on this machine's loopback; it ends with the run, however that ends."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Self

from selu.files import JsonObject
from selu.systems.prompt.serve import LOOPBACK
from selu.vocabulary import MachineError

COMMAND: tuple[str, ...] = (sys.executable, "-m", "selu.systems.prompt.serve")
LIKELIHOODS: tuple[str, ...] = (sys.executable, "-m", "selu.systems.prompt.likelihood")
_STARTS = 3  # in a row without an answered request
_GOING = 1.0  # seconds that a process needs at most to be gone after its connections


class OwnServer:
    """A server process; one that died is started again.

    Args:
        settings: of ``serve.llama``, without the key.
        log: what the process prints.
        patience: seconds for its start, in which it reads the weights.
        command: what is started; ``COMMAND`` where nothing is said.
    """

    def __init__(
        self, settings: JsonObject, log: Path, patience: float = 300.0, command: tuple[str, ...] = ()
    ) -> None:
        self.key = secrets.token_hex(16)  # nobody else on this machine is answered
        self._settings, self._log = {**settings, "key": self.key}, log
        self._patience, self._command = patience, command or COMMAND
        self.takes_schemas = command == LIKELIHOODS  # and no grammars
        self._process: subprocess.Popen[bytes] | None = None
        self._url, self._left, self._lock = "", _STARTS, threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def url(self) -> str:
        """Return the base URL of its API; starts it where it does not run.

        Raises:
            MachineError: it could not be started, or died again and again.
        """
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._start()
            return self._url

    def answered(self) -> None:
        """Record that it answers, so that its later death counts as the first."""
        self._left = _STARTS

    def serves(self, url: str | None) -> bool:
        """Return whether the process at this URL still runs, a moment after a connection to it was lost.

        A process that is killed closes its connections before it is gone, hence the wait.
        """
        with self._lock:
            if self._url != url or self._process is None:
                return False
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_GOING)
            return self._process.poll() is None

    def stop(self) -> None:
        """Stop the server, whatever it is doing."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _start(self) -> None:
        self.stop()
        if not self._left:
            raise MachineError(
                f"the server of {self._settings['model']} ended {_STARTS} times without an answer; what it "
                f"printed is in {self._log}, and all replies are kept."
            )
        self._left -= 1
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
                start_new_session=True,  # Ctrl-C ends the run, which ends it
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(self._settings).encode() + b"\n")
            self._process.stdin.flush()
        line = _line(self._process.stdout, time.monotonic() + self._patience)
        try:
            self._url = f"http://{LOOPBACK}:{int(json.loads(line)['port'])}/v1"
        except (ValueError, KeyError, TypeError):
            self.stop()
            raise MachineError(
                f"the server of {self._settings['model']} did not start; what it printed is in {self._log}."
            ) from None


def _line(stream: IO[bytes], until: float) -> bytes:
    """Read a line, or what came of it until a second of the clock."""
    found = b""
    while not found.endswith(b"\n") and (left := until - time.monotonic()) > 0:
        if not select.select([stream], [], [], left)[0]:
            break
        piece = os.read(stream.fileno(), 4096)
        if not piece:
            break
        found += piece
    return found
