"""Evaluators against scipy, scikit-learn and brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import ndcg_score, roc_auc_score

from selu.metrics.percentiles import Resampling
from selu.papers.blanca.evaluators import baselines, correlation, ranking, resampling, separation
from selu.vocabulary import SeluError

DRAWS = Resampling(200, 7, 0.95)
# Whole numbers, so that ties are common.
QUESTION = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), min_size=2, max_size=6)
PAIRS = st.lists(st.tuples(st.booleans(), st.integers(0, 40)), min_size=6, max_size=60).filter(
    lambda pairs: 2 <= sum(related for related, _ in pairs) <= len(pairs) - 2 and len({d for _, d in pairs}) > 2
)
POINTS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=4, max_size=60).filter(
    lambda points: all(len({point[axis] for point in points}) > 1 for axis in (0, 1))
)


def columns(rows):
    first, second = zip(*rows, strict=True)
    return np.array(first, dtype=float), np.array(second, dtype=float)


# -- R ---------------------------------------------------------------------------------------------


@given(QUESTION)
def test_ranking_is_what_scikit_learn_and_all_orders_of_ties_give(question):
    votes, near = columns(question)
    found = ranking.rank(votes, near)
    if votes.any():
        assert found.ndcg == pytest.approx(ndcg_score([votes], [-near]))
    else:
        assert math.isnan(found.ndcg)
    ranks = []
    for order in itertools.permutations(range(len(votes))):
        if all(near[a] <= near[b] for a, b in itertools.pairwise(order)):
            ranks += [1 / (place + 1) for place, row in enumerate(order) if votes[row] == votes.max()]
    assert found.reciprocal_rank == pytest.approx(sum(ranks) / len(ranks))


@pytest.mark.ci
@given(QUESTION, st.randoms())
def test_the_order_in_which_answers_are_given_does_not_matter(question, random):
    mixed = random.sample(question, len(question))
    assert ranking.rank(*columns(mixed)) == pytest.approx(ranking.rank(*columns(question)), nan_ok=True)


def test_averages_carry_standard_errors_and_pass_over_questions_without_votes():
    found = ranking.evaluate([[3, 1, None], [0, 0, 0], [1, 5, 2]], [[0.1, 0.2, 0.3]] * 3)
    ranks = [1, (1 + 1 / 2 + 1 / 3) / 3, 1 / 2]
    assert found["mrr"] == pytest.approx(np.mean(ranks))
    assert found["mrr_se"] == pytest.approx(stats.sem(ranks))
    assert (found["questions"], found["skipped"]) == (3, 1)


def test_random_order_stands_beside_every_ranking_and_is_the_mean_over_all_orders():
    votes = [[4, 0, 2], [1, 1, 0, 7]]
    orders = [
        ranking.evaluate([question], [order])["mrr"]
        for question in votes
        for order in itertools.permutations(range(len(question)))
    ]
    expected = (sum(orders[:6]) / 6 + sum(orders[6:]) / 24) / 2
    found = ranking.evaluate(votes, [[0.3, 0.1, 0.2], [0.5, 0.6, 0.7, 0.1]])
    assert found["mrr_random"] == pytest.approx(expected)
    assert found["ndcg_random"] < found["ndcg"]


def test_lengths_of_texts_alone_are_a_distance():
    assert baselines.similar_length(["ab"], ["abcd"])[0] == pytest.approx(math.log(5 / 3))


@pytest.mark.parametrize(
    ("votes", "near", "message"),
    [
        ([], [], "has no answers"),
        ([3, -1], [0.1, 0.2], "-1 votes"),
        ([3, 1], [0.1], "1 distances for 2 answers"),
        ([3, 1], [0.1, math.nan], "not a finite number"),
    ],
)
def test_a_question_that_cannot_be_ranked_is_refused(votes, near, message):
    with pytest.raises(SeluError, match=message):
        ranking.rank(votes, near)
    with pytest.raises(SeluError, match="no questions"):
        ranking.average([])
    assert math.isnan(ranking.evaluate([[2, 1]], [[0.1, 0.2]])["mrr_se"])  # of a single question


# -- L, F, related questions -----------------------------------------------------------------------


@given(PAIRS)
def test_separation_is_what_scipy_and_scikit_learn_give(pairs):
    related, near = columns(pairs)
    found = separation.separate(related, near)
    oracle = stats.ttest_ind(near[related == 0], near[related == 1])
    assert found["gap"] == pytest.approx(near[related == 0].mean() - near[related == 1].mean())
    assert found["auc"] == pytest.approx(roc_auc_score(related, -near))
    if np.isfinite(oracle.statistic):
        assert found["t"] == pytest.approx(oracle.statistic, abs=1e-9)
        assert found["p"] == pytest.approx(oracle.pvalue)
        n1, n0 = related.sum(), (1 - related).sum()
        assert found["effect"] == pytest.approx(oracle.statistic * math.sqrt(1 / n1 + 1 / n0), abs=1e-9)


@given(PAIRS, st.floats(0.1, 5), st.floats(-2, 2))
def test_scale_and_place_of_distances_change_neither_t_nor_effect_nor_auc(pairs, scale, place):
    related, near = columns(pairs)
    first, second = separation.separate(related, near), separation.separate(related, near * scale + place)
    turned = separation.separate(1 - related, near)
    for name in ("t", "effect", "auc"):
        assert second[name] == pytest.approx(first[name], rel=1e-6, abs=1e-6, nan_ok=True)
    assert turned["t"] == pytest.approx(-first["t"], nan_ok=True)
    assert turned["auc"] == pytest.approx(1 - first["auc"])


@settings(deadline=None)
@given(PAIRS, st.data())
def test_a_pair_that_counts_twice_is_a_pair_given_twice(pairs, data):
    counts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(pairs), max_size=len(pairs))))
    related, near = columns(pairs)
    weighted = separation.separator(related, near)(counts)
    repeated = separation.separate(np.repeat(related, counts), np.repeat(near, counts))
    assert weighted == pytest.approx(repeated, rel=1e-6, abs=1e-6, nan_ok=True)
    points = near * 2 + related, near
    assert correlation.correlator(*points)(counts) == pytest.approx(
        correlation.correlate(*(np.repeat(axis, counts) for axis in points)), rel=1e-6, abs=1e-6, nan_ok=True
    )


def test_t_grows_with_the_pairs_and_effect_and_auc_do_not():
    related, near = np.array([1, 1, 1, 0, 0, 0]), np.array([0.1, 0.2, 0.5, 0.4, 0.6, 0.7])
    few, many = (separation.separator(related, near)(np.full(6, times)) for times in (10, 1000))
    assert many["t"] > 9 * few["t"]
    assert many["effect"] == pytest.approx(few["effect"], rel=0.02)
    assert many["auc"] == few["auc"]


def test_each_class_of_related_questions_is_held_against_isolated_ones():
    classes, near = ["direct"] * 3 + ["isolated"] * 3 + ["duplicate"] * 2, [1, 2, 3, 5, 6, 9, 2, 4]
    found = separation.evaluate_classes(classes, near)
    alone = separation.separate([1, 1, 1, 0, 0, 0], near[:6])
    assert found["t_direct"] == alone["t"]
    assert found["mean_duplicate"] == 3
    assert math.isnan(found["mean_indirect"])
    with pytest.raises(SeluError, match="'related' is none of direct"):
        separation.evaluate_classes(["related"], [1])


# -- H, U ------------------------------------------------------------------------------------------


@given(POINTS)
def test_correlation_is_what_scipy_gives(points):
    x, y = columns(points)
    found, oracle = correlation.correlate(x, y), stats.linregress(x, y)
    assert found["r"] == pytest.approx(oracle.rvalue, abs=1e-9)
    assert found["slope"] == pytest.approx(oracle.slope, abs=1e-9)
    assert found["intercept"] == pytest.approx(oracle.intercept, abs=1e-9)
    assert found["p"] == pytest.approx(stats.pearsonr(x, y).pvalue, abs=1e-6)
    residual = y - oracle.slope * x - oracle.intercept
    assert found["mse"] == pytest.approx(np.mean(residual**2), abs=1e-9)
    assert found["r2"] == pytest.approx(oracle.rvalue**2, abs=1e-9)


@pytest.mark.parametrize("score", [separation.separate, correlation.correlate])
def test_pairs_that_cannot_be_scored_are_refused_or_have_no_score(score):
    with pytest.raises(SeluError, match=r"1 .*for 2"):
        score([0, 1], [0.5])
    with pytest.raises(SeluError, match="not a finite number"):
        score([0, 1], [0.5, math.inf])
    assert all(math.isnan(value) for value in score([0, 1], [0.5, 0.6]).values())
    with pytest.raises(SeluError, match="neither 0"):
        separation.separate([0, 2], [0.5, 0.6])


# -- intervals and baselines -----------------------------------------------------------------------


def test_intervals_hold_the_score_and_are_the_same_again():
    random = np.random.default_rng(1)
    related = np.repeat([1.0, 0.0], 60)
    near = random.normal(0.5, 0.1, 120) - 0.1 * related
    score = separation.separator(related, near)
    found = resampling.intervals(score, 120, DRAWS, ("gap", "auc"))
    assert found == resampling.intervals(score, 120, DRAWS, ("gap", "auc"))
    for name, bound in found.items():
        assert bound["low"] < score(np.ones(120))[name] < bound["high"]
    # The percentile interval of a gap is close to that of the normal theory.
    spread = 1.96 * near.std(ddof=1) * math.sqrt(2 / 60)
    assert found["gap"]["high"] - found["gap"]["low"] == pytest.approx(2 * spread, rel=0.3)


def test_permuted_labels_leave_nothing():
    random = np.random.default_rng(2)
    related, near = np.repeat([1.0, 0.0], 60), random.normal(size=120)
    none = resampling.permuted(separation.separator, related, near - 5 * related, DRAWS, ("auc", "t"))
    assert none["auc"]["low"] < 0.5 < none["auc"]["high"]
    assert -3 < none["t"]["low"] < 0 < none["t"]["high"] < 3
    none = resampling.permuted(correlation.correlator, near, 2 * near, DRAWS, ("r",))
    assert none["r"]["low"] < 0 < none["r"]["high"] < 0.4
