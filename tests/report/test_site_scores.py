"""Pages of tasks and systems: whatever a name is, each score has a row, and each row says what is behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bs4 import BeautifulSoup

from selu.boards.board import Score, board_of
from selu.boards.declared import About, Declared, Licence
from selu.boards.published import Ranked
from selu.boards.rows import Check
from selu.papers.asked import Forms
from selu.papers.paper import Paper
from selu.report.site import build_site
from selu.report.site_boards import with_boards
from selu.report.site_scores import slug
from selu.report.site_words import matrix

from .conftest import HOME, HOSTILE, lost_links


def site(scores: list[Score], lower: tuple[str, ...] = (), **fields: Any) -> dict[str, bytes]:
    declared = Declared("one", "Table 1", (), **fields)
    ranked = Ranked("one", "The second", "Table 1", board_of(scores, lower=lower), declared)
    home = replace(HOME, checks={("one", "a/b", "t 1"): Check("re-scored", 0.5, 0.4, 0.6, 90, "equal")})
    return build_site([with_boards(home, [ranked])])


def test_counts_are_lines_of_text_with_right_answers_in_bold() -> None:
    found = matrix([[1200, None], [7, 30]], ["a<b", "c"], ["TP", "FN"], right=0)
    assert found.splitlines() == ["        TP  FN", "a&lt;b  <b>1,200</b>   –", "c        <b>7</b>  30"]
    assert matrix([[1, 2], [3, 4]], ["a", "b"], ["a", "b"]).count("<b>") == 2


def text(content: bytes) -> str:
    return " ".join(BeautifulSoup(content, "html.parser").get_text(" ").split())


def test_names_that_give_one_address_have_a_page_each() -> None:
    names = ["a/b", "a b", "A-B", "é", "日本", HOSTILE]
    found = site([Score(name, task, 0.5, 1, f"row {name}") for name in names for task in ("t 1", "t-1", "t/1")])
    systems = sorted(at for at in found if at.startswith("systems/"))
    assert len(systems) == 6
    assert {"systems/a-b.html", "systems/a-b-2.html", "systems/a-b-3.html", "systems/e.html"} < set(systems)
    assert len([at for at in found if at.startswith("tasks/")]) == 3
    assert lost_links(found) == []
    assert not [at for at in found if at.endswith("html") and b"<script>document" in found[at]]
    assert len(slug("x" * 500)) == 80


def test_a_row_says_what_was_found_and_a_missing_score_why_there_is_none() -> None:
    scores = [Score("a/b", "t 1", 0.5, 3, "Table 1, row a"), Score("c", "t 2", 0.5, 3, "here")]
    found = site(scores, about=About("Is it {task}?", "https://example.org/data", "MIT"))
    page = text(found["tasks/one-t-1.html"])
    assert "Is it t 1?" in page
    assert "MIT" in page
    assert b'href="https://example.org/data"' in found["tasks/one-t-1.html"]
    assert "re-scored: equal (90 rows)" in page
    assert "0.400 to 0.600" in page
    assert "Table 1, row a" in page
    assert "no score is published" in page
    assert "None of them was recounted, re-scored or re-run" in text(found["tasks/one-t-2.html"])


def test_lower_is_better_where_the_paper_says_so() -> None:
    found = site([Score("a", "t", 0.2, 1, "x"), Score("b", "t", 0.9, 1, "x")], ("t",))
    assert "a leads with 0.2" in text(found["tasks/one-t.html"])
    assert "rank 1 of 2" in text(found["systems/a.html"])


def test_a_system_says_its_licence_and_where_it_is_stated_or_that_nobody_looked() -> None:
    scores = [Score(name, "t 1", 0.5, 1, "x") for name in ("a/b", "c", "d")]
    licences = (
        Licence(("a/b",), "MIT", "https://example.org/licence", "its code", "https://example.org/weights"),
        Licence(("c",), "closed"),
    )
    paper = Paper("k", "T", (), "V", 2024, licences=licences)
    declared = Declared("one", "Table 1", (), systems={"d": "https://example.org/d"})
    ranked = Ranked("one", "The second", "Table 1", board_of(scores), declared)
    found = build_site([with_boards(replace(HOME, paper=paper), [ranked])])
    first, second, third = (found[f"systems/{name}.html"] for name in ("a-b", "c", "d"))
    assert b'<dt>Licence</dt><dd><a href="https://example.org/licence">MIT (its code)</a></dd>' in first
    assert b'<dd><a href="https://example.org/weights">example.org/weights</a></dd>' in first
    assert b"<dt>Licence</dt><dd>closed</dd>" in second
    assert b"<dt>Licence</dt><dd>not recorded here</dd>" in third
    assert b'<a href="https://example.org/d">' in third


def test_the_prompt_of_a_ranked_task_is_on_its_page() -> None:
    ranked = Ranked("one", "The second", "Table 1", board_of([Score("a", "t 1", 0.5, 1, "x")]))
    asked = Forms(
        {"short": "Is {code} <right>?", "long": "Say."}, ["In our words.", "{code} is a row."], "selu x"
    )
    found = build_site([with_boards(replace(HOME, prompts={"t 1": asked}), [ranked])])
    page = BeautifulSoup(found["tasks/one-t-1.html"], "html.parser")
    assert [pre.get_text() for pre in page.select("#prompt ~ pre")] == ["Is {code} <right>?", "Say."]
    assert [head.get_text() for head in page.select("#prompt ~ h3")] == ["Short", "Long"]
    assert "In our words. {code} is a row. At the command line: selu x" in text(found["tasks/one-t-1.html"])
