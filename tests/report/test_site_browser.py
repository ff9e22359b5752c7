"""The site in headless browsers, opened from disk as a reader would open it."""

from __future__ import annotations

import base64
import csv
import io
import json
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.print_page_options import PrintOptions
from selenium.webdriver.support.ui import Select

from .conftest import written

PAGES = (
    "index.html",
    "search.html",
    "selu.html",
    "leaderboard.html",
    "cells.html",
    "compare.html",
    "posterior.html",
    "posterior-paper.html",
    "claims.html",
    "claims/C006.html",
    "pairs/gpt2-xl.html",
    "notebooks/table4.html",
)
Open = Callable[[str], Any]


@pytest.fixture(scope="module")
def folder(site: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(site, tmp_path_factory.mktemp("site with spaces"))


@pytest.fixture
def visit(browser: Any, folder: Path) -> Iterator[Open]:
    """Opens a page of the site afresh; whatever a test emulates is undone after it."""

    def go(page: str) -> Any:
        browser.get("about:blank")
        browser.complaints(), browser.requests()
        path, _, anchor = page.partition("#")
        browser.get((folder / path).as_uri() + (f"#{anchor}" if anchor else ""))
        return browser

    yield go
    browser.restore()


def until(happens: Callable[[], bool]) -> None:
    """Wait for what a browser does by itself; the time limit is only for what never happens."""
    end = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.02)


def column(browser: Any, table: str, place: int) -> list[str]:
    """Texts of one column, in the order of the rows that are shown."""
    script = """return [...document.querySelectorAll(`#${arguments[0]} > tbody > tr:not([hidden])`)]
                .map((row) => row.cells[arguments[1]].textContent.trim())"""
    found: list[str] = browser.execute_script(script, table, place)
    return found


def claims(browser: Any) -> list[str]:
    script = (
        "return [...document.querySelectorAll('.claim')].filter((e) => e.checkVisibility()).map((e) => e.id)"
    )
    found: list[str] = browser.execute_script(script)
    return found


def choose(browser: Any, name: str, value: str) -> None:
    Select(browser.find_element(By.CSS_SELECTOR, f"select[data-filter={name}]")).select_by_value(value)
    kept = "return new URLSearchParams(location.hash.slice(1)).get(arguments[0]) ?? ''"
    until(lambda: browser.execute_script(kept, name) == value)  # a busy machine tells the page of it later


def shown(browser: Any) -> str:
    return str(browser.find_element(By.CSS_SELECTOR, "output[data-count]").text)


def seen(browser: Any, selector: str) -> list[str]:
    return [e.text for e in browser.find_elements(By.CSS_SELECTOR, selector) if e.is_displayed()]


@pytest.mark.ci
@pytest.mark.parametrize("page", PAGES)
def test_page_loads_quietly_and_asks_no_host(visit: Open, page: str) -> None:
    browser = visit(page)
    time.sleep(0.1)  # an image with a handler on error would fire by now
    assert "owned" not in browser.title
    assert browser.complaints() == []
    assert browser.requests() == []


@pytest.mark.ci
def test_the_browsers_tell_of_what_the_last_test_looks_for(browser: Any, tmp_path: Path) -> None:
    browser.complaints(), browser.requests()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # a port where nobody listens
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/of-another-host.png"
        loud = f"<!doctype html><meta charset=utf-8><script>lost()</script><img src='{address}'>"
        (tmp_path / "loud.html").write_text(loud, "utf-8")
        browser.get((tmp_path / "loud.html").as_uri())
        complaints, requests = list[str](), list[str]()
        until(lambda: complaints.extend(browser.complaints()) or "lost is not defined" in "\n".join(complaints))
        until(lambda: requests.extend(browser.requests()) or requests == [address])


SPILLED = """
return [...document.querySelectorAll('main, main *')].filter((e) => {
  const box = e.getBoundingClientRect();
  const inside = e.parentElement.closest('.scroll, .output_subarea, .input_area');
  return box.width > 1 && box.right > innerWidth + 1 && !inside;
}).map((e) => e.outerHTML.slice(0, 120))
"""
CONTRAST = """
const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const level = (c) => c.slice(0, 3).map((v) => v / 255)
  .map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const behind = (e) => {
  for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c;
  }
  return [255, 255, 255];
};
const bad = [];
for (const e of document.querySelectorAll('body *')) {
  const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (!own || !e.checkVisibility() || e.closest('.unseen, .skip, .highlight')) continue;
  const [one, two] = [level(parse(getComputedStyle(e).color)), level(behind(e))].sort((a, b) => b - a);
  const ratio = (one + .05) / (two + .05);
  if (ratio < 4.5) bad.push(ratio.toFixed(2) + ' ' + e.outerHTML.slice(0, 120));
}
return bad.slice(0, 5);
"""


