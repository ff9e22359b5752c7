"""The rows of a task: equal scores share a rank in either direction, and a missing one stays last."""

from __future__ import annotations

import pytest

from selu.boards.rows import Published, by_rank, place

GIVEN = {"a": ".5", "b": "0.50", "c": "0.7", "d": None}
SCORES = [Published(name, name.upper(), score) for name, score in GIVEN.items()]


@pytest.mark.parametrize(("lower", "ranks"), [(False, "c1 a2= b2= d-"), (True, "a1= b1= c3 d-")])
def test_equal_scores_share_a_rank_in_either_direction(lower: bool, ranks: str) -> None:
    rows = by_rank(SCORES, lower)
    assert " ".join(f"{row.published.system}{row.rank or '-'}{'=' * row.tied}" for row in rows) == ranks
    for row in rows:
        own = place(SCORES, row.published.system, lower)
        assert (own["rank"], own["tied"], own.get("behind")) == (row.rank, row.tied, row.behind)


def test_the_best_is_at_the_right_end_of_a_strip_in_either_direction() -> None:
    assert (place(SCORES, "c")["at"], place(SCORES, "c", lower=True)["at"]) == ("100.0", "0.0")


def test_scores_that_are_equal_only_when_rounded_have_ranks_of_their_own() -> None:
    rows = by_rank(
        [Published("a", "A", "0.8235", number=0.82351), Published("b", "B", "0.8235", number=0.82352)]
    )
    assert [(row.published.system, row.rank) for row in rows] == [("b", 1), ("a", 2)]


def test_one_score_alone_is_first_and_best() -> None:
    assert place([Published("a", "A", "0")], "a") | {"others": []} == {
        "score": "0", "reason": None, "checked": None, "place": "", "digits": 3,
        "rank": 1, "tied": False, "of": 1, "behind": 0.0, "at": "0.0", "others": [],
    }  # fmt: skip
