"""Trains in several processes, for test_zero.py, which has torch's launcher start this as a script.

The argument names a list of orders {"job", "scratch", "sharding", "stops", "finish"}: a training that is given
up after each of ``stops`` updates, and then, where it is to ``finish``, goes on to its end.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from selu.systems.finetune import fit
from selu.systems.finetune.engines import engine
from selu.systems.finetune.job import Job
from selu.systems.finetune.training import Training

SMALL = (
    64  # tokens at once, so that an update takes several micro-batches and shares of different numbers of them
)


class Given(Exception):  # noqa: N818
    """A training was given up."""


def _carry_out(order: dict[str, Any]) -> None:
    os.environ["SELU_SHARDING"] = order["sharding"]
    real, scratch = Training.run, Path(order["scratch"])
    for stop in order["stops"]:

        def run(self: Training, until: int | None = None, stop: int = stop) -> Any:
            real(self, stop)
            self.save()
            self.writer.wait()
            raise Given

        Training.run = run  # type: ignore[method-assign]
        try:
            fit.fit(Job.from_json(order["job"]), scratch, lambda _: None, pause=1e9)
        except Given:
            Training.run = real  # type: ignore[method-assign]
    if order["finish"]:
        outcome = fit.fit(Job.from_json(order["job"]), scratch, lambda _: None, pause=1e9)
        if os.environ["RANK"] == "0":
            (scratch / "outcome.json").write_text(json.dumps(outcome.to_json()))


if __name__ == "__main__":
    engine.BUDGET["cpu"] = SMALL
    for each in json.loads(Path(sys.argv[1]).read_text()):
        _carry_out(each)
