"""Trains until it dies by SIGKILL, for test_resume.py, which starts this as a script.

Arguments: a job in a file, its folder, and what it is killed before: "update" or "operation" (on files, in
whichever checkpoint it falls), the how manieth.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from selu.systems.finetune import engine, fit, training
from selu.systems.finetune.job import Job


def main(job: str, scratch: str, what: str, left: str) -> None:
    """Train, and be killed there."""
    passed = 0

    def count(which: str) -> None:
        nonlocal passed
        passed += which == what
        if passed == int(left):
            os.kill(os.getpid(), signal.SIGKILL)

    def update(self: engine.Engine, rate: float, real: Any = engine.Engine.update) -> None:
        count("update")
        real(self, rate)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir") and scratch in str(arguments[0]):
            count("operation")

    given = Job.from_json(json.loads(Path(job).read_text()))
    engine.Engine.update = update  # type: ignore[method-assign]
    training._SELDOM = 0
    sys.addaudithook(hook)
    fit.fit(given, Path(scratch), lambda _: None, pause=0.0)


if __name__ == "__main__":
    main(*sys.argv[1:])
