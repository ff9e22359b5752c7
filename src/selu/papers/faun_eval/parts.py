"""The parts of FAUN-Eval's report, by name."""

from __future__ import annotations

from selu.papers.api import later
from selu.papers.evidence import Need, Part

PARTS = {
    "retrieval": Part(
        later(__package__, "retrieval.part:collect"),
        "retrieval: files and questions, ranked",
        frozenset({Need.PUBLISHED, Need.MODELS}),
    ),
    "funnel": Part(
        later(__package__, "pipeline.listed:collect"),
        "funnel: published pairs through the filters",
        frozenset({Need.PUBLISHED}),
    ),
}
