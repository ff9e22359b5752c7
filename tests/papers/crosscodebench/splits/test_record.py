from __future__ import annotations

import json
from pathlib import Path

import pytest

from selu.papers.crosscodebench.material import read
from selu.papers.crosscodebench.splits.record import FILE, read_tables
from selu.registry import claim
from selu.sources.published import read_all
from selu.vocabulary import Verdict

ROOT = Path(__file__).parents[4]


@pytest.mark.parametrize(
    ("found", "verdict"), [(0, Verdict.NOT_CHECKABLE), (3, Verdict.FAILS), (None, Verdict.NOT_CHECKABLE)]
)
def test_some_rows_can_show_that_a_split_leaks_but_not_that_none_does(tmp_path, found, verdict):
    """Read as a promise kept, rows of one split would vouch for nine others that nobody looked at."""
    path = tmp_path / "reports" / "crosscodebench" / FILE
    if found is not None:
        path.parent.mkdir(parents=True)
        splits = [("Type-Trans", found, 500), ("Type-QA", 0, 0)]
        record = [
            {"split": name, "found": {"exact input": count}, "rows": rows} for name, count, rows in splits
        ]
        path.write_text(json.dumps({"splits": record}))
    tables = {**read_all(ROOT / "data" / "paper" / "crosscodebench"), **read_tables(tmp_path)}
    finding = claim("crosscodebench", "X25").check(read(tables))
    assert finding.verdict == verdict
    if found is not None:
        assert finding.numbers["duplicates"] == {"Type-Trans": found}
