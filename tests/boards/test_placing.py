"""Somebody's own system among those of a board, as a row of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from selu.boards.board import Board, Score, board_of
from selu.boards.findings import findings
from selu.boards.found import Found
from selu.boards.placing import over, place

SCORES = st.one_of(st.just(float("nan")), st.integers(1, 9).map(lambda n: n / 10))
TABLES = arrays(np.float64, (5, 4), elements=SCORES).filter(
    lambda values: not (np.isnan(values).all(axis=0).any() or np.isnan(values).all(axis=1).any())
)
SCALES = st.one_of(
    st.just([(1, False)] * 4),
    st.lists(st.tuples(st.sampled_from([1, 100]), st.booleans()), min_size=4, max_size=4),
)


def board(values: np.ndarray, lower: Sequence[str] = ()) -> Board:
    """A board of an array, a row a system; nan is a missing score."""
    at = np.argwhere(~np.isnan(values)).tolist()
    scores = [Score(f"s{i}", f"t{j}", float(values[i, j]), 1, f"row {i}") for i, j in at]
    systems, tasks = values.shape
    return board_of(
        scores,
        lower=lower,
        systems=[f"s{i}" for i in range(systems)],
        tasks=[f"t{j}" for j in range(tasks)],
    )


def scores_of(table: Board, system: int) -> dict[str, float]:
    row = table.values[system]
    return {table.tasks[task]: float(row[task]) for task in np.flatnonzero(~np.isnan(row))}


def own_place(found: Found, name: str) -> dict[str, Any]:
    """The same of ``selu check``, with whose rank is equal, and the criterion."""
    row: Mapping[str, Any] = next(row for row in found["systems"] if row["system"] == name)
    equal = [other["system"] for other in found["systems"] if other["rank"] == row["rank"] and other != row]
    keys = ("rank", "mean", "low", "high", "mean_rank", "win_rate")
    place = {key: row[key] for key in keys} | {"of": sum(row["rank"] is not None for row in found["systems"])}
    return {"place": place, "equal": equal, "ranked_by": found["method"]["ranked_by"]}


@pytest.mark.ci
@settings(max_examples=40)
@given(TABLES, SCALES, arrays(np.float64, 4, elements=SCORES).filter(lambda own: not np.isnan(own).all()))
def test_the_place_is_that_of_the_row_in_the_table(
    values: np.ndarray, scales: list[tuple[int, bool]], own: np.ndarray
) -> None:
    """Over the system's own tasks where it lacks too many for a rank; with ties, holes and mixed scales."""
    enlarged = np.vstack((values, own)) * [scale for scale, _ in scales]
    lower = [f"t{j}" for j, (_, is_lower) in enumerate(scales) if is_lower]
    with_row = board(enlarged, lower)
    checked = findings(with_row)
    if next(row for row in checked["systems"] if row["system"] == "s5")["rank"] is None:
        checked = findings(over(with_row, list(scores_of(with_row, 5))))
    found = place(board(enlarged[:-1], lower), "s5", scores_of(with_row, 5))
    assert {key: found[key] for key in ("place", "equal", "ranked_by")} == own_place(checked, "s5")
    ranks = {row["system"]: row["rank"] for row in checked["systems"]}
    assert {row["system"]: row["rank"] for row in found["against"]}.items() <= ranks.items()


def test_who_is_worst_on_all_tasks_is_last_by_mean_rank() -> None:
    values = np.array([[90, 0.9], [80, 0.8], [70, 0.7], [60, 0.6], [50, 0.5]])
    found = place(board(values[:4]), "mine", {"t0": 50.0, "t1": 0.5})["place"]
    assert (found["rank"], found["of"], found["mean_rank"], found["win_rate"]) == (5, 5, 5.0, 0.0)


def test_a_name_that_the_table_has_is_said() -> None:
    table = board(np.array([[0.5, 0.6], [0.4, 0.7]]))
    says = "The table has a system of this name, too."
    assert says in place(table, "S1", {"t0": 0.4, "t1": 0.6})["sentence"]
    assert says not in place(table, "s2", {"t0": 0.4, "t1": 0.6})["sentence"]