@pytest.mark.ci
@pytest.mark.parametrize("page", PAGES)
def test_page_reads_on_a_phone_and_a_desktop_in_light_and_dark(visit: Open, browser: Any, page: str) -> None:
    for width, height in ((390, 844), (1280, 900)):
        browser.resize(width, height)
        visit(page)
        browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
        taken, window = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert taken <= window == width
        assert browser.execute_script(SPILLED) == []
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        assert visit(page).execute_script(CONTRAST) == []


@pytest.mark.ci
@pytest.mark.parametrize("page", PAGES)
def test_page_has_one_h1_its_landmarks_and_names_for_all_that_is_operated(visit: Open, page: str) -> None:
    found = visit(page).execute_script(
        """return [document.querySelectorAll('h1').length,
             document.querySelectorAll('main, header, footer').length,
             [...document.querySelectorAll('img:not([alt]), thead th:not([scope])')].length,
             [...document.querySelectorAll('select, input')]
               .filter((e) => !e.labels.length && !e.ariaLabel).length,
             [...document.querySelectorAll('a, button')].filter((e) => !e.textContent.trim()).length]"""
    )
    assert found[1:] == [3, found[2] if "notebooks/" in page else 0, 0, 0]
    assert found[0] == 1


@pytest.mark.ci
@pytest.mark.parametrize("page", [name for name in PAGES if "notebooks/" not in name])
def test_nothing_is_cut_on_landscape_paper(visit: Open, browser: Any, page: str) -> None:
    visit(page)
    browser.resize(1032, 700)  # A4 less its margins
    browser.show_as("print")
    script = """return [...document.querySelectorAll('main *')].filter((e) => e.checkVisibility())
                .map((e) => e.getBoundingClientRect().right)"""
    assert max(browser.execute_script(script)) <= 1033


@pytest.mark.ci
@pytest.mark.parametrize("page", ["selu.html", "leaderboard.html", "cells.html", "posterior.html"])
def test_printing_loses_no_column(visit: Open, page: str) -> None:
    options = PrintOptions()
    options.orientation, options.shrink_to_fit = "landscape", False
    browser = visit(page)
    browser.execute_script("for (const one of document.querySelectorAll('.unseen')) one.remove()")
    published = PdfReader(io.BytesIO(base64.b64decode(browser.print_page(options))))
    text = "".join("".join(sheet.extract_text().split()) for sheet in published.pages).replace(
        "\N{LATIN SMALL LIGATURE FI}", "fi"
    )
    script = """return [...document.querySelectorAll('.heat, .matrix, #board, .ranking')].flatMap((table) =>
                  [table.tHead.rows[0], table.rows[table.rows.length - 1]].flatMap((row) => [...row.cells]))
                .map((cell) => cell.textContent.replace(/\\s/g, ''))"""
    wanted = browser.execute_script(script)
    assert len(wanted) >= 10
    assert [cell for cell in wanted if cell not in text] == []


@pytest.mark.ci
@pytest.mark.parametrize("key", [None, Keys.ENTER, Keys.SPACE])
def test_a_click_or_a_key_on_a_head_sorts_and_going_back_keeps_it(visit: Open, key: str | None) -> None:
    browser = visit("leaderboard.html")
    assert column(browser, "board", 0) == [str(rank) for rank in range(1, 29)]
    head = browser.find_element(By.CSS_SELECTOR, "#board thead th[data-key=sd]")
    place = browser.execute_script("return arguments[0].cellIndex", head)
    for order in ("descending", "ascending"):
        button = head.find_element(By.TAG_NAME, "button")
        button.send_keys(key) if key else button.click()
        values = [float(text) for text in column(browser, "board", place)]
        assert values == sorted(values, reverse=order == "descending")
        assert head.get_attribute("aria-sort") == order
    choose(browser, "approach", "prompted")
    browser.get("about:blank")
    browser.back()
    assert "sort=board.sd.up" in browser.current_url
    values = [float(text) for text in column(browser, "board", place)]
    assert len(values) == 4
    assert values == sorted(values)


def test_missing_values_come_last_both_ways(visit: Open) -> None:
    browser = visit("leaderboard.html#sort=board.size.up")
    place = browser.execute_script("return document.querySelector('th[data-key=size]').cellIndex")
    assert column(browser, "board", place)[0] == "60.5M"
    assert column(browser, "board", place)[-1] == "–"
    browser = visit("leaderboard.html#sort=board.size.down")
    assert column(browser, "board", place)[0] == "7B"
    assert column(browser, "board", place)[-1] == "–"


