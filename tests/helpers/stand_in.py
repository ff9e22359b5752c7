"""A worker process whose training takes no time and needs no library: truth by rule, and marks in a folder.

The folder that STAND_IN names steers it: a file ``fail`` or ``wait`` in it makes trainings fail or hang. Its
versions are those of the lock that STAND_IN_LOCK names.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selu.execution.finetune import worker as worker_finetune
from selu.runs import identity
from selu.systems.finetune import sources
from selu.systems.finetune.job import Job, Outcome
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "locks" / f"{os.environ.get('STAND_IN_LOCK', 'finetune')}.txt"
VOCABULARY = 50
COST = {
    "seconds": 2.0, "cpu": 1.5, "useful_tokens": 10, "computed_tokens": 12, "flops": 100,
    "peak_memory_bytes": 1 << 20, "utilisation": None,
}  # fmt: skip


def answer(job: Job, number: int, text: Any) -> Any:
    """What it answers: depends on the seed and the row alone."""
    if job.kind == "entities":
        return [f"B-{job.labels[0]}" if (place + job.seed) % 3 == 0 else "O" for place in range(len(text))]
    if job.kind == "masked":
        verbs = [at for at, tag in enumerate(job.question_tags[number]) if tag == "VERB"]
        return [[at, at, at if at % 2 else 0, -0.5] for at in verbs]
    if job.kind == "multi_label":
        return [(number + job.seed + place) % 2 for place in range(len(job.labels))]
    return float(number) if job.kind == "regression" else (number + job.seed) % len(job.labels)


def fit(job: Job, scratch: Path, say: worker_finetune.Say) -> Outcome:
    """As ``selu.systems.finetune.fit.fit``."""
    marks = Path(os.environ["STAND_IN"])
    name = f"{job.task} {'paper' if job.params['criterion'] == 'loss' else 'strict'} {job.seed}"
    with (marks / "begun").open("a") as stream:
        stream.write(name + "\n")
    if (marks / "fail").exists() and (marks / "fail").read_text() == name:
        raise SeluError("the loss is not a number at step 3 of 30: lower the learning rate.")
    if (scratch / "state").exists():
        say("goes on after step 5")
    (scratch / "state").write_text(job.model["revision"])
    while (marks / "wait").exists():
        time.sleep(0.02)
    say("step 10 of 10")
    (scratch / "model").mkdir(exist_ok=True)
    (scratch / "model" / "weights").write_text(name)
    (scratch / "model" / "README.md").write_text("# card\n")
    answers = [answer(job, number, text) for number, text in enumerate(job.questions)]
    history = [{"step": 10, "epoch": 1.0, "loss": 0.5, "held_loss": 0.4, "score": float("nan")}]
    vocabulary = VOCABULARY if job.kind == "masked" else None
    cut = {"train": 0, "held": 0, "questions": 2}
    return Outcome(answers, history, 10, 10, False, False, cut, vocabulary, COST, {"device": "cpu"})


def versions(names: Mapping[str, Any]) -> dict[str, str | None]:
    """Those of the lock."""
    return {name: version + "+cpu" for name, version in identity.pinned(LOCK, names).items()}


def find(wanted: sources.Wanted, say: worker_finetune.Say) -> sources.Found:
    """A model that is nowhere."""
    return sources.Found(Path("nowhere"), wanted.revision or "r", "w", "package")


def interpreter(folder: Path) -> Path:
    """A program that stands for the Python of fine-tuning, to be named by SELU_FINETUNE_PYTHON."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\nexec {sys.executable} {Path(__file__).resolve()}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def begun(marks: Path) -> list[str]:
    """Trainings so far, in their order."""
    return (marks / "begun").read_text().splitlines() if (marks / "begun").exists() else []


if __name__ == "__main__":
    sources.find = find  # type: ignore[assignment]
    worker_finetune.main(fit, versions)
