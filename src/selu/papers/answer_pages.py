"""The answers of all runs of a task, row by row: a page that loads them, and the file that it loads.

Rows are known by their ids alone: texts and labels of a data set are others' and are not shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from selu.papers.evidence import Evidence
from selu.papers.page import Page
from selu.vocabulary import Kind, Task

ANSWERS_PAGE, ANSWERS = "answers/{}.html", "answers/{}.js"
_LONG = (Kind.ENTITIES, Kind.MASKED)  # a row has an answer for each of its words


class OtherScore(NamedTuple):
    """A score beside the first one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class RunShown:
    """A run and its scores as the page of its task shows them.

    Attributes:
        name: within the score's folder; ``procedure``: by whose the checkpoint was picked, in words.
        low, high: bounds of the value, where it has any; ``rows``: of the test part.
        one_answer: whether it has the same answer to all rows; ``invalid``: replies without a valid answer.
        others: its other scores: name, value, and the bounds of those that have any.
        seconds: that passed, of which other work of the machine may be a part; ``cpu_seconds``: of processors.
    """

    name: str
    procedure: str
    seed: int
    metric: str
    value: float
    low: float | None
    high: float | None
    rows: int
    data: str
    caution: str | None
    one_answer: bool
    invalid: int
    confusion: Sequence[Sequence[int]] | None
    labels: Sequence[str]
    others: Sequence[OtherScore]
    parameters: Sequence[tuple[str, str]]
    packages: Mapping[str, str]
    hashes: Mapping[str, str]
    seconds: float | None
    cpu_seconds: float | None
    command: str


class Answered(NamedTuple):
    """A run whose answers are shown: TASK/SYSTEM/RUN, its system's name, and the run's name."""

    name: str
    system: str
    run: str

    @property
    def key(self) -> str:
        """The run's key in the page's address."""
        return self.name.partition("/")[2]


def answers_page(
    task: Task, title: str, shown: Sequence[tuple[str, Sequence[RunShown]]], names: Mapping[str, str]
) -> Page | None:
    """Render the page of a task; None if it has no run, or answers that are too long to show in a row.

    Args:
        shown: (system, its runs).
        names: of systems, by their ids.
    """
    if not shown or task.kind in _LONG:
        return None
    answered = [
        Answered(
            f"{task.id}/{system}/{run.name}",
            names.get(system, system),
            f"{run.procedure}, seed {run.seed}, {run.name}",
        )
        for system, runs in shown
        for run in runs
    ]
    return Page("answers", {"task": task, "title": title, "runs": answered})


def answers_file(evidence: Evidence, task: Task, runs: Sequence[Answered]) -> bytes:
    """Write the script that the page loads: row ids, names of labels, and the answers of each run by row.

    Raises:
        SeluError: the answers of a run are missing or damaged.
    """
    answers = {run.key: evidence.predictions(run.name) for run in runs}
    ids = sorted({id for answer in answers.values() for id in answer})
    lines = {key: ",".join(_text(answer.get(id)) for id in ids) for key, answer in answers.items()}
    found = {"labels": [label.name for label in task.labels], "ids": ",".join(ids), "runs": lines}
    return f"const answers = {json.dumps(found, ensure_ascii=False)};\n".encode()


def _text(answer: object) -> str:
    """Write an answer: a number, the places of its labels (``-`` for none), empty where not asked."""
    if isinstance(answer, list):
        return " ".join(str(at) for at, is_one in enumerate(answer) if is_one) or "-"
    return "" if answer is None else f"{answer:.4g}" if isinstance(answer, float) else str(answer)
