"""A system that is not in the paper on the site: in a table of its own, in no table of the paper."""

from __future__ import annotations

import copy
from typing import Any

from selu.report.site import build_site


def part(value: float | None, **run: Any) -> dict[str, Any]:
    bounds = {"low": None, "high": None} if value is None else {"low": value - 0.1, "high": value + 0.1}
    return {"value": value, **bounds, "runs": [{"name": "sentiment/minilm-l6/paper-s42"} | run]}


def cell(task: str, strict: float | None, paper: dict[str, Any], **fields: Any) -> dict[str, Any]:
    names = {
        "system": "minilm-l6",
        "name": "MiniLM-L6",
        "standing": "equal",
        "state": "present",
        "reason": None,
    }
    return {"task": task, **names, "strict": part(strict), "paper": paper} | fields


CELLS = [
    cell("sentiment", 0.7123, part(0.1, collapsed=True)),
    cell("tone_bearing", 0.8, part(None), standing="partial", state="partly", reason="1 of 6 runs: <none>"),
    cell("bug_issue", None, part(None), standing="synthetic", state="no data", reason="no data"),
]


def test_it_stands_apart(records: Any) -> None:
    plain = build_site(*copy.deepcopy(records), {})
    site = build_site(*copy.deepcopy(records), {}, extra=CELLS)
    assert {name for name in site if site[name] != plain[name]} == {"cells.html"}
    text = site["cells.html"].decode()
    section = text.split('id="extra"')[1].split("</section>")[0]
    row = section.split('id="extra-sentiment/minilm-l6"')[1].split("</tr>")[0]
    assert all(
        word in row for word in ("0.7123", "0.612 to 0.812", "0.1000", "one answer to everything: paper-s42")
    )
    assert "(partial rows)" in section.split('id="extra-tone_bearing/minilm-l6"')[1].split("</tr>")[0]
    assert "1 of 6 runs: &lt;none&gt;" in section
    assert 'id="extra-bug_issue/minilm-l6"' not in section
    assert "enters no rank, no average and no claim" in section
    assert (
        text.replace(text.split('<section aria-labelledby="extra">')[1].split("</section>")[0], "").count(
            "MiniLM"
        )
        == 0
    )


def test_without_any_nothing_is_said(records: Any) -> None:
    assert "Not in the paper" not in build_site(*copy.deepcopy(records), {})["cells.html"].decode()
