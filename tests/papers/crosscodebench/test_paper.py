from __future__ import annotations

import sys
from pathlib import Path

import pytest

from selu.papers.crosscodebench.material import read
from selu.sources.published import check_pins, read_all, read_pins
from selu.vocabulary import SeluError

sys.path.insert(0, str(Path(__file__).parent))  # --import-mode=importlib adds no folder of its own

import crosscode_text

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared"
PAPER = ROOT / "data" / "paper" / "crosscodebench"
PINS = ROOT / "data" / "pins" / "crosscodebench" / "paper.csv"


@pytest.fixture(scope="module")
def paper():
    return read(read_all(PAPER))


def test_tables_agree_with_their_pins():
    tables = read_all(PAPER)
    check_pins(tables, read_pins(PINS), PAPER)
    assert len(tables["table5"]) == 21 * 16


@pytest.mark.skipif(not SHARED.is_dir(), reason="the paper's text (../shared) is not here")
def test_tables_are_what_the_paper_prints():
    tables = read_all(PAPER)
    for name, places in crosscode_text.read(SHARED).items():
        ours = {place: cell.printed for place, cell in tables[name].items()}
        assert {place: ours[place] for place in places} == places
        assert {column for _, column in ours.keys() - places.keys()} <= {"Data set"}


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (("table5", "CodeT5, 4-shot", "Cat-Intra-CD: EM", "101"), "is no percentage"),
        (("table5", "CodeT5, 4-shot", "Cat-Intra-CD: EM", "many"), "is not a number"),
    ],
)
def test_a_score_that_cannot_be_is_refused_by_its_place(paper, place, said):
    with pytest.raises(SeluError, match=said):
        read(paper.with_printed(*place).tables)


def test_a_rounded_amount_is_the_range_that_it_stands_for(paper):
    low, high = paper.amount("table4", "Cat-Intra-CD", "Training instances")
    assert (float(low), float(high)) == (4_825_000, 4_835_000)
    low, high = paper.amount("table4", "Sub-Intra-ML", "Evaluation instances")
    assert (float(low), float(high)) == (134_500, 135_500)
    with pytest.raises(SeluError, match="no number of instances"):
        paper.with_printed("table4", "Type-QA", "Training instances", "many").amount(
            "table4", "Type-QA", "Training instances"
        )
    with pytest.raises(SeluError, match="is no count"):
        paper.with_printed("table3", "Total", "Tasks", "2.5").count("table3", "Total", "Tasks")
