"""Ranks, tests and impossible numbers, each against a second way to compute it."""

from __future__ import annotations

import contextlib
import io
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from baycomp import SignedRankTest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from selu.boards.board import Score, board_of
from selu.boards.consistency import impossible, nearest_counts
from selu.boards.findings import findings
from selu.boards.pairs import compare_pairs, tiers_of
from selu.boards.ranking import SEED, rank, ranks_on_tasks, under_rounding, without_each
from selu.stats.compare import compare_all
from selu.stats.tiers import tiers
from selu.stats.wilcoxon import least_p, signed_rank_p

TENTHS = st.integers(0, 10).map(lambda n: n / 10)


def board(values, **options):
    """A board of an array, a row a system; nan is a missing score."""
    values = np.asarray(values, dtype=float)
    names = [f"s{i}" for i in range(values.shape[0])], [f"t{j}" for j in range(values.shape[1])]
    scores = [
        Score(names[0][i], names[1][j], float(value), 3, f"row {i + 2}, column t{j}")
        for (i, j), value in np.ndenumerate(values)
        if value == value
    ]
    return board_of(scores, systems=names[0], tasks=names[1], **options)


@settings(max_examples=20)
@given(arrays(np.float64, (8, 5), elements=TENTHS))
def test_mean_ranks_are_those_of_scipy(scores):
    """A row a task, ties and all."""
    ours = rank(board(scores.T)).mean_ranks
    theirs = np.vstack([stats.rankdata(-row) for row in scores]).mean(axis=0)
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_ranks_equal_autoranks_and_pairs_those_of_the_paper(material):
    """The paper's own table: mean ranks, the posterior of all pairs at the paper's draws and seed, tiers."""
    from autorank import autorank

    scores = material.ranked[material.order]
    given_ = board(scores.to_numpy().T)
    ranking = rank(given_)
    frame = pd.DataFrame(scores.to_numpy(), columns=list(given_.systems))
    with contextlib.redirect_stdout(io.StringIO()):
        found = autorank(frame, approach="frequentist", force_mode="nonparametric").rankdf["meanrank"]
    assert ranking.mean_ranks == pytest.approx(found[list(given_.systems)].to_numpy(), abs=1e-12)
    pairs = compare_pairs(given_, ranking)
    known = material.posterior
    assert (pairs.draws, pairs.all_pairs) == (known.draws, True)
    assert pairs.better.tolist() == known.better[pairs.first, pairs.second].tolist()
    assert pairs.equal.tolist() == known.equal[pairs.first, pairs.second].tolist()
    assert tiers_of(given_, ranking, pairs) == [
        [ranking.order[position] for position in group] for group in tiers(known.decisions(0.95))
    ]


@pytest.mark.ci
def test_pairs_equal_autoranks_and_baycomps_own():
    """Any table, by the libraries themselves at their 50,000 draws."""
    scores = np.random.default_rng(4).normal(0.6, 0.1, (9, 3)).round(3)
    given_ = board(scores.T)
    pairs = compare_pairs(given_, rank(given_))
    theirs = compare_all(scores, draws=pairs.draws, seed=SEED, backend="autorank")
    for (a, b), at in pairs.at.items():
        assert (pairs.better[at], pairs.equal[at]) == (theirs.better[a, b], theirs.equal[a, b])
        probabilities = SignedRankTest.probs(
            scores[:, a], scores[:, b], rope=pairs.rope[at], nsamples=pairs.draws, random_state=SEED
        )
        assert (pairs.better[at], pairs.equal[at], pairs.worse[at]) == tuple(map(float, probabilities))


@pytest.mark.ci
@settings(max_examples=10)
@given(arrays(np.float64, (3, 7), elements=TENTHS), st.integers(0, 2**31))
def test_posteriors_with_holes_are_those_of_the_common_tasks(values, seed):
    """A pair that lacks a task is tested as if the task were not there."""
    rng = np.random.default_rng(seed)
    values = np.vstack((values, rng.random((1, 7))))
    values[0, 0] = np.nan
    with_hole = board(values)
    pairs = compare_pairs(with_hole, rank(with_hole))
    for (a, b), at in pairs.at.items():
        x, y = values[a], values[b]
        present = ~np.isnan(x) & ~np.isnan(y)
        x, y = x[present], y[present]
        if x.std() == y.std() == 0:
            assert pairs.equal[at] == float(x[0] == y[0])
            continue
        known = compare_all(np.stack((x, y), axis=1), draws=pairs.draws)
        assert (pairs.better[at], pairs.equal[at]) == (known.better[0, 1], known.equal[0, 1])


@pytest.mark.ci
@settings(max_examples=60)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_the_exact_signed_rank_test_is_scipys(tenths):
    """By all permutations of signs; zeros are dropped, ties share a rank."""
    d = np.array(tenths) / 10
    (ours,) = signed_rank_p(d)
    nonzero = d[d != 0]
    if len(nonzero) < 2:
        assert ours == 1
        return
    exact = stats.PermutationMethod(n_resamples=10**6)
    assert ours == pytest.approx(stats.wilcoxon(np.round(nonzero, 10), method=exact).pvalue, abs=1e-12)


def test_few_tasks_have_a_p_value_and_no_posterior():
    few = board([[0.9, 0.8, 0.7], [0.5, 0.4, 0.3]])
    pairs = compare_pairs(few, rank(few))
    assert pairs.p.tolist() == [least_p(3)] == [0.25]
    assert np.isnan(pairs.better).all()
    assert findings(few)["tiers"] == []


