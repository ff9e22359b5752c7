"""The files of the site: complete, linked, escaped, the same twice, and asking no host for anything."""

from __future__ import annotations

import copy
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import nbformat as nbf
import pytest

from selu.report import site_assets, site_claims, site_colour, site_notebooks, site_words
from selu.report.site import build_site
from selu.vocabulary import SeluError

LOADING = {"src", "srcset", "poster", "data", "action", "formaction", "background"}


def test_same_records_give_the_same_bytes(records: Any, notebook: Path, site: dict[str, bytes]) -> None:
    assert build_site(*copy.deepcopy(records), {"table4": notebook}) == site


def test_building_leaves_the_records_alone(records: Any) -> None:
    before = copy.deepcopy(records)
    build_site(*records, {})
    assert records == before


def test_no_page_holds_where_it_was_built(site: dict[str, bytes], root: Path, notebook: Path) -> None:
    for name, content in site.items():
        assert str(root).encode() not in content, name
        assert str(notebook.parent).encode() not in content, name


def test_nothing_is_loaded_from_another_host(site: dict[str, bytes], pages: Any) -> None:
    for page in pages.values():
        for tag, attrs in page.elements:
            loaded = [attrs[key] for key in attrs if key in LOADING]
            loaded += [attrs["href"]] if "href" in attrs and tag not in {"a", "area"} else []
            for address in loaded:
                assert not re.match(r"(?i)\s*(?:[a-z]+:)?//", address), (page.name, tag, address)
            assert "url(" not in attrs.get("style", ""), page.name
        assert tag not in {"iframe", "object", "embed", "base"}
    for name, content in site.items():
        if name.endswith(".css"):
            for address in re.findall(rb"url\(\s*[\"']?([^\"')]+)", content):
                assert address.startswith(b"data:"), (name, address)
            assert b"@import" not in content


def test_every_page_forbids_requests_and_inline_scripts(pages: Any) -> None:
    for page in pages.values():
        policies = [
            a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"
        ]
        assert len(policies) == 1
        assert "default-src 'none'" in policies[0]
        scripts = re.search(r"script-src ([^;]*)", policies[0])
        assert scripts
        assert scripts.group(1) == "'self' file:"
        assert all(attrs.get("src") for tag, attrs in page.elements if tag == "script"), page.name


def test_links_and_anchors_lead_somewhere(site: dict[str, bytes], pages: Any) -> None:
    ids = {name: set(page.ids) for name, page in pages.items()}
    for page in pages.values():
        loaded = [
            a.get("src") or a.get("href", "") for tag, a in page.elements if tag in {"script", "link", "img"}
        ]
        for href in [*page.links, *loaded]:
            if re.match(r"(?:https?|data|mailto):", href):
                continue
            name, anchor = page.target(href)
            assert name in site, (page.name, href)
            assert not anchor or anchor in ids[name], (page.name, href)


def test_ids_are_used_once_on_a_page(pages: Any) -> None:
    for page in pages.values():
        assert len(page.ids) == len(set(page.ids)), page.name


def test_all_cells_are_on_the_heat_map_with_their_state(records: Any, pages: Any) -> None:
    shown = {a["id"]: a for tag, a in pages["cells.html"].elements if tag == "td" and "id" in a}
    cells = records[0]["cells"]
    assert len(cells) == len(shown) == 616
    for cell in cells:
        title = shown[cell["id"]]["title"]
        if cell["state"] == "present":
            assert cell["printed"] in title
            assert title.endswith("printed")
        else:
            assert cell["state"] in title
            assert cell["reason"] in title


def test_all_pairs_are_reachable_from_both_matrices(records: Any, pages: Any) -> None:
    order = records[0]["posteriors"]["autorank"]["order"]
    for name in ("posterior.html", "posterior-paper.html"):
        hrefs = set(pages[name].links)
        pairs = list(combinations(order, 2))
        assert len(pairs) == 378
        for a, b in pairs:
            assert {f"pairs/{a}.html#{b}", f"pairs/{b}.html#{a}"} <= hrefs


def test_a_pair_shows_the_numbers_of_both_ropes(records: Any, site: dict[str, bytes]) -> None:
    posteriors = records[0]["posteriors"]
    a, b = posteriors["autorank"]["order"][3], posteriors["autorank"]["order"][20]
    section = site[f"pairs/{a}.html"].decode().split(f'id="{b}"')[1].split("</section>")[0]
    for rope in ("autorank", "paper"):
        record = posteriors[rope]
        i, j = record["order"].index(a), record["order"].index(b)
        for value in (
            record["better"][i][j],
            record["equal"][i][j],
            record["better"][j][i],
            record["error_better"][i][j],
        ):
            assert f"{100 * value:.2f}" in section
        assert record["decision"][i][j] in section
        assert f"{record['rope'][i][j]:.5f}" in section


def test_stability_is_told_from_the_side_of_the_page(records: Any) -> None:
    from selu.report.site_systems import pair_pages

    statistics, sensitivity, _ = copy.deepcopy(records)
    a, b = statistics["posteriors"]["autorank"]["order"][:2]
    sensitivity["parts"] = {
        "seeds": {
            "variations": [
                {"name": "seed 0", "changed": [{"a": a, "b": b, "from": "inconclusive", "to": "better"}]},
                {"name": "seed 1", "changed": []},
            ],
            "unstable_pairs": {f"{a}/{b}": 0.5},
        }
    }
    views = {
        view["id"]: {other["id"]: other for other in view["others"]}
        for view in pair_pages(statistics, sensitivity)
    }
    assert views[a][b]["stability"][0]["changed"] == {"better": ["0"]}
    assert views[b][a]["stability"][0]["changed"] == {"worse": ["0"]}
    assert [views[b][a]["stability"][0][key] for key in ("kept", "total")] == [1, 2]


