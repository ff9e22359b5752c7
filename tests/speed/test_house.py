"""What a change costs is measured: a maintainer sees at once which figure a change made worse."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def house(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "speed")
    yield __import__("house")
    sys.modules.pop("house")


@pytest.mark.ci
def test_a_change_of_a_shared_room_or_a_claim_stays_as_cheap_as_it_is(house):
    measured = {figure.name: figure for figure in house.figures()}
    for name in (
        "stages that depend on a shared room of src",
        "stages stale after a new claim of a paper, at most",
        "fields of a paper's record",
    ):
        assert measured[name].value <= measured[name].goal, name


@pytest.mark.ci
def test_signatures_get_no_looser(house):
    """What is left is of hashed programs, or comes from libraries that say no types."""
    measured = {figure.name: figure.value for figure in house.figures()}
    assert measured["functions with an untyped record in their signature"] <= 185
    assert measured["functions with Any in their signature"] <= 350
    assert measured["functions of more than 7 parameters"] <= 6


def test_signatures_are_counted_by_what_they_say(house, tmp_path):
    (tmp_path / "rooms.py").write_text(
        "def typed(a: int) -> str: ...\n"
        "def loose(record: Record) -> Any: ...\n"
        "class One:\n    def many(self, a, b, c, d, e, f, g, h): ...\n"
    )
    found = [*house._signatures([tmp_path / "rooms.py"])]
    assert [signature.parameters for signature in found] == [1, 1, 8]
    assert house._count(found, house._UNTYPED) == 1
