"""What every claim has to pass: its flip, further ones, parts of its rule, and random evidence."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path

import pytest
from tests.papers.redrawn import changed, drawn, elsewhere, places_read, unsaid, verdicts, write_tables

from selu import registry
from selu.app import verify
from selu.files import to_json
from selu.papers.claims import claims_record
from selu.sources.published import read_all
from selu.vocabulary import Verdict

ROOT = Path(__file__).parents[2]
PAPERS = {
    name: import_module(f"tests.papers.{name}.flips")
    for name in ("blanca", "crosscodebench", "faun_eval", "nlbse24", "selu")
}
SCORES = {name: import_module(f"tests.papers.{name}.flips") for name in ("coir", "nlbse25")}  # scores alone
CLAIMS = {claim.id: (name, claim) for name in PAPERS for claim in registry.claims(name)}
FLIPS = {id: flip for paper in PAPERS.values() for id, flip in paper.FLIPS.items()}
CAVEATS = {id: flip for paper in PAPERS.values() for id, flip in getattr(paper, "CAVEATS", {}).items()}
PARTS = [part for paper in PAPERS.values() for part in getattr(paper, "PARTS", ())]
DRAWN = [id for id, (name, _) in CLAIMS.items() if hasattr(PAPERS[name], "DRAWS")]
EACH = pytest.mark.parametrize("name", registry.published())


@cache
def load(name):
    """The paper with its tracked evidence; of SELU with few draws, and no score before rounding."""
    found = registry.load(ROOT, name)
    return replace(found, recounts=None, settings=quick(found)) if name == "selu" else found


def quick(paper):
    return replace(paper.settings, draws=5_000)


def paper_of(id):
    return load(CLAIMS[id][0])


@cache
def altered(id):
    """A claim's evidence as it is altered here, made once: by its flip, and by further ones."""
    changes = [FLIPS[id][0], *(change for claim_id, change, _ in PARTS if claim_id == id)]
    return [changed(paper_of(id), change) for change in changes]


def check(id, change=()):
    return CLAIMS[id][1].check(changed(paper_of(id), change))


@pytest.mark.ci
@EACH
def test_each_finding_is_the_tracked_one(name):
    tracked = json.loads((ROOT / "reports" / name / "claims.json").read_text("utf-8"))
    paper = registry.load(ROOT, name)
    assert json.loads(to_json(claims_record(paper, registry.claims(name)))) == tracked


@pytest.mark.ci
@EACH
def test_each_rule_and_finding_is_said_in_full(name):
    """Also on print alone, where a claim that is open names what would decide it."""
    root = ROOT if name == "selu" else ROOT / "none"  # the settings of its method lie there
    print_alone = registry.benchmark(name).material(root, read_all(ROOT / "data" / "paper" / name), True)
    place = rf"data/paper/{name}/\w+\.csv|reports/{name}/|'selu prepare --paper {name}'"
    for claim in registry.claims(name):
        assert unsaid(claim) == [] or name not in PAPERS, claim.id
        for found in (claim.check(load(name)), claim.check(print_alone)):
            assert found.numbers or name not in PAPERS, claim.id
            assert re.fullmatch(r"[^\n]+(?<!\.)\.", found.because), (claim.id, found.because)
            assert re.search(rf"\d|Table [IV]|{place}", found.because), claim.id
            assert found.verdict is not Verdict.CAVEAT or claim.rule.caveat, claim.id
        is_open = (
            found.verdict is Verdict.NOT_CHECKABLE and claim.id != "C120"
        )  # too few tasks: no file decides it
        assert not is_open or re.search(place, found.because), (claim.id, found.because)


@pytest.mark.parametrize("name", PAPERS)
def test_each_claim_has_a_flip(name):
    assert sorted(PAPERS[name].FLIPS) == [claim.id for claim in registry.claims(name)]


@pytest.mark.ci
@pytest.mark.parametrize("id", FLIPS)
def test_verdict_follows_the_evidence(hold, id):
    """What it says is kept: another sentence has to be meant."""
    found = [CLAIMS[id][1].check(paper) for paper in altered(id)]
    expected = [FLIPS[id][1], *(then for claim_id, _, then in PARTS if claim_id == id)]
    assert [each.verdict for each in found] == expected
    assert check(id).verdict not in (expected if CLAIMS[id][0] == "selu" else expected[:1])
    hold(id, [each.because for each in found])


@pytest.mark.ci
@pytest.mark.parametrize("id", [id for id in FLIPS if CLAIMS[id][0] in ("nlbse24", "selu")])
def test_a_reader_flips_it_by_what_if(tmp_path, monkeypatch, id):
    read = registry.load

    def loaded(root, name, what_if):
        paper = read(root, name, what_if)
        return replace(paper, settings=quick(paper)) if name == "selu" else paper

    folder = tmp_path / "altered"
    write_tables(altered(id)[0], paper_of(id), folder)
    monkeypatch.setattr(registry, "load", loaded)
    for name in ("check_store", "check_results"):
        monkeypatch.setattr(verify, name, lambda *_, **__: None)
    outcome = verify.verify(ROOT, id, folder, CLAIMS[id][0])
    assert outcome.claims[0]["verdict"] == FLIPS[id][1].value


@pytest.mark.parametrize("name", SCORES)
def test_each_claim_on_scores_alone_has_others_that_turn_it(name):
    assert list(SCORES[name].FLIPS) == [claim.id for claim in registry.claims(name)]


@pytest.mark.ci
@pytest.mark.parametrize(("name", "id"), [(name, id) for name, paper in SCORES.items() for id in paper.FLIPS])
def test_other_scores_turn_the_verdict(name, id):
    """Else a claim would hold whatever the paper says."""
    turned = SCORES[name].FLIPS[id](load(name))
    verdicts = [registry.claim(name, id).check(paper).verdict for paper in (load(name), turned)]
    assert verdicts.count(Verdict.FAILS) == 1


@pytest.mark.parametrize("id", CAVEATS)
def test_a_caveat_follows_the_evidence(id):
    change, expected = CAVEATS[id]
    assert {check(id).verdict, expected} & {Verdict.CAVEAT}
    assert check(id, change).verdict == expected


@pytest.mark.ci
@pytest.mark.parametrize("id", DRAWN)
def test_random_evidence_reaches_holds_and_fails(hold, id):
    """Numbers inside their possible range make each claim hold, and make it fail."""
    (name, claim), paper = CLAIMS[id], paper_of(id)
    draws = PAPERS[name].DRAWS
    first = getattr(PAPERS[name], "SHARED", None) if id not in draws else None
    reads = {table for table, _, _ in places_read(paper, claim)} if first else ()
    evidence = chain(
        first(paper) if "table6" in reads else (),
        drawn(paper, claim, draws.get(id) or elsewhere(paper, claim, altered(id))),
    )
    found = verdicts(claim, evidence, 8 if name == "selu" else 16)
    letters = {each[0] for each in found}
    assert "f" in letters
    assert letters & {"h", "c"}
    assert "c" not in letters or claim.rule.caveat
    hold(f"{id} at random", [" ".join(found)])
