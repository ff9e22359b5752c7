"""The parts of NLBSE'24's report, by name."""

from __future__ import annotations

from collections.abc import Mapping

from selu.papers.evidence import Evidence, Need, Part, Progress

Files = Mapping[str, str | bytes]


def _comparisons(evidence: Evidence, progress: Progress) -> Files:
    from selu.papers.nlbse24.evidence import comparisons

    return comparisons.compare(evidence, progress)


def _reruns(evidence: Evidence, _progress: Progress) -> Files:
    from selu.papers.nlbse24.evidence import comparisons

    return comparisons.tabulate(evidence)


PARTS = {
    "comparisons": Part(_comparisons, needs=frozenset({Need.ROWS})),
    "reruns": Part(_reruns, "reruns: the scores of results.json as a table"),
}
