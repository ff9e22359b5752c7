"""Pages of the rankings of a paper's tables: what is on them, what they can't say, how they fit a screen."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from bs4 import BeautifulSoup

from selu import registry
from selu.app.ranking import boards
from selu.app.report import sections_of
from selu.boards.board import Board, Score, board_of
from selu.boards.declared import Declared
from selu.boards.findings import findings
from selu.boards.published import Ranked
from selu.boards.rows import Check
from selu.papers.page import Checked, Section
from selu.report.site import build_site
from selu.report.site_boards import checked_by_system, with_boards
from selu.vocabulary import CellVerdict

from .conftest import BROWSERS, HOME, HOSTILE, Page, broken_rules, check_size, lost_links, written

OTHERS = [name for name in registry.published() if registry.benchmark(name).bench is None]
MOST = 120_000  # bytes of a page; a ranking of 184 systems takes most


@pytest.fixture(scope="module")
def sites(root: Path) -> dict[str, dict[str, bytes]]:
    """The site of each paper alone."""
    return {paper.id: build_site([replace(paper, first=True)]) for paper in sections_of(root, OTHERS)}


@pytest.mark.ci
@pytest.mark.parametrize("name", OTHERS)
def test_each_ranking_has_a_page_that_the_menu_leads_to(root: Path, sites: Any, name: str) -> None:
    site = sites[name]
    for ranked in boards.every(root, name):
        content = site[f"board-{ranked.id}.html"]
        page, found = Page(f"board-{ranked.id}.html", content), findings(ranked.board)
        assert len(content) <= MOST
        assert found["sentence"] in page.text
        assert found["sentence"] in Page(f"{name}.html", site[f"{name}.html"]).text
        assert found["sentence"] in Page("index.html", site["index.html"]).text
        assert len(page.ids) == len(set(page.ids))
        menu = [a["href"] for a in page.attributes("header nav a[aria-current]")]
        assert menu == [f"board-{boards.every(root, name)[0].id}.html"]
        assert menu[0] in Page("claims.html", site["claims.html"]).links
    assert lost_links(site) == []


@pytest.mark.ci
def test_a_task_with_rows_has_one_page_for_its_scores_and_its_runs(sites: Any) -> None:
    page = Page("tasks/class_usage.html", sites["blanca"]["tasks/class_usage.html"])
    assert "HU-BERTOverflow leads with 0.61" in page.text
    assert "10 systems were run here" in page.text
    assert not [name for name in sites["blanca"] if "u-class-usage" in name]


@pytest.mark.ci
def test_each_score_of_a_ranking_leads_to_the_row_with_its_place(root: Path, sites: Any) -> None:
    board = boards.every(root, "faun_eval")[0]
    links = soup(sites["faun_eval"], f"board-{board.id}.html").select("table.scores td a")
    shown = []
    for link in links:
        at, _, row = str(link["href"]).partition("#")
        (found,) = soup(sites["faun_eval"], at).find_all(id=row)
        assert found.select_one("td.strong").get_text() == link.get_text()
        shown.append(found.select_one(".place").get_text())
    assert sorted(shown) == sorted(board.board.places.values())


def test_a_score_that_stands_in_two_rankings_is_counted_once() -> None:
    """The start page counted averages as scores in one paper, and systems in another."""
    score = Score("A", "bug", 0.5, 1, "Table 1, row A, column bug")
    other = Score("A", "why", 0.6, 1, "Table 1, row A, column why")
    first, second = (
        Ranked(id, "paper", id, board_of([score, *others])) for id, others in (("one", [other]), ("two", []))
    )
    checks = {
        ("one", "A", "bug"): Check("re-scored", 0.4, verdict="differs"),
        ("one", "A", "why"): Check("re-run", 0.6, verdict=CellVerdict.REPRODUCED),
    }
    assert checked_by_system(checks, [first, second]) == [Checked("A", 2, 1, 1, 1, 0)]
    ours = first._replace(id="ours", declared=Declared("ours", "ours", (), computed=True))
    assert checked_by_system(checks, [ours]) == []  # no paper publishes them


def soup(site: dict[str, bytes], name: str) -> BeautifulSoup:
    return BeautifulSoup(site[name], "html.parser")


def cells(page: BeautifulSoup, table: str) -> list[list[str]]:
    rows = page.select(f"table[data-name={table}] tbody tr")
    return [[cell.get_text(" ", strip=True) for cell in row.select("th, td")] for row in rows]


def test_scores_are_there_with_their_places_and_as_csv(root: Path, sites: Any) -> None:
    (ranked,) = boards.every(root, "crosscodebench")
    page = soup(sites["crosscodebench"], "board-methods.html")
    assert cells(page, "scores")[0][:3] == ["Supervised CodeT5", "78.49", "78.49"]
    rows = list(csv.DictReader(io.StringIO(sites["crosscodebench"]["board-methods.csv"].decode())))
    assert {(row["system"], row["task"]): row["place"] for row in rows} == dict(ranked.board.places)
    assert [float(row["score"]) for row in rows] == ranked.board.values.ravel().tolist()


def test_a_pair_has_the_probability_of_either_side(root: Path, sites: Any) -> None:
    (ranked,) = boards.every(root, "crosscodebench")
    found = findings(ranked.board)
    names = [row["system"] for row in found["systems"]]
    rows = cells(soup(sites["crosscodebench"], "board-methods.html"), "methods-pairs")
    clear = 0
    for pair in found["pairs"]:
        a, b = names.index(pair["a"]), names.index(pair["b"])
        sign = {pair["a"]: "▲▼", pair["b"]: "▼▲", "equal": "≈≈"}.get(pair["winner"], ("", ""))
        clear += pair["winner"] in (pair["a"], pair["b"])
        assert rows[a][b + 1] == f"{int(100 * pair['p_better'])}{sign[0]}"
        assert rows[b][a + 1] == f"{int(100 * pair['p_worse'])}{sign[1]}"
    text = Page("board-methods.html", sites["crosscodebench"]["board-methods.html"]).text
    assert f"{clear} of {len(found['pairs'])} pairs have a clear winner" in text
    kept = list(csv.DictReader(io.StringIO(sites["crosscodebench"]["board-methods-pairs.csv"].decode())))
    assert [float(row["p_better"]) for row in kept] == [pair["p_better"] for pair in found["pairs"]]


def test_over_few_tasks_there_are_sentences_in_the_place_of_numbers(sites: Any) -> None:
    page = soup(sites["faun_eval"], "board-models.html")
    assert "there are no posterior probabilities, no tiers and no intervals" in page.get_text()
    heads = [head.get_text() for head in page.select("table[data-name=ranking] th[scope=col]")]
    assert not {"Tier", "95 % interval"} & set(heads)
    assert cells(page, "models-pairs")[0][2] == "2:1"
    assert "P(row better" not in page.get_text()
    left_out = cells(page, "models-left-out")
    assert ["code editing (CodeBLEU)", "Gemini-1.5-Pro", "7"] in left_out


def test_scales_that_differ_have_no_mean_and_holes_are_named(sites: Any) -> None:
    page = soup(sites["blanca"], "board-probes.html")
    assert "No mean and no interval: the tasks are on different scales." in page.get_text()
    heads = [head.get_text() for head in page.select("table[data-name=ranking] th[scope=col]")]
    assert "Mean" not in heads
    (row,) = (row for row in cells(page, "ranking") if row[1].startswith("RFLHU-BERTOverflow"))
    assert row[0] == "–"
    holes = "F: forum posts and classes (t), H: class hierarchy (r), U: class usage (r)"
    assert row[1] == f"RFLHU-BERTOverflow no score on {holes}"
    assert "Seed: its effect is unknown" in page.get_text()


def test_answers_are_those_of_the_runs_and_texts_and_labels_stay_away(root: Path, sites: Any) -> None:
    script = sites["nlbse24"]["answers/java_usage.js"].decode()
    shown = json.loads(script.removeprefix("const answers = ").removesuffix(";\n"))
    assert set(shown) == {"labels", "ids", "runs"}
    key = "fasttext-lines/paper-s42"
    table = pq.read_table(root / "results" / "nlbse24" / "java_usage" / key / "predictions.parquet").to_pydict()
    answers = dict(zip(shown["ids"].split(","), shown["runs"][key].split(","), strict=True))
    assert {id: str(answer) for id, answer in zip(table["id"], table["prediction"], strict=True)} == {
        id: answer for id, answer in answers.items() if answer
    }
    assert f"answers/java_usage.html#a={key}".encode() in sites["nlbse24"]["tasks/java_usage.html"]


def section(board: Board) -> Section:
    return with_boards(HOME, [Ranked("one", "The second", "Table 1", board)])


def test_names_of_others_stay_texts() -> None:
    scores = [
        Score(f"{HOSTILE}{system}", f"{HOSTILE}{task}", 0.1 * system, 1, HOSTILE)
        for system in range(3)
        for task in range(2)
    ]
    scores.append(Score("=HYPERLINK(1)", f"{HOSTILE}0", 0.5, 1, "x"))
    site = build_site([section(board_of(scores))])
    page = Page("board-one.html", site["board-one.html"])
    assert "<script>document" not in site["board-one.html"].decode()
    assert not page.attributes("img, iframe, object")
    assert "\n'=HYPERLINK(1)," in site["board-one.csv"].decode()


@pytest.mark.ci
@pytest.mark.parametrize("systems", [1, 2, 101])
def test_the_smallest_and_larger_rankings_have_a_page(systems: int) -> None:
    board = board_of(Score(f"s{n}", "t", n / 200, 3, f"Table 1, row s{n}, column t") for n in range(systems))
    page = Page("board-one.html", build_site([section(board)])["board-one.html"])
    assert findings(board)["sentence"] in page.text
    assert "No test: it takes two systems and two tasks." in page.text
    assert ("Wins and losses of the row" in page.text) == (systems == 2)


def test_a_paper_without_rankings_stays_as_it_is(sites: Any) -> None:
    assert with_boards(HOME, []) is HOME
    assert not [name for name in build_site([HOME]) if name.startswith("board-")]


PAGES = [
    (name, f"board-{board.id}.html")
    for name in OTHERS
    for board in registry.benchmark(name).paper().boards  # type: ignore[union-attr]
]


@pytest.mark.ci
@pytest.mark.parametrize("browser", BROWSERS[:1], indirect=True)
def test_no_page_is_wider_than_the_window_or_longer_than_eight_screens(
    browser: Any, sites: Any, tmp_path: Path
) -> None:
    for name, page in PAGES:
        check_size(browser, (written(sites[name], tmp_path / name) / page).as_uri())


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS[:1], indirect=True)
def test_they_break_no_rule_of_axe(browser: Any, sites: Any, tmp_path: Path) -> None:
    for name, page in PAGES:
        address = (written(sites[name], tmp_path / name) / page).as_uri()
        assert broken_rules(browser, address) == {}, (name, page)
