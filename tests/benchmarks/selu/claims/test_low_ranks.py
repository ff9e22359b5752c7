from __future__ import annotations

import numpy as np
from alterations import Alter, raised, without
from claim_tests import ClaimTests
from draws import printed_table4
from redrawn import Draw
from tier_draws import smaller_is_lower

from selu.benchmarks.selu.claims import low_ranks
from selu.benchmarks.selu.claims._constant_answers import constant_answers
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict

VERSIONS = {"bert-large": "bert-base", "roberta-large": "roberta-base"}


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


def some_trainings_fail(m: Material, rng: np.random.Generator) -> Material:
    """The large versions score as the base ones do, give or take noise, apart from trainings that fail."""
    constant, scores = constant_answers(m), {}
    for large, base in VERSIONS.items():
        share, lag, noise = rng.uniform(0, 0.6), rng.uniform(0, 0.1), rng.uniform(0, 0.05)
        for task, score in m.ranked[base].items():
            failed = rng.random() < share and str(task) in constant
            value = constant[str(task)] * rng.uniform(0.5, 1) if failed else score - lag + rng.normal(0, noise)
            scores[str(task), large] = f"{min(max(value, 0.001), 0.999):.3f}"
    return printed_table4(m.with_scores(scores))


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C066": (bert_large_is_trained, Verdict.FAILS),
    "C118": (t5_small_leads, Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C066", without("package_baselines"), Verdict.NOT_CHECKABLE),
    ("C066", bert_large_fails_only_there, Verdict.HOLDS),
)
DRAWS: dict[str, Draw] = {"C066": some_trainings_fail, "C118": smaller_is_lower}


class TestLowRanks(ClaimTests):
    module, flips, others, draws = low_ranks, FLIPS, OTHERS, DRAWS
