"""Somebody's own system among those of a board: it changes no rank of theirs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from selu.boards.board import Board, Score, board_of
from selu.boards.placing import place
from selu.boards.ranking import WIN_RATE, comparable, rank

SCORES = st.one_of(st.just(float("nan")), st.integers(1, 9).map(lambda n: n / 10))
TABLES = arrays(np.float64, (5, 4), elements=SCORES).filter(
    lambda values: not (np.isnan(values).all(axis=0).any() or np.isnan(values).all(axis=1).any())
)


def board(values: np.ndarray) -> Board:
    """A board of an array, a row a system; nan is a missing score."""
    at = np.argwhere(~np.isnan(values)).tolist()
    scores = [Score(f"s{i}", f"t{j}", float(values[i, j]), 1, f"row {i}") for i, j in at]
    systems, tasks = values.shape
    return board_of(scores, systems=[f"s{i}" for i in range(systems)], tasks=[f"t{j}" for j in range(tasks)])


def scores_of(table: Board, system: int) -> dict[str, float]:
    row = table.values[system]
    return {table.tasks[task]: float(row[task]) for task in np.flatnonzero(~np.isnan(row))}


@pytest.mark.ci
@settings(max_examples=60)
@given(TABLES)
def test_the_scores_of_the_first_have_rank_1_beside_it(values: np.ndarray) -> None:
    table = board(values)
    ranking = rank(comparable(table))
    first = [table.systems[system] for system in ranking.first if ranking.ranked[system]]
    found = place(table, "mine", scores_of(table, ranking.order[0]))
    assert (found["place"]["rank"], sorted(found["equal"])) == (1, sorted(first))
    assert found["ranked_by"] == ranking.by


@settings(max_examples=60)
@given(TABLES, arrays(np.float64, 4, elements=st.integers(1, 9).map(lambda n: n / 10)))
def test_the_others_keep_their_order(values: np.ndarray, own: np.ndarray) -> None:
    table = board(values)
    ranking = rank(comparable(table))
    found = place(table, "mine", dict(zip(table.tasks, own.tolist(), strict=True)))
    mine = found["place"]["rank"]
    for row in found["against"]:
        system = table.systems.index(row["system"])
        if not ranking.ranked[system]:
            continue
        assert row["rank"] == ranking.ranks[system] + (row["rank"] > mine)


def test_who_is_better_or_worse_than_all_is_above_or_below_them() -> None:
    """By win rates, which are 100 % and 0 % of the best and the worst of the table, too."""
    values = np.array([[0.5, np.nan, 0.5], [0.4, 0.4, np.nan], [np.nan, 0.3, 0.1]])
    table = board(values)
    assert rank(table).by == WIN_RATE
    for score, place_of, rate in ((0.6, 1, 1.0), (0.05, 4, 0.0)):
        found = place(table, "mine", dict.fromkeys(table.tasks, score))["place"]
        assert (found["rank"], found["of"], found["win_rate"]) == (place_of, 4, pytest.approx(rate))
