"""What claims compute by, against other ways to the same number."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import binomtest

from selu.papers.selu.claims._series import ARRANGEMENTS, dealt_anew, epsilon_squared
from selu.papers.selu.claims._systems import finetuned
from selu.papers.selu.claims.procedure import training
from selu.papers.selu.claims.ranking import uncertainty
from selu.papers.selu.claims.reasons.data_volume import SMALL_CORRELATION, rank_interval
from selu.papers.selu.claims.reasons.size_and_architecture import no_architecture_is_favoured
from selu.papers.selu.material import Material
from selu.stats.ranks import mean_ranks


def test_series_stay_together_when_architectures_are_dealt() -> None:
    """Models that were dealt one by one would make a difference of two series look like one of many models."""
    dealt = dealt_anew({"a": [1.0, 1.0, 1.0], "b": [2.0], "c": [2.0, 2.0]}, 1)
    assert dealt.shape == (ARRANGEMENTS, 6)
    assert (np.ptp(dealt[:, :3], axis=1) == 0).all()
    assert (np.ptp(dealt[:, 4:], axis=1) == 0).all()
    assert len(np.unique(dealt, axis=0)) == 3


def test_sizes_go_to_series_with_as_many_models() -> None:
    dealt = dealt_anew({"a": [1.0, 2.0], "b": [3.0, 4.0], "c": [9.0]}, 1)
    assert {tuple(row) for row in dealt} == {
        (*first, *second, 9.0)
        for pair in (((1.0, 2.0), (3.0, 4.0)), ((3.0, 4.0), (1.0, 2.0)))
        for first in permutations(pair[0])
        for second in permutations(pair[1])
    }


def test_random_arrangements_give_the_p_of_all_of_them(material: Material) -> None:
    """Ten series with an architecture each have 3,150 arrangements, which can be counted."""
    names = finetuned(material)
    series = list(dict.fromkeys(str(material.system(name).series) for name in names))
    architecture = {
        str(material.system(name).series): str(material.system(name).architecture) for name in names
    }
    kinds = sorted(set(architecture.values()))
    labels = np.array(sorted({*distinct([kinds.index(architecture[key]) for key in series])}), dtype=float)
    assert len(labels) == 3150
    place = [series.index(str(material.system(name).series)) for name in names]
    ranks = np.array([[-float(material.order.index(name))] for name in names])
    observed = epsilon_squared(np.array([[float(kinds.index(architecture[series[i]])) for i in place]]), ranks)
    exact = float((epsilon_squared(labels[:, place], ranks) >= observed - 1e-9).mean())
    assert no_architecture_is_favoured.check(material).numbers["p"] == pytest.approx(exact, abs=0.006)
    assert exact < 0.05


def distinct(labels: list[int]) -> list[tuple[int, ...]]:
    """Every order of these labels, each once."""
    if not labels:
        return [()]
    return [
        (label, *rest)
        for label in sorted(set(labels))
        for rest in distinct([*labels[: labels.index(label)], *labels[labels.index(label) + 1 :]])
    ]


def test_interval_of_a_share_against_scipy() -> None:

    for count, total in ((21, 30), (0, 5), (30, 30)):
        expected = binomtest(count, total).proportion_ci(method="wilson")
        assert training._wilson(count, total) == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_rope_mass_is_the_average_over_draws() -> None:
    differences = np.array([-0.03, 0.01, 0.002, 0.05, -0.004])
    weights = np.random.default_rng(1).dirichlet([0.5, 1, 1, 1, 1, 1], 20_000)
    z = np.concatenate(([0.0], differences))
    inside = np.abs(z[:, None] + z[None, :]) <= 2 * 0.01
    drawn = np.einsum("di,ij,dj->d", weights, inside.astype(float), weights)
    assert uncertainty._rope_mass(differences, 0.01) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / 141)


@pytest.mark.parametrize(("true", "holds", "fails"), [(0.0, 0.03, 0.06), (0.3, 1.0, 0.005)])
def test_twenty_tasks_seldom_give_a_wrong_verdict_on_the_volume(
    true: float, holds: float, fails: float
) -> None:
    """The rule before said fails in 20 % of draws at a true correlation of .3."""
    drawn = np.random.default_rng(2026).standard_normal((2, 20_000, 20))
    pair = drawn[0], true * drawn[0] + np.sqrt(1 - true**2) * drawn[1]
    ranks = [mean_ranks(values) - 10.5 for values in pair]
    rho = (ranks[0] * ranks[1]).sum(axis=1) / (ranks[0] ** 2).sum(axis=1)
    low, high = rank_interval(rho, 20, 0.05)
    assert np.mean(low > 0) < holds
    assert np.mean(high < SMALL_CORRELATION) < fails
