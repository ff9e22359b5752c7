from __future__ import annotations

from dataclasses import replace

import pytest
from tests.papers.redrawn import places_read

from selu import registry
from selu.sources.published import read_all

BY_ID = {claim.id: claim for claim in registry.claims("nlbse24")}


@pytest.mark.ci
@pytest.mark.parametrize("id", sorted(BY_ID))
def test_a_table_that_was_not_counted_never_breaks_a_claim(root, paper, id):
    counted = set(paper.tables) - set(read_all(root / "data" / "paper" / "nlbse24"))
    for name in counted & {table for table, _, _ in places_read(paper, BY_ID[id])}:
        rest = {other: table for other, table in paper.tables.items() if other != name}
        assert BY_ID[id].check(replace(paper, tables=rest)).because


@pytest.mark.parametrize(
    ("f1", "runtime", "sentence"),
    [("0.6", "0.0001", "scores 0.695 and does not win"), ("0.612", "0", "scores 0.709 and wins")],
)
def test_a_rerun_that_wins_by_its_speed_is_named(paper, f1, runtime, sentence):
    for place in paper.categories.values():
        paper = paper.with_published("reruns", f"tfidf-logistic/{place}", "f1", f1)
        paper = paper.with_published("reruns", f"tfidf-logistic/{place}", "avg_runtime_s", runtime)
    assert sentence in BY_ID["N61"].check(paper).because
