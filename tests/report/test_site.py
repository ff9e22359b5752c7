"""The files of the site: complete, linked, escaped, the same twice, and asking no host for anything."""

from __future__ import annotations

import copy
import re
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat as nbf
import numpy as np
import pytest
from bs4 import BeautifulSoup

from selu.names import word
from selu.papers.page import Section
from selu.papers.paper import Paper
from selu.report import site_assets, site_claims, site_front, site_notebooks, site_words
from selu.report.site import build_site
from selu.report.site_claims import Node
from selu.report.verdicts import headline
from selu.vocabulary import SeluError

from .conftest import CLAIMS, HOSTILE, Page, lost_links, made_home


@pytest.mark.ci
def test_no_page_holds_where_it_was_built(site: dict[str, bytes], root: Path, notebook: Path) -> None:
    for name, content in site.items():
        assert str(root).encode() not in content, name
        assert str(notebook.parent).encode() not in content, name


@pytest.mark.ci
def test_nothing_is_loaded_from_another_host(site: dict[str, bytes], pages: Any) -> None:
    for name, page in pages.items():
        asked = site_notebooks.requests_of(site[name].decode())
        assert [address for address in asked if re.match(r"(?i)\s*(?:[a-z]+:)?//", address)] == [], name
        assert page.attributes("iframe, object, embed, base, [style*='url(']") == []
    for name, content in site.items():
        if name.endswith(".css"):
            assert set(re.findall(rb"url\(\s*[\"']?(data:)?", content)) <= {b"data:"}, name
            assert b"@import" not in content


@pytest.mark.ci
def test_every_page_forbids_requests_and_inline_scripts(pages: Any) -> None:
    for page in pages.values():
        (policy,) = page.attributes("meta[http-equiv=Content-Security-Policy]")
        assert "default-src 'none'" in policy["content"]
        assert re.findall(r"script-src ([^;]*)", policy["content"]) == ["'self' file:"]
        assert page.attributes("script:not([src]), script[src='']") == [], page.name


@pytest.mark.ci
def test_links_and_anchors_lead_somewhere_and_ids_are_used_once(site: dict[str, bytes], pages: Any) -> None:
    assert lost_links(site) == []
    for page in pages.values():
        assert len(page.ids) == len(set(page.ids)), page.name


def test_text_from_data_is_escaped(records: Any, notebook: Path) -> None:
    statistics, sensitivity, claims = copy.deepcopy(records)
    for system in statistics["systems"]:
        for key in ("name", "architecture", "adaptation", "size_published", "hub", "licence"):
            system[key] = HOSTILE
    for task in statistics["tasks"]:
        task["question"] = HOSTILE
    for cell in statistics["cells"]:
        cell["reason"] = HOSTILE if cell["reason"] else None
    for variation in sensitivity["parts"]["seeds"]["variations"]:
        variation["name"] = HOSTILE
    for name, content in build_site([made_home(statistics, sensitivity, claims, {"table4": notebook})]).items():
        if name.endswith(".html"):
            text = content.decode()
            assert not re.search(r"<img[^>]*onerror", text), name
            assert not re.search(r"<script(?! (?:defer )?src=\"(?:\.\./)?assets/)", text), name
            assert "<style" not in text, name


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", 'a"b', "a b"])
def test_an_id_that_cannot_name_a_page_is_refused(records: Any, name: str, notebook: Path) -> None:
    with pytest.raises(SeluError, match="can't name a page"):
        build_site([made_home(*records, {name: notebook})])
    statistics = copy.deepcopy(records[0])
    statistics["systems"][0]["id"] = name
    with pytest.raises(SeluError, match="can't name a page"):
        build_site([made_home(statistics, *records[1:], {})])


def test_states_and_evidence_show_without_colour(records: Any) -> None:
    statistics = copy.deepcopy(records[0])
    cells = [cell for cell in statistics["cells"] if cell["state"] == "present"]
    cells[0] |= {"state": "failed", "printed": None, "evidence": None, "reason": "out of memory"}
    cells[1] |= {"state": "invalid", "printed": None, "evidence": None, "reason": None}
    cells[2]["evidence"] = "re-scored"
    cells[3]["evidence"] = "re-run"
    text = build_site([made_home(statistics, *records[1:], {})])["cells.html"].decode()
    shown = {cell["id"]: text.split(f'id="{cell["id"]}"')[1].split("</td>")[0] for cell in cells[:4]}
    assert "✗" in shown[cells[0]["id"]]
    assert "failed: out of memory" in shown[cells[0]["id"]]
    assert "invalid: no reason recorded" in shown[cells[1]["id"]]
    assert shown[cells[2]["id"]].endswith(f"{float(cells[2]['printed']):.3f}′")
    assert shown[cells[3]["id"]].endswith(f"{float(cells[3]['printed']):.3f}″")


