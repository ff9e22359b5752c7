from __future__ import annotations

from alterations import Alter, columns, raised
from claim_tests import ClaimTests, claims_of
from redrawn import Draw
from tier_draws import tiers, two_kinds

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


HARD_TO_BEAT = ("t5-large", "t5-base", "codellama-7b", "modernbert-large")  # by GPT-2 xl, as V-A says
DRAWS: dict[str, Draw] = dict.fromkeys(("C052", "C053", "C054", "C119"), tiers) | {
    "C055": two_kinds("gpt2-xl", HARD_TO_BEAT)
}
CLAIMS = claims_of(tier1)


class TestTier1(ClaimTests):
    module, flips, draws = tier1, FLIPS, DRAWS


def test_the_pair_that_the_counts_hang_on_is_named(material: Material) -> None:
    """Another seed would print 7 of 72, and a reader would take one of the numbers for wrong."""
    for claim in ("C053", "C119"):
        found = CLAIMS[claim].check(material)
        assert "8 of 72" in found.because or "Of 72 pairs the test decides 8" in found.because
        assert "Llama 3.2 3B over ModernBERT base (0.9501 ± 0.0010)" in found.because


def test_a_named_model_outside_tier_2_is_compared_all_the_same(quick: Material) -> None:
    fallen = quick.with_printed("table4", "CodeLlama 7B", "M", "0.600")
    assert set(CLAIMS["C055"].check(fallen).numbers["p"]) >= {"CodeLlama 7B", "T5 large"}
