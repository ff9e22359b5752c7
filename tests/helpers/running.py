"""Runs of a small project: what is said while they are made, what is refused, and in what state they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from selu.app.running.run import run as run_wanted
from selu.execution.planned import Wanted
from selu.execution.plans import plan
from selu.runs import record
from selu.vocabulary import SeluError


def run(
    root: Path, wanted: Wanted, only: str = "missing", jobs: int = 1, max_cost: float | None = None
) -> list[str]:
    """What is said while the runs are made."""
    messages: list[str] = []
    run_wanted(root, wanted, only, jobs, messages.append, max_cost)
    return messages


def refused(root: Path, wanted: Wanted, only: str = "missing") -> tuple[str, list[str]]:
    """The error at the end, and what was said before."""
    messages: list[str] = []
    with pytest.raises(SeluError) as caught:
        run_wanted(root, wanted, only, 1, messages.append)
    assert "\n" not in str(caught.value)
    return str(caught.value), messages


def states(root: Path, wanted: Wanted) -> dict[str, str]:
    return {
        planned_run.name: record.state(planned_run.folder, planned_run.identity).value
        for planned_run in plan(root, wanted)
    }