def test_colours_keep_their_text_readable() -> None:
    rules = re.findall(r"\.(seq|div)\d+\{background:#(\w{6});color:(#\w{3})\}", site_assets.scale_css())
    assert len(rules) == 102
    for _, background, text in rules:
        parts = (int(background[i : i + 2], 16) / 255 for i in (0, 2, 4))
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        level = float(np.dot((0.2126, 0.7152, 0.0722), linear)) + 0.05
        assert (level / 0.05 if text == "#000" else 1.05 / level) >= 4.5


def test_numbers_are_shaped_for_reading() -> None:
    shape = site_claims.shape
    assert [site_words.short(x) for x in (1.1e8, 0.0, 5e-5)] == ["110000000", "0", "5e−05"]
    assert shape(0.123456789) == Node("text", "0.123457")
    assert shape([1, "a", None, True]) == Node("list", items=["1", "a", "–", "yes"])
    assert shape({"x": {"n": 1}, "y": {"n": 2}}).heads == ["x", "y"]
    assert shape([{"n": 1}, {"n": 2}]).columns == ["n"]
    assert shape([[1, 2], [3, 4]]).rows == [["1", "2"], ["3", "4"]]
    assert shape({"x": {"n": 1}, "y": {"m": 2}}).type == "pairs"
    assert shape([[1], [2, 3]]).type == "pairs"
    assert shape({"x": [1, 2], "y": [3, 4]}).rows == [["1", "2"], ["3", "4"]]
    assert shape({}) == shape([]) == Node("list", items=[])
    assert shape({str(n): n for n in range(7)}).flat
    assert site_words.fixed(None) == site_words.fixed(float("nan")) == site_words.percent(None) == "–"
    assert site_words.fixed(-0.5, 1) == "−0.5"
    assert word("multi_class") == "multi-class"
    assert word("bug_issue") == "bug issue"


def test_numbers_of_a_claim_have_the_names_of_the_field() -> None:
    names = {"gpt2-xl": "GPT-2 xl"}
    expected = {
        "p_baseline_better": "P(baseline better)",
        "mean_sd": "mean SD",
        "gpt2-xl": "GPT-2 xl",
        "bug_issue/gpt2-xl": "bug issue, GPT-2 xl",
        "Java/Python": "Java/Python",
    }
    assert {key: site_words.number_name(key, names) for key in expected} == expected


def test_claims_lead_to_the_next_one_and_say_their_caveat_apart(records: Any) -> None:
    because = "6 of 7 do. Caveat (scope): One has no log."
    claims = [{**CLAIMS[0], "id": "C1"}, {**CLAIMS[1], "id": "C2", "because": because}]
    site = build_site([made_home(*records[:2], claims, {})])
    pages = [Page(f"claims/{name}.html", site[f"claims/{name}.html"]) for name in ("C1", "C2")]
    assert [["C2.html" in page.links, "C1.html" in page.links] for page in pages] == [
        [True, False],
        [False, True],
    ]
    shown = BeautifulSoup(site["claims/C2.html"], "html.parser").select(".because")
    assert [element.text.strip() for element in shown] == ["6 of 7 do.", "Caveat (scope): One has no log."]


def test_the_matrix_never_shows_an_undecided_pair_as_95(records: Any) -> None:
    from selu.papers.selu.pages.posterior import matrix

    statistics = copy.deepcopy(records[0])
    record = statistics["posteriors"]["autorank"]
    record["better"][0][1], record["decision"][0][1] = 0.9496, "inconclusive"
    assert matrix(statistics, "autorank")["rows"][0]["cells"][1]["floor"] == 94


@pytest.mark.ci
def test_a_notebook_is_cleaned_and_keeps_its_tables(site: dict[str, bytes], pages: Any) -> None:
    text = site["notebooks/table4.html"].decode()
    assert "<th>m</th>" in text
    assert 'src="data:image/png;base64,' in text
    assert "Means of Table IV" in pages["selu.html"].text
    assert "document.title" in pages["notebooks/table4.html"].text  # as text of the stream, not as a script


@pytest.mark.parametrize(
    "markup",
    ["<img src='https://example.org/x.png'>", "![x](//example.org/x.png)", "![x](example.org.png)"],
)
def test_a_notebook_that_asks_a_host_is_refused(tmp_path: Path, markup: str) -> None:
    path = tmp_path / "asks.ipynb"
    nbf.write(nbf.v4.new_notebook(cells=[nbf.v4.new_markdown_cell(markup)]), path)
    with pytest.raises(SeluError, match=r"asks\.ipynb would load .*example\.org"):
        site_notebooks.convert("asks", path, {})


def test_a_damaged_notebook_is_named(tmp_path: Path) -> None:
    path = tmp_path / "half.ipynb"
    path.write_text('{"cells": [')
    with pytest.raises(SeluError, match=r"half\.ipynb is not a complete notebook"):
        site_notebooks.convert("half", path, {})
    with pytest.raises(SeluError, match=r"none\.ipynb is not a complete notebook"):
        site_notebooks.convert("none", tmp_path / "none.ipynb", {})