@pytest.mark.ci
def test_filters_narrow_systems(visit: Open, records: Any) -> None:
    browser = visit("leaderboard.html")
    systems = records[0]["systems"]
    for value in ("encoder-only", "decoder-only", "encoder-decoder"):
        choose(browser, "architecture", value)
        assert column(browser, "board", 1) == [s["name"] for s in systems if s["architecture"] == value]
    choose(browser, "size", "<500000000")
    small = [s for s in systems if s["architecture"] == "encoder-decoder" and (s["parameters"] or 1e12) < 5e8]
    assert column(browser, "board", 1) == [s["name"] for s in small]
    choose(browser, "approach", "prompted")
    assert shown(browser) == "0 of 28 systems shown"
    assert seen(browser, "[data-nothing]") == ["No system matches. Show all"]
    browser.find_element(By.LINK_TEXT, "Show all").click()
    assert shown(browser) == "28 of 28 systems shown"


@pytest.mark.ci
def test_claims_are_found_by_verdict_weight_and_words(visit: Open) -> None:
    browser = visit("claims.html")
    assert claims(browser) == ["C004", "C003", "C001", "C002", "C005", "C006"]
    choose(browser, "verdict", "fails")
    choose(browser, "weight", "conclusion")
    assert claims(browser) == ["C004"]
    assert shown(browser) == "1 of 6 claims shown"
    assert seen(browser, ".question h2") == ["Does it hold?"]
    browser = visit("claims.html#weight=conclusion&verdict=fails")
    assert claims(browser) == ["C004"]
    choose(browser, "verdict", "")
    choose(browser, "weight", "")
    search = browser.find_element(By.CSS_SELECTOR, "input[type=search]")
    search.send_keys("zyzzyva nowhere")
    assert claims(browser) == ["C005"]
    search.clear()
    search.send_keys("no such words")
    assert seen(browser, "[data-nothing]") == ["No claim matches. Show all"]


def test_an_address_shows_its_claim_even_behind_a_filter_and_below_the_bar(visit: Open) -> None:
    browser = visit("claims.html#C004")
    choose(browser, "verdict", "holds")
    assert claims(browser) == ["C001", "C006"]
    browser.execute_script("location.hash = 'C002'")
    until(lambda: len(claims(browser)) == 6)
    time.sleep(0.05)
    top, bar = browser.execute_script(
        "return [document.querySelector(':target').getBoundingClientRect().top, "
        "document.querySelector('.controls').getBoundingClientRect().bottom]"
    )
    assert bar - 1 <= top < 900
    browser.find_element(By.CSS_SELECTOR, "#C002 a[href='claims/C002.html']").click()
    assert browser.find_element(By.TAG_NAME, "h1").text == "Statement of C002."
    assert seen(browser, ".numbers dt")[-3:] == ["p", "none", "all"]
    browser.back()
    assert browser.current_url.endswith("claims.html#C002")


@pytest.mark.ci
def test_the_heat_map_shows_rank_difference_and_checked_scores(visit: Open) -> None:
    browser = visit("cells.html")
    best = browser.find_element(By.CSS_SELECTOR, "#heat td.best")
    assert float(best.text) > 0
    choose(browser, "show", "rank")
    assert best.text == "1"
    choose(browser, "show", "behind")
    assert best.text == "best"
    assert "show=behind" in browser.current_url
    choose(browser, "only", "checked")
    assert browser.execute_script("return getComputedStyle(arguments[0]).color", best) == "rgba(0, 0, 0, 0)"
    choose(browser, "only", "")
    choose(browser, "show", "")
    browser.find_element(By.CSS_SELECTOR, "th[data-key=sentiment] button").click()
    assert column(browser, "heat", 0)[0] == "T5 3B"


def test_every_score_is_read_by_keyboard(visit: Open) -> None:
    browser = visit("cells.html")
    browser.execute_script("document.querySelector('#heat tbody [tabindex=\"0\"]').focus()")
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN):
        browser.switch_to.active_element.send_keys(key)
    detail = browser.find_element(By.CSS_SELECTOR, "[data-detail]").text
    assert detail.startswith("Llama 3.2 3B, bug issue: 0.872, rank ")
    assert detail.endswith("below the best, as published, not checked.")
    browser.switch_to.active_element.send_keys(Keys.END)
    assert "no score. absent by design" in browser.find_element(By.CSS_SELECTOR, "[data-detail]").text
    assert len(browser.find_elements(By.CSS_SELECTOR, "#heat tbody [tabindex='0']")) == 1


