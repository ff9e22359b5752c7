from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from alterations import Alter, columns, symmetric
from claim_tests import ClaimTests, claims_of

from selu.benchmarks.selu.claims import uncertainty
from selu.benchmarks.selu.claims._large_group import large_group
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def ladder(m: Material) -> Material:
    """Each model of the large group beats the next on every task by far more than the tasks differ."""
    group = large_group(m)
    return columns(m, {name: 0.95 - 0.03 * i + 0.001 * symmetric(m) for i, name in enumerate(group)})


def tasks_equally_hard(m: Material) -> Material:
    level = m.ranked.sub(m.ranked.mean(axis=1), axis=0) + 0.5
    return columns(m, {str(name): level[name].to_numpy() for name in level.columns})


def small_steps_decide(m: Material) -> Material:
    """GPT-2 xl is ahead by .010 on 13 (14) tasks, behind on the rest: only a rope of 0.1 d sees that."""
    best = m.ranked["gpt2-xl"].to_numpy()
    tasks = np.arange(len(best))
    return columns(
        m,
        {
            "t5-large": best - np.where(tasks < 13, 0.01, -0.01),
            "modernbert-large": best - np.where(tasks < 14, 0.01, -0.01),
        },
    )


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C048": (ladder, Verdict.FAILS),
    "C049": (ladder, Verdict.FAILS),
    "C050": (tasks_equally_hard, Verdict.FAILS),
    "C051": (small_steps_decide, Verdict.HOLDS),
}
CLAIMS = claims_of(uncertainty)


class TestUncertainty(ClaimTests):
    module, flips = uncertainty, FLIPS


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
