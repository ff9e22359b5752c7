"""The parts of NLBSE'24's report, by name."""

from __future__ import annotations

from selu.papers.api import later
from selu.papers.evidence import Need, Part

PARTS = {
    "comparisons": Part(later(__package__, "evidence.comparisons:compare"), needs=frozenset({Need.ROWS})),
    "reruns": Part(
        later(__package__, "evidence.comparisons:tabulate"), "reruns: the scores of results.json as a table"
    ),
}
