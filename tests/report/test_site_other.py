"""The pages of a second paper: linked both ways, escaped, with SELU's menu, and no change to SELU's pages."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

import nbformat as nbf
import pytest
from bs4 import BeautifulSoup

from selu import registry
from selu.papers.page import Figure, Section, Shown
from selu.report.site import build_site
from selu.report.verdicts import headline
from selu.vocabulary import SeluError

from .conftest import CLAIMS, HOSTILE, Page, lost_links, made_home

CAPTION = f"What <b>the</b> scores are {HOSTILE}"


PICTURE = b"a picture"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook that shows a figure and says in its alternative text what the figure finds."""
    picture = {"image/png": b64encode(PICTURE).decode("ascii")}
    metadata = {"image/png": {"alt": f"Who is ahead {HOSTILE}. Scores by system."}}
    shown = nbf.v4.new_output("display_data", picture, metadata=metadata)
    markdown = nbf.v4.new_output(
        "display_data", {"text/markdown": f"Table 1 leads {HOSTILE}. It has two systems."}
    )
    cells = [
        nbf.v4.new_markdown_cell("# Scores"),
        nbf.v4.new_code_cell("say()", outputs=[markdown]),
        nbf.v4.new_code_cell("draw()", outputs=[shown]),
    ]
    path = tmp_path_factory.mktemp("drawn") / "table1.ipynb"
    nbf.write(nbf.v4.new_notebook(cells=cells), path)
    return path


def benchmark(notebook: Path, **changes: Any) -> Section:
    fields: dict[str, Any] = {
        "id": "second",
        "name": "The second",
        "about": "It asks something else.",
        "claims": CLAIMS,
        "notebooks": {"table1": notebook},
        "tables": {
            "table1": Shown("Scores", CAPTION, "table1", ["System", "F1"], [["a", "0.5"], [HOSTILE, "0.25"]])
        },
        "found": ("table1",),
        "figures": {"who.svg": Figure("table1", b"<svg/>")},
        "drawn": {"who.png": PICTURE},
    }
    return Section(**{**fields, **changes})


@pytest.fixture(scope="module")
def joint_site(records: Any, notebook: Path, drawn: Path) -> dict[str, bytes]:
    return build_site([made_home(*records, {"table4": notebook}), benchmark(drawn)])


def test_pages_of_selu_stay_but_for_the_start_page(
    site: dict[str, bytes], joint_site: dict[str, bytes]
) -> None:
    assert {name for name in site if joint_site[name] != site[name]} == {
        "index.html",
        "search.html",
        "assets/index.js",
    }
    assert {name for name in joint_site if name not in site} == {
        "second/index.html",
        "second/claims.html",
        *(f"second/claims/{claim['id']}.html" for claim in CLAIMS),
        "second/notebooks/table1.html",
        "second/figures/who.png",
        "second/figures/who.svg",
    }


@pytest.mark.ci
def test_links_lead_somewhere_and_back(joint_site: dict[str, bytes]) -> None:
    pages = {name: Page(name, joint_site[name]) for name in ("index.html", "second/index.html")}
    assert "second/index.html" in pages["index.html"].links
    assert "../index.html" in pages["second/index.html"].links
    assert lost_links(joint_site) == []


def test_a_paper_without_notebooks_has_no_entry_for_them(records: Any) -> None:
    page = build_site(
        [made_home(*records, {}), benchmark(Path(), notebooks={}, figures={}, drawn={}, tables={}, found=())]
    )
    assert b"otebooks" not in page["second/index.html"]


def test_the_start_page_shows_papers_as_equals_and_what_was_found(joint_site: dict[str, bytes]) -> None:
    page = BeautifulSoup(joint_site["index.html"], "html.parser")
    first, second = (BeautifulSoup(str(card), "html.parser") for card in page.select(".papers > li"))
    assert (first.h2.text, second.h2.text) == ("SELU", "The second")  # type: ignore[union-attr]
    for card, folder in ((first, ""), (second, "second/")):
        assert headline(CLAIMS) in card.text
        assert f"{folder}claims.html" in [link["href"] for link in card.select("a")]
    failing = [link["href"] for link in page.select("#failing ~ .found a")]
    assert failing == ["claims/C004.html", "second/claims/C004.html"]
    assert "Which conclusions fail? 2 of 4" in page.text
    assert len(joint_site["index.html"]) < 60_000


@pytest.mark.ci
def test_the_menu_has_the_same_labels_in_the_same_order_for_every_paper(whole_site: Path) -> None:
    """SELU's had eight entries, FAUN-Eval's four."""
    menus = dict[str, tuple[str, ...]]()
    for name in registry.published():
        page = whole_site / ("selu.html" if name == "selu" else f"{name}/index.html")
        _, *labels = BeautifulSoup(page.read_bytes(), "html.parser").select("header nav a")
        menus[name] = tuple(label.text for label in labels)
    every = ("Ranking", "Scores", "Pairs", "Tasks", "Claims", "Notebooks")
    assert menus == dict.fromkeys(registry.published(), every)


@pytest.mark.ci
def test_a_fork_that_names_its_repository_is_asked_about_errors(records: Any) -> None:
    assert b"Report an error" not in b"".join(build_site([made_home(*records, {})]).values())
    site = build_site([made_home(*records, {})], "https://example.org/our/selu")
    for name, content in site.items():
        if name.endswith(".html"):
            links = Page(name, content).links
            assert f"https://example.org/our/selu/issues/new?title={name}" in links
            assert "https://example.org/our/selu" in links


def test_an_overview_shows_tables_figures_and_verdicts(joint_site: dict[str, bytes]) -> None:
    page = Page("second/index.html", joint_site["second/index.html"])
    (image,) = page.attributes("img")
    assert (image["src"], image["alt"]) == ("figures/who.svg", f"Who is ahead {HOSTILE}. Scores by system.")
    assert '<h2 id="figure-who-svg">Who is ahead &lt;' in joint_site["second/index.html"].decode()
    assert joint_site["second/figures/who.svg"] == b"<svg/>"
    assert HOSTILE in page.text
    assert "<script>document" not in joint_site["second/index.html"].decode()
    assert CAPTION in page.text
    assert "The second, checked number by number" in page.text
    assert [
        claim["id"] for claim in CLAIMS if claim["id"] not in joint_site["second/claims.html"].decode()
    ] == []


def test_what_was_found_is_said_first_and_leads_to_how(joint_site: dict[str, bytes]) -> None:
    """Counts of claims alone don't tell a reader what was found."""
    page = joint_site["second/index.html"].decode()
    answer = page[page.index('id="answer"') : page.index("</ol>")]
    assert '<li><a href="#figure-who-svg">Who is ahead &lt;' in answer
    assert '<li><a href="notebooks/table1.html">Table 1 leads &lt;' in answer


@pytest.mark.ci
@pytest.mark.parametrize("wrong", [{"id": "../up"}, {"notebooks": {"a/b": Path("x")}}])
def test_names_that_are_no_addresses_are_refused(records: Any, notebook: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(SeluError, match="can't name a page"):
        build_site([made_home(*records, {}), benchmark(notebook, **wrong)])
