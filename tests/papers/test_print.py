"""Published tables are what each paper prints, and a number that can't be is refused by its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import crosscode_text
import faun_eval_text
import paper_text
import pytest

from selu import registry
from selu.sources.published import read_all
from selu.vocabulary import SeluError

SHARED = Path(__file__).parents[3] / "shared"
TEXTS = {"blanca": paper_text, "crosscodebench": crosscode_text, "faun_eval": faun_eval_text}


@pytest.mark.skipif(not SHARED.is_dir(), reason="the papers' texts (../shared) are not here")
@pytest.mark.parametrize("name", TEXTS)
def test_tables_are_what_the_paper_prints(root: Path, name: str) -> None:
    """Read a second time, from the text; that pins say the same is checked whenever tables are loaded."""
    text: Any = TEXTS[name].read(SHARED)  # type: ignore[attr-defined]
    tables = read_all(root / "data" / "paper" / name)
    whole = name != "crosscodebench"  # whose tables also have columns of ours
    assert not whole or tables.keys() == text.keys()
    for table, places in text.items():
        ours = {place: cell.published for place, cell in tables[table].items()}
        assert {place: ours.get(place) for place in places} == places
        assert {column for _, column in ours.keys() - places.keys()} <= (set() if whole else {"Data set"})


@pytest.mark.parametrize(
    ("name", "place", "why"),
    [
        ("blanca", ("table3", "USE", "MRR", "1.2"), "'1.2' is outside 0 to 1"),
        ("blanca", ("table4", "USE", "T", "-3"), "'-3' is outside 0 to inf"),
        ("blanca", ("table6", "USE", "Pearson r", "-1.01"), "is outside -1 to 1"),
        ("blanca", ("table7", "USE", "Pearson r", "many"), "is not a number"),
        ("faun_eval", ("table4", "EM", "GPT-4", "1.2"), "is outside 0 to 1"),
        ("faun_eval", ("table5", "EM: IT", "GPT-4o", "-3"), "is outside 0 to 1"),
        ("crosscodebench", ("table5", "CodeT5, 4-shot", "Cat-Intra-CD: EM", "101"), "is outside 0 to 100"),
    ],
)
def test_a_score_that_cannot_be_is_refused_by_its_place(
    root: Path, name: str, place: tuple[str, str, str, str], why: str
) -> None:
    altered = registry.load(root, name).with_published(*place).tables
    with pytest.raises(SeluError, match=why):
        registry.benchmark(name).material(root, altered, True)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "count"), [("16,215,400", 16_215_400), ("~105,000", 105_000), ("500K", 500_000), ("Ten", 10)]
)
def test_a_count_is_read_as_papers_write_it(root: Path, text: str, count: int) -> None:
    place = ("table2", "H", "Train")
    assert registry.load(root, "blanca").with_published(*place, text).count(*place) == count


@pytest.mark.parametrize("text", ["1.5", "-2", "some", "K", "-", ""])
def test_what_is_no_count_is_refused(root: Path, text: str) -> None:
    place = ("table2", "H", "Train")
    with pytest.raises(SeluError, match=f"row 'H', column 'Train': '{text}' is not a count; correct it"):
        registry.load(root, "blanca").with_published(*place, text).count(*place)
