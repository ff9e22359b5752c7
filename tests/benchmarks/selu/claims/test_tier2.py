from __future__ import annotations

from alterations import Alter, scaled, xgboost_dominates
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import tier2
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def bert_large_falls(m: Material) -> Material:
    return m.with_scores({("tone_bearing", "bert-large"): 0.6})


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C056": (scaled("roberta-large", 0.5), Verdict.HOLDS),
    "C057": (bert_large_falls, Verdict.HOLDS),
    "C058": (scaled("starcoder2-7b", 0.5), Verdict.HOLDS),
    "C059": (xgboost_dominates, Verdict.FAILS),
}


class TestTier2(ClaimTests):
    module, flips = tier2, FLIPS
