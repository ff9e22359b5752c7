from __future__ import annotations

import numpy as np
import pytest
from baycomp import SignedRankTest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from selu.stats.compare import compare_all, rope_width
from selu.stats.signed_rank import monte_carlo_error, posterior


@pytest.mark.ci
def test_equals_baycomp_bit_for_bit_on_the_paper(material):
    """Four pairs spread over the ranking, at the paper's 50,000 draws and seed."""
    scores, order = material.ranked, material.order
    rng = np.random.default_rng(0)
    first, second = np.triu_indices(len(order), 1)
    for pick in rng.choice(len(first), 4, replace=False):
        a, b = order[first[pick]], order[second[pick]]
        x, y = scores[a].to_numpy(), scores[b].to_numpy()
        rope = rope_width(x, y, "autorank")
        oracle = SignedRankTest.probs(x, y, rope=rope, nsamples=50_000, random_state=42)
        ours = (material.p_better(a, b), material.p_equal(a, b), material.p_better(b, a))
        assert ours == tuple(float(p) for p in oracle), (a, b)


@settings(max_examples=25, deadline=None)
@given(
    x=arrays(np.float64, 9, elements=st.floats(0, 1, width=32)),
    y=arrays(np.float64, 9, elements=st.floats(0, 1, width=32)),
    rope=st.floats(1e-4, 0.5),
    seed=st.integers(0, 2**31),
)
def test_equals_baycomp_on_any_scores(x, y, rope, seed):
    oracle = SignedRankTest.probs(x, y, rope=rope, nsamples=300, random_state=seed)
    ours = posterior((y - x)[None], np.array([rope]), draws=300, seed=seed)[0]
    # A draw whose two masses are equal up to the last bit may fall to either side.
    assert np.abs(ours - oracle).max() <= 1 / 300 + 1e-12


def test_one_draw_is_enough_and_goes_to_one_of_the_three():
    """That no draw is refused says nothing of one."""
    found = posterior(np.array([[0.5, 0.4, 0.6]]), np.array([0.01]), draws=1)
    assert sorted(found[0].tolist()) == [0.0, 0.0, 1.0]


def test_ties_at_the_edge_of_the_rope_count_half():
    """Differences that lie exactly on the edge: the Heaviside step of 1/2 decides."""
    x, y = np.zeros(6), np.array([0.5, 0.5, 0.5, -0.5, -0.5, 0.25])
    oracle = SignedRankTest.probs(x, y, rope=0.5, nsamples=2_000, random_state=3)
    assert tuple(posterior((y - x)[None], np.array([0.5]), draws=2_000, seed=3)[0]) == oracle


def test_autorank_backend_is_the_oracle(material):
    scores = material.ranked[material.order].iloc[:, [0, 11, 19, 27]].to_numpy()
    ours = compare_all(scores, draws=1_000, seed=7)
    theirs = compare_all(scores, draws=1_000, seed=7, backend="autorank")
    np.testing.assert_array_equal(ours.better, theirs.better)
    np.testing.assert_array_equal(ours.equal, theirs.equal)


def test_without_other_words_draws_and_seed_are_the_papers():
    scores = np.random.default_rng(2).normal(0.6, 0.1, (12, 2))
    found, named = compare_all(scores), compare_all(scores, draws=50_000, seed=42)
    np.testing.assert_array_equal(found.better, named.better)
    pair, rope = (scores[:, 1] - scores[:, 0])[None], found.rope[:1, 1]
    np.testing.assert_array_equal(posterior(pair, rope), posterior(pair, rope, draws=50_000, seed=42))
    assert posterior(pair, rope)[0, 1] == found.equal[0, 1]
    assert posterior(pair, rope, draws=1).sum() == 1  # one draw is enough


def test_number_of_pairs_at_once_changes_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    differences, rope = rng.normal(0, 0.1, (30, 20)), np.full(30, 0.02)
    whole = posterior(differences, rope, draws=3_000)
    monkeypatch.setattr("selu.stats.signed_rank._PAIRS_PER_BLOCK", 7)
    monkeypatch.setattr("selu.stats.signed_rank._DRAWS_PER_BLOCK", 999)
    np.testing.assert_array_equal(whole, posterior(differences, rope, draws=3_000))


def test_monte_carlo_error_covers_other_seeds():
    """The spread over seeds is what the error says, within the error of 60 runs."""
    rng = np.random.default_rng(5)
    differences, rope = rng.normal(0.02, 0.1, (1, 20)), np.array([0.02])
    runs = np.array([posterior(differences, rope, draws=2_000, seed=s)[0, 2] for s in range(60)])
    claimed = float(monte_carlo_error(runs.mean(), 2_000))
    assert 0.7 < runs.std(ddof=1) / claimed < 1.4


@pytest.mark.parametrize(
    ("differences", "rope", "draws", "message"),
    [
        ([[0.1, np.nan]], [0.1], 10, "finite"),
        ([[0.1, 0.2]], [0.0], 10, "rope"),
        ([[0.1, 0.2]], [0.1], 0, "draws"),
        (np.zeros((1, 0)), [0.1], 10, "shape"),
    ],
)
def test_refuses_what_it_cannot_compare(differences, rope, draws, message):
    with pytest.raises(ValueError, match=message):
        posterior(np.array(differences), np.array(rope), draws=draws)


def test_paper_rope_has_no_autorank_form(material):
    with pytest.raises(ValueError, match="autorank"):
        compare_all(material.ranked.iloc[:, :2].to_numpy(), mode="paper", backend="autorank")


@pytest.mark.parametrize("mode", ["autorank", "paper", "mad"])
@pytest.mark.parametrize("shape", [(2, 3), (8, 5), (17, 22)])
def test_the_regions_of_all_pairs_are_those_of_each_pair_to_the_bit(mode, shape):
    """They are computed from the spread of each column; another last bit could decide another draw."""
    scores = np.random.default_rng(0).uniform(0, 1, shape).round(3)
    found = compare_all(scores, mode=mode, draws=10).rope
    for i, j in zip(*np.triu_indices(shape[1], 1), strict=True):
        assert found[i, j] == found[j, i] == rope_width(scores[:, i], scores[:, j], mode)


@pytest.mark.parametrize(
    ("mode", "message"), [("autorank", "pooled deviation is 0"), ("paper", "is undefined")]
)
def test_a_pair_without_spread_is_refused(mode, message):
    scores = np.array([[0.5, 0.1, 0.5], [0.5, 0.2, 0.5], [0.5, 0.4, 0.5]])
    with pytest.raises(ValueError, match=message):
        compare_all(scores, mode=mode, draws=10)
