from __future__ import annotations

from alterations import Alter, all_ranked, xgboost_dominates
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import best_systems
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Verdict


def everyone_else_halves(m: Material) -> Material:
    leading = m.names(series="GPT-2") + m.names(series="Llama 3.2")
    others = [name for name in m.names(approach=Approach.FINETUNED) if name not in leading]
    return m.with_scores(
        {(t, s): round(float(m.ranked.loc[t, s]) / 2, 3) for t in m.ranked.index for s in others}
    )


def llama_1b_swings(m: Material) -> Material:
    """The same high mean, from scores of 1 and .5 in turn."""
    return m.with_scores({(t, "llama3.2-1b"): 1.0 if i % 2 else 0.5 for i, t in enumerate(m.ranked.index)})


def starcoder_overtakes(m: Material) -> Material:
    return m.with_scores({("smell_doc", "starcoder2-3b"): 0.5})


def everyone_swings(m: Material) -> Material:
    return m.with_scores(
        {
            (t, s): 1.0 if i % 2 else 0.4 + 0.001 * j
            for i, t in enumerate(m.ranked.index)
            for j, s in enumerate(m.names(approach=Approach.FINETUNED))
        }
    )


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C038": (starcoder_overtakes, Verdict.FAILS),
    "C067": (xgboost_dominates, Verdict.FAILS),
    "C090": (all_ranked(0.9, "t5-large"), Verdict.FAILS),
    "C091": (everyone_else_halves, Verdict.FAILS),
    "C092": (all_ranked(0.5, "bert-base", "bert-large"), Verdict.FAILS),
    "C102": (llama_1b_swings, Verdict.FAILS),
    "C103": (all_ranked(0.6, "modernbert-base"), Verdict.FAILS),
    "C104": (all_ranked(1.0, "gpt2-xl"), Verdict.FAILS),
    "C124": (everyone_swings, Verdict.FAILS),
}


class TestBestSystems(ClaimTests):
    module, flips = best_systems, FLIPS
