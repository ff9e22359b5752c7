"""Long notebooks are folded, without a lost word, address or balanced tag."""

from __future__ import annotations

from bs4 import BeautifulSoup

from selu.report.site_folds import fold


def cell(inside: str) -> str:
    return f'<div class="cell code_cell"><div class="output">{inside}</div></div>\n'


def table(rows: int) -> str:
    return f"<table><thead><tr><th>a</th></tr></thead><tbody>{'<tr><td>1</td></tr>' * rows}</tbody></table>"


def heading(name: str) -> str:
    return f'<h2 id="{name}">{name} <i>it</i><a class="anchor-link" href="#{name}">¶</a></h2>'


def parts(body: str) -> list[str]:
    soup = BeautifulSoup(body, "html.parser")
    return [fold.summary.text for fold in soup.select("details.fold")]  # type: ignore[union-attr]


def test_a_short_notebook_stays_as_it_is():
    body = cell("<p>said</p>") + cell(heading("One") + table(5))
    assert fold(body) == body


def test_a_table_of_many_rows_is_folded_where_it_stands():
    assert parts(fold(cell(heading("One") + table(5) + table(80)))) == ["Table of 80 rows"]


def test_a_long_notebook_is_folded_by_heading_and_shows_what_stands_before_the_first():
    body = (
        cell("<p>said</p>")
        + "".join(cell(heading(name) + table(30) * 3) for name in ("One", "Two"))
        + cell("<p>x</p>")
    )
    found = BeautifulSoup(fold(body), "html.parser")
    assert parts(fold(body)) == ["One it", "Two it"]
    assert [title.get("id") for title in found.select("summary > h2")] == ["One", "Two"]
    (first,) = [paragraph for paragraph in found.select("p") if paragraph.text == "said"]
    assert first.find_parent("details") is None
    assert len(found.select("details details")) == 0
    assert len(found.select("tr")) == body.count("<tr")
