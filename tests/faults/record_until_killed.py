"""Runs writers in child processes that are killed or meet a disk that refuses, for test_record_faults.py.

Reads one order a line: a list of writers, {"verb", "folder", "contents", "after", "fault", "lasting"}. Forks a
child for each, all at once. A child writes the contents one after the other. At its ``after``-th operation on
the disk (None: never) it is killed by SIGKILL, half-way through it where it writes; or, where ``fault`` names
an error, it gets that error, then or from then on (``lasting``). Answers for each: [exit code, number of
operations, [[kind of the operation, name of its file], ...], error or None].
"""

from __future__ import annotations

import errno
import fcntl  # noqa: F401  (here, because nobody may not be allowed to read it later)
import json
import os
import random
import resource
import signal
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from selu.runs import record, seals

TASK, SYSTEM, RUN = "incivility", "fasttext", "paper-s1"
_KINDS = ("open", "mkdir", "write", "fsync", "rename", "unlink", "rmdir")
_HARMLESS_WHEN_FULL = ("unlink", "rmdir")


@cache
def files(kind: str) -> dict[str, bytes]:
    """The files of a run called ``kind``."""
    numbers = random.Random(kind)
    return {
        name: numbers.randbytes(100_000 + numbers.randrange(50_000))
        for name in ("predictions.parquet", "grid.parquet", "log.txt")
    }


def run(kind: str, **content: Any) -> dict[str, Any]:
    """The record of a run called ``kind``."""
    fields = {"task": TASK, "system": SYSTEM, "run": RUN}
    return {"state": "present", "identity": kind, "fields": fields, "seconds": 0.1 + 0.2, **content}


def scores(folder: Path, kind: str) -> dict[str, Any]:
    """Scores called ``kind`` of the run that stands."""
    availability = record.read_run(folder)
    hashes = {"identity": availability["identity"], "predictions": availability["files"][record.PREDICTIONS]}
    return {**hashes, "value": random.Random(kind).random(), "name": kind * 10_000}


def write(verb: str, folder: Path, kind: str) -> None:
    """Write something called ``kind``."""
    if verb == "run":
        record.write_run(folder, files(kind), run(kind))
    elif verb == "failed":
        record.write_failed(folder, run(kind, state="failed", error="the memory is full"))
    elif verb == "scores":
        record.write_scores(folder, scores(folder, kind))
    else:
        seals.write_unit(folder / "unit.json", run(kind))


class _Disk:
    """The functions of ``os`` that change the disk, counted, and ended or failed at one of them."""

    def __init__(self, order: dict[str, Any], shared: int) -> None:
        self.after, self.fault, self.lasting = order["after"], order.get("fault"), order.get("lasting")
        self.shared, self.trace = shared, []
        for kind in _KINDS:
            setattr(os, kind, self._counted(kind, getattr(os, kind)))

    def tell(self, error: Any = None) -> None:
        text = json.dumps([len(self.trace), self.trace, error])
        os.pwrite(self.shared, text.encode().ljust(1 << 16), 0)

    def _counted(self, kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            place = arguments[0]
            name = (Path(f"/proc/self/fd/{place}").readlink() if isinstance(place, int) else Path(place)).name
            self.trace.append([kind, name])
            count = len(self.trace)
            if self.fault is None and count == self.after:
                self.tell()
                if kind == "write":
                    function(arguments[0], arguments[1][: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            if self.fault and (count == self.after or (self.lasting and count > self.after)):
                reading = kind == "open" and not arguments[1] & os.O_CREAT
                roomy = self.fault == "ENOSPC" and kind in _HARMLESS_WHEN_FULL
                if count == self.after or not (reading or roomy):
                    number = getattr(errno, self.fault)
                    where = () if isinstance(place, int) else (str(place),)
                    raise OSError(number, os.strerror(number), *where)
            return function(*arguments, **named)

        return counted


def _child(order: dict[str, Any], shared: int) -> None:
    if "largest" in order:  # bytes of a file; a real limit, met in the middle of a write
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["largest"], order["largest"]))
    folder = Path(order["folder"])
    disk = _Disk(order, shared)
    try:
        for kind in order["contents"]:
            write(order["verb"], folder, kind)
        disk.tell()
    except OSError as error:
        disk.tell([errno.errorcode[error.errno or 0], error.strerror, error.filename])
    os._exit(0)


def main() -> None:
    """Carry out orders until there are no more."""
    for line in sys.stdin:
        started = []
        for order in json.loads(line):
            shared = os.memfd_create("told")
            pid = os.fork()
            if pid == 0:
                try:
                    _child(order, shared)
                finally:
                    os._exit(1)
            started.append((pid, shared))
        answers = []
        for pid, shared in started:
            _, status = os.waitpid(pid, 0)
            report = json.loads(os.pread(shared, 1 << 16, 0) or b"[0, [], null]")
            answers.append([os.waitstatus_to_exitcode(status), *report])
            os.close(shared)
        print(json.dumps(answers), flush=True)


if __name__ == "__main__":
    main()
