from __future__ import annotations

from itertools import combinations

import numpy as np
from alterations import Alter, columns
from claim_tests import ClaimTests
from redrawn import Draw, with_places

from selu.benchmarks.selu.claims import evidence
from selu.benchmarks.selu.claims._large_group import large_group
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def published(m: Material, factors: np.ndarray) -> Material:
    """A table of Bayes factors, one for each pair of the large group."""
    pairs = [[m.system(name).name for name in pair] for pair in combinations(large_group(m), 2)]
    places = {(evidence.FACTORS, *pair): f"{f:.3g}" for pair, f in zip(pairs, factors, strict=False)}
    return with_places(m, places)


def factors(*first: float) -> Alter:
    """All factors are 4 but for the first ones."""
    return lambda m: published(m, np.array([*first, *[4.0] * 200]))


def any_factors(m: Material, rng: np.random.Generator) -> Material:
    """Bayes factors of random sizes."""
    return published(m, np.exp(rng.normal(rng.uniform(-1, 3), rng.uniform(0, 2), 200)))


def steady_systems_in_steps(m: Material) -> Material:
    """The systems of lower deviation are far apart on every task, the others swing."""
    tasks = len(m.ranked)
    swing = np.where(np.arange(tasks) % 2, 0.3, -0.3)
    return columns(
        m,
        {
            name: 0.9 - 0.02 * i + 0.01 * np.linspace(-1, 1, tasks) if i < 14 else 0.5 + np.roll(swing, i)
            for i, name in enumerate(m.order)
        },
    )


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C049": (factors(), Verdict.HOLDS),
    "C139": (steady_systems_in_steps, Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C049", factors(*[20.0] * 5), Verdict.CAVEAT),
    ("C049", factors(120.0), Verdict.FAILS),
    ("C049", factors(*[20.0] * 100), Verdict.FAILS),
)
DRAWS: dict[str, Draw] = {"C049": any_factors}


class TestEvidence(ClaimTests):
    module, flips, others, draws = evidence, FLIPS, OTHERS, DRAWS
