"""What holds of every tracked table, whichever notebook wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest

REPORTS = Path(__file__).parents[2] / "reports"
TABLES = sorted(REPORTS.glob("*/tables/*.md"))


def test_there_are_tables() -> None:
    assert {path.parents[1].name for path in TABLES} >= {"selu", "nlbse24"}


@pytest.mark.parametrize("path", TABLES, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_no_cell_is_a_number_that_is_none(path: Path) -> None:
    """A column that two lists name differently is filled with these."""
    cells = {cell.strip() for line in path.read_text("utf-8").splitlines() for cell in line.split("|")}
    assert not cells & {"nan", "None", "inf", "-inf", "<NA>"}
