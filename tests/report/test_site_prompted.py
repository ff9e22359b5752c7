"""Runs of prompted systems on the site: no score without its invalid replies beside it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from selu.report.site import build_site

from .conftest import made_home


def part(value: float, invalid: int, **reasons: int) -> dict[str, Any]:
    counted = {
        "count": invalid,
        "rows": 200,
        "share": invalid / 200,
        "low": 0.01,
        "high": 0.2,
        "reasons": reasons,
    }
    return {"state": "present", "value": value, "low": value - 0.1, "high": value + 0.1, "invalid": counted}


def cell(task: str, system: str = "gpt-4o-3-shot", **fields: Any) -> dict[str, Any]:
    return {
        "task": task,
        "system": system,
        "name": "GPT-4o (3-shot)",
        "standing": "equal",
        "state": "present",
        "reason": None,
        "printed": "0.588",
        "strict": None,
        "paper": None,
    } | fields


MISSING = {"state": "missing"}
FAILED = {"state": "failed", "error": "none <holds> a number."}
CELLS = [
    cell("sentiment", strict=part(0.7123, 23, refusal=3, empty=20), paper=part(0.5, 23, refusal=3, empty=20)),
    cell("smell_doc", strict=part(0.4, 0), paper=part(0.4, 0), wording="authors"),
    cell("tone_bearing", standing="partial", strict=part(0.6, 1, empty=1), paper=MISSING,
         state="partly", reason="paper-s42 missing"),
    cell("story_points", strict=FAILED, paper=FAILED, state="failed", reason="none <holds> a number."),
    cell("incivility", strict=MISSING, paper=MISSING, state="missing", reason="no key"),
    cell("bug_issue", state="no data", standing="synthetic", reason="no data set"),
    cell("se_entities", state="absent by design", standing=None, reason="not asked"),
]  # fmt: skip


@pytest.fixture(scope="module")
def section(records: Any) -> str:
    text = build_site([made_home(*copy.deepcopy(records), {}, prompted=CELLS)])["cells.html"].decode()
    return text.split('<section aria-labelledby="prompted">')[1].split("</section>")[0]


def row(section: str, task: str) -> str:
    return section.split(f'id="prompted-{task}/gpt-4o-3-shot"')[1].split("</tr>")[0]


def test_rate_and_count_of_invalid_replies_stand_beside_the_scores(section: str) -> None:
    found = row(section, "sentiment")
    assert "23 of 200 (11.5 %)" in found
    assert "empty 20, refusal 3" in found
    assert found.index("23 of 200") < found.index("0.7123") < found.index("0.5000") < found.index("0.588")
    assert "0.612 to 0.812" in found
    assert "0 of 200 (0.0 %)" in row(section, "smell_doc")
    head = section.split("<thead>")[1].split("</thead>")[0]
    assert head.index("Invalid replies") < head.index("Validation-selected") < head.index("Authors' procedure")


def test_a_cell_in_the_authors_words_says_so(section: str) -> None:
    assert "in the authors’ words" in row(section, "smell_doc")
    assert "in the authors’ words" not in row(section, "sentiment")
    assert "in our own words unless noted." in section


def test_a_cell_with_one_protocol_shows_that_and_says_what_lacks(section: str) -> None:
    found = row(section, "tone_bearing")
    assert "1 of 200 (0.5 %)" in found
    assert "(part of the data)" in found
    assert "0.6000" in found
    assert found.count("–</td>") == 2  # score and interval of the other
    assert "<b>1 score partly</b>: paper-s42 missing." in section


def test_cells_without_a_run_are_named_with_their_reason(section: str) -> None:
    assert section.count("<tr id=") == 3
    assert "<b>1 score failed</b>: none &lt;holds&gt; a number." in section
    assert "<b>1 score missing</b>: no key." in section
    assert "<b>1 score no data</b>: no data set." in section
    assert "not asked" not in section  # those stand in the page's own list
