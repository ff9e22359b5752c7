from __future__ import annotations

import sys
from pathlib import Path

import pytest

from selu.papers.faun_eval.material import FULL, PARTS, read
from selu.sources.published import check_pins, read_all, read_pins
from selu.stats.rounding import agrees
from selu.vocabulary import SeluError

sys.path.insert(0, str(Path(__file__).parent))  # --import-mode=importlib adds no folder of its own

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared"
PAPER = ROOT / "data" / "paper" / "faun_eval"
PINS = ROOT / "data" / "pins" / "faun_eval" / "paper.csv"


@pytest.fixture(scope="module")
def paper():
    return read(read_all(PAPER))


def test_tables_agree_with_their_pins():
    tables = read_all(PAPER)
    check_pins(tables, read_pins(PINS), PAPER)
    assert {name: len(cells) for name, cells in tables.items()} == {
        **{"table1": 90, "table2": 18, "table3": 60, "table4": 77, "table5": 184},
        **{"text": 58, "ocr": 64, "crawl": 7},
    }


@pytest.mark.skipif(not SHARED.is_dir(), reason="the paper's text (../shared) is not here")
def test_tables_and_pins_are_what_the_paper_prints():
    import faun_eval_text

    text = faun_eval_text.read(SHARED)
    assert text == read_pins(PINS)
    assert text == {
        name: {place: cell.printed for place, cell in cells.items()} for name, cells in read_all(PAPER).items()
    }


def test_models_and_parts_of_the_input_are_those_of_the_tables(paper):
    assert paper.models == list(paper.scores("EM"))
    assert [paper.size(model) for model in paper.models if model.startswith("DeepSeek")] == [236, 16, 33, 6.7]
    assert set(paper.ablated) < set(paper.models)
    for metric, full in FULL.items():
        assert paper.kept(metric)[0] == full
        lacking = {paper.without(metric, part) for part, short in PARTS.items() if short in full.split("+")}
        assert lacking == {f"{metric}: {kept}" for kept in paper.kept(metric)[1:]}


def test_the_one_cell_that_agrees_with_no_reading_is_named(paper):
    """OCR made a 1 of an arrow, or a 1 was there: one cell fits the scores neither way."""
    odd = []
    for row, column in paper.tables["ocr"]:
        found, model = paper.printed("ocr", row, column), column.removesuffix(": change")
        if model == column:
            assert paper.printed("table5", row, column) == f"0.{found[1:]}"
            continue
        read = paper.printed("table5", row, column)
        assert found.lstrip("|[") in (f"{read}%", f"1{read}%")
        possible = paper.possible_change(row, model)
        assert possible.low <= abs(paper.change(row, model)) <= possible.high
        readings = [read] + [f"1{read}"] * found.startswith("1")
        fit = [one for one in readings if possible.low <= float(one) <= possible.high]
        odd += [] if fit == [read] else [(row, model, found)]
    assert odd == [("ES: IB", "DeepSeek-Coder-V2", "13.87%")]
    assert agrees(paper.change("ES: IB", "DeepSeek-Coder-V2"), "4.02")


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (("table4", "EM", "GPT-4", "1.2"), "1.2 is not in 0 to 1"),
        (("table5", "EM: IT", "GPT-4o", "-3"), "-3 is not in 0 to 1"),
        (("table4", "EM", "GPT-4", "many"), "is not a number"),
    ],
)
def test_a_score_that_cannot_be_is_refused_by_its_place(paper, place, said):
    with pytest.raises(SeluError, match=said):
        read(paper.with_printed(*place).tables)


def test_a_count_and_a_size_are_read_as_the_paper_writes_them(paper):
    assert paper.count("table1", "TFix", "#Samples") == 105_000
    assert paper.count("text", "Abstract", "Models") == 10
    with pytest.raises(SeluError, match="is no count"):
        paper.with_printed("text", "Abstract", "Models", "some").count("text", "Abstract", "Models")
    with pytest.raises(SeluError, match="no size such as 7B"):
        paper.with_printed("table3", "GPT-4", "Size", "large").size("GPT-4")
