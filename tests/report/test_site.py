"""The files of the site: complete, linked, escaped, the same twice, and asking no host for anything."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import nbformat as nbf
import numpy as np
import pytest

from selu.report import site_assets, site_claims, site_notebooks, site_words
from selu.report.site import build_site
from selu.vocabulary import SeluError

from .conftest import HOSTILE, lost_links, made_home


def test_no_page_holds_where_it_was_built(site: dict[str, bytes], root: Path, notebook: Path) -> None:
    for name, content in site.items():
        assert str(root).encode() not in content, name
        assert str(notebook.parent).encode() not in content, name


def test_nothing_is_loaded_from_another_host(site: dict[str, bytes], pages: Any) -> None:
    for name, page in pages.items():
        asked = site_notebooks.requests_of(site[name].decode())
        assert [address for address in asked if re.match(r"(?i)\s*(?:[a-z]+:)?//", address)] == [], name
        assert page.attributes("iframe, object, embed, base, [style*='url(']") == []
    for name, content in site.items():
        if name.endswith(".css"):
            assert set(re.findall(rb"url\(\s*[\"']?(data:)?", content)) <= {b"data:"}, name
            assert b"@import" not in content


def test_every_page_forbids_requests_and_inline_scripts(pages: Any) -> None:
    for page in pages.values():
        (policy,) = page.attributes("meta[http-equiv=Content-Security-Policy]")
        assert "default-src 'none'" in policy["content"]
        assert re.findall(r"script-src ([^;]*)", policy["content"]) == ["'self' file:"]
        assert page.attributes("script:not([src]), script[src='']") == [], page.name


def test_links_and_anchors_lead_somewhere_and_ids_are_used_once(site: dict[str, bytes], pages: Any) -> None:
    assert lost_links(site) == []
    for page in pages.values():
        assert len(page.ids) == len(set(page.ids)), page.name


def test_a_row_that_misses_a_task_names_it(records: Any) -> None:
    statistics = copy.deepcopy(records[0])
    row = statistics["leaderboards"][0]["rows"][0]
    row["missing"], row["n"] = ["bug_issue"], 19
    text = build_site([made_home(statistics, records[1], records[2], {})])["index.html"].decode()
    assert "19<small>without bug issue</small>" in text


def test_text_from_data_is_escaped(records: Any, notebook: Path) -> None:
    statistics, sensitivity, claims = copy.deepcopy(records)
    for system in statistics["systems"]:
        for key in ("name", "architecture", "adaptation", "size_printed", "hub", "licence"):
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
            assert not re.search(r"<script(?! src=\"(?:\.\./)?assets/)", text), name
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
    cells[3]["evidence"] = "re-earned"
    text = build_site([made_home(statistics, *records[1:], {})])["cells.html"].decode()
    shown = {cell["id"]: text.split(f'id="{cell["id"]}"')[1].split("</td>")[0] for cell in cells[:4]}
    assert "✗" in shown[cells[0]["id"]]
    assert "failed: out of memory" in shown[cells[0]["id"]]
    assert "invalid: no reason recorded" in shown[cells[1]["id"]]
    assert shown[cells[2]["id"]].endswith(f"{cells[2]['printed']}′")
    assert shown[cells[3]["id"]].endswith(f"{cells[3]['printed']}″")


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
    assert shape(0.123456789) == {"type": "text", "text": "0.123457"}
    assert shape([1, "a", None, True]) == {"type": "list", "items": ["1", "a", "–", "yes"]}
    assert shape({"x": {"n": 1}, "y": {"n": 2}})["heads"] == ["x", "y"]
    assert shape([{"n": 1}, {"n": 2}])["columns"] == ["n"]
    assert shape([[1, 2], [3, 4]])["rows"] == [["1", "2"], ["3", "4"]]
    assert shape({"x": {"n": 1}, "y": {"m": 2}})["type"] == "pairs"
    assert shape([[1], [2, 3]])["type"] == "pairs"
    assert shape({"x": [1, 2], "y": [3, 4]})["rows"] == [["1", "2"], ["3", "4"]]
    assert shape({}) == shape([]) == {"type": "list", "items": []}
    assert shape({str(n): n for n in range(7)})["flat"]
    assert site_words.fixed(None) == site_words.fixed(float("nan")) == site_words.percent(None) == "–"
    assert site_words.fixed(-0.5, 1) == "−0.5"
    assert site_words.word("multi_class") == "multi-class"
    assert site_words.word("bug_issue") == "bug issue"


def test_the_matrix_never_shows_an_undecided_pair_as_95(records: Any) -> None:
    from selu.benchmarks.selu.pages.posterior import matrix

    statistics = copy.deepcopy(records[0])
    record = statistics["posteriors"]["autorank"]
    record["better"][0][1], record["decision"][0][1] = 0.9496, "inconclusive"
    assert matrix(statistics, "autorank")["rows"][0]["cells"][1]["floor"] == 94


def test_a_notebook_is_cleaned_and_keeps_its_tables(site: dict[str, bytes], pages: Any) -> None:
    text = site["notebooks/table4.html"].decode()
    assert "<th>m</th>" in text
    assert 'src="data:image/png;base64,' in text
    assert "Means of Table IV" in pages["index.html"].text
    assert "document.title" in pages["notebooks/table4.html"].text  # as text of the stream, not as a script


@pytest.mark.parametrize(
    "markup",
    ["<img src='https://example.org/x.png'>", "![x](//example.org/x.png)", "![x](example.org.png)"],
)
def test_a_notebook_that_asks_a_host_is_refused(tmp_path: Path, markup: str) -> None:
    path = tmp_path / "asks.ipynb"
    nbf.write(nbf.v4.new_notebook(cells=[nbf.v4.new_markdown_cell(markup)]), path)
    with pytest.raises(SeluError, match=r"asks\.ipynb would load .*example\.org"):
        site_notebooks.convert("asks", path)


def test_a_damaged_notebook_is_named(tmp_path: Path) -> None:
    path = tmp_path / "half.ipynb"
    path.write_text('{"cells": [')
    with pytest.raises(SeluError, match=r"half\.ipynb is not a whole notebook"):
        site_notebooks.convert("half", path)
    with pytest.raises(SeluError, match=r"none\.ipynb is not a whole notebook"):
        site_notebooks.convert("none", tmp_path / "none.ipynb")


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


def test_the_bundle_becomes_a_classic_script() -> None:
    script = site_assets.classic_script("var a=1,b=2;export{a as ITable,b as default};/*! licence */\n")
    assert "window.DataTable=b;" in script
    assert "export" not in script
    assert "/*! licence */" in script
    with pytest.raises(SeluError, match="another shape"):
        site_assets.classic_script("var a=1;")
