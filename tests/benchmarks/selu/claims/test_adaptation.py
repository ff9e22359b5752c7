from __future__ import annotations

import pytest
from adapted_draws import adapted
from alterations import Alter, row
from claim_tests import ClaimTests, claims_of
from redrawn import Draw

from selu.benchmarks.selu.claims import adaptation
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Family, Kind, Verdict

FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C078": (row("Code-adjacent metadata", "Domain-adapted", 0.6), Verdict.FAILS),
    "C079": (row("Core non-code", "Domain-adapted", 0.9), Verdict.FAILS),
    "C080": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
    "C082": (row("Code-adjacent metadata", "Domain-adapted", 0.8), Verdict.FAILS),
}
BY_FAMILY = {
    Family.CODE_ADJACENT: (-0.02, 0.05),
    Family.CORE_NON_CODE: (-0.02, 0.05),
    Family.DEVELOPER_COMMUNICATION: (-0.05, 0.02),
}
TWO = {Kind.MULTI_LABEL: (-0.02, 0.15), Family.DEVELOPER_COMMUNICATION: (-0.15, 0.02)}
DRAWS: dict[str, Draw] = {
    "C078": adapted(BY_FAMILY, 0.02),
    "C079": adapted(TWO, 0.02),
    "C080": adapted(BY_FAMILY, 0.02),
    "C082": adapted(),
}
CLAIMS = claims_of(adaptation)


class TestAdaptation(ClaimTests):
    module, flips, draws = adaptation, FLIPS, DRAWS


def test_the_literal_reading_of_the_footnote_leaves_half(quick: Material) -> None:
    numbers = CLAIMS["C079"].check(quick).numbers
    assert numbers["all_cells"]["difference"] == pytest.approx(0.02434, abs=1e-5)
    assert numbers["without_multi_label_cells"]["difference"] == pytest.approx(0.01136, abs=5e-5)
    assert numbers["without_models"]["difference"] == pytest.approx(-0.00033, abs=5e-5)
