"""``selu verify`` for people: the headline, counts and everything that fails; all where it is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from selu.app import findings
from selu.app.verify import Outcome
from selu.evidence.tracked import tracked_claims
from selu.report.verdicts import headline


def claims(verdicts: str, weights: str = "") -> list[dict[str, Any]]:
    """Claims by the first letters of verdicts (h, r, f) and weights (c, m, d)."""
    words = {"h": "holds", "r": "holds with caveat", "f": "fails"}
    weight_words = {"c": "conclusion", "m": "method", "d": "detail"}
    return [
        {
            "id": f"X{number:02}",
            "section": "1",
            "statement": f"Statement {number} is made of some words.",
            "because": f"Reason {number}.",
            "verdict": words[verdict],
            **({"weight": weight_words[weights[number]]} if weights else {}),
        }
        for number, verdict in enumerate(verdicts)
    ]


@pytest.mark.parametrize("benchmark", ["selu", "nlbse24", "blanca"])
@pytest.mark.parametrize("columns", ["80", "100"])
def test_the_summary_names_everything_that_fails_and_conclusions_whole(root, benchmark, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    outcome = Outcome(tracked_claims(root, benchmark), [], "of scores " * 25)
    lines = findings.summary(outcome)
    text = " ".join(" ".join(lines).split())
    failing = [claim for claim in outcome.claims if claim["verdict"] == "fails"]
    assert all(claim["id"] in text for claim in failing)
    broken = [claim for claim in failing if claim["weight"] == "conclusion"]
    assert all(" ".join(claim["statement"].split()) in text for claim in broken)
    assert text.startswith(headline(outcome.claims))
    assert max(map(len, lines)) <= int(columns)


def test_a_typo_never_stands_before_a_broken_conclusion():
    outcome = Outcome(claims("ffhrh", "dcccm"), [])
    text = "\n".join(findings.summary(outcome))
    assert "2 of 3 conclusions hold, 1 of them with a caveat; 1 fails." in text
    assert text.index("X01") < text.index("X00")
    (row,) = [line.split() for line in text.splitlines() if line.startswith("conclusion")]
    assert row == ["conclusion", "3", "1", "1", "1", "0"]


def test_without_weights_claims_are_counted():
    text = " ".join(findings.summary(Outcome(claims("fhr"), [])))
    assert "3 claims: 1 holds, 1 holds with a caveat, 1 fails. " in text


def test_all_has_every_verdict_with_its_reason_and_a_difference_is_counted():
    found = claims("f" * 40)
    text = "\n".join(findings.all_of(Outcome(found, ["X01: fails where 'holds' is tracked: Reason 1."])))
    assert all(claim["id"] in text and claim["because"] in text for claim in found)
    assert "1 differs from the tracked results" in text
    short = findings.summary(Outcome(found, []))
    assert sum(line.startswith("  X") for line in short) == 40
    assert "  The reasons: 'selu verify --all', or '--claim ID' for one." in short
    of_mine = findings.summary(Outcome(found, [], paper="mine"))
    assert "  The reasons: 'selu verify --all --paper mine', or '--claim ID' for one." in of_mine
