"""The parts of BLANCA's report, by name."""

from __future__ import annotations

from selu.papers.api import later
from selu.papers.evidence import Need, Part

PARTS = {
    "encoders": Part(
        later(__package__, "encoders:collect"), "encoders: the scores of runs, with times and memory"
    ),
    "tuning": Part(
        later(__package__, "gains:collect"),
        "tuning: tuned encoders minus the frozen one, a relative of USE beside the published one",
        frozenset({Need.ROWS}),
    ),
}
