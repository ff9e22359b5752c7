from __future__ import annotations

import sys
from pathlib import Path

import pytest

from selu.sources.published import check_pins, read_all, read_pins

sys.path.insert(0, str(Path(__file__).parent))  # --import-mode=importlib adds no folder of its own

import paper_text

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared"
PAPER = ROOT / "data" / "paper" / "nlbse24"
PINS = ROOT / "data" / "pins" / "nlbse24" / "paper.csv"

printed_text = pytest.mark.skipif(not SHARED.is_dir(), reason="the paper's text (../shared) is not here")


def test_tables_agree_with_their_pins():
    tables = read_all(PAPER)
    check_pins(tables, read_pins(PINS), PAPER)
    assert {name: len(cells) for name, cells in tables.items()} == {
        **{"baselines": 288, "dopamin": 76, "stacc": 76},
        **{"table1": 96, "table2": 198, "table3": 12, "text": 46, "protocol": 3},
    }


@printed_text
def test_tables_and_pins_are_what_the_paper_prints():
    text = paper_text.read(SHARED)
    assert text == read_pins(PINS)
    assert text == {
        name: {place: cell.printed for place, cell in cells.items()} for name, cells in read_all(PAPER).items()
    }
