from __future__ import annotations

import numpy as np
from alterations import Alter, columns, printed, symmetric
from claim_tests import ClaimTests, claims_of
from redrawn import Draw, number, sometimes, together, with_places

from selu.benchmarks import catalogue
from selu.benchmarks.printed import ABSENT
from selu.benchmarks.selu.claims import sample
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Kind, Verdict


def clear_ladder(m: Material) -> Material:
    """Every system beats the next by the same amount on every task."""
    return m.with_scores(
        {
            (task, name): round(0.2 + 0.01 * i + 0.02 * j, 3)
            for i, task in enumerate(m.ranked.index)
            for j, name in enumerate(m.ranked.columns)
        }
    )


def story_points_leave(m: Material) -> Material:
    """The regression task becomes one that only some systems can do."""
    m = m.with_task("story_points", kind=Kind.ENTITIES)
    for system in m.systems:
        if system.absence(m.task("story_points")):
            m = m.with_printed("table6", "story_points", system.name, ABSENT)
    return m


def token_tasks_join(m: Material) -> Material:
    """All systems do all 22 tasks."""
    for task in ("se_entities", "requirement_completion"):
        m = m.with_scores({(task, s.id): 0.5 for s in m.systems})
    return m


def one_wild_score(m: Material) -> Material:
    scores = 0.8 + 0.02 * symmetric(m)
    scores[0] = 0.0
    return columns(m, {"gpt2-small": scores})


def symmetric_scores(m: Material) -> Material:
    return columns(m, {name: 0.75 - 0.01 * i + 0.15 * symmetric(m) for i, name in enumerate(m.order)})


def medians_against_means(m: Material) -> Material:
    """The lower the mean, the higher the middle scores, though no system is far from normal."""
    middle = np.abs(symmetric(m)) < 0.3
    raised = np.where(middle, 1.0, -middle.sum() / (~middle).sum())
    return columns(
        m, {name: 0.6 - 0.001 * i + 0.3 * symmetric(m) + 0.0022 * i * raised for i, name in enumerate(m.order)}
    )


SAMPLE, OF_EACH = ("V-A", "Tasks that are compared"), ("IV-D", "Scores of each model (n)")
PLACES = [
    ("table6", task.id, system.name) for task in catalogue.tasks("selu") for system in catalogue.systems("selu")
]
RANKED, OTHER = PLACES[: -2 * 28], PLACES[-2 * 28 :]


def some_tasks_lack(m: Material, rng: np.random.Generator) -> Material:
    """A few scores are missing, or those of the token tasks are there for all systems."""
    lost = rng.choice(len(RANKED), rng.integers(0, 3), replace=False)
    filled = OTHER[: 28 * int(rng.integers(0, 3))]
    m = with_places(m, dict.fromkeys((RANKED[i] for i in lost), ABSENT))
    return with_places(m, {place: f"{rng.random():.3f}" for place in filled})


def normal_or_not(m: Material, rng: np.random.Generator) -> Material:
    """Normal scores, bent by a random power."""
    normal = np.clip(rng.normal(0.6, 0.1, m.ranked.shape), 0.001, 0.999) ** np.exp(rng.normal(0, 0.7))
    return columns(m, dict(zip(m.ranked, normal.T, strict=True)))


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C034": (printed(("table6", "story_points", "FastText", ABSENT)), Verdict.FAILS),
    "C035": (printed(("text", *SAMPLE, "20")), Verdict.HOLDS),
    "C036": (one_wild_score, Verdict.FAILS),
    "C037": (symmetric_scores, Verdict.HOLDS),
    "C105": (clear_ladder, Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C034", story_points_leave, Verdict.FAILS),
    ("C035", token_tasks_join, Verdict.HOLDS),
    ("C037", medians_against_means, Verdict.FAILS),
    ("C037", one_wild_score, Verdict.FAILS),
)
DRAWS: dict[str, Draw] = {
    "C034": together(some_tasks_lack, sometimes(number(("text", *OF_EACH), 18, 22, 0))),
    "C035": together(some_tasks_lack, number(("text", *SAMPLE), 18, 22, 0)),
    "C036": normal_or_not,
}
CLAIMS = claims_of(sample)


class TestSample(ClaimTests):
    module, flips, others, draws = sample, FLIPS, OTHERS, DRAWS


def test_twice_the_tasks_settle_more(quick: Material) -> None:
    numbers = CLAIMS["C105"].check(quick).numbers
    assert numbers["settled_with_twice_the_tasks"] > numbers["settled"]
