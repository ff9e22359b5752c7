"""Bytes on disk of trainings, before they start: published weights, checkpoints, models, predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selu.systems.finetune.cost.profiles import Assumed

SUMS = ("kept_gb", "predictions_gb")  # of a cell's runs together
_WEIGHTS = {"fp32": 4, "mixed": 4, "bf16": 2}  # bytes of a parameter as it is trained and saved
_STATES = {"fp32": 8, "mixed": 8, "bf16": 12}  # AdamW's moments; under ZeRO masters of bf16 weights too
_GB = 1e9


def of_cell(parameters: int, precision: str, runs: int, answers: float, assumed: Assumed) -> dict[str, float]:
    """Gigabytes (1e9 bytes) of a cell.

    ``weights_gb`` are the published ones in the cache. ``checkpoint_gb`` is one training's: its weights, the
    best ones, the optimizer's state, and all of it twice, as the new state stands before the old one goes.
    ``kept_gb`` are the trained models of all runs, ``predictions_gb`` their predictions and records.

    Args:
        precision: of the weights, as ``cost.memory`` has it.
        answers: to texts, or to tokens where tokens are answered, of one run.
    """
    kept = _WEIGHTS[precision] * parameters
    states = _STATES[precision] * parameters
    predicted = answers * assumed.prediction_bytes + assumed.record_bytes
    return {
        "weights_gb": assumed.cached_bytes * parameters / _GB,
        "checkpoint_gb": 2 * (2 * kept + states) / _GB,
        "kept_gb": runs * kept / _GB,
        "predictions_gb": runs * predicted / _GB,
    }


def summed(cells: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Of several cells: weights once a system, the largest checkpoint, what is kept of all runs."""
    weights: dict[str, float] = {}
    for cell in cells:
        weights[cell["system"]] = max(cell["weights_gb"], weights.get(cell["system"], 0.0))
    return {
        "weights_gb": sum(weights.values()),
        "checkpoint_gb": max((cell["checkpoint_gb"] for cell in cells), default=0.0),
        **{name: sum(cell[name] for cell in cells) for name in SUMS},
    }


def together(cells: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Gigabytes of all cells, by how they are trained.

    ``least``: one run after another, its model deleted once it has answered, a system's weights before the next
    one's. ``one_after_another``: likewise, but all weights and trained models stay. ``at_once``: all runs
    together, each with its checkpoint.
    """
    sums = summed(cells)
    standing = sums["weights_gb"] + sums["kept_gb"] + sums["predictions_gb"]
    alone = (cell["weights_gb"] + cell["checkpoint_gb"] + cell["kept_gb"] / cell["runs"] for cell in cells)
    return {
        "least_gb": max(alone) + sums["predictions_gb"],
        "one_after_another_gb": standing + sums["checkpoint_gb"],
        "at_once_gb": standing + sum(cell["runs"] * cell["checkpoint_gb"] for cell in cells),
    }
