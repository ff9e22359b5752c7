from __future__ import annotations

from alterations import Alter, all_ranked
from claim_tests import ClaimTests
from draws import levels
from redrawn import Draw

from selu.benchmarks.selu.claims import conclusions
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Verdict


def llama_1b_swings(m: Material) -> Material:
    """The same high mean, from scores of 1 and .5 in turn."""
    return m.with_scores({(t, "llama3.2-1b"): 1.0 if i % 2 else 0.5 for i, t in enumerate(m.ranked.index)})


def everyone_swings(m: Material) -> Material:
    return m.with_scores(
        {
            (t, s): 1.0 if i % 2 else 0.4 + 0.001 * j
            for i, t in enumerate(m.ranked.index)
            for j, s in enumerate(m.names(approach=Approach.FINETUNED))
        }
    )


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C102": (llama_1b_swings, Verdict.FAILS),
    "C103": (all_ranked(0.6, "modernbert-base"), Verdict.FAILS),
    "C104": (all_ranked(1.0, "gpt2-xl"), Verdict.FAILS),
    "C124": (everyone_swings, Verdict.FAILS),
}
DRAWS: dict[str, Draw] = {"C102": levels, "C103": levels}


class TestConclusions(ClaimTests):
    module, flips, draws = conclusions, FLIPS, DRAWS
