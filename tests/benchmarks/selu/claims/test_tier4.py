from __future__ import annotations

from alterations import Alter, columns, raised, without
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import tier4
from selu.benchmarks.selu.claims._tiers import named_tiers
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def tier_4_fans_out(m: Material) -> Material:
    fourth = named_tiers(m)[3]
    return columns(m, {name: m.ranked[name].to_numpy() * (1 - 0.1 * i) for i, name in enumerate(fourth)})


def bert_large_is_trained(m: Material) -> Material:
    tasks = ("security_requirement", "review_aspect", "smell_doc")
    return m.with_scores({(task, "bert-large"): float(m.ranked["bert-base"][task]) for task in tasks})


def bert_large_fails_only_there(m: Material) -> Material:
    """Apart from the three cells that failed, BERT large scores as the base version does."""
    failed = ("security_requirement", "review_aspect", "smell_doc")
    rest = [task for task in m.ranked.index if task not in failed]
    return m.with_scores({(task, "bert-large"): float(m.ranked["bert-base"][task]) for task in rest})


def t5_small_leads(m: Material) -> Material:
    return raised(m, ["t5-small"], m.order)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C064": (tier_4_fans_out, Verdict.FAILS),
    "C065": (tier_4_fans_out, Verdict.FAILS),
    "C066": (bert_large_is_trained, Verdict.FAILS),
    "C118": (t5_small_leads, Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C066", without("package_baselines"), Verdict.NOT_CHECKABLE),
    ("C066", bert_large_fails_only_there, Verdict.HOLDS),
)


class TestTier4(ClaimTests):
    module, flips, others = tier4, FLIPS, OTHERS
