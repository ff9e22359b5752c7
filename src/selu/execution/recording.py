"""What is written of every run, however it learnt: what it answers, where that comes from, or why it failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.execution import predictions, scoring
from selu.execution.planned import Planned
from selu.runs import record, resources
from selu.vocabulary import MachineError, SeluError

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[str], None]
REFUSALS = (SeluError, ValueError, OSError)  # of a run, which end no other one


@dataclass(frozen=True, slots=True)
class Orders:
    """How runs are to be made.

    Attributes:
        again: plans a run anew, as sources and parameters are now.
        ended: is told of each run its scores, or why there are none.
        anew: whether nothing counts that was found before.
        jobs: runs or candidates at once; by default what the machine can do.
        max_cost: USD that may be spent from now on; None: as much as it takes.
    """

    root: Path
    again: Callable[[Planned], Planned]
    progress: Progress
    ended: Callable[[Planned, Path | Exception], None] = lambda _run, _result: None
    anew: bool = False
    jobs: int | None = None
    max_cost: float | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of a run: its answers to the test rows, and what its record says beside what all say."""

    rows: pd.DataFrame
    answers: list[Any]
    versions: Mapping[str, Any]
    started: float
    says: Mapping[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def test(self) -> pd.DataFrame:
        """The test rows."""
        return self.rows[self.rows["part"] == "test"]


def sentence(error: Exception) -> str:
    """An error in one sentence."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}; nothing is half-written."
    return (str(error).splitlines() or [type(error).__name__])[0]


def write(orders: Orders, run: Planned, found: Found, before: Callable[[], None] = lambda: None) -> Path:
    """Write a run and score it; returns the path of its scores.

    Sources are hashed when a run is planned and again here (DESIGN, rule 3); ``before`` is called between that
    and the writing.

    Raises:
        SeluError, ValueError, OSError: it can't be written or scored; a MachineError says nothing of the cell.
    """
    answers = predictions.to_parquet(found.test["id"].tolist(), found.answers, run.task.kind)
    content = {
        **_about(run),
        "picked_on": run.fields["pick"]["on"],
        "versions": dict(found.versions),
        "machine": resources.machine(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(found.started)),
        "state": "present",
        **found.says,
    }
    try:
        same = run.identity == orders.again(run).identity
    except SeluError:
        same = False
    if not same:
        raise MachineError(f"the sources or parameters changed while {run.name} ran: run it again.")
    before()
    record.write_run(run.folder, {record.PREDICTIONS: answers, **found.files}, content)
    return scoring.score(orders.root, run, found.rows)


def score_line(run: Planned, scores: Mapping[str, Any]) -> str:
    """A run's score in words, and what it stands on, where that is not all of the paper's rows."""
    rows = {"synthetic": " on synthetic rows", "partial": " on part of the rows"}.get(run.standing, "")
    return f"{scores['metric']} {scores['value']:.4f}{rows}"


def _about(run: Planned) -> dict[str, Any]:
    return {
        "identity": run.identity,
        "fields": dict(run.fields),
        "standing": run.standing,
        "environment": run.environment,
    }


def write_failure(run: Planned, error: str) -> None:
    """Write that a cell failed; a present run of the same identity stays."""
    record.write_failed(run.folder, {"error": error, **_about(run)})
