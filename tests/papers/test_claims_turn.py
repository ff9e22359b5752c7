"""What every claim has to pass: its flip, further ones, parts of its rule, and random evidence."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from tests.papers.redrawn import changed, drawn, elsewhere, unsaid, verdicts

from selu import registry
from selu.files import to_json
from selu.papers.claims import claims_record
from selu.sources.published import read_all
from selu.vocabulary import Verdict

ROOT = Path(__file__).parents[2]
PAPERS = {
    name: import_module(f"tests.papers.{name}.flips")
    for name in ("blanca", "crosscodebench", "faun_eval", "nlbse24")
}
CLAIMS = {claim.id: (name, claim) for name in PAPERS for claim in registry.claims(name)}
FLIPS = {id: flip for paper in PAPERS.values() for id, flip in paper.FLIPS.items()}
CAVEATS = {id: flip for paper in PAPERS.values() for id, flip in getattr(paper, "CAVEATS", {}).items()}
PARTS = [part for paper in PAPERS.values() for part in getattr(paper, "PARTS", ())]
DRAWN = [id for id, (name, _) in CLAIMS.items() if hasattr(PAPERS[name], "DRAWS")]
# SELU's take its own number of draws, and stand in a module of their own.
EACH = pytest.mark.parametrize("name", [name for name in registry.published() if name != "selu"])


@cache
def paper_of(id):
    return load(CLAIMS[id][0])


@cache
def load(name):
    return registry.load(ROOT, name)


def check(id, change=()):
    return CLAIMS[id][1].check(changed(paper_of(id), change))


@EACH
def test_each_finding_is_the_tracked_one(name):
    tracked = json.loads((ROOT / "reports" / name / "claims.json").read_text("utf-8"))
    assert json.loads(to_json(claims_record(load(name), registry.claims(name)))) == tracked


@EACH
def test_each_rule_and_finding_is_said_in_full(name):
    """Also on print alone, where a claim that is open names what would decide it."""
    print_alone = registry.benchmark(name).material(
        ROOT / "none", read_all(ROOT / "data" / "paper" / name), True
    )
    place = rf"data/paper/{name}/\w+\.csv|reports/{name}/|'selu prepare --paper {name}'"
    for claim in registry.claims(name):
        assert unsaid(claim) == [] or name not in PAPERS, claim.id
        for found in (claim.check(load(name)), claim.check(print_alone)):
            assert found.numbers or name not in PAPERS, claim.id
            assert re.fullmatch(r"[^\n]+(?<!\.)\.", found.because), (claim.id, found.because)
            assert re.search(rf"\d|Table [IV]|{place}", found.because), claim.id
            assert found.verdict is not Verdict.CAVEAT or claim.rule.caveat, claim.id
        open_ = found.verdict is Verdict.NOT_CHECKABLE
        assert not open_ or re.search(place, found.because), (claim.id, found.because)


@pytest.mark.parametrize("name", PAPERS)
def test_each_claim_has_a_flip(name):
    assert sorted(PAPERS[name].FLIPS) == [claim.id for claim in registry.claims(name)]


@pytest.mark.parametrize("id", FLIPS)
def test_verdict_follows_the_evidence(hold, id):
    """What it says is kept: another sentence has to be meant."""
    change, expected = FLIPS[id]
    assert check(id).verdict != expected
    found = check(id, change)
    assert found.verdict == expected
    hold(id, [found.because])


@pytest.mark.parametrize("id", CAVEATS)
def test_a_caveat_follows_the_evidence(id):
    change, expected = CAVEATS[id]
    assert {check(id).verdict, expected} & {Verdict.CAVEAT}
    assert check(id, change).verdict == expected


@pytest.mark.parametrize(("id", "change", "expected"), PARTS)
def test_each_part_of_a_rule_decides_alone(id, change, expected):
    assert check(id, change).verdict == expected


@pytest.mark.parametrize("id", DRAWN)
def test_random_evidence_reaches_holds_and_fails(hold, id):
    """Numbers inside their possible range make each claim hold, and make it fail."""
    name, claim = CLAIMS[id]
    paper = paper_of(id)
    altered = [changed(paper, change) for of, change, _ in [(id, *FLIPS[id]), *PARTS] if of == id]
    draw = PAPERS[name].DRAWS.get(id) or elsewhere(paper, claim, altered)
    found = verdicts(claim, drawn(paper, claim, draw), 16)
    letters = {each[0] for each in found}
    assert "f" in letters
    assert letters & {"h", "c"}
    assert "c" not in letters or claim.rule.caveat
    hold(f"{id} at random", [" ".join(found)])
