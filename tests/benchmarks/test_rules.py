from __future__ import annotations

from selu.benchmarks.claims import claim, claims_record, finding
from selu.benchmarks.rules import page
from selu.vocabulary import Change


@claim(
    "C900",
    "III",
    "Two are two.",
    weight="detail",
    quote="both of the two are two",
    holds="both are 2",
    fails="one is not 2",
    thresholds={"2": "section III"},
    changes=(Change("2026-11-23", "It could not fail.", "holds with caveat: Two are one."),),
)
def counted(_: object) -> object:
    return finding(True, "Both are 2.", both=2)


def test_a_reader_finds_the_quotation_the_rule_its_sources_and_the_sentence_before_and_after():
    text = page({"Paper": claims_record(None, [counted])})
    for line in (
        "**C900**, 2026-11-23. It could not fail.",
        "### C900 (III): detail, stated",
        "> both of the two are two",
        "- Before: holds with a caveat: Two are one.",
        "- Now: holds: Two are two. Both are 2.",
        "- Holds: both are 2",
        "- Fails: one is not 2",
        '- Where "2" is from: section III',
    ):
        assert line in text.splitlines()
    assert "- Holds with a caveat:" not in text
