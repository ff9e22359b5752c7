from __future__ import annotations

from alterations import Alter, columns, raised
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import tier1
from selu.benchmarks.selu.claims._tiers import named_tiers
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def tier_1_dominates(m: Material) -> Material:
    first, *rest = named_tiers(m)
    return raised(m, first, [name for names in rest for name in names])


def gpt2_xl_dominates(m: Material) -> Material:
    return raised(m, ["gpt2-xl"], [name for name in m.order if name != "gpt2-xl"])


def t5_base_and_t5_3b_swapped(m: Material) -> Material:
    return columns(m, {"t5-base": m.ranked["t5-3b"].to_numpy(), "t5-3b": m.ranked["t5-base"].to_numpy()})


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C052": (tier_1_dominates, Verdict.HOLDS),
    "C053": (tier_1_dominates, Verdict.HOLDS),
    "C054": (gpt2_xl_dominates, Verdict.HOLDS),
    "C055": (t5_base_and_t5_3b_swapped, Verdict.CAVEAT),
    "C119": (tier_1_dominates, Verdict.FAILS),
}


class TestTier1(ClaimTests):
    module, flips = tier1, FLIPS
