from __future__ import annotations

import numpy as np
from alterations import Alter, fill, printed, row
from claim_tests import ClaimTests
from redrawn import Draw, with_places

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


def more_data_matter_little(m: Material) -> Material:
    """Rank correlation of +.23: the three smallest tasks lead, then scores rise with size."""
    by_size = sorted(m.ranked.index, key=lambda task: m.task(task).instances)
    for place, task in enumerate([*by_size[3:], *by_size[:3]]):
        m = fill(m, [task], m.names(approach=Approach.FINETUNED), round(0.3 + 0.03 * place, 3))
    return m


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C087": (encoders_collapse, Verdict.FAILS),
    "C088": (row("Core non-code", None, 0.1), Verdict.FAILS),
    "C089": (only_the_model_matters, Verdict.FAILS),
    "C120": (more_data_scores_higher, Verdict.HOLDS),
    "C125": (only_the_model_matters, Verdict.FAILS),
}


def data_decide(m: Material) -> Material:
    """Tasks in Table I are as large as their scores are high."""
    by_score = m.ranked[m.names(approach=Approach.FINETUNED)].mean(axis=1).sort_values().index
    return printed(
        *(("table1", str(task), "Instances", f"{1000 * (place + 1):,}") for place, task in enumerate(by_score))
    )(m)


def fewer_data_score_higher(m: Material) -> Material:
    by_size = sorted(m.ranked.index, key=lambda task: -m.task(task).instances)
    for place, task in enumerate(by_size):
        m = fill(m, [task], m.names(approach=Approach.FINETUNED), round(0.3 + 0.03 * place, 3))
    return m


OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C120", data_decide, Verdict.HOLDS),
    ("C120", more_data_matter_little, Verdict.CAVEAT),
)


def sizes_and_scores(m: Material, rng: np.random.Generator) -> Material:
    """Sizes of tasks that follow their scores, or run against them, more or less."""
    means = m.ranked[m.names(approach=Approach.FINETUNED)].mean(axis=1)
    slope = rng.uniform(-3, 3)
    logs = 3.5 + slope * (means - means.mean()) + rng.normal(0, rng.uniform(0.05, 1), len(means))
    return with_places(
        m, {("table1", str(task), "Instances"): f"{10**value:,.0f}" for task, value in logs.clip(1, 6).items()}
    )


DRAWS: dict[str, Draw] = {"C120": sizes_and_scores}


class TestDrivers(ClaimTests):
    module, flips, others, draws = drivers, FLIPS, OTHERS, DRAWS


def test_fewer_data_with_higher_scores_refute_the_volume(quick: Material) -> None:
    """No correlation of twenty tasks could fail the claim before, not even the opposite of the sentence."""
    found = drivers.data_volume_is_a_factor.check(fewer_data_score_higher(quick))
    assert found.verdict is Verdict.FAILS
    assert found.numbers["interval"][1] < 0
