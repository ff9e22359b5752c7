"""Ten questions that readers come with: each is answered at most two clicks away from the start page."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

pytestmark = pytest.mark.slow


class Reader:
    """Somebody who begins at the start page, sees what is shown, and clicks, chooses or pastes."""

    def __init__(self, browser: Any, start: str) -> None:
        self._browser, self.clicks = browser, 0
        browser.get("about:blank")
        browser.get(start)

    def click(self, selector: str) -> Reader:
        return self._press(By.CSS_SELECTOR, selector)

    def follow(self, text: str) -> Reader:
        return self._press(By.LINK_TEXT, text)

    def _press(self, by: str, what: str) -> Reader:
        (first, *_) = [element for element in self._browser.find_elements(by, what) if element.is_displayed()]
        first.click()
        self.clicks += 1
        return self

    def choose(self, name: str, text: str) -> Reader:
        Select(self._browser.find_element(By.NAME, name)).select_by_visible_text(text)
        self.clicks += 1
        return self

    def paste(self, name: str, text: str) -> Reader:
        self._browser.find_element(By.CSS_SELECTOR, f"[name='{name}'], #{name}").send_keys(text)
        return self

    def sees(self, selector: str) -> str:
        """The texts of what is shown there; it is an error where nothing is."""
        texts = [
            element.text
            for element in self._browser.find_elements(By.CSS_SELECTOR, selector)
            if element.is_displayed()
        ]
        assert texts, f"nothing to be seen at {selector}"
        return "\n".join(texts)

    def bright(self) -> str:
        """The scores of the heat map that are not faded."""
        script = "return [...document.querySelectorAll('#heat td[data-rank]:not(.dim)')].map((e) => e.id)"
        return " ".join(self._browser.execute_script(script))


@pytest.fixture
def reader(browser: Any, whole_site: Path) -> Iterator[Reader]:
    began, reads = time.monotonic(), Reader(browser, (whole_site / "index.html").as_uri())
    yield reads
    if "SELU_TELL_CLICKS" in os.environ:
        print(f"{reads.clicks} clicks, {time.monotonic() - began:.1f} s")
    assert reads.clicks <= 2


def test_does_the_ranking_hold(reader: Reader) -> None:
    assert "of 28 systems belong in a different tier than in the paper" in reader.sees("#ranking + .found")


def test_which_conclusions_fail(reader: Reader) -> None:
    assert "The matrices set four tiers of systems apart." in reader.sees("#failing + .found")
    assert reader.follow("The matrices set four tiers of systems apart.").sees(".meta .verdict")[2:] == "fails"


def test_which_small_system_is_best_for_issue_triage(reader: Reader) -> None:
    answer = reader.follow("issue triage").choose("size", "500M").sees("[data-answer]")
    assert "has the highest mean score of" in answer
    assert "over 4 tasks" in answer
    sizes = reader.sees("[data-ranking] th small")
    assert not any(size in sizes for size in ("B ·", "770M", "774M"))


def test_which_rank_do_my_scores_have(reader: Reader) -> None:
    reader.follow("place them in the ranking").paste("own-text", "task,score\nsentiment,0.9\nbug_issue,0.9")
    assert "mine has the highest mean score of 29 systems" in reader.click("[data-own=take]").sees(
        "[data-answer]"
    )


def test_what_is_the_prompt_of_sentiment(reader: Reader) -> None:
    asked = reader.follow("Tasks").follow("sentiment").sees("#prompt ~ .prompt")
    assert "negative: the writer is displeased" in asked


def test_where_does_a_score_come_from(reader: Reader) -> None:
    cell = "[id='sentiment/fasttext'] a"
    row = reader.follow("Scores").click(cell).sees(":target")
    assert "0.588" in row
    assert "Table VI, row sentiment, column FastText" in row
    assert "re-run: within noise" in row
    assert "10 runs" in reader.sees("summary:has(#runs-fasttext)")  # each seed a click further


def test_where_does_a_score_of_another_paper_come_from(reader: Reader) -> None:
    place = (
        reader.click("a[href^='nlbse24/board-issues.html#scores']")
        .click("table.scores .best a")
        .sees(":target")
    )
    assert "Table 1, row Ebrahim and Joy/F1-score, column Bug" in place


def test_any_score_is_found_by_its_digits(reader: Reader) -> None:
    results = reader.follow("Search").paste("q", ".773 codebert").sees("#results").splitlines()
    assert "0.773, CodeBERT base, review type, Table VI, row review_type, column CodeBERT base" in results[0]


def test_which_licence_has_a_system(reader: Reader) -> None:
    systems = reader.follow("Ranking").sees("#board tbody").splitlines()
    (line,) = [line for line in systems if "ModernBERT base" in line]
    assert "Apache-2.0" in line


def test_which_scores_were_run_again(reader: Reader) -> None:
    found = reader.follow("scores that were run again").bright().split()
    assert len(found) == 28
    assert {name.partition("/")[2] for name in found} == {"fasttext", "tfidf-xgboost"}


def test_how_do_two_systems_differ(reader: Reader) -> None:
    text = reader.follow("Pairs").click("a[href='pairs/gpt2-xl.html#codellama-7b']").sees(":target")
    assert "against CodeLlama 7B" in text
    assert "decision" in text


def test_how_do_i_cite(reader: Reader) -> None:
    assert "@" in reader.click("#cite > summary").sees("#cite pre")


RANKINGS = {
    "blanca": "board-probes",
    "crosscodebench": "board-methods",
    "faun_eval": "board-models",
    "nlbse24": "board-issues",
    "coir": "board-scores",
    "nlbse25": "board-f1",
}


@pytest.mark.parametrize(("paper", "board"), RANKINGS.items(), ids=list(RANKINGS))
def test_each_other_paper_answers_them(browser: Any, whole_site: Path, paper: str, board: str) -> None:
    """Its own pages say what SELU's say, and where the paper has the number."""

    def ask(*selectors: str) -> Reader:
        asks = Reader(browser, (whole_site / "index.html").as_uri())
        for selector in selectors:
            asks.click(selector)
        assert asks.clicks <= 2
        return asks

    page, score = f"{paper}/{board}.html", "table.scores td a"
    ranking = ask(f"a[href='{page}']")
    assert "the first place" in ranking.sees("main")
    assert f"selu submit scores.csv --paper {paper}" in ranking.sees("#commands + dl")
    assert f"selu recommend --task TASK --paper {paper}" in ranking.sees("#commands + dl")
    assert ask(f"a[href='{page}#pairs']").sees("#pairs ~ * table")
    place = (found := ask(f"a[href='{page}#scores']", score)).sees(":target")
    assert ("row " in place and "column " in place) or "result file" in place
    assert "icence" in found.sees("main")
    failing = ask(f"a[href='{paper}/claims.html']").sees("main")
    assert "fails" in failing
    assert "@" in ask("#cite > summary").sees("#cite pre")
    checked = ask(f"a[href='{paper}/index.html']").sees("main")
    assert re.search(
        "published scores [0-9]+ (?:are|is) checked|none of these scores itself was recounted", checked
    )
    task = ask(f"a[href='{paper}/index.html#tasks']", f"#tasks ~ * a[href^='../{paper}/tasks/']")
    assert "higher is better" in task.sees("main")
    assert "Licence" in ask(f"a[href='{page}']", "table tbody th a[href*='systems/']").sees("dl.facts")


@pytest.mark.parametrize(
    ("paper", "task", "words"),
    [
        ("crosscodebench", "cosqa", "Verify code: {input}"),
        ("faun_eval", "models-fault-localisation-em", "Reply with its path alone."),
        ("faun_eval", "models-code-editing-codebleu", "<<<<<<< SEARCH"),
    ],
)
def test_what_is_the_prompt_of_a_task_of_another_paper(
    reader: Reader, paper: str, task: str, words: str
) -> None:
    page = reader.click(f"a[href='{paper}/index.html#tasks']").click(f"a[href$='tasks/{task}.html']")
    assert words in page.sees("#prompt ~ .prompt")
    assert "in our words" in page.sees("#prompt + p")
