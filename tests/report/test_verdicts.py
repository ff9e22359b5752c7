"""The one headline of a paper: the same sentence in README, on the command line and on the site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from selu.app import documents, status
from selu.evidence.tracked import tracked_claims
from selu.report.verdicts import headline


def _claims(*verdicts: str, kinds: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Conclusions of these verdicts; the first ones with these kinds of caveat."""
    found: list[dict[str, Any]] = [{"verdict": verdict, "weight": "conclusion"} for verdict in verdicts]
    for claim, kind in zip(found, kinds, strict=False):
        claim["caveat_kind"] = kind
    return found


def test_caveats_are_counted_by_kind_where_kinds_are_recorded() -> None:
    verdicts = [*["holds with caveat"] * 3, "holds", "fails", "fails", "not checkable"]
    rest = "2 fail; 1 can't be checked."
    assert headline(_claims(*verdicts)) == f"4 of 7 conclusions hold, 3 of them with a caveat; {rest}"
    kinds = ("rounding", "exceptions", "exceptions")
    assert (
        headline(_claims(*verdicts, kinds=kinds))
        == f"4 of 7 conclusions hold, 3 of them with a caveat (2 exceptions, 1 rounding); {rest}"
    )
    sentence = headline(_claims(*verdicts, kinds=("exceptions", "rounding", "rounding")))
    assert "(2 rounding, 1 exception)" in sentence
    some = headline(_claims(*verdicts, kinds=kinds[:1]))
    assert "3 of them with a caveat (1 rounding, 2 of no recorded kind)" in some


def test_none_and_one_are_said_as_people_say_them_and_details_are_left_out() -> None:
    assert headline(_claims("fails", "fails")) == "None of 2 conclusions hold; 2 fail."
    assert headline([*_claims("holds", "fails"), {"verdict": "fails", "weight": "detail"}]) == (
        "1 of 2 conclusions holds; 1 fails."
    )
    assert headline([{"verdict": "not checkable"}]) == "None of 1 claim can be checked."


def test_readme_and_the_bare_command_have_the_headline(root: Path) -> None:
    message = headline(tracked_claims(root, "selu"))
    assert message in " ".join(" ".join(status.lines(root)).split())
    assert message in documents.block(root, "benchmarks")
