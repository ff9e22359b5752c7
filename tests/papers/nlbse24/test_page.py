"""What the pages say of scores that were made again."""

from __future__ import annotations

from pathlib import Path

from selu.evidence.evidence import Evidence
from selu.papers.nlbse24.page import page
from selu.vocabulary import CellVerdict


def test_score_rows_say_how_they_were_checked(root: Path) -> None:
    """Kallis and Colavito's predictions are published; FastText of Kallis et al. was run again."""
    checks = page(Evidence(root, "nlbse24")).checks
    assert {(ranking, team, check.evidence) for (ranking, team, _), check in checks.items()} == {
        ("issues", "Kallis and Colavito", "re-scored"),
        ("issues", "Kallis et al.", "re-run"),
    }
    bug = checks["issues", "Kallis et al.", "Bug"]
    assert bug.low < bug.value < bug.high
    assert bug.verdict in set(CellVerdict)