@given(st.integers(0, 400), st.integers(1, 400), st.integers(1, 3))
def test_a_share_that_is_one_is_never_refused(count, rows, digits):
    value = min(count, rows) / rows
    for published in (round(value, digits), float(np.floor(value * 10**digits + 0.5) / 10**digits)):
        assert nearest_counts(published, digits, rows) is None


@given(st.integers(0, 1000), st.integers(1, 150))
def test_a_share_is_refused_where_no_count_rounds_to_it(thousandths, rows):
    """Brute force over all counts, in whole numbers."""
    half = Fraction(1, 2000)
    fits = any(abs(Fraction(count, rows) - Fraction(thousandths, 1000)) <= half for count in range(rows + 1))
    assert (nearest_counts(thousandths / 1000, 3, rows) is None) == fits


@settings(max_examples=30)
@given(arrays(np.float64, (5, 6), elements=st.integers(100, 900).map(lambda n: n / 1000)))
def test_leaving_a_task_out_is_ranking_without_it(values):
    whole = board(values)
    for place, found in enumerate(without_each(whole, rank(whole))):
        rest = board(np.delete(values, place, axis=1))
        assert found.first == sorted(rank(rest).first)


def test_rounding_finds_who_could_be_first():
    """Three decimals: the mean of two can be off by 0.0005 on both sides."""
    close = board([[0.800, 0.700], [0.801, 0.698], [0.700, 0.600]])
    found = under_rounding(close, rank(close))
    assert found is not None
    assert (found.could_lead, found.neighbours) == ([0, 1], 1)
    assert 0.5 < found.p_first < 1
    apart = board([[0.8, 0.7], [0.79, 0.68]])
    assert under_rounding(apart, rank(apart)).could_lead == [0]


def test_systems_with_holes_come_after_those_without():
    values = [[0.5, 0.5, 0.5], [0.9, np.nan, 0.9], [0.4, 0.4, 0.4]]  # two of three are complete
    found = findings(board(values))
    assert [row["system"] for row in found["systems"]] == ["s0", "s2", "s1"]
    assert [row["rank"] for row in found["systems"]] == [1, 2, None]
    assert found["systems"][2]["missing"] == ["t1"]
    assert "s0 has the highest mean of the 2 systems with a score on all 3 tasks" in found["sentence"]


def test_tasks_that_not_all_have_are_left_out_where_few_systems_have_all():
    values = [[0.5, 0.5, 0.5, 0.9], [0.4, 0.4, 0.4, np.nan], [0.3, 0.3, 0.3, np.nan], [0.6, 0.6, 0.6, np.nan]]
    found = findings(board(values))
    assert [row["system"] for row in found["systems"]] == ["s3", "s0", "s1", "s2"]
    assert "s3 has the highest mean of 4 systems over 3 tasks" in found["sentence"]
    assert [task["ranked"] for task in found["tasks"]] == [True, True, True, False]
    assert found["scores"][0][3] == 0.9


def test_tasks_on_other_scales_rank_by_mean_rank():
    values = np.array([[0.5, 50.0], [0.4, 60.0], [0.6, 70.0]])
    found = findings(board(values))
    assert (found["method"]["ranked_by"], found["systems"][0]["system"]) == ("mean rank", "s2")
    scaled = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    (pair,) = [row for row in found["pairs"] if (row["a"], row["b"]) == ("s2", "s0")]
    assert pair["difference"] == pytest.approx((scaled[2] - scaled[0]).mean(), abs=1e-9)


def test_scores_of_many_digits_and_ties_are_no_error():
    third = 1 / 3
    scores = [Score(name, "t", third, 15, "row 2") for name in "ab"]
    assert findings(board_of(scores))["sentence"].startswith("Both systems have the same score")


def test_where_none_has_all_tasks_the_win_rate_ranks():
    values = [[0.5, np.nan, 0.5], [0.4, 0.4, np.nan], [np.nan, 0.3, 0.1]]
    found = findings(board(values))
    assert [row["system"] for row in found["systems"]] == ["s0", "s1", "s2"]
    assert "highest win rate of 3 systems over 3 tasks (100 %)" in found["sentence"]
    assert [row["name"] for row in found["depends_on"]["task_left_out"] if row["changes_first"]] == ["t0"]
    values = [[0.5, 0.5, np.nan], [0.4, np.nan, 0.4], [np.nan, np.nan, 0.9], [0.3, 0.2, np.nan]]
    assert [row["rank"] for row in findings(board(values))["systems"]] == [1, 2, 3, None]
    values = [[0.9, 0.1, np.nan], [np.nan, 0.2, 0.3], [0.1, np.nan, 0.4], [0.2, 0.3, 0.5]]
    assert rank(board(values)).by == "win rate"


def test_lower_is_better_turns_ranks_and_mixed_directions_rank_by_mean_rank():
    values = [[0.2, 0.9], [0.1, 0.8]]
    assert rank(board(values)).order == [0, 1]
    assert rank(board(values, lower=["t0", "t1"])).order == [1, 0]
    mixed = board([[0.1, 0.9], [0.2, 0.8]], lower=["t0"])
    assert rank(mixed).order == [0, 1]
    assert findings(mixed)["systems"][0]["mean"] is None
    assert findings(mixed)["method"]["ranked_by"] == "mean rank"


def test_ranks_on_tasks_leave_holes_out():
    assert ranks_on_tasks(np.array([[0.5], [np.nan], [0.7], [0.5]]))[:, 0].tolist()[::2] == [2.5, 1.0]


def test_a_table_in_which_all_agrees_has_nothing_impossible(material):
    scores = material.ranked[material.order]
    given_ = board(scores.to_numpy().T)
    assert impossible(given_, given_, rank(given_)) == []
