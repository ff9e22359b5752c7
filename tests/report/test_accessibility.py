"""Every kind of page of the whole site: axe finds no missing name, role or contrast, and none is too long."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from selu import registry

from .conftest import BROWSERS, broken_rules

pytestmark = pytest.mark.slow
PAGES = (
    "index.html",
    "search.html",
    "selu.html",
    "leaderboard.html",
    "cells.html",
    "compare.html",
    "posterior.html",
    "pairs/gpt2-xl.html",
    "systems/fasttext.html",
    "tasks/sentiment.html",
    "claims.html",
    "claims/C052.html",
    "notebooks/baselines.html",
    "nlbse24/index.html",
    "crosscodebench/board-methods.html",
    "crosscodebench/tasks/cosqa.html",
    "faun_eval/tasks/models-fault-localisation-em.html",
    "answers/sentiment.html",
    "nlbse24/tasks/java_usage.html",
    "coir/tasks/mteb-cosqa.html",
    "blanca/systems/use.html",
    "blanca/notebooks/figures.html",
)


@pytest.mark.parametrize("browser", BROWSERS[:1], indirect=True)
def test_no_page_breaks_a_rule_of_axe(browser: Any, whole_site: Path) -> None:
    broken = {page: found for page in PAGES if (found := broken_rules(browser, (whole_site / page).as_uri()))}
    assert broken == {}


@pytest.mark.parametrize("browser", BROWSERS[:1], indirect=True)
def test_no_kind_of_page_is_higher_than_eight_screens(browser: Any, whole_site: Path) -> None:
    """The overview of CrossCodeBench took 27 screens, SELU's claims 33."""
    browser.resize(1440, 900)
    papers = (f"{name}/" for name in registry.published() if name != "selu")
    overviews = [f"{folder}{name}.html" for folder in papers for name in ("index", "claims")]
    many = [path for kind in ("notebooks", "tasks") for path in whole_site.rglob(f"{kind}/*.html")]
    high = {}
    for page in {*PAGES, *overviews, *(str(path.relative_to(whole_site)) for path in many), "unrounded.html"}:
        browser.get((whole_site / page).as_uri())
        screens = browser.execute_script("return document.documentElement.scrollHeight") / 900
        if screens > 8:
            high[page] = round(screens, 1)
    assert high == {}
