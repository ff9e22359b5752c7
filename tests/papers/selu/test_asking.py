"""One price of asking again: whoever plans a re-run reads the same sum on every page."""

from __future__ import annotations

import json
from pathlib import Path

from selu.papers.selu.choosing.asking import describe, price

ROOT = Path(__file__).parents[3]
PRICES = {
    "priced": "2025-05",
    "systems": [
        {"system": "gpt-4o-zero-shot", "cells": 2, "requests": 10, "usd_at_most": 1.0},
        {"system": "gpt-4o-3-shot", "cells": 2, "requests": 10, "usd_at_most": 2.25},
        {"system": "claude-3.7-zero-shot", "cells": 2, "requests": 10, "usd_at_most": 4.0},
    ],
}


def test_the_sums_are_of_the_systems_asked_for():
    assert price(PRICES) == (7.25, 30, 3, 2)
    assert price(PRICES, "gpt-4o") == (3.25, 20, 2, 2)


def test_the_price_says_for_which_systems_and_tasks_it_is():
    assert describe(PRICES) == (
        "7 USD at most for 30 requests of 3 systems on the 2 tasks with rows here (3 for the 2 of GPT-4o), at "
        "prices of 2025-05"
    )


def test_readme_and_reproduce_name_the_prices_of_the_record():
    record = json.loads((ROOT / "reports" / "selu" / "prices.json").read_text("utf-8"))
    offered = price(record, "gpt-4o")
    sentence = f"a re-run of its two columns costs {offered.usd:.0f} USD at most, on the {offered.tasks} tasks"
    assert sentence in " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert describe(record) in (ROOT / "REPRODUCE.md").read_text("utf-8")
