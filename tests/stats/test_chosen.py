"""The ranking over chosen tasks: a user's own mean, win rate and posterior, the same in every language."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats

from selu.stats import chosen
from selu.stats.draws import gammas

ROPE = 0.1


@pytest.fixture(scope="module")
def draws(material):
    return gammas(len(material.tasks))


@pytest.fixture(scope="module")
def scores(material):
    table = material.scores
    return [[None if value != value else float(value) for value in table[name]] for name in table]


@pytest.fixture(scope="module")
def ranked(material):
    return [float(task.ranked) for task in material.tasks]


def test_draws_are_of_the_gamma_laws_and_independent(draws):
    assert stats.kstest(draws[0], "gamma", args=(0.5,)).pvalue > 0.01
    assert stats.kstest(draws[1:].ravel(), "expon").pvalue > 0.01
    off = np.corrcoef(draws)[np.triu_indices(len(draws), 1)]
    assert np.abs(off).max() < 4.5 / np.sqrt(draws.shape[1])
    beside = [np.corrcoef(row[:-1], row[1:])[0, 1] for row in draws]
    assert np.abs(beside).max() < 4.5 / np.sqrt(draws.shape[1])


def test_draws_are_the_same_everywhere():
    """Posteriors that somebody published would change with them, and differ from those of the site."""
    assert gammas(2, 3, 42).T.tolist() == [
        [1.060506044680514, 1.0789743652567267, 1.870380599051714],
        [0.004441491273108652, 0.5284209973178804, 2.6716010903473943],
        [0.2669349526787451, 0.1356841374654323, 1.0467175466474146],
    ]


def test_all_ranked_tasks_give_the_papers_order_and_means(material, scores, ranked, draws):
    found = chosen.ranking(scores, ranked, draws)
    assert [material.systems[place.system].id for place in found] == material.order
    assert [place.mean for place in found] == pytest.approx(material.means.tolist(), abs=1e-12)
    assert [place.sd for place in found] == pytest.approx(material.ranking["SD"].tolist(), abs=1e-12)
    assert all(0 < place.low < place.mean < place.high < 1 for place in found)


@pytest.mark.ci
def test_all_ranked_tasks_give_the_tracked_posterior_within_its_error(material, scores, ranked, draws):
    posterior, order = material.posterior, [material.names().index(name) for name in material.order]
    off = []
    for i, j in zip(*np.triu_indices(len(order), 1), strict=True):
        pair = chosen.against(scores[order[i]], scores[order[j]], ranked, ROPE, draws)
        assert pair.rope == pytest.approx(posterior.rope[i, j], abs=1e-12)
        for mine, known in zip(
            pair[:3], (posterior.better[i, j], posterior.equal[i, j], posterior.better[j, i]), strict=True
        ):
            likely = (known * posterior.draws + 1) / (posterior.draws + 2)  # 0 of 50,000 is not never
            variance = likely * (1 - likely) * (1 / draws.shape[1] + 1 / posterior.draws)
            off.append((mine - known) / np.sqrt(variance))
    assert np.abs(off).max() < 4.5
    assert np.std(off) < 1.1


def test_counting_by_prefix_sums_is_the_quadratic_form(draws):
    """A second way: all sums of two points, one by one."""
    rng = random.Random(3)
    for _ in range(20):
        a, b = ([rng.random() for _ in range(5)] for _ in "ab")
        weights = [rng.choice((1.0, 2.0, 0.5)) for _ in a]
        pair = chosen.against(a, b, weights, ROPE, some := draws[:6, :500])
        scaled = np.array([1.0, *(w * 5 / sum(weights) for w in weights)])
        mass, z = scaled[:, None] * some, np.array([0.0, *(np.array(a) - np.array(b))])
        sums, products = z[:, None] + z[None, :], mass[:, None] * mass[None, :]
        right, left = (
            np.where(side[:, :, None], products, 0).sum((0, 1))
            for side in (sums > 2 * pair.rope, sums < -2 * pair.rope)
        )
        winner = np.argmax([left, products.sum((0, 1)) - left - right, right], axis=0)
        assert pair[:3] == tuple(np.mean(winner == side) for side in (2, 1, 0))


def test_weights_count_by_their_proportion_and_0_is_absence(scores, ranked, draws):
    threefold = [3 * weight for weight in ranked]
    for place, same in zip(
        chosen.ranking(scores, ranked, draws), chosen.ranking(scores, threefold, draws), strict=True
    ):
        assert (place.rank, place.system) == (same.rank, same.system)
        assert place.mean == pytest.approx(same.mean, abs=1e-12)
    few = [float(task < 3) for task in range(len(ranked))]
    shorter = [row[:3] for row in scores]
    assert [p.mean for p in chosen.ranking(scores, few, draws)] == [
        p.mean for p in chosen.ranking(shorter, [1.0] * 3, draws[:4])
    ]
    heavy = chosen.ranking([[1.0, 0.0], [0.0, 1.0]], [3.0, 1.0], draws[:3])
    assert [(place.system, place.mean, place.win_rate) for place in heavy] == [(0, 0.75, 0.75), (1, 0.25, 0.25)]


def test_who_lacks_a_chosen_task_comes_last_and_says_which(draws):
    found = chosen.ranking([[0.9, None], [0.2, 0.3], [None, None]], [1, 1], draws[:3])
    assert [(place.system, place.missing) for place in found] == [(1, ()), (0, (1,))]
    assert (found[1].sd, found[1].low, found[1].win_rate) == (None, None, 1.0)


def test_no_posterior_where_there_is_nothing_to_test(draws):
    assert chosen.against([0.9, None], [0.2, 0.3], [1, 1], ROPE, draws[:3]) is None
    assert chosen.against([0.5, 0.5], [0.4, 0.4], [1, 1], ROPE, draws[:3]) is None


def test_a_choice_gives_the_same_numbers_everywhere():
    """What the site's engine gives, too: a browser that CI lacks compares both."""
    a, b = [0.91, 0.72, 0.655, 0.8, 0.431], [0.88, 0.75, 0.61, 0.79, 0.46]
    weights, draws = [1, 2, 0.5, 1, 1], gammas(5)
    first, second = chosen.ranking([a, b], weights, draws)
    assert (first.system, second.system) == (1, 0)
    assert (first.mean, first.sd) == pytest.approx((0.7154545454545455, 0.15509261429308766), abs=1e-12)
    assert (first.low, first.high) == pytest.approx((0.5813127661875664, 0.8059128917891633), abs=1e-12)
    assert (first.win_rate, second.win_rate) == pytest.approx((6 / 11, 5 / 11), abs=1e-12)
    pair = chosen.against(a, b, weights, 0.1, draws)
    assert pair == pytest.approx((0.07695, 0.74325, 0.1798, 0.01628885691213881, 5), abs=1e-12)


