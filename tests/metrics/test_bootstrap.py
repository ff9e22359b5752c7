from __future__ import annotations

import numpy as np
import pytest

from selu.metrics import bootstrap
from selu.metrics.bootstrap import difference, interval
from selu.metrics.evaluate import evaluate
from selu.metrics.masked import Answers

DRAWS = 4_000
TYPES = ["Class", "Function"]
TAGS = np.array(["O", "B-Class", "I-Class", "B-Function", "I-Function", "B-Nothing"])


def material(kind, rows=60, seed=0):
    """Truth, two systems' answers with invalid ones among them, and labels."""
    rng = np.random.default_rng(seed)
    if kind in ("binary", "multi_class"):
        labels = 2 if kind == "binary" else 4
        truth = rng.integers(0, labels, rows)
        worse, better = (
            np.where(rng.random(rows) < kept, truth, rng.integers(-1, labels, rows)) for kept in (0.5, 0.7)
        )
        return truth, worse, better, labels
    if kind == "multi_label":
        truth = (rng.random((rows, 3)) < 0.4).astype(int)
        worse, better = (np.where(rng.random((rows, 3)) < kept, truth, 1 - truth) for kept in (0.7, 0.8))
        worse[::9] = -1
        return truth, worse, better, 3
    if kind == "regression":
        truth = rng.lognormal(1, 1, rows)
        worse, better = (truth * rng.lognormal(0, spread, rows) for spread in (0.6, 0.4))
        worse[::9] = np.nan
        return truth, worse, better, 0
    if kind == "masked":
        truth = rng.integers(0, 50, rows)
        worse, better = (
            Answers(np.where(rng.random(rows) < kept, truth, -1), -rng.exponential(1 / kept, rows))
            for kept in (0.5, 0.7)
        )
        return truth, worse, better, 50
    lengths = rng.integers(1, 9, rows)
    truth = [rng.choice(TAGS[:5], length).tolist() for length in lengths]
    worse, better = (
        [[tag if rng.random() < kept else str(rng.choice(TAGS)) for tag in row] for row in truth]
        for kept in (0.6, 0.8)
    )
    return truth, worse, better, TYPES


def taken(values, picked):
    """Rows of anything by index."""
    if isinstance(values, Answers):
        return Answers(*(np.asarray(part)[picked] for part in values))
    return values[picked] if isinstance(values, np.ndarray) else [values[row] for row in picked]


def naive(kind, truth, answers, labels, name, draws, seed):
    """The score of every system on resampled rows, a resample at a time."""
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(draws):
        picked = rng.integers(0, len(truth), len(truth))
        sample = taken(truth, picked)
        values.append([evaluate(kind, sample, taken(given, picked), labels)[name] for given in answers])
    return np.array(values)


NAMES = [
    ("binary", "f1_macro"),
    ("multi_class", "f1_macro"),
    ("multi_class", "accuracy"),
    ("multi_label", "f1_micro"),
    ("multi_label", "accuracy"),
    ("regression", "smape"),
    ("regression", "rmse"),
    ("entities", "f1_micro"),
    ("entities", "token_f1_macro"),
    ("masked", "accuracy"),
    ("masked", "perplexity"),
]


def parts(bound, values, tail):
    """Whether a bound parts the values at that share, within four standard deviations of both samplings."""
    allowed = 4 * np.sqrt(tail * (1 - tail) * (1 / DRAWS + 1 / len(values)))
    return (values < bound - 1e-12).mean() - allowed <= tail <= (values <= bound + 1e-12).mean() + allowed


@pytest.mark.parametrize(("kind", "name"), NAMES)
def test_bounds_are_those_of_resampling_rows_one_by_one(kind, name):
    truth, worse, better, labels = material(kind)
    slow = naive(kind, truth, (better, worse), labels, name, 500 if kind == "entities" else 800, seed=9)
    full = [evaluate(kind, truth, given, labels)[name] for given in (better, worse)]
    for level in (0.2, 0.6, 0.9):
        alone = interval(kind, truth, better, labels, name, DRAWS, 1, level)
        apart = difference(kind, truth, better, worse, labels, name, DRAWS, 1, level)
        assert apart.value == full[0] - full[1]
        for found, values in ((alone, slow[:, 0]), (apart, slow[:, 0] - slow[:, 1])):
            assert parts(found.low, values, (1 - level) / 2)
            assert parts(found.high, values, (1 + level) / 2)


@pytest.mark.parametrize(("kind", "name"), NAMES)
def test_a_system_is_nothing_apart_from_itself(kind, name):
    truth, worse, _, labels = material(kind)
    assert difference(kind, truth, worse, worse, labels, name, 300, 3, 0.95) == (0, 0, 0, 0)