def test_a_file_of_scores_is_placed_and_what_cannot_be_read_is_said(visit: Open, tmp_path: Path) -> None:
    browser, mine = visit("compare.html#own"), tmp_path / "mine.csv"
    for content, selector, message in (
        (
            "task;score\nsentiment;91,2 %".encode("utf-16"),
            "[data-answer]",
            "the highest mean score of 29 systems",
        ),
        (
            b"task,score\nsentiment,0.5\xe9",
            "[data-wrong]",
            "Row 2 is not UTF-8: save the file as text in UTF-8.",
        ),
    ):
        mine.write_bytes(content)
        browser.find_element(By.NAME, "own-file").send_keys(str(mine))
        until(lambda selector=selector, message=message: message in "".join(seen(browser, selector)))


TAKEN = """
const [label, done] = arguments;
URL.createObjectURL = (blob) => { blob.text().then(done); return '#'; };
const table = document.querySelector('[data-name=ranking]').closest('.scroll');
[...table.nextElementSibling.querySelectorAll('button')].find((one) => one.textContent === label).click();
"""


def test_a_table_is_taken_away_in_four_forms(visit: Open) -> None:
    browser = visit("selu.html")
    taken = {name: browser.execute_async_script(TAKEN, name) for name in ("CSV", "Markdown", "LaTeX", "JSON")}
    rows = list(csv.DictReader(taken["CSV"].splitlines()))
    first = {
        "Rank": "1",
        "System": "GPT-2 xl",
        "Mean": "0.755",
        "low": "0.649",
        "high": "0.861",
        "Tier: test": "1",
    }
    assert first.items() <= rows[0].items()
    assert len(rows) == 28
    assert taken["Markdown"].splitlines()[1].startswith("| --: | :-- |")
    assert "\\toprule" in taken["LaTeX"]
    assert "TF-IDF+XGBoost & 0.645 &" in taken["LaTeX"]
    assert json.loads(taken["JSON"])[0]["low"] == 0.649


def test_skip_link_leads_to_the_content(visit: Open) -> None:
    browser = visit("index.html")
    browser.switch_to.active_element.send_keys(Keys.TAB)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.switch_to.active_element.get_attribute("id") == "main"


@pytest.mark.ci
def test_the_matrix_is_one_stop_and_arrows_move_inside(visit: Open, records: Any) -> None:
    order = records[0]["posteriors"]["autorank"]["order"]
    browser = visit("posterior.html")
    browser.execute_script("document.querySelector('.matrix tbody [tabindex=\"0\"]').focus()")
    for key in (
        Keys.ARROW_RIGHT,
        Keys.ARROW_RIGHT,
        Keys.ARROW_DOWN,
        Keys.ARROW_DOWN,
        Keys.ARROW_DOWN,
        Keys.END,
    ):
        browser.switch_to.active_element.send_keys(key)
    assert len(browser.find_elements(By.CSS_SELECTOR, ".matrix tbody [tabindex='0']")) == 1
    assert browser.switch_to.active_element.get_attribute("href").endswith(f"pairs/{order[3]}.html#{order[-1]}")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    until(lambda: browser.current_url.endswith(f"pairs/{order[3]}.html#{order[-1]}"))
    until(lambda: browser.execute_script("return document.querySelector(':target') !== null"))
    top = "return document.querySelector(':target').getBoundingClientRect().top"
    assert 0 <= browser.execute_script(top) < 900


@pytest.mark.ci
@pytest.mark.parametrize("page", ["selu.html", "leaderboard.html", "cells.html", "posterior.html"])
def test_the_head_of_a_table_stays_in_view(visit: Open, browser: Any, page: str) -> None:
    browser.resize(1440, 700)
    script = """const table = document.querySelector('main table');
                scrollTo(0, table.getBoundingClientRect().bottom + scrollY - 300);
                const head = table.tHead.rows[table.tHead.rows.length - 1].cells[1].getBoundingClientRect();
                return [scrollY, head.top]"""
    moved, top = visit(page).execute_script(script)
    assert moved > 100
    assert 0 <= top < 60


@pytest.mark.ci
def test_without_javascript_ranking_and_scores_read(visit: Open, browser: Any) -> None:
    browser.allow_scripts(False)
    visit("leaderboard.html")
    assert len(seen(browser, "#board > tbody > tr")) == 28
    assert seen(browser, ".controls") == []
