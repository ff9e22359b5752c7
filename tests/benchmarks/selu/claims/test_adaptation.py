from __future__ import annotations

import pytest
from alterations import Alter, row
from claim_tests import ClaimTests, claims_of

from selu.benchmarks.selu.claims import adaptation
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict

FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C078": (row("Code-adjacent metadata", "Domain-adapted", 0.6), Verdict.FAILS),
    "C079": (row("Core non-code", "Domain-adapted", 0.9), Verdict.FAILS),
    "C080": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
    "C082": (row("Code-adjacent metadata", "Domain-adapted", 0.8), Verdict.FAILS),
    "C085": (row("Multi-label classification", "Domain-adapted", 0.5), Verdict.FAILS),
    "C093": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
}
CLAIMS = claims_of(adaptation)


class TestAdaptation(ClaimTests):
    module, flips = adaptation, FLIPS


def test_the_literal_reading_of_the_footnote_leaves_half(quick: Material) -> None:
    numbers = CLAIMS["C079"].check(quick).numbers
    assert numbers["all_cells"]["difference"] == pytest.approx(0.02434, abs=1e-5)
    assert numbers["without_multi_label_cells"]["difference"] == pytest.approx(0.01136, abs=5e-5)
    assert numbers["without_models"]["difference"] == pytest.approx(-0.00033, abs=5e-5)
