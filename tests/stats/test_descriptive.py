from __future__ import annotations

import autorank._util as oracle
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from selu.stats import effect, intervals, rounding
from selu.stats.compare import Posterior
from selu.stats.ranks import mean_ranks, spearman
from selu.stats.sensitivity import Variation, by_medians, under_rounding
from selu.stats.tiers import separated, tiers

SAMPLES = np.random.default_rng(11).normal(0.6, 0.15, (20, 5))


@pytest.mark.parametrize("level", [0.05, 0.05 / 28, 0.05 / 784])
def test_interval_is_autoranks(level):
    lower, upper = intervals.t_interval(SAMPLES, level)
    for column in range(SAMPLES.shape[1]):
        expected = oracle._confidence_interval(pd.Series(SAMPLES[:, column]), level)
        np.testing.assert_allclose((lower[column], upper[column]), expected, rtol=1e-12)


def test_levels_of_many_intervals_divide_by_their_number_and_autoranks_twice():
    assert intervals.bonferroni(0.05, 28) == pytest.approx(0.05 / 28)
    assert intervals.autorank_level(0.05, 28) == pytest.approx(0.05 / 28 / 28)


def test_effect_sizes_are_autoranks():
    a, b = SAMPLES[:, 0], SAMPLES[:, 1]
    assert effect.cohen_d(a, b) == pytest.approx(oracle._cohen_d(a, b), rel=1e-12)
    assert effect.pooled_sd(a, b) == pytest.approx(oracle._pooled_std(a, b), rel=1e-12)
    assert effect.pooled_mad(a, b) == pytest.approx(oracle._pooled_mad(a, b), rel=1e-4)
    assert np.isnan(effect.cohen_d(np.ones(3), np.ones(3)))  # without spread


@given(arrays(np.float64, st.integers(2, 60), elements=st.floats(-1e6, 1e6)))
def test_a_spread_is_numpys_to_the_bit(sample):
    """Claims and tables are tracked by their bytes."""
    several = np.stack([sample, sample[::-1]], axis=1)[:, 0]  # with a stride, as a column of a table
    assert effect.variance(several) == several.var(ddof=1)
    assert effect.variance(sample) == sample.var(ddof=1)


@given(st.floats(-3, 3))
def test_magnitude_is_autoranks(d):
    assert effect.magnitude(d) == oracle._effect_level(d)


@pytest.mark.parametrize(
    ("d", "name"), [(0.2, "small"), (0.5, "medium"), (-0.8, "large"), (0.19999, "negligible")]
)
def test_magnitude_at_its_cuts(d, name):
    assert effect.magnitude(d) == name


@pytest.mark.parametrize(
    ("value", "published", "same"),
    [
        (0.7545, "0.755", True),  # half goes up, as a person rounds
        (float(np.nextafter(0.7545, 0)), "0.755", True),  # the same half after a float sum
        (0.75449, "0.755", False),
        (0.11, "0.11", True),
        (0.114, "0.11", True),
        (0.116, "0.11", False),
        (-0.0001, "0.000", True),
    ],
)
def test_agrees_with_the_published_digits(value, published, same):
    assert rounding.agrees(value, published) is same
    assert rounding.to_digits(-0.0004) == "0.000"  # never a negative zero


@given(arrays(np.float64, 8, elements=st.floats(0.1, 0.9)), st.integers(0, 2**32 - 1))
def test_reachable_contains_what_rounding_did(values, seed):
    """Any unrounded input that prints the same has its mean and SD inside the reachable range."""
    if np.std(values) < 0.01:
        return
    moved = values + np.random.default_rng(seed).uniform(-0.0005, 0.0005, values.shape)
    for statistic in (np.mean, lambda x: float(np.std(x, ddof=1))):
        low, high = rounding.reachable(statistic, values, 0.0005)
        assert low - 1e-6 <= statistic(moved) <= high + 1e-6


def test_an_input_that_is_not_rounded_does_not_move():
    values, widths = np.array([0.1, 0.4, 0.7]), np.array([0.0, 0.0005, 0.0])
    low, high = rounding.reachable(lambda x: float(np.mean(x)), values, widths)
    assert (low, high) == pytest.approx((0.4 - 0.0005 / 3, 0.4 + 0.0005 / 3))
    assert rounding.reachable(lambda x: float(np.mean(x)), values, 0 * widths) == pytest.approx((0.4, 0.4))


@given(arrays(np.int64, (3, 6), elements=st.integers(0, 4)))
def test_mean_ranks_are_scipys(values):
    np.testing.assert_array_equal(mean_ranks(values), stats.rankdata(values, axis=1))
    np.testing.assert_array_equal(mean_ranks(values[0]), stats.rankdata(values[0]))


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(0, 1)), min_size=3, max_size=30))
def test_spearman_is_scipys(pairs):
    x, y = np.array(pairs).T
    if np.ptp(x) and np.ptp(y):
        theirs = stats.spearmanr(x, y)
        assert spearman(x, y) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-6, abs=1e-6)


def test_tiers_start_where_the_leader_wins():
    b, i = "better", "inconclusive"
    decisions = np.array([["", i, b, b], [i, "", i, b], ["worse", i, "", i], ["worse", "worse", i, ""]])
    assert tiers(decisions) == [[0, 1], [2, 3]]
    assert separated(decisions, [0, 1], [2, 3]) == (3, 4)


def test_decisions_need_the_threshold_and_changes_of_them_are_found():
    better = np.array([[np.nan, 0.95, 0.0], [0.0, np.nan, 0.5], [0.04, 0.3, np.nan]])
    equal = 1 - better - better.T
    base = Posterior(better, equal, np.ones((3, 3)), 100, 1)
    assert base.decisions().tolist() == [
        ["", "better", "equal"], ["worse", "", "inconclusive"], ["equal", "inconclusive", ""],
    ]  # fmt: skip
    assert Variation("same", base, [0, 1, 2]).changed_decisions(base) == []
    other = Posterior(better.T.copy(), equal, np.ones((3, 3)), 100, 1)
    assert Variation("turned", other, [0, 1, 2]).changed_decisions(base) == [(0, 1)]
    np.testing.assert_allclose(base.error_better, np.sqrt(better * (1 - better) / 100))


def test_rounding_noise_stays_inside_half_a_digit_and_repeats():
    scores = SAMPLES[:, :2]
    first = under_rounding(scores, 0.0005, 2, draws=200, seed=1)
    second = under_rounding(scores, 0.0005, 2, draws=200, seed=1)
    np.testing.assert_array_equal(first[0].posterior.better, second[0].posterior.better)
    assert abs(first[0].posterior.rope[0, 1] - first[1].posterior.rope[0, 1]) < 0.0005


def test_rounding_noise_moves_equal_scores_apart_and_one_system_no_more_often_than_another():
    firsts = [run.order[0] for run in under_rounding(np.full((9, 2), 0.5), 0.05, 200, draws=50, seed=1)]
    assert 70 < firsts.count(0) < 130  # 100 of 200 with a standard deviation of 7


def test_medians_rank_systems_and_not_what_one_task_does_to_a_mean():
    scores = np.array([0.5, 0.6, 0.55]) + np.random.default_rng(1).uniform(0.04, 0.045, (9, 3))
    scores[:2, 1] = 0.0  # the second is the best on 7 of 9 tasks, and the last by its mean
    assert list(np.argsort(-scores.mean(axis=0))) == [2, 0, 1]
    assert by_medians(scores, draws=200, seed=1).order == [1, 2, 0]
