"""Sums of a cost plan: by system, by task, and in all; and the disk space needed, in gigabytes of 1e9 bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from selu.papers.costs import CellCost, CostSum, CostSums, Disk, DiskOfCell
from selu.systems.finetune.cost.profiles import Assumed

_TOKENS = ("tokens", "grouped_tokens", "batch_tokens", "padded_tokens")
RANGE = ("least_device_hours", "short_device_hours", "most_device_hours")
_HOURS = ("hours", "padded_hours", "device_hours", "padded_device_hours", *RANGE)
_KEPT = ("kept_gb", "predictions_gb")
_WEIGHTS = {"fp32": 4, "mixed": 4, "bf16": 2}  # bytes of a parameter as it is trained and saved
_STATES = {"fp32": 8, "mixed": 8, "bf16": 12}  # AdamW's moments; under ZeRO masters of bf16 weights too
_GB = 1e9


def disk_of(parameters: int, precision: str, runs: int, answers: float, assumed: Assumed) -> DiskOfCell:
    """Calculate the gigabytes of a cell (``DiskOfCell``).

    A checkpoint has the weights, the best ones and the optimizer's state, and all of it twice, as the new state
    stands before the old one goes.

    Args:
        precision: of the weights, as ``cost.memory`` has it.
        answers: to texts, or to tokens where tokens are answered, of one run.
    """
    kept = _WEIGHTS[precision] * parameters
    predicted = answers * assumed.prediction_bytes + assumed.record_bytes
    return {
        "weights_gb": assumed.cached_bytes * parameters / _GB,
        "checkpoint_gb": 2 * (kept / _GB + copied_gb(parameters, precision)),
        "kept_gb": runs * kept / _GB,
        "predictions_gb": runs * predicted / _GB,
    }


def copied_gb(parameters: int, precision: str) -> float:
    """Calculate the gigabytes of weights and states that are copied for a checkpoint."""
    return (_WEIGHTS[precision] + _STATES[precision]) * parameters / _GB


def sum_cells(cells: Sequence[CellCost]) -> CostSums:
    """Sum some cells, of which there is at least one, as ``systems``, ``tasks``, ``total`` and ``disk``."""
    total = _sum(cells)
    systems, tasks = _sum_by("system", cells), _sum_by("task", cells)
    return {"systems": systems, "tasks": tasks, "total": total, "disk": _disk(cells, total)}


def take_one_seed(cell: CellCost) -> CellCost:
    """Return the same cell with one of its runs."""
    numbers = cast("Mapping[str, float]", cell)
    per_run = {name: numbers[name] / cell["runs"] for name in (*_TOKENS, *_HOURS, "usd", *_KEPT)}
    return cast("CellCost", {**cell, "runs": 1, **per_run, **{name: round(per_run[name]) for name in _TOKENS}})


def _sum_by(what: Literal["system", "task"], cells: Sequence[CellCost]) -> list[CostSum]:
    groups: dict[str, list[CellCost]] = {}
    for cell in cells:
        groups.setdefault(cell[what], []).append(cell)
    return [cast("CostSum", {what: name, **_sum(group)}) for name, group in groups.items()]


def _sum(cells: Sequence[CellCost]) -> CostSum:
    """Sum cells, and find the most devices, memory and disk that one of them takes."""
    numbers = [cast("Mapping[str, float]", cell) for cell in cells]
    tokens, hours = (
        {name: sum(number[name] for number in numbers) for name in names} for names in (_TOKENS, _HOURS)
    )
    bound = sum(cell["hours"] for cell in cells if cell["bound"] == "updates")
    fit, unfit = ([cell for cell in cells if bool(cell["devices"]) is fits] for fits in (True, False))
    weights: dict[str, float] = {}
    for cell in cells:
        weights[cell["system"]] = max(cell["weights_gb"], weights.get(cell["system"], 0.0))
    found = {
        "cells": len({cell["cell"] for cell in cells}),
        "runs": sum(cell["runs"] for cell in cells),
        "steps": sum(cell["runs"] * cell["steps"] for cell in cells),
        **tokens,
        "saved": 1 - tokens["tokens"] / tokens["padded_tokens"],
        **hours,
        "bound_by_updates": bound / hours["hours"],
        "devices": max((cell["devices"] or 0 for cell in fit), default=None),
        "memory_gib": max((cell["memory_gib"] or 0.0 for cell in fit), default=None),
        "usd": sum(cell["usd"] for cell in cells),
        "weights_gb": sum(weights.values()),
        "checkpoint_gb": max(cell["checkpoint_gb"] for cell in cells),
        **{name: sum(number[name] for number in numbers) for name in _KEPT},
        "too_large": sum(cell["runs"] for cell in unfit),
        "unfit_device_hours": sum(cell["device_hours"] for cell in unfit),
    }
    return cast("CostSum", found)


def _disk(cells: Sequence[CellCost], total: CostSum) -> Disk:
    """Calculate the gigabytes of all cells together, by the order in which they are trained.

    ``least``: one run after another, its model deleted once it has answered, a system's weights before the next
    one's. ``one_after_another``: likewise, but all weights and trained models stay. ``at_once``: all runs
    together, each with its checkpoint.
    """
    kept = total["weights_gb"] + total["kept_gb"] + total["predictions_gb"]
    alone = (cell["weights_gb"] + cell["checkpoint_gb"] + cell["kept_gb"] / cell["runs"] for cell in cells)
    return {
        "least_gb": max(alone) + total["predictions_gb"],
        "one_after_another_gb": kept + total["checkpoint_gb"],
        "at_once_gb": kept + sum(cell["runs"] * cell["checkpoint_gb"] for cell in cells),
    }
