"""Runs as ``selu run`` leaves them, with made-up answers: the true ones, a share of them replaced."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from selu.execution import plans, results
from selu.execution.grids.plan import SYSTEMS
from selu.execution.planned import Orders
from selu.execution.plans import Planned, Wanted
from selu.vocabulary import Kind

Wrong = Callable[[Planned], float]


def answers(numbers: random.Random, planned: Planned, truth: Iterable[Any], wrong: float) -> list[Any]:
    """The truth, with that share of answers replaced by others."""
    task = planned.task
    found = []
    for value in truth:
        changed = numbers.random() < wrong
        if task.kind is Kind.REGRESSION:
            found.append(float(value) * (1 + changed))
        elif task.kind is Kind.MULTI_LABEL:
            found.append([int(bit) ^ int(changed and numbers.random() < 0.5) for bit in value])
        else:
            found.append(int((value + changed) % len(task.labels)))
    return found


def write(
    root: Path,
    planned: Planned,
    rows: pd.DataFrame,
    wrong: float,
    joules: float | None = 3.5,
    record_fields: Mapping[str, Any] | None = None,
) -> None:
    """One present run, scored; ``record_fields``: what else its record says."""
    test = rows[rows["part"] == "test"]
    numbers = random.Random(f"{planned.name} {planned.environment}")
    given = answers(numbers, planned, test["label"].tolist(), wrong)
    units = len(planned.grid)
    cost = {
        "wall_seconds": 2.0 * units,
        "unit_seconds": 1.5 * units,
        "cpu_seconds": 1.25 * units,
        "peak_memory_bytes": 1 << 20,
        "joules": joules,
        "units": units,
        "units_taken": 0,
    }
    says = {"chosen": dict(planned.grid[0]), "grid": [], "cost": cost, **(record_fields or {})}
    results.write_run(Orders(root, lambda run: run, print), planned, rows, results.Made(given, {}, 0.0, says))


def fail(planned: Planned, error: str) -> None:
    """One failed run."""
    results.write_failure(planned, error)


def fill(root: Path, wrong: Wrong, wanted: Wanted | None = None) -> list[Planned]:
    """Every run of the baselines; returns their plan."""
    runs = plans.plan(root, wanted or Wanted(systems=SYSTEMS))
    known: dict[tuple[str, str], pd.DataFrame] = {}
    for planned in runs:
        key = (planned.task.id, planned.protocol)
        if key not in known:
            known[key] = results.read_rows(root, planned)
        write(root, planned, known[key], wrong(planned))
    return runs
