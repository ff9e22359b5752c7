from __future__ import annotations

from alterations import Alter, all_ranked, fill
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import larger_models
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def small_versions_lead(m: Material) -> Material:
    return fill(m, m.ranked.index, ["t5-small", "gpt2-small"], 0.9)


def bert_base_falls(m: Material) -> Material:
    return fill(m, m.ranked.index, ["bert-base"], 0.4)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C073": (small_versions_lead, Verdict.FAILS),
    "C074": (bert_base_falls, Verdict.FAILS),
    "C098": (all_ranked(0.9, "codellama-7b", "starcoder2-7b"), Verdict.FAILS),
    "C099": (all_ranked(0.8, "t5-small"), Verdict.FAILS),
    "C142": (small_versions_lead, Verdict.FAILS),
}


class TestLargerModels(ClaimTests):
    module, flips = larger_models, FLIPS
