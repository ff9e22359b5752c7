from __future__ import annotations

from alterations import Alter, all_ranked, xgboost_dominates
from claim_tests import ClaimTests
from draws import levels
from redrawn import Draw

from selu.benchmarks.selu.claims import best_systems
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Verdict


def everyone_else_halves(m: Material) -> Material:
    leading = m.names(series="GPT-2") + m.names(series="Llama 3.2")
    others = [name for name in m.names(approach=Approach.FINETUNED) if name not in leading]
    return m.with_scores(
        {(t, s): round(float(m.ranked.loc[t, s]) / 2, 3) for t in m.ranked.index for s in others}
    )


def starcoder_overtakes(m: Material) -> Material:
    return m.with_scores({("smell_doc", "starcoder2-3b"): 0.5})


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C038": (starcoder_overtakes, Verdict.FAILS),
    "C067": (xgboost_dominates, Verdict.FAILS),
    "C090": (all_ranked(0.9, "t5-large"), Verdict.FAILS),
    "C091": (everyone_else_halves, Verdict.FAILS),
    "C092": (all_ranked(0.5, "bert-base", "bert-large"), Verdict.FAILS),
}
DRAWS: dict[str, Draw] = {"C091": levels}


class TestBestSystems(ClaimTests):
    module, flips, draws = best_systems, FLIPS, DRAWS
