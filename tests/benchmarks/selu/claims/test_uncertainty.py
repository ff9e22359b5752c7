from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from alterations import Alter, columns, symmetric
from claim_tests import ClaimTests, claims_of
from draws import scores
from redrawn import Draw, nearby, sometimes, together, with_places

from selu.benchmarks.selu.claims import uncertainty
from selu.benchmarks.selu.claims._large_group import large_group
from selu.benchmarks.selu.material import Material
from selu.stats.compare import Posterior
from selu.stats.rounding import as_printed
from selu.vocabulary import Verdict


def ladder(m: Material) -> Material:
    """Each model of the large group beats the next on every task by far more than the tasks differ."""
    group = large_group(m)
    return columns(m, {name: 0.95 - 0.03 * i + 0.001 * symmetric(m) for i, name in enumerate(group)})


def tasks_equally_hard(m: Material) -> Material:
    level = m.ranked.sub(m.ranked.mean(axis=1), axis=0) + 0.5
    return columns(m, {str(name): level[name].to_numpy() for name in level.columns})


def said(m: Material, result: Posterior) -> Material:
    """V-A's percentages as it would print them of this posterior."""
    places = uncertainty.percentages(m, result).items()
    return with_places(m, {("text", "V-A", name): as_printed(100 * p, 0) for name, p in places})


def under_one_of_the_thresholds(m: Material, rng: np.random.Generator) -> Material:
    """Random scores, and the percentages that a paper would print of them under one of the two thresholds."""
    m = scores(m, rng)
    return said(m, m.posterior_paper_rope if rng.random() < 0.5 else m.posterior)


def tasks_and_systems(m: Material, rng: np.random.Generator) -> Material:
    """Scores from leads of systems, difficulties of tasks that weigh unlike for each system, and noise."""
    n, tasks = len(m.order), len(m.ranked)
    level = rng.normal(0, rng.uniform(0, 0.3), tasks)
    lead = rng.normal(0, rng.uniform(0, 0.03), n)
    weight = rng.uniform(0.3, 1) + rng.random() * np.minimum(rng.exponential(rng.uniform(0, 0.3), n), 1)
    noise = rng.normal(0, 1, (n, tasks)) * rng.uniform(0, rng.uniform(0, 0.03), (n, 1))
    table = 0.5 + lead[:, None] + weight[:, None] * level + noise
    return columns(m, dict(zip(m.order, table, strict=True)))


PERCENTAGES = [
    ("text", "V-A", name) for name in (uncertainty.LEAST, uncertainty.HIGHEST, uncertainty.LEAST_OF_TIER3)
]
FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C048": (ladder, Verdict.FAILS),
    "C050": (tasks_equally_hard, Verdict.FAILS),
    "C051": (lambda m: said(m, m.posterior_paper_rope), Verdict.HOLDS),
}
DRAWS: dict[str, Draw] = {
    "C050": tasks_and_systems,
    "C051": together(under_one_of_the_thresholds, sometimes(nearby(PERCENTAGES, 20, 0, 100, 0))),
}
CLAIMS = claims_of(uncertainty)


class TestUncertainty(ClaimTests):
    module, flips, draws = uncertainty, FLIPS, DRAWS


def test_fewer_decided_means_more_mass_in_the_rope(quick: Material) -> None:
    wide = dataclasses.replace(quick, knobs=dataclasses.replace(quick.knobs, rope=0.2))
    mass = [CLAIMS["C048"].check(m).numbers["mean_mass"] for m in (quick, wide)]
    assert mass[0] < mass[1] <= 1


def test_rope_mass_is_the_average_over_draws() -> None:
    differences = np.array([-0.03, 0.01, 0.002, 0.05, -0.004])
    weights = np.random.default_rng(1).dirichlet([0.5, 1, 1, 1, 1, 1], 20_000)
    z = np.concatenate(([0.0], differences))
    inside = np.abs(z[:, None] + z[None, :]) <= 2 * 0.01
    drawn = np.einsum("di,ij,dj->d", weights, inside.astype(float), weights)
    assert uncertainty._rope_mass(differences, 0.01) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / 141)
