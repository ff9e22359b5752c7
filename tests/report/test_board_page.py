"""The page of ``selu check``: one file, whatever systems are called, on a phone and at a desk."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from selu.app.ranking.check import check

from .conftest import BROWSERS, HOSTILE, Page, broken_rules, check_size

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "scores.csv"


def paged(folder: Path, text: str) -> Path:
    (folder / "scores.csv").write_text(text, "utf-8")
    check(folder / "scores.csv", folder / "page.html")
    return folder / "page.html"


def table(systems: int, tasks: int) -> str:
    rng = random.Random(1)
    lines = ["model," + ",".join(f"task {n}" for n in range(tasks))]
    lines += [
        f"system/{n}-with-a-long-name,"
        + ",".join(f"{rng.gauss(0.7 - n / 500, 0.02):.3f}" for _ in range(tasks))
        for n in range(systems)
    ]
    return "\n".join(lines)


def test_names_are_texts_and_nothing_is_loaded(tmp_path):
    quoted = HOSTILE.replace('"', '""')
    rows = "".join(f'"{quoted} {n}",0.{n},0.5,0.4,0.3,0.6,0.7\n' for n in range(3, 6))
    content = paged(tmp_path, f'model,"{quoted}",b,c,d,e,f\n{rows}').read_bytes()
    page = Page("page.html", content)
    assert page.text.count("<script>document.title='owned'</script>") > 6
    assert not page.attributes("img, iframe, object")
    assert [element.get("src") for element in page.attributes("script")] == [None]
    assert [element["href"] for element in page.attributes("link")] == ["data:,"]
    assert len(page.ids) == len(set(page.ids))


@pytest.mark.parametrize("text", ["model,a\nx,1\ny,2\n", "model,a,b\nx,1,2\n", "model,a ↓,b\nx,1,2\ny,3,\n"])
def test_the_smallest_tables_have_a_page(tmp_path, text):
    page = Page("page.html", paged(tmp_path, text).read_bytes())
    assert check(tmp_path / "scores.csv")["sentence"] in page.text


def test_impossible_numbers_and_ties_are_marked(tmp_path):
    mistakes = paged(tmp_path, EXAMPLE.with_name("mistakes.csv").read_text("utf-8")).read_text("utf-8")
    assert "3 published numbers are impossible" in Page("page.html", mistakes.encode()).text
    assert 'id="impossible"' in mistakes
    tied = paged(tmp_path, "model,a,b\nx,1,2\ny,2,1\nz,0,0\n").read_bytes()
    assert Page("page.html", tied).text.count("1=") >= 2


@pytest.mark.ci
@pytest.mark.parametrize("browser", BROWSERS[:1], indirect=True)
@pytest.mark.parametrize("text", [None, (100, 50), (3, 2)], ids=["example", "large", "small"])
def test_no_page_is_wider_than_the_window_or_longer_than_eight_screens(browser: Any, tmp_path, text):
    page = paged(tmp_path, table(*text) if text else EXAMPLE.read_text("utf-8"))
    check_size(browser, page.as_uri())


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS[:1], indirect=True)
def test_it_breaks_no_rule_of_axe(browser: Any, tmp_path):
    assert broken_rules(browser, paged(tmp_path, EXAMPLE.read_text("utf-8")).as_uri()) == {}