def test_leaderboard_holds_every_row_of_every_scope(records: Any, pages: Any) -> None:
    boards = records[0]["leaderboards"]
    rows = [a for tag, a in pages["index.html"].elements if tag == "tr" and "data-family" in a]
    assert len(rows) == sum(len(board["rows"]) for board in boards)
    shown = [row for row in rows if "hidden" not in row]
    assert len(shown) == 28  # what a reader without JavaScript sees
    assert {(row["data-family"], row["data-kind"]) for row in shown} == {("all", "all")}
    scopes = {a["data-scope-text"] for _, a in pages["index.html"].elements if "data-scope-text" in a}
    assert scopes == {f"{board['family']}/{board['kind']}" for board in boards} | {""}


def test_a_scope_names_the_systems_that_have_no_cell(site: dict[str, bytes]) -> None:
    text = (
        site["index.html"].decode().split('data-scope-text="all/entities"')[1].split("<div data-scope-text")[0]
    )
    assert "No row for 4 of 28 systems (absent by design: prompted models" in text
    assert "GPT-4o (3-shot)" in text


def test_a_row_that_misses_a_task_names_it(records: Any) -> None:
    statistics = copy.deepcopy(records[0])
    row = statistics["leaderboards"][0]["rows"][0]
    row["missing"], row["n"] = ["bug_issue"], 19
    text = build_site(statistics, records[1], records[2], {})["index.html"].decode()
    assert "19<small>without bug issue</small>" in text


def test_every_claim_has_an_anchor_verdict_and_evidence(
    records: Any, site: dict[str, bytes], pages: Any
) -> None:
    text = site["claims.html"].decode()
    rows = {a["id"]: a for tag, a in pages["claims.html"].elements if tag == "tr" and "data-verdict" in a}
    assert list(rows) == [claim["id"] for claim in records[2]]
    for claim in records[2]:
        assert rows[claim["id"]]["data-verdict"] == claim["verdict"]
    assert "0.0412346" in text
    assert "zyzzyva" in text
    assert text.count("<details>") == sum(bool(claim["numbers"]) for claim in records[2])


def test_text_from_data_is_escaped(records: Any, hostile: str, notebook: Path) -> None:
    statistics, sensitivity, claims = copy.deepcopy(records)
    for system in statistics["systems"]:
        for key in ("name", "architecture", "adaptation", "size_printed", "hub", "licence"):
            system[key] = hostile
    for task in statistics["tasks"]:
        task["question"] = hostile
    for cell in statistics["cells"]:
        cell["reason"] = hostile if cell["reason"] else None
    for variation in sensitivity["parts"]["seeds"]["variations"]:
        variation["name"] = hostile
    for name, content in build_site(statistics, sensitivity, claims, {"table4": notebook}).items():
        if name.endswith(".html"):
            text = content.decode()
            assert not re.search(r"<img[^>]*onerror", text), name
            assert not re.search(r"<script(?! src=\"(?:\.\./)?assets/)", text), name
            assert "<style" not in text, name


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", 'a"b', "a b"])
def test_an_id_that_cannot_name_a_page_is_refused(records: Any, name: str, notebook: Path) -> None:
    with pytest.raises(SeluError, match="can't name a page"):
        build_site(*records, {name: notebook})
    statistics = copy.deepcopy(records[0])
    statistics["systems"][0]["id"] = name
    with pytest.raises(SeluError, match="can't name a page"):
        build_site(statistics, *records[1:], {})


def test_states_and_evidence_show_without_colour(records: Any) -> None:
    statistics = copy.deepcopy(records[0])
    cells = [cell for cell in statistics["cells"] if cell["state"] == "present"]
    cells[0] |= {"state": "failed", "printed": None, "evidence": None, "reason": "out of memory"}
    cells[1] |= {"state": "invalid", "printed": None, "evidence": None, "reason": None}
    cells[2]["evidence"] = "re-scored"
    cells[3]["evidence"] = "re-earned"
    text = build_site(statistics, *records[1:], {})["cells.html"].decode()
    shown = {cell["id"]: text.split(f'id="{cell["id"]}"')[1].split("</td>")[0] for cell in cells[:4]}
    assert "✗" in shown[cells[0]["id"]]
    assert "failed: out of memory" in shown[cells[0]["id"]]
    assert "invalid: no reason recorded" in shown[cells[1]["id"]]
    assert shown[cells[2]["id"]].endswith(f"{cells[2]['printed']}′")
    assert shown[cells[3]["id"]].endswith(f"{cells[3]['printed']}″")


def test_colours_keep_their_text_readable() -> None:
    rules = re.findall(r"\.(seq|div)\d+\{background:#(\w{6});color:(#\w{3})\}", site_colour.scale_css())
    assert len(rules) == 102
    for _, background, text in rules:
        colour = tuple(int(background[i : i + 2], 16) / 255 for i in (0, 2, 4))
        level = 0.0 if text == "#000" else 1.0
        assert site_colour.contrast(colour, (level,) * 3) >= 4.5


def test_scores_map_to_steps() -> None:
    assert [site_colour.step(x) for x in (0.0, 0.5, 1.0, 1.2, -1.0, None)] == ["0", "25", "50", "50", "0", ""]


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


def test_numbers_print_without_noise() -> None:
    assert site_words.fixed(None) == site_words.fixed(float("nan")) == site_words.percent(None) == "–"
    assert site_words.fixed(-0.5, 1) == "−0.5"
    assert site_words.word("multi_class") == "multi-class"
    assert site_words.word("bug_issue") == "bug issue"


def test_the_matrix_never_shows_an_undecided_pair_as_95(records: Any) -> None:
    from selu.report.site_systems import matrix

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
