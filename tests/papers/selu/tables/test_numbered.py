"""Tables I to VI: how many cells equal print, and that an altered number shows."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.papers.selu.material import Material
from selu.papers.selu.tables import analysis as tables_analysis
from selu.papers.selu.tables import numbered as tables
from selu.papers.table import (
    ROUNDING,
    Compared,
    Table,
    caption_of,
    mismatch_table,
    statement,
    to_csv,
    to_html,
    to_markdown,
)

ALL: dict[str, Callable[[Material], Table]] = {
    name: getattr(tables, name)
    for name in ("table1", "table2", "table3", "table4", "table5", "table6", "table6_aggregates")
}


@pytest.mark.parametrize(
    ("name", "file", "row", "column", "text"),
    [
        ("table1", "table1", "bug_issue", "Instances", "38,218"),
        ("table2", "table2", "App stores", "Core non-code", "sentiment"),
        ("table3", "table3", "BERT base", "Size", "111M"),
        ("table4", "table4", "GPT-2 xl", "M", "0.756"),
        ("table4", "table4", "GPT-2 xl", "Mag.", "med."),
        ("table4", "table4", "GPT-2 xl", "CI lower", "-"),
        ("table5", "table5", "Core non-code", "Generalist M", "0.680"),
        ("table6_aggregates", "table6_aggregates", "NER", "Generalist SD", "0.081"),
    ],
)
def test_an_altered_number_shows(
    material: Material, name: str, file: str, row: str, column: str, text: str
) -> None:
    before = ALL[name](material)
    after = ALL[name](material.with_published(file, row, column, text))
    assert (after.cells, after.equal) == (before.cells, before.equal - 1)
    (found,) = set(after.mismatches) - set(before.mismatches)
    assert (found.row, found.column, found.published) == (row, column, text)
    assert not found.why.startswith(ROUNDING)
    assert text in to_markdown(after).replace("\\", "")
    assert text in to_csv(mismatch_table(after))


def test_an_altered_score_moves_what_rests_on_it(material: Material) -> None:
    altered = material.with_scores({("bug_issue", "gpt2-xl"): "0.100"})
    for name in ("table4", "table5", "table6_aggregates"):
        assert ALL[name](altered).equal < ALL[name](material).equal
    assert not any(
        cell.why.startswith(ROUNDING) for cell in tables.table4(altered).mismatches if cell.column == "M"
    )


def test_a_task_in_no_published_combination_is_a_mismatch(material: Material) -> None:
    tasks = (
        replace(task, sources=("mailing_list",)) if task.id == "smell_doc" else task for task in material.tasks
    )
    altered = replace(material, tasks=tuple(tasks))
    found = {(cell.row, cell.column) for cell in tables.table2(altered).mismatches}
    assert found == {
        ("API documentations", "Code-adjacent metadata"),
        ("Mailing lists", "Code-adjacent metadata"),
    }


def test_hostile_text_stays_text(material: Material) -> None:
    claim = {"id": "C1", "section": "I", "statement": "<b>|x|</b>", "verdict": "fails", "because": "a\nb*"}
    table = tables_analysis.claim_table([claim])
    assert "<b>" not in to_html(table)
    line = to_markdown(table).splitlines()[4]
    assert line == "| C1 | I | &lt;b&gt;\\|x\\|&lt;/b&gt; | fails | a b\\* |"
    assert next(csv.DictReader(io.StringIO(to_csv(table))))["Because"] == "a\nb*"


def test_a_name_that_a_spreadsheet_or_a_terminal_would_run_is_text(material: Material) -> None:
    claim = {
        "id": "=1+1",
        "section": "@a",
        "statement": "\x1b[2Jx",
        "verdict": "-0.1 to 0.2",
        "because": "-0.5",
    }
    table = tables_analysis.claim_table([claim])
    assert to_csv(table).splitlines()[1] == "'=1+1,'@a,[2Jx,-0.1 to 0.2,-0.5"
    assert to_markdown(table).splitlines()[4] == "| =1+1 | @a | \\[2Jx | -0.1 to 0.2 | -0.5 |"


def test_a_table_without_print_says_so(material: Material) -> None:
    assert "nothing is compared" in statement(tables_analysis.claim_table([]))


def test_statement_counts_the_reasons(material: Material) -> None:
    frame = tables.table1(material).frame
    compared = (
        Compared("a", "M", "1", "1", True),
        Compared("b", "M", "1", "2", False, 1.0, "misprint: x"),
        Compared("c", "M", "1", "2", False, 1.0, "misprint: y"),
    )
    assert statement(Table("t", "c", frame, compared)).endswith("(M 1 of 3); mismatches: 2 misprint.")


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1))
def test_a_caption_is_read_back_from_markdown(caption: str) -> None:
    table = Table("any", caption, pd.DataFrame({"a": ["b"]}))
    assert caption_of(to_markdown(table)) == caption
