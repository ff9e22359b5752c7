from __future__ import annotations

import csv

import pytest

from selu import registry
from selu.app.ranking.boards import of_paper
from selu.papers.faun_eval import tables
from selu.papers.faun_eval.material import FULL, PARTS
from selu.stats.rounding import agrees
from selu.vocabulary import SeluError


@pytest.fixture(scope="module")
def paper(root):
    return registry.load(root, "faun_eval")


def test_models_and_parts_of_the_input_are_those_of_the_tables(paper):
    assert paper.models == list(paper.scores("EM"))
    assert [paper.size(model) for model in paper.models if model.startswith("DeepSeek")] == [236, 16, 33, 6.7]
    with pytest.raises(SeluError, match="is not a size such as 7B"):
        paper.with_published("table3", "GPT-4", "Size", "large").size("GPT-4")
    assert set(paper.ablated) < set(paper.models)
    for metric, full in FULL.items():
        assert paper.kept(metric)[0] == full
        lacking = {paper.without(metric, part) for part, short in PARTS.items() if short in full.split("+")}
        assert lacking == {f"{metric}: {kept}" for kept in paper.kept(metric)[1:]}


def test_the_one_cell_that_agrees_with_no_reading_is_named(paper):
    """OCR made a 1 of an arrow, or a 1 was there: one cell fits the scores neither way."""
    odd = []
    for row, column in paper.tables["ocr"]:
        found, model = paper.published("ocr", row, column), column.removesuffix(": change")
        if model == column:
            assert paper.published("table5", row, column) == f"0.{found[1:]}"
            continue
        read = paper.published("table5", row, column)
        assert found.lstrip("|[") in (f"{read}%", f"1{read}%")
        possible = paper.possible_change(row, model)
        assert possible.low <= abs(paper.change(row, model)) <= possible.high
        readings = [read] + [f"1{read}"] * found.startswith("1")
        fit = [reading for reading in readings if possible.low <= float(reading) <= possible.high]
        odd += [] if fit == [read] else [(row, model, found)]
    assert odd == [("ES: IB", "DeepSeek-Coder-V2", "13.87%")]
    assert agrees(paper.change("ES: IB", "DeepSeek-Coder-V2"), "4.02")


def test_shares_of_repositories_are_those_of_the_tasks_that_were_scored(root):
    """A ranking of answer sets by repository and the scores of each task must not come apart."""
    scores: dict[tuple[str, str], list[str]] = {}
    with (root / "reports" / "faun_eval" / "scores.csv").open() as lines:
        for line in csv.DictReader(lines):
            scores.setdefault((line["set"], line["task"].rpartition("-")[0]), []).append(line["resolved"])
    board = of_paper(root, "faun_eval", "resolved").board
    shares = [float(score) for score in board.values.ravel()]
    found = [sum(map(float, each)) / len(each) for _, each in sorted(scores.items()) if "" not in each]
    assert sorted(shares) == pytest.approx(sorted(found), abs=0.00051)
    assert board.rows[0].sum() == 300


def test_an_average_that_no_rounding_explains_is_shown_beside_ours(paper):
    table = tables.table4(paper.with_published("table4", "EM", "Average", "0.3800"))
    (cell,) = [cell for cell in table.mismatches if cell.row == "EM"]
    assert (cell.published, cell.computed) == ("0.3800", "0.3813")
    assert cell.why == "not explained by rounding of the inputs"
