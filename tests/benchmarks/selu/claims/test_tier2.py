from __future__ import annotations

from alterations import Alter, printed, scaled, xgboost_dominates
from claim_tests import ClaimTests
from redrawn import Draw
from tier_draws import leaking, tiers

from selu.benchmarks.selu.claims import tier2
from selu.vocabulary import Verdict

FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C056": (scaled("roberta-large", 0.5), Verdict.HOLDS),
    "C057": (printed(("table4", "BERT large", "M", "0.624")), Verdict.HOLDS),
    "C058": (scaled("starcoder2-7b", 0.5), Verdict.HOLDS),
    "C059": (xgboost_dominates, Verdict.FAILS),
    "C140": (
        printed(
            *(("table4", name, "M", "0.700") for name in ("T5 base", "BERT base", "T5 3B", "CodeLlama 7B"))
        ),
        Verdict.FAILS,
    ),
}
DRAWS: dict[str, Draw] = dict.fromkeys(("C056", "C057", "C058", "C059"), tiers) | {"C140": leaking}


class TestTier2(ClaimTests):
    module, flips, draws = tier2, FLIPS, DRAWS
