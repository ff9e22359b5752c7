"""What was earned anew on the site: beside the cell, in its own table, and beside claims."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from selu.report.site import build_site

from .conftest import made_home


def cell(task: str, system: str, **fields: Any) -> dict[str, Any]:
    return {
        "task": task,
        "system": system,
        "name": system.title(),
        "evidence": "re-earned",
        "standing": "equal",
        "state": "present",
        "printed": "0.588",
        "value": 0.58812,
        "low": 0.5,
        "high": 0.6,
        "verdict": "reproduced",
        "reason": None,
        "strict": {"value": 0.5123},
    } | fields


CELLS = [
    cell("sentiment", "fasttext"),
    cell("smell_doc", "fasttext", verdict="within noise", strict=None),
    cell("tone_bearing", "tfidf-xgboost", verdict="deviates", standing="partial", reason="Other <rows>."),
    cell("sentiment", "bert-base", evidence="re-scored", strict=None),
    cell("bug_issue", "fasttext", value=None, evidence="printed", state="no data", reason="No data here"),
    cell("se_entities", "fasttext", value=None, evidence=None, state="absent by design", reason="by design"),
]
CLAIM = {
    "id": "C001",
    "verdict": "holds",
    "evidence": {"re-earned": 3, "printed": 1},
    "of_print": False,
    "with_rerun": {"verdict": "holds", "because": "The same.", "cells": 3, "changes": False},
    "with_strict": {"verdict": "fails", "because": "Not <any> more.", "cells": 3, "changes": True},
}


@pytest.fixture(scope="module")
def built(records: Any, notebook: Path) -> dict[str, bytes]:
    of_print = CLAIM | {"id": "C002", "of_print": True, "with_rerun": None, "with_strict": None}
    return build_site([made_home(*records, {"baselines": notebook}, CELLS, [CLAIM, of_print])])


def shown(built: dict[str, bytes], place: str) -> str:
    return built["cells.html"].decode().split(f'id="{place}"')[1].split("</t")[0]


def test_marks_tell_evidence_and_verdict_without_colour(built: dict[str, bytes]) -> None:
    assert "0.588″</a>" in shown(built, "sentiment/fasttext")
    assert "″≈</a>" in shown(built, "smell_doc/fasttext")
    assert "″≠</a>" in shown(built, "tone_bearing/tfidf-xgboost")
    assert "′</a>" in shown(built, "sentiment/bert-base")
    assert "<a" not in shown(built, "bug_issue/fasttext")
    title = shown(built, "tone_bearing/tfidf-xgboost").split('title="')[1].split('"')[0]
    assert title.endswith("re-earned; ours 0.5881 (0.500 to 0.600), on partial rows: deviates")


def test_claims_are_shown_on_rerun_numbers(built: dict[str, bytes]) -> None:
    text = built["claims.html"].decode()
    first = text.split('id="C001"')[1].split("</tr>")[0]
    assert "3 re-earned, 1 printed" in first
    rerun, strict = first.split("With rerun values:")[1].split("With strict values:")
    assert "holds" in rerun
    assert "The same." not in rerun  # what does not change is not said twice
    assert "fails" in strict
    assert "Not &lt;any&gt; more." in strict
    second = text.split('id="C002"')[1].split("</tr>")[0]
    assert "compares printed numbers" in second
    assert "With rerun" not in second
    assert "rerun" not in text.split('id="C003"')[1].split("</tr>")[0]
