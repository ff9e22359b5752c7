"""Pairs of texts with a distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selu.metrics.kinds import KindSpec


def evaluate(truth: Sequence[Any], answers: Sequence[Any], _labels: Sequence[str]) -> Mapping[str, Any]:
    """Mean absolute error of distances."""
    errors = [abs(value - answer) for value, answer in zip(truth, answers, strict=True)]
    return {"mean_error": sum(errors) / len(errors), "largest_error": max(errors)}


def arrow() -> Any:
    """A distance is one number."""
    import pyarrow as pa

    return pa.float64()


PAIR_DISTANCE = KindSpec(
    name="pair_distance",
    columns=("text_a", "text_b"),
    metric="mean_error",
    evaluate=evaluate,
    arrow=arrow,
    intervals=("mean_error",),
    made_with=(__name__,),
    lower_is_better=True,
)
