from __future__ import annotations

import sys
from pathlib import Path

import pytest

from selu.papers.blanca.material import read
from selu.sources.published import check_pins, read_all, read_pins
from selu.vocabulary import SeluError

sys.path.insert(0, str(Path(__file__).parent))  # --import-mode=importlib adds no folder of its own

import paper_text

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared"
PAPER = ROOT / "data" / "paper" / "blanca"
PINS = ROOT / "data" / "pins" / "blanca" / "paper.csv"
OF_TABLE = {"table1": 13, "table2": 20, "table3": 40, "table4": 30, "table5": 30, "table6": 10, "table7": 10}


@pytest.fixture(scope="module")
def paper():
    return read(read_all(PAPER))


def test_tables_agree_with_their_pins():
    tables = read_all(PAPER)
    check_pins(tables, read_pins(PINS), PAPER)
    assert {name: len(cells) for name, cells in tables.items()} == {
        **OF_TABLE,
        **{
            "table8": 48,
            "bold": 15,
            "text": 59,
            "bertoverflow": 2,
            "scripts": 12,
            "logs": 108,
            "related": 63,
            "distances": 10,
        },
    }


@pytest.mark.skipif(not SHARED.is_dir(), reason="the paper's text (../shared) is not here")
def test_tables_and_pins_are_what_the_paper_and_the_logs_print():
    text = paper_text.read(SHARED)
    assert text == read_pins(PINS)
    assert text == {
        name: {place: cell.printed for place, cell in cells.items()} for name, cells in read_all(PAPER).items()
    }


def test_every_encoder_of_a_table_is_declared_and_every_declared_one_is_in_a_table(paper):
    declared = {encoder.name for encoder in paper.encoders}
    rows = {row for table in [*list(OF_TABLE)[2:], "table8"] for row, _ in paper.tables[table]}
    assert declared == rows
    assert {row for row, _ in paper.tables["table1"]} == {encoder.table1 for encoder in paper.bases}
    assert [encoder.name for encoder in paper.bases if encoder.code] == ["BERTOverflow", "CodeBERT"]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (("table3", "USE", "MRR", "1.2"), "1.2 is outside 0 to 1"),
        (("table4", "USE", "T", "-3"), "-3 is outside 0"),
        (("table6", "USE", "Pearson r", "-1.01"), "outside -1 to 1"),
        (("table7", "USE", "Pearson r", "many"), "is not a number"),
    ],
)
def test_a_score_that_cannot_be_is_refused_by_its_place(paper, place, said):
    with pytest.raises(SeluError, match=said):
        read(paper.with_printed(*place).tables)


def test_a_count_is_a_whole_number(paper):
    assert paper.count("text", "4.1", "Questions") == 500_000
    assert paper.count("table2", "H", "Train") == 16_215_400
    with pytest.raises(SeluError, match="is no count"):
        paper.with_printed("table2", "H", "Train", "1.5").count("table2", "H", "Train")
