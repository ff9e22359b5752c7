from __future__ import annotations

from alterations import Alter, columns, raised, scaled
from claim_tests import ClaimTests
from redrawn import Draw
from tier_draws import tiers

from selu.benchmarks.selu.claims import tier3
from selu.benchmarks.selu.claims._tiers import named_tiers
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def copied(m: Material, source: str, name: str, by: float = 0.0) -> Material:
    return columns(m, {name: m.ranked[source].to_numpy() + by})


def tier_3_is_level(m: Material) -> Material:
    return copied(m, "tfidf-xgboost", "starcoder2-7b", 0.002)


def tier_3_dominates_tier_4(m: Material) -> Material:
    _, _, third, fourth = named_tiers(m)
    return raised(m, third, fourth)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C060": (tier_3_is_level, Verdict.HOLDS),
    "C061": (tier_3_dominates_tier_4, Verdict.HOLDS),
    "C062": (scaled("tfidf-xgboost", 0.9), Verdict.FAILS),
    "C063": (scaled("starcoder2-7b", 0.5), Verdict.FAILS),
}
DRAWS: dict[str, Draw] = dict.fromkeys(FLIPS, tiers)


class TestTier3(ClaimTests):
    module, flips, draws = tier3, FLIPS, DRAWS
