"""The site in headless Chromium, opened from disk as a reader would open it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

webdriver = pytest.importorskip("selenium.webdriver")
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

PAGES = (
    "index.html",
    "cells.html",
    "compare.html",
    "posterior.html",
    "posterior-paper.html",
    "claims.html",
    "pairs/gpt2-xl.html",
    "notebooks/table4.html",
)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1280,900"
)
Open = Callable[[str], Any]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no chromium and chromedriver on PATH")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    yield started
    started.quit()


@pytest.fixture(scope="module")
def folder(site: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("site with spaces")
    for name, content in site.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


@pytest.fixture
def visit(browser: Any, folder: Path) -> Iterator[Open]:
    """Opens a page of the site afresh; whatever a test emulates is undone after it."""

    def go(page: str) -> Any:
        browser.get("about:blank")
        browser.get_log("browser"), browser.get_log("performance")
        path, _, anchor = page.partition("#")
        browser.get((folder / path).as_uri() + (f"#{anchor}" if anchor else ""))
        return browser

    yield go
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def column(browser: Any, table: str, place: int) -> list[str]:
    """Texts of one column, once DataTables has sorted, which it does in a timeout of 0 after a click."""
    script = """const [id, place, done] = arguments;
                setTimeout(() => done([...document.querySelectorAll(`#${id} > tbody > tr`)].map(
                  (row) => row.cells[place]?.innerText.trim())), 20)"""
    found: list[str] = browser.execute_async_script(script, table, place)
    return found


def attribute(browser: Any, name: str) -> list[str]:
    script = "return [...document.querySelectorAll('#board > tbody > tr')].map(r => r.dataset[arguments[0]])"
    found: list[str] = browser.execute_script(script, name)
    return found


def choose(browser: Any, name: str, value: str) -> None:
    Select(browser.find_element(By.CSS_SELECTOR, f"select[data-filter={name}]")).select_by_value(value)


def shown(browser: Any) -> str:
    return str(browser.find_element(By.CSS_SELECTOR, "output[data-count]").text)


def seen(browser: Any, selector: str) -> list[str]:
    return [e.text for e in browser.find_elements(By.CSS_SELECTOR, selector) if e.is_displayed()]


@pytest.mark.parametrize("page", PAGES)
def test_page_loads_quietly_and_asks_no_host(visit: Open, page: str) -> None:
    browser = visit(page)
    time.sleep(0.1)  # an image with a handler on error would fire by now
    assert browser.get_log("browser") == []
    assert "owned" not in browser.title
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert asked
    assert {address.split(":")[0] for address in asked} <= {"file", "data", "about"}


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


@pytest.mark.parametrize("page", PAGES)
def test_page_reads_on_a_phone_and_a_desktop_in_light_and_dark(visit: Open, browser: Any, page: str) -> None:
    for width, height in ((390, 844), (1280, 900)):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width == 390}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        visit(page)
        browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
        taken, window = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert taken <= window == width
        assert browser.execute_script(SPILLED) == []
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        assert visit(page).execute_script(CONTRAST) == []


@pytest.mark.parametrize("key", [None, Keys.ENTER, Keys.SPACE])
def test_a_click_or_a_key_on_a_head_sorts(visit: Open, key: str | None) -> None:
    browser = visit("index.html")
    assert column(browser, "board", 0) == [str(rank) for rank in range(1, 29)]
    head = browser.find_element(By.CSS_SELECTOR, "#board thead th:nth-child(3)")
    for order in ("ascending", "descending"):
        if key:
            browser.execute_script("arguments[0].querySelector('[tabindex]').focus()", head)
            browser.switch_to.active_element.send_keys(key)
        else:
            head.click()
        means = [float(text) for text in column(browser, "board", 2)]
        assert means == sorted(means, reverse=order == "descending")
        assert head.get_attribute("aria-sort") == order


def test_family_and_type_choose_the_scope(visit: Open, records: Any) -> None:
    browser = visit("index.html")
    for board in records[0]["leaderboards"]:
        choose(browser, "family", board["family"])
        choose(browser, "kind", board["kind"])
        assert set(attribute(browser, "family")) == {board["family"]}
        assert set(attribute(browser, "kind")) == {board["kind"]}
        assert column(browser, "board", 0) == [str(row["rank"]) for row in board["rows"]]
        assert column(browser, "board", 2) == [f"{row['M']:.3f}" for row in board["rows"]]
        assert shown(browser) == f"{len(board['rows'])} systems shown"
        text = " ".join(seen(browser, "[data-scope-text]"))
        size = len(board["tasks"])
        assert ("over one task" if size == 1 else f"{size} tasks") in text
    choose(browser, "family", "code_adjacent")
    choose(browser, "kind", "entities")
    assert shown(browser) == "0 systems shown"
    none = "No task of this family has this type, so there is nothing to average."
    assert seen(browser, "[data-scope-text]") == [none]


def test_architecture_and_approach_narrow_the_rows(visit: Open, records: Any) -> None:
    browser = visit("index.html")
    systems = records[0]["systems"]
    for value in ("encoder-only", "decoder-only", "encoder-decoder", "none"):
        choose(browser, "architecture", value)
        expected = [s["name"] for s in systems if (s["architecture"] or "none") == value]
        assert column(browser, "board", 1) == expected
    choose(browser, "architecture", "decoder-only")
    choose(browser, "approach", "prompted")
    assert column(browser, "board", 1) == [s["name"] for s in systems if s["approach"] == "prompted"]
    choose(browser, "architecture", "encoder-only")
    assert shown(browser) == "0 systems shown"
    assert "No system of this scope" in browser.find_element(By.ID, "board").text


def test_claims_are_found_by_verdict_and_by_words(visit: Open) -> None:
    browser = visit("claims.html")
    assert column(browser, "claims", 0) == ["C001", "C002", "C003", "C004", "C005", "C006"]
    choose(browser, "verdict", "fails")
    assert column(browser, "claims", 0) == ["C003", "C004"]
    assert shown(browser) == "2 claims shown"
    choose(browser, "verdict", "")
    search = browser.find_element(By.CSS_SELECTOR, "input[data-search]")
    search.send_keys("zyzzyva")
    assert column(browser, "claims", 0) == ["C005"]
    search.clear()
    search.send_keys("no such words")
    assert "No claim matches" in browser.find_element(By.ID, "claims").text
    browser = visit("claims.html")
    browser.find_element(By.CSS_SELECTOR, "#claims > thead th:nth-child(3)").click()
    assert column(browser, "claims", 0) == ["C001", "C006", "C002", "C003", "C004", "C005"]  # by verdict


def test_an_address_opens_its_claim_even_behind_a_filter(visit: Open) -> None:
    browser = visit("claims.html#C004")
    details = browser.find_element(By.CSS_SELECTOR, "#C004 details")
    assert details.get_attribute("open") is not None
    choose(browser, "verdict", "holds")
    assert column(browser, "claims", 0) == ["C001", "C006"]
    browser.execute_script("location.hash = 'C002'")
    deadline = time.monotonic() + 5
    while len(column(browser, "claims", 0)) != 6 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert browser.find_element(By.CSS_SELECTOR, "#C002 details").get_attribute("open") is not None


def test_tab_reaches_filters_heads_rows_and_links(visit: Open) -> None:
    browser = visit("index.html")
    reached = []
    for _ in range(75):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        reached.append(
            browser.execute_script(
                """const e = document.activeElement;
                   if (e === document.body) return 'end';
                   if (e.matches('.skip')) return 'skip';
                   if (e.closest('nav')) return 'nav';
                   if (e.matches('select')) return e.dataset.filter;
                   if (e.matches('.scroll')) return 'region';
                   if (e.closest('thead')) return 'head ' + e.closest('th').cellIndex;
                   if (e.closest('tbody')) return 'row';
                   return getComputedStyle(e).outlineStyle === 'none' ? 'unmarked' : 'other';"""
            )
        )
    order = list(dict.fromkeys(reached))
    expected = ["skip", "nav", "family", "kind", "approach", "architecture", "region"]
    assert [stop for stop in order if stop in expected] == expected
    assert [f"head {place}" for place in range(11)] == [stop for stop in order if stop.startswith("head")]
    assert reached.count("row") == 28
    assert "unmarked" not in reached


def test_skip_link_leads_to_the_content(visit: Open) -> None:
    browser = visit("index.html")
    browser.switch_to.active_element.send_keys(Keys.TAB)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.switch_to.active_element.get_attribute("id") == "main"


def test_the_matrix_is_one_stop_and_arrows_move_inside(visit: Open, records: Any) -> None:
    order = records[0]["posteriors"]["autorank"]["order"]
    browser = visit("posterior.html")
    inside = "return [...document.querySelectorAll('.matrix a')].filter((a) => a.tabIndex === 0).length"
    assert browser.execute_script(inside) == 1
    browser.execute_script("document.querySelector('.matrix a[tabindex=\"0\"]').focus()")
    # from the head of row 1 over its empty diagonal to column 3, down over the empty diagonal of row 3
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.END):
        browser.switch_to.active_element.send_keys(key)
    assert browser.execute_script(inside) == 1
    assert browser.switch_to.active_element.get_attribute("href").endswith(f"pairs/{order[3]}.html#{order[-1]}")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.current_url.endswith(f"pairs/{order[3]}.html#{order[-1]}")
    top = "return document.querySelector(':target').getBoundingClientRect().top"
    assert 0 <= browser.execute_script(top) < 900


def test_heads_stay_in_sight_while_a_table_scrolls(visit: Open) -> None:
    browser = visit("cells.html")
    moved = browser.execute_script(
        """const area = document.querySelector('.scroll.tall');
           area.scrollTo(300, 400);
           const box = area.getBoundingClientRect();
           const head = area.querySelector('thead tr:nth-child(2) th').getBoundingClientRect();
           const first = area.querySelectorAll('tbody tr')[20].querySelector('th').getBoundingClientRect();
           return [area.scrollTop > 100, head.top - box.top, first.left - box.left];"""
    )
    assert moved[0]
    assert 0 <= moved[1] < 60
    assert 0 <= moved[2] < 5


def test_without_javascript_the_overall_ranking_reads(visit: Open, browser: Any) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    visit("index.html")
    assert len(seen(browser, "#board > tbody > tr")) == 28
    assert seen(browser, ".controls") == []
    assert len(seen(browser, "[data-scope-text]")) == 1
