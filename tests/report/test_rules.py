from __future__ import annotations

from dataclasses import replace

from selu.papers.claims import claim, claims_record, exceptions, finding, joined, rounding
from selu.report.rules import history, page
from selu.vocabulary import CaveatKind, Change


@claim(
    "C900",
    "III",
    "Two are two.",
    weight="detail",
    quote="both of the two are two",
    holds="both are 2",
    fails="one is not 2",
    thresholds={"2": "section III"},
)
def counted(_: object) -> object:
    return finding(True, "Both are 2.", both=2)


def test_a_reader_finds_the_claim_its_quotation_its_rule_and_the_sentence_before_and_after():
    change = Change("2026-11-23", "It could not fail.", "holds with caveat: Two are one.")
    changed = replace(counted, rule=replace(counted.rule, changes=(change,)))
    record = [{**claims_record(None, [changed])[0], "question": "How many are two?"}]
    text, changes = page({"Paper": record}), history({"Paper": record})
    for line in (
        "### How many are two?",
        "- **C900** holds: Two are two.",
        "<details><summary>C900 (III): detail, stated</summary>",
        "> both of the two are two",
        "- Holds: both are 2",
        "- Fails: one is not 2",
        '- Where "2" is from: section III',
    ):
        assert line in text.splitlines()
    assert "- Holds with a caveat:" not in text
    for line in (
        "**C900**, 2026-11-23. It could not fail.",
        "- Before: holds with a caveat: Two are one.",
        "- Now: holds: Two are two. Both are 2.",
    ):
        assert line in changes.splitlines()


def test_several_limits_are_one_caveat_of_the_kind_of_the_first():
    found = finding(True, "So it is.", caveat=joined([exceptions("One is not."), rounding("By .001.")]))
    assert found.because == "So it is. Caveat (exceptions): One is not. By .001."
    assert found.caveat_kind is CaveatKind.EXCEPTIONS
    assert joined([]) is None
