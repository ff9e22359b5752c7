"""What the numbers of NLBSE'25 decide beside its claims' verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.papers.nlbse25.flips import NAME, above

from selu import registry
from selu.papers.nlbse25.material import Material
from selu.vocabulary import CellVerdict, Verdict


@pytest.mark.parametrize(("id", "worse"), [("NC28", 0), ("NC29", 2)])
def test_the_papers_table_decides_what_can_not_be_checked_without_it(root: Path, id: str, worse: int) -> None:
    published = registry.load(root, NAME)
    assert registry.claim(NAME, id).check(published).verdict is Verdict.NOT_CHECKABLE
    assert registry.claim(NAME, id).check(above(published, 8.9, worse)).verdict is Verdict.HOLDS


def test_scores_are_recounted_where_precision_and_recall_are_shares(root: Path) -> None:
    """Six recalls of the baseline are shares of other rows; a score that doesn't follow differs."""
    published: Material = registry.load(root, NAME)
    rows = int(published.number("positives", "Java: usage", "positive"))
    assert len(published.board.places) - len(published.checks) == 6
    assert {check.verdict for check in published.checks.values()} == {CellVerdict.REPRODUCED}
    half = published.with_places(
        {
            ("precision", "GRAPHiC", "Java: usage"): "0.500000",
            ("recall", "GRAPHiC", "Java: usage"): f"{100 / rows:.6f}",
        }
    )
    found = half.checks["GRAPHiC", "Java: usage"]
    assert found.value == pytest.approx(2 * 100 / (rows + 200))
    assert (found.evidence, found.verdict) == ("recounted", CellVerdict.DEVIATES)
