from __future__ import annotations

from alterations import Alter, fill, row
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import drivers
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Verdict


def encoders_collapse(m: Material) -> Material:
    return fill(m, m.ranked.index, m.names(approach=Approach.FINETUNED, architecture="encoder-only"), 0.05)


def only_the_model_matters(m: Material) -> Material:
    systems = m.names(approach=Approach.FINETUNED)
    return m.with_scores(
        {(task, name): round(0.3 + 0.02 * i, 3) for task in m.ranked.index for i, name in enumerate(systems)}
    )


def more_data_scores_higher(m: Material) -> Material:
    by_size = sorted(m.ranked.index, key=lambda task: m.task(task).instances)
    for place, task in enumerate(by_size):
        m = fill(m, [task], m.names(approach=Approach.FINETUNED), round(0.3 + 0.03 * place, 3))
    return m


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C087": (encoders_collapse, Verdict.FAILS),
    "C088": (row("Core non-code", None, 0.1), Verdict.FAILS),
    "C089": (only_the_model_matters, Verdict.FAILS),
    "C120": (more_data_scores_higher, Verdict.HOLDS),
    "C125": (only_the_model_matters, Verdict.FAILS),
}


class TestDrivers(ClaimTests):
    module, flips = drivers, FLIPS
