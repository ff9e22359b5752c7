"""The parts of CrossCodeBench's report, by name."""

from __future__ import annotations

from selu.papers.api import later
from selu.papers.evidence import Need, Part

PARTS = {
    "baselines": Part(
        later(__package__, "answering.baselines_part:make"),
        "baselines: scores of answers without a trained model",
        frozenset({Need.ROWS, Need.MODELS}),  # an encoder is among them
    ),
}
