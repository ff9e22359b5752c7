"""The tests that every module of claims has to pass; its test module adds what flips each verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import pytest
from alterations import Alter
from draws import shared
from redrawn import Draw, drawn, reached, unsaid, verdict_by_what_if, write_tables

from selu.benchmarks.selu.material import Material
from selu.project import load_selu
from selu.vocabulary import Claim, Verdict


def claims_of(module: ModuleType) -> dict[str, Claim]:
    """The claims that a module declares, by id."""
    return {value.id: value for value in vars(module).values() if isinstance(value, Claim)}


class ClaimTests:
    """Subclassed once for each module of claims.

    ``flips`` has, for every claim, an alteration of what the paper prints and the verdict that it must lead to;
    ``others`` has further ones (of declared records, too), each of which changes the verdict, too. ``draws``
    has the random evidence of a claim that does not rest on Table VI alone.
    """

    module: ClassVar[ModuleType]
    flips: ClassVar[dict[str, tuple[Alter, Verdict]]]
    others: ClassVar[tuple[tuple[str, Alter, Verdict], ...]] = ()
    draws: ClassVar[dict[str, Draw]] = {}

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "alter" in metafunc.fixturenames:
            flips = [(id, *flip) for id, flip in self.flips.items()] + list(self.others)
            if "tmp_path" in metafunc.fixturenames:  # a reader alters tables alone
                flips = flips[: len(self.flips)]
            metafunc.parametrize(("id", "alter", "expected"), flips, ids=[flip[0] for flip in flips])
        elif "id" in metafunc.fixturenames:
            metafunc.parametrize("id", sorted(claims_of(self.module)))

    def test_every_claim_has_a_flip(self) -> None:
        assert set(self.flips) == set(claims_of(self.module))

    def test_verdict_follows_the_evidence(
        self, quick: Material, id: str, alter: Alter, expected: Verdict
    ) -> None:
        check = claims_of(self.module)[id].check
        assert check(alter(quick)).verdict == expected
        assert check(quick).verdict != expected

    def test_a_reader_flips_it_by_what_if(
        self,
        quick: Material,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        id: str,
        alter: Alter,
        expected: Verdict,
    ) -> None:
        def loaded(root: Path, _: str, what_if: Path) -> Material:
            return replace(load_selu(root, what_if), knobs=quick.knobs)

        folder = tmp_path / "altered"
        write_tables(alter(quick), quick, folder)
        claim = claims_of(self.module)[id]
        assert verdict_by_what_if(claim, folder, loaded, monkeypatch) == expected

    def test_random_evidence_reaches_holds_and_fails(self, quick: Material, id: str) -> None:
        claim = claims_of(self.module)[id]
        draw = self.draws.get(id)
        seen = reached(claim, drawn(quick, claim, draw) if draw else shared(quick))
        assert {Verdict.HOLDS, Verdict.FAILS} <= seen
        assert Verdict.CAVEAT not in seen or claim.rule.caveat

    def test_rule_is_said_with_the_source_of_each_number(self, id: str) -> None:
        assert unsaid(claims_of(self.module)[id]) == []

    def test_finding_is_a_sentence_with_numbers(self, quick: Material, id: str) -> None:
        found = claims_of(self.module)[id].check(quick)
        assert found.numbers
        assert json.loads(json.dumps(dict(found.numbers), allow_nan=False))
        assert found.because[0].isupper() or found.because[0].isdigit()
        assert found.because.endswith(".")
        assert "\n" not in found.because
        assert (
            any(letter.isdigit() for letter in found.because)
            or any(system.name in found.because for system in quick.systems)
            or found.verdict is Verdict.NOT_CHECKABLE
        )

    def test_equal_means_lead_to_a_finding_too(self, equal_means: Material, id: str) -> None:
        assert claims_of(self.module)[id].check(equal_means).because
