from __future__ import annotations

import numpy as np
from alterations import Alter, printed, without
from claim_tests import ClaimTests
from draws import scores
from redrawn import Draw, number, numbers, with_places

from selu.benchmarks.selu.claims import metrics
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Verdict


def cells_inverted(m: Material) -> Material:
    return m.with_scores(
        {
            ("story_points", s): f"{1 - m.number('table6', 'story_points', m.system(s).name):.3f}"
            for s in m.order
        }
    )


def means_without_story_points(m: Material) -> Material:
    rest = m.ranked.drop("story_points").mean()
    names = ("gpt-4o-3-shot", "claude-3.7-3-shot")
    return printed(*(("table4", m.system(s).name, "M", f"{rest[s]:.3f}") for s in names))(m)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C023": (printed(("protocol", "weight of |a|+|b| in SMAPE", "paper", "1")), Verdict.HOLDS),
    "C024": (cells_inverted, Verdict.FAILS),
    "C025": (means_without_story_points, Verdict.FAILS),
    "C026": (printed(("table6", "story_points", "GPT-4o (3-shot)", "-0.3")), Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C023", without("protocol"), Verdict.NOT_CHECKABLE),
    ("C026", printed(("protocol", "weight of |a|+|b| in SMAPE", "paper", "1")), Verdict.HOLDS),
    ("C026", without("protocol"), Verdict.NOT_CHECKABLE),
)


WEIGHT = ("protocol", "weight of |a|+|b| in SMAPE", "paper")


def baselines(m: Material, rng: np.random.Generator) -> Material:
    """Random scores, with a SMAPE of each baseline that its cell follows from, upside down, or not at all."""
    m = scores(m, rng)
    for name in m.names(approach=Approach.BASELINE):
        cell = m.number("table6", "story_points", m.system(name).name)
        smape = rng.choice([1 - cell, 1 - cell, 1 - cell, cell, rng.uniform(0, 1)])
        m = m.with_printed("package_baselines", f"story_points/{name}", "smape", f"{smape:.3f}")
    return m


def three_shot(m: Material, rng: np.random.Generator) -> Material:
    """Random scores but for the two cells, and means over all tasks, or without story_points."""
    cells = {
        name: m.number("table6", "story_points", name) for name in ("GPT-4o (3-shot)", "Claude 3.7 (3-shot)")
    }
    m = scores(m, rng)
    for name, cell in cells.items():
        drawn = cell if rng.random() < 0.8 else rng.uniform(0, 0.1)
        m = m.with_printed("table6", "story_points", name, f"{drawn:.3f}")
    means = m.ranked if rng.random() < 0.5 else m.ranked.drop("story_points")
    names = {s.name: s.id for s in m.systems}
    return with_places(m, {("table4", name, "M"): f"{means[names[name]].mean():.3f}" for name in cells})


def range_of_scores(m: Material, rng: np.random.Generator) -> Material:
    """Scores of one task that may leave the range, and another equation."""
    task, low = str(rng.choice(m.ranked.index)), rng.choice([0.0, -0.2])
    m = numbers([("table6", task, s.name) for s in m.systems], low, 1.0)(m, rng)
    return number(WEIGHT, 0.5, 1.5, 2)(m, rng)


DRAWS: dict[str, Draw] = {
    "C023": number(WEIGHT, 0.3, 3.0, 2),
    "C024": baselines,
    "C025": three_shot,
    "C026": range_of_scores,
}


class TestMetrics(ClaimTests):
    module, flips, others, draws = metrics, FLIPS, OTHERS, DRAWS
