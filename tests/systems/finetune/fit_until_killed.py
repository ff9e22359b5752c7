"""Trains in processes that die by SIGKILL, for test_fit.py, which starts this as a script.

Reads one order a line: {"job", "scratch", "update"} (killed just before that update of the weights) or
{..., "operation"} (killed just before that operation on files, in whichever checkpoint it falls). Answers with
the exit code.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import torch

from selu.systems.finetune import engine, fit, models
from selu.systems.finetune.job import Job


def _child(order: dict[str, Any]) -> None:
    left = {"update": order.get("update"), "operation": order.get("operation")}
    scratch = order["scratch"]

    def count(what: str) -> None:
        if left[what] is not None:
            left[what] -= 1
            if left[what] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def update(self: engine.Engine, rate: float, real: Any = engine.Engine.update) -> None:
        count("update")
        real(self, rate)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir") and scratch in str(arguments[0]):
            count("operation")

    engine.Engine.update = update  # type: ignore[method-assign]
    sys.addaudithook(hook)
    fit.fit(Job.from_json(order["job"]), Path(scratch), lambda _: None, pause=0.0)
    os._exit(0)


def main() -> None:
    """Carry out orders until there are no more."""
    ready = False
    for line in sys.stdin:
        if not ready:  # what every child would import
            job, ready = Job.from_json(json.loads(line)["job"]), True
            folder = Path(job.model["folder"])
            tokenizer = models.load_tokenizer(folder)
            models.build(folder, tokenizer, models.shape_of(job), job.seed, torch.float32)
        pid = os.fork()
        if pid == 0:
            try:
                _child(json.loads(line))
            finally:
                os._exit(1)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
