from __future__ import annotations

from adapted_draws import adapted
from alterations import Alter, row
from claim_tests import ClaimTests
from redrawn import Draw

from selu.benchmarks.selu.claims import adaptation_effects
from selu.vocabulary import Family, Kind, Verdict

FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C085": (row("Multi-label classification", "Domain-adapted", 0.5), Verdict.FAILS),
    "C093": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
    "C143": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
}
TWO = {Kind.MULTI_LABEL: (-0.02, 0.15), Family.DEVELOPER_COMMUNICATION: (-0.15, 0.02)}
DRAWS: dict[str, Draw] = {"C085": adapted(), "C093": adapted(TWO, 0.02), "C143": adapted()}


class TestAdaptationEffects(ClaimTests):
    module, flips, draws = adaptation_effects, FLIPS, DRAWS
