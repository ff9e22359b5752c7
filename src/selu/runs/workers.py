"""Processes that work in parallel, one unit at a time each, in the environment of their interpreter.

A worker reads one request a line (JSON) and answers with one line; before it, lines ``{"say": "..."}`` may tell
how far it is. It is a session of its own, so that Ctrl-C ends the caller first; when the caller is gone, it
ends after its unit.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Self, TypedDict, final

from selu.vocabulary import MachineError, SeluError

# One unit is one thread: units run side by side, and a second thread in each would only wait.
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
}
# Raised by what a process itself does; any other signal is sent to it, as SIGKILL is for want of memory.
_FAULTS = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}


@final
class VersionsRequest(TypedDict):
    """Ask for the versions of packages, each with the names of distributions that it may go by."""

    versions: Mapping[str, Sequence[str]]


@final
class FitRequest(TypedDict):
    """Ask for one candidate: a file with the lesson, the learner and its sources, the file of its unit."""

    lesson: str
    learner: str
    source: str
    local: Mapping[str, object]
    unit: str
    key: str
    params: Mapping[str, object]


class ModelWanted(TypedDict):
    """The model that a training begins with: its revision, and where its weights may be found."""

    system: str
    revision: str | None
    hub: str
    package: str
    inside: str


@final
class TrainRequest(TypedDict):
    """Ask for one training: files of its job and its unit, the folder of its checkpoint."""

    job: str
    source: str
    model: ModelWanted
    scratch: str
    unit: str
    key: str
    anew: bool


Request = VersionsRequest | FitRequest | TrainRequest


class Answer(TypedDict, total=False):
    """A worker's answer: versions, the file of a unit and its cost, or why there is none.

    An error of the ``machine`` says nothing of what was asked.
    """

    versions: Mapping[str, str | None]
    python: str
    unit: str
    seconds: float
    cpu: float
    error: str
    machine: bool


class Workers:
    """A fixed number of worker processes, started when first needed and ended with the ``with`` block."""

    def __init__(self, interpreter: Path, module: str, source: Path, size: int, log: Path) -> None:
        self._command = [str(interpreter), "-m", module]
        self._log = log
        self._environment = {**os.environ, **SETTINGS, "PYTHONPATH": str(source)}
        self._idle: queue.Queue[_Worker | None] = queue.LifoQueue()  # the one that runs already comes first
        for _ in range(size):
            self._idle.put(None)
        self._started: list[_Worker] = []
        self._stopped = False
        self._starting = threading.Lock()
        self.size = size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Kill all workers; callers that wait for an answer get an error, and none starts again."""
        with self._starting:
            self._stopped = True  # no thread may start another worker from here on
        for worker in self._started:
            worker.stop()

    def _live(self, worker: _Worker | None) -> _Worker:
        with self._starting:
            if self._stopped:
                raise MachineError("the worker processes were stopped.")
            if worker is not None and worker.alive():
                return worker
            started = _Worker(self._command, self._environment, self._log)
            self._started.append(started)
            if worker is not None:  # only now: where none can be started, the dead one is asked for again
                self._started.remove(worker)
            return started

    def ask(self, request: Request, heard: Callable[[str], object] = str) -> Answer:
        """Send one request to a free worker and return its answer.

        Args:
            heard: is given what the worker says meanwhile, in the thread that asks; by default nobody hears it.

        Raises:
            SeluError: the worker says why it could not, or died of a fault in a library.
            MachineError: it was ended from outside, or lacks memory or disk.
        """
        worker = self._idle.get()
        try:
            worker = self._live(worker)
            answer = worker.ask(request, heard)
        finally:
            self._idle.put(worker)
        if "error" in answer:
            raise (MachineError if answer.get("machine") else SeluError)(str(answer["error"]))
        return answer

    def each(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        """Send all requests in parallel; yield (index of the request, answer) as they are done.

        Raises:
            SeluError: as ``ask``; what was not begun by then is not begun.
        """
        with ThreadPoolExecutor(self.size) as pool:
            try:
                futures = {pool.submit(self.ask, request): i for i, request in enumerate(requests)}
                for future in as_completed(futures):
                    yield futures[future], future.result()
            except BaseException as error:
                pool.shutdown(wait=False, cancel_futures=True)
                if not isinstance(error, SeluError):  # Ctrl-C: no thread may wait for a unit of minutes
                    self.stop()
                raise


class _Worker:
    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._name, self._log, self._ending = command[0], log, threading.Lock()
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a") as stream:
            try:
                self._process = subprocess.Popen(
                    command,
                    env=environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=stream,
                    text=True,
                    encoding="utf-8",
                    start_new_session=True,
                )
            except OSError as error:
                raise MachineError(
                    f"{command[0]} can't be started ({error.strerror}): build it again."
                ) from None

    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: Request, heard: Callable[[str], object]) -> Answer:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        while (line := self._process.stdout.readline()).endswith("\n"):
            try:
                message = json.loads(line)
            except ValueError:
                return {
                    "error": f"{self._name} answers {line[:40]!r}; its log is {self._log}.",
                    "machine": True,
                }
            if "say" not in message:
                answer: Answer = message
                return answer
            heard(str(message["say"]))
        self._await_end()
        return self._died(self.stop())

    def _await_end(self) -> None:
        """Wait for the exit code, which comes after the pipe ends; unreaped, its group keeps its number."""
        deadline, asked = time.monotonic() + 5, os.WEXITED | os.WNOWAIT | os.WNOHANG
        with contextlib.suppress(ChildProcessError):  # another thread has stopped it
            while not os.waitid(os.P_PID, self._process.pid, asked) and time.monotonic() < deadline:
                time.sleep(0.01)

    def _died(self, code: int) -> Answer:
        if -code in _FAULTS:
            log = f"{self._log.parent.name}/{self._log.name}"  # recorded of the cell, the same in every folder
            how = f"was ended by {signal.Signals(-code).name}, a fault in a library"
            again = "'selu run --only failed' tries again"
            return {"error": f"a worker process {how}; what it printed is in {log}, {again}."}
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        hint = "; the machine may be out of memory: try --jobs 1" if code == -signal.SIGKILL else ""
        return {"error": f"a worker process {how}{hint}; what it printed is in {self._log}.", "machine": True}

    def stop(self) -> int:
        """Kill it with its group, unless it is gone, whose number may be another's; returns its exit code."""
        with self._ending:
            if self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return code
