"""Trains until it dies by SIGKILL, for test_resume.py, which starts this as a script.

Arguments: a job in a file, its folder, and what it is killed at: before an "update" or an "operation" on files
(in whichever checkpoint it falls), or when half a "file" of a checkpoint is written and the training has gone
on since; the how manieth.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from selu.systems.finetune import checkpoint, fit, training
from selu.systems.finetune.engines import engine
from selu.systems.finetune.job import Job


def main(job: str, scratch: str, what: str, left: str) -> None:
    """Train, and be killed there."""
    passed, gone_on = 0, threading.Event()

    def reached(which: str) -> bool:
        nonlocal passed
        passed += which == what
        return passed == int(left) and which == what

    def count(which: str) -> None:
        if reached(which):
            os.kill(os.getpid(), signal.SIGKILL)

    def update(self: engine.Engine, rate: float, real: Any = engine.Engine.update) -> None:
        count("update")
        real(self, rate)
        gone_on.set()

    def begin(self: checkpoint.Writer, *given: Any, real: Any = checkpoint.Writer.begin) -> None:
        gone_on.clear()
        real(self, *given)

    def write(path: Path, tensors: checkpoint.Tensors, real: Any = checkpoint._write) -> str:
        digest: str = real(path, tensors)
        if reached("file"):
            os.truncate(path, path.stat().st_size // 2)
            if gone_on.wait(60):
                os.kill(os.getpid(), signal.SIGKILL)
        return digest

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir") and scratch in str(arguments[0]):
            count("operation")

    given = Job.from_json(json.loads(Path(job).read_text()))
    engine.Engine.update = update  # type: ignore[method-assign]
    checkpoint.Writer.begin = begin  # type: ignore[method-assign]
    checkpoint._write = write
    training._SELDOM = 0
    sys.addaudithook(hook)
    fit.fit(given, Path(scratch), lambda _: None, pause=0.0)


if __name__ == "__main__":
    main(*sys.argv[1:])