def test_requests_of_finds_what_a_browser_would_load() -> None:
    html = (
        '<a href="https://a.org">fine</a><link href="https://b.org/x.css"><img src="c.png" '
        'srcset="//d.org/e.png 2x">'
        '<p style="background:url(https://f.org)"></p><style>@import "http://g.org/h.css";</style>'
        '<img src="data:,"><use href="#here">'
    )
    assert site_notebooks.requests_of(html) == [
        "https://b.org/x.css",
        "c.png",
        "//d.org/e.png",
        "https://f.org",
        "http://g.org/h.css",
    ]


def test_counts_say_how_many_conclusions_hold_and_keep_details_apart() -> None:
    assert site_front.front(Section("x", "X", "about x", CLAIMS, {}))["sentences"][0] == headline(CLAIMS)
    rows = {(row.grouping, row.word): row for row in site_front.groups(CLAIMS)}
    assert rows["weight", "detail"].verdicts["fails"] == 1
    assert rows["kind", ""].count == 4
    assert rows["", ""].count == len(CLAIMS)
    assert len(site_front.groups([{"verdict": "holds"}])) == 1  # no weight is given: nothing to keep apart


def test_failing_conclusions_come_first() -> None:
    questions = site_claims.by_question(CLAIMS)
    assert [name for name, _ in questions] == ["Does it hold?", HOSTILE, ""]
    assert [claim["id"] for claim in questions[-1][1]] == ["C001", "C002", "C005", "C006"]
    claims = [{**claim, "question": ""} for claim in CLAIMS]
    assert [claim["id"] for claim in site_claims.by_question(claims)[0][1]][:3] == ["C004", "C001", "C003"]


@pytest.mark.ci
def test_a_picture_of_a_notebook_is_a_file_to_take_away_in_each_form(records: Any, notebook: Path) -> None:
    picture = next(
        output.data["image/png"]
        for cell in nbf.read(notebook, as_version=4).cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    )
    drawn = {"who.svg": b"<svg/>", "who.png": b64decode(picture), "who.pdf": b"%PDF"}
    site = build_site([replace(made_home(*records, {"table4": notebook}), drawn=drawn)])
    page = Page("notebooks/table4.html", site["notebooks/table4.html"])
    assert "../figures/who.png" in [image.get("src") for image in page.attributes("img")]
    assert {"../figures/who.svg", "../figures/who.pdf"} <= set(page.links)
    assert {name: site[f"figures/{name}"] for name in drawn} == drawn
    assert lost_links(site) == []


def test_an_overview_holds_paper_answer_ranking_and_checked_scores(records: Any) -> None:
    paper = Paper("key", "A & B", ("Ann One", "Bob Two"), "Venue", 2024, doi="10.1/2", code="https://x.org/y")
    order = [system["id"] for system in records[0]["systems"]]
    tiers = [order[:6], order[6:]]
    cell = next(cell for cell in records[0]["cells"] if cell["printed"])
    found = {"value": 0.5, "low": 0.4, "high": 0.6, "verdict": "deviates", "reason": "chance", "strict": None}
    cells = [{**cell, "name": "It", "evidence": "re-run", "standing": "equal", **found}]
    section = replace(
        made_home(*records, {}, cells=cells, tiers=tiers), paper=paper, code={"C001": "src/x.py:7"}
    )
    assert [(row.rerun, row.differ) for row in section.checked][:2] == [(1, 1), (0, 0)]
    pages = build_site([section])
    text = Page("selu.html", pages["selu.html"]).text
    for message in (
        "Ann One, Bob Two. Venue, 2024.",
        "doi = {10.1/2}",
        "1 of 2 conclusions holds; 1 fails.",
        "0.649 to 0.861",
    ):
        assert message in text
    assert "src/x.py:7" in pages["claims/C001.html"].decode()
    assert len(pages["selu.html"]) < 60_000


def test_a_recounted_score_is_counted_once_and_the_same_everywhere(records: Any) -> None:
    """Cards, sentence and heading had three ways to count what is checked."""
    first, second = [cell for cell in records[0]["cells"] if cell["printed"]][:2]
    found = {"value": 0.5, "low": 0.4, "high": 0.6, "verdict": "reproduced", "reason": None, "strict": None}
    deeper = {**first, **found, "name": "It", "evidence": "re-run", "standing": "equal"}
    recounted = [{**cell, **found, "evidence": "recounted", "equal": True} for cell in (first, second)]
    section = made_home(*records, {}, cells=[deeper], recounted=recounted)
    assert [sum(column) for column in zip(*(row[2:] for row in section.checked), strict=True)] == [0, 1, 0, 1]
    site = build_site([section])
    text = Page("selu.html", site["selu.html"]).text
    published = sum(row.published for row in section.checked)
    row = BeautifulSoup(site["index.html"], "html.parser").select("table[data-name=papers] tbody td")
    assert [cell.text for cell in row[-3:]] == [str(published), "2", "0"]
    assert f"2 of {published} published scores are checked" in text
    assert f"Of {published} published scores 2 are checked (1 recounted and 1 re-run)" in text
