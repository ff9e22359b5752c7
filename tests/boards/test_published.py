"""Rankings of papers, declared by the places of their published tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import small_project as small
from selu import registry
from selu.boards.declared import Declared, Source
from selu.boards.findings import findings
from selu.boards.published import is_here, read_board, systems_of
from selu.vocabulary import Published, SeluError

DECLARED = [
    (name, board)
    for name in registry.published()
    if (paper := registry.benchmark(name).paper())
    for board in paper.boards
]
# Averages of Table 1 that their three printed scores don't give (.842 for .840, .828 for .808).
IMPOSSIBLE = {
    ("nlbse24", "issues"): {
        ("Table 1, row Gómez-Barrera et al./F1-score", "mean"),
        ("Table 1, row Aracena et al./F1-score", "mean"),
    }
}
TABLE = {
    ("A/F1", "bug"): Published("1", "A/F1", "bug", "0.91"),
    ("A/F1", "Average"): Published("1", "A/F1", "Average", "0.91"),
    ("B/F1", "bug"): Published("1", "B/F1", "bug", "0.8*"),
    ("B/Recall", "bug"): Published("1", "B/Recall", "bug", "high"),
}


def declared(**given: object) -> Declared:
    source = {"table": "table1", "row": "{system}/F1", "column": "{task}", "without": ("Average",), **given}
    return Declared("one", "Table 1", (Source(**source),))  # type: ignore[arg-type]


@pytest.mark.ci
@pytest.mark.parametrize(("name", "board"), DECLARED)
def test_each_declared_ranking_is_read_from_the_published_tables(
    root: Path, name: str, board: Declared
) -> None:
    found = findings(read_board(board, registry.load(root, name).tables))
    assert found["method"]["scores"] >= 2 * len(found["tasks"])
    assert found["systems"][0]["rank"] == 1
    impossible = {(entry["place"].split(", column")[0], entry["kind"]) for entry in found["impossible"]}
    assert impossible == IMPOSSIBLE.get((name, board.id), set())


def test_every_paper_has_one() -> None:
    assert {name for name, _ in DECLARED} == set(registry.published())


def test_places_that_fit_are_scores_with_their_decimals_and_marks_left_out() -> None:
    board = read_board(declared(), {"table1": TABLE})
    assert (board.systems, board.tasks) == (("A", "B"), ("bug",))
    assert board.values.tolist() == [[0.91], [0.8]]
    assert board.places["A", "bug"] == "Table 1, row A/F1, column bug"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"table": "table9"}, "there is no table table9"),
        ({"row": "{system}/F2"}, "no place of table1 has the row"),
        ({"row": "{system}/Recall"}, "table1, row B/Recall, column bug: 'high' is not a number"),
        ({"column": "{task}", "row": "{system}/F1", "without": (), "task": "x"}, None),
    ],
)
def test_what_is_declared_wrong_is_named_by_table_and_place(
    given: dict[str, object], message: str | None
) -> None:
    if message is None:
        assert len(read_board(declared(**given), {"table1": TABLE}).tasks) == 2
        return
    with pytest.raises(SeluError) as refused:
        read_board(declared(**given), {"table1": TABLE})
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--paper", "crosscodebench"), 0, "Supervised CodeT5 has the highest mean of 21 systems"),
        (("--paper", "nlbse24", "--board", "comments"), 0, "Dopamin has the highest mean of 2 systems"),
        (("--paper", "nlbse24"), 2, "NLBSE'24 has 2 rankings: give --board issues or comments"),
        (("--paper", "nlbse24", "--board", "isues"), 2, "did you mean 'issues'?"),
        (("--paper", "own"), 2, "there is no paper 'own'"),
        ((), 2, "give a file with scores, or --paper"),
        (("scores.csv", "--paper", "selu"), 2, "give a file with scores, or --paper"),
    ],
)
def test_the_command(root: Path, words: tuple[str, ...], code: int, message: str) -> None:
    ended, out, errors = small.done(root, "check", *words)
    assert (ended, message in " ".join([*str(out).split(), *" ".join(errors).split()])) == (code, True), (
        out,
        errors,
    )


def test_a_ranking_whose_results_are_not_here_names_the_command_that_brings_them() -> None:
    """Before 'dvc pull' a ranking that was computed here has no scores; other rankings go on."""
    assert is_here(declared(), {"table1": TABLE})
    assert not is_here(declared(), {"table1": {}})
    assert is_here(declared(), {})  # a misspelt table is an error, not an absence
    with pytest.raises(SeluError, match="'Table 1' are not here: get them with 'dvc pull'"):
        read_board(declared(), {"table1": {}})


def test_a_place_of_a_source_stands_where_the_table_has_no_number() -> None:
    board = read_board(declared(place="result file of {system}, {task}"), {"table1": TABLE})
    assert board.places["A", "bug"] == "result file of A, bug"
    assert systems_of(declared(), {"table1": TABLE}) == list(board.systems)
