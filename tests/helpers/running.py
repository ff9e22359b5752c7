"""Runs of a small project: what is said while they are made, what is refused, and in what state they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from selu.execution import runner
from selu.execution.planned import Wanted
from selu.execution.plans import plan
from selu.runs import record
from selu.vocabulary import SeluError


def run(
    root: Path, wanted: Wanted, only: str = "missing", jobs: int = 1, max_cost: float | None = None
) -> list[str]:
    """What is said while the runs are made."""
    said: list[str] = []
    runner.run(root, wanted, only, jobs, said.append, max_cost)
    return said


def refused(root: Path, wanted: Wanted, only: str = "missing") -> tuple[str, list[str]]:
    """The error at the end, and what was said before."""
    said: list[str] = []
    with pytest.raises(SeluError) as caught:
        runner.run(root, wanted, only, 1, said.append)
    assert "\n" not in str(caught.value)
    return str(caught.value), said


def states(root: Path, wanted: Wanted) -> dict[str, str]:
    return {one.name: record.state(one.folder, one.identity).value for one in plan(root, wanted)}