def test_equal_means_are_ordered_by_spread_and_rounding_makes_no_difference(draws):
    """(0.1 + 0.2) / 2 is not 0.15 in binary: such means are equal all the same."""
    found = chosen.ranking([[0.0, 0.4], [0.2, 0.2], [0.1, 0.3]], [1, 1], draws[:3])
    assert [place.system for place in found] == [1, 2, 0]
    binary = chosen.ranking([[0.1, 0.2], [0.15, 0.15]], [1, 1], draws[:3])
    assert [place.system for place in binary] == [1, 0]
    alike = chosen.ranking([[0.5, 0.7], [0.5, 0.7]], [1, 1], draws[:3])
    assert [(place.rank, place.system, place.win_rate) for place in alike] == [(1, 0, 0.5), (1, 1, 0.5)]


@pytest.mark.parametrize(
    ("masses", "says"),
    [
        ((1.0, 1.0, 1.0), (0, 0, 1)),  # all three alike: the first of worse, equal and better, as in baycomp
        ((1.0, 2.0, 1.75), (0, 0, 1)),  # worse as heavy as equal
        ((1.0, 1.75, 2.0), (0, 1, 0)),  # better as heavy as equal
        ((1.0, 1.75, 2.5), (1, 0, 0)),
    ],
)
def test_a_draw_of_equal_masses_goes_to_the_first_of_worse_equal_and_better(masses, says):
    """Of the prior, of a task that the second system wins by 0.5, and of one that the first wins by 0.5."""
    pair = chosen.against([0.25, 0.75], [0.75, 0.25], [1, 1], ROPE, np.array(masses)[:, None])
    assert pair is not None
    assert (pair.better, pair.equal, pair.worse) == says


def test_a_draw_in_which_worse_and_better_are_alike_counts_once():
    """As heavy as worse, and heavier than equal: counted for both, the three would add up to more than 1."""
    draws = np.array([0.5, 1.0, 2.0])[:, None]
    pair = chosen.against([0.0, 0.5], [0.75, 0.25], [1, 1], ROPE, draws)
    assert pair is not None
    assert (pair.better, pair.equal, pair.worse) == (0, 0, 1)


@pytest.mark.parametrize("masses", [(1.0, 1.0, 1.0, 0.01), (1.0, 0.01, 1.0, 1.0)], ids=["below", "above"])
def test_a_pair_of_tasks_on_the_edge_of_the_rope_is_equal(masses):
    """Differences of -1, 0 and 1 with a rope of 0.5, all of them exact in binary."""
    pair = chosen.against([0.0, 0.5, 1.0], [1.0, 0.5, 0.0], [1, 1, 1], 1.0, np.array(masses)[:, None])
    assert pair is not None
    assert (pair.rope, pair.better, pair.equal, pair.worse) == (0.5, 0, 1, 0)