@pytest.mark.parametrize(("kind", "name"), NAMES)
def test_the_seed_alone_decides_whatever_the_order_of_rows(kind, name):
    truth, worse, better, labels = material(kind)
    mixed = np.random.default_rng(4).permutation(len(truth))
    found = difference(kind, truth, better, worse, labels, name, 500, 5, 0.95)
    again = [taken(values, mixed) for values in (truth, better, worse)]
    assert difference(kind, *again, labels, name, 500, 5, 0.95)[1:] == found[1:]
    assert difference(kind, truth, better, worse, labels, name, 500, 6, 0.95) != found


def test_pairing_makes_the_difference_of_like_systems_narrow():
    truth, worse, _, labels = material("multi_class", rows=500)
    like = worse.copy()
    like[:5] = (like[:5] + 1) % labels
    alone = interval("multi_class", truth, worse, labels, "accuracy", DRAWS, 0, 0.95)
    apart = difference("multi_class", truth, worse, like, labels, "accuracy", DRAWS, 0, 0.95)
    assert apart.high - apart.low < (alone.high - alone.low) / 3


@pytest.mark.parametrize("kind", ["multi_class", "regression"])
def test_the_error_is_how_far_the_bounds_move_from_seed_to_seed(kind):
    truth, _, better, labels = material(kind, rows=400)
    name = "smape" if kind == "regression" else "f1_macro"
    found = np.array([interval(kind, truth, better, labels, name, 500, seed, 0.9) for seed in range(150)])
    moved = found[:, :2].std(axis=0).max()
    assert 0.7 < np.median(found[:, 2]) / moved < 1.4


def test_rare_rows_drawn_one_by_one_have_the_multinomial_moments():
    repeats = np.array([40, 25, 9, 4, 1, 1])
    drawn = bootstrap._weights(repeats, 60_000, np.random.default_rng(0))
    shares = repeats / 80
    assert (drawn.sum(axis=1) == 80).all()
    expected = 80 * (np.diag(shares) - np.outer(shares, shares))
    assert np.abs(drawn.mean(axis=0) - repeats).max() < 0.1
    assert np.abs(np.cov(drawn.T) - expected).max() < 0.5
    alone = drawn[:, 4]  # binomial: 80 rows, probability 1/80
    assert abs((alone == 0).mean() - (79 / 80) ** 80) < 0.01


def test_more_distinct_rows_than_codes_fit_one_number():
    """40 labels: 80 columns of yes or no, more than 62 bits."""
    rng = np.random.default_rng(2)
    truth = (rng.random((90, 40)) < 0.3).astype(int)
    predicted = np.where(rng.random((90, 40)) < 0.8, truth, 1 - truth)
    slow = naive("multi_label", truth, (predicted,), 40, "f1_macro", 800, 1)[:, 0]
    found = interval("multi_label", truth, predicted, 40, "f1_macro", DRAWS, 0, 0.8)
    assert parts(found.low, slow, 0.1)
    assert parts(found.high, slow, 0.9)


def test_a_score_that_cannot_vary_has_a_bound_without_error():
    assert interval("binary", [0, 1, 1], [0, 1, 1], 2, "accuracy", 100, 0, 0.95) == (1.0, 1.0, 0.0)
    assert interval("regression", [1.0], [2.0], 0, "mae", 100, 0, 0.95) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"truth": [], "predicted": []}, "no rows to resample"),
        ({"draws": 0}, "at least one draw"),
        ({"level": 1.0}, "level in"),
        ({"name": "f1_per_class"}, "not one number"),
        ({"name": "invalid"}, "no score is called 'invalid'"),
        ({"name": "smape"}, "no score is called 'smape'"),
        ({"name": "token_f1_macro"}, "no score is called 'token_f1_macro'"),
        (
            {
                "kind": "entities",
                "truth": [["O"]],
                "predicted": [["O"]],
                "labels": TYPES,
                "name": "token_accuracy",
            },
            "no score is called 'token_accuracy'",
        ),
        ({"kind": "regression", "name": "accuracy"}, "no score is called 'accuracy'"),
        ({"kind": "masked", "name": "f1_macro"}, "no score is called 'f1_macro'"),
        ({"kind": "masked", "name": "perplexity"}, "give masked.Answers"),
        ({"kind": "regression", "predicted": [np.nan] * 2, "name": "mae"}, "no valid answer"),
    ],
)
def test_refuses_what_has_no_interval(changed, says):
    asked = {"kind": "binary", "truth": [0, 1], "predicted": [0, 1], "labels": 2, "name": "accuracy"}
    asked |= {"draws": 10, "seed": 0, "level": 0.95} | changed
    with pytest.raises(ValueError, match=says):
        interval(**asked)
