from __future__ import annotations

from alterations import Alter, columns, raised
from claim_tests import ClaimTests
from redrawn import Draw
from tier_draws import leaking, tiers

from selu.benchmarks.selu.claims import tier4
from selu.benchmarks.selu.claims._tiers import named_tiers
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def tier_4_fans_out(m: Material) -> Material:
    fourth = named_tiers(m)[3]
    return columns(m, {name: m.ranked[name].to_numpy() * (1 - 0.1 * i) for i, name in enumerate(fourth)})


def t5_small_leads(m: Material) -> Material:
    return raised(m, ["t5-small"], m.order)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C064": (tier_4_fans_out, Verdict.FAILS),
    "C065": (tier_4_fans_out, Verdict.FAILS),
    "C141": (t5_small_leads, Verdict.FAILS),
}
DRAWS: dict[str, Draw] = {"C064": tiers, "C065": tiers, "C141": leaking}


class TestTier4(ClaimTests):
    module, flips, draws = tier4, FLIPS, DRAWS
