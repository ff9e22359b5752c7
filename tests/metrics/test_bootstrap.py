from __future__ import annotations

import numpy as np
import pytest

from selu.metrics import bootstrap
from selu.metrics.bootstrap import interval
from selu.metrics.evaluate import evaluate
from selu.metrics.masked import Answers
from selu.metrics.percentiles import Resampling

DRAWS = 4_000
TYPES = ["Class", "Function"]
TAGS = np.array(["O", "B-Class", "I-Class", "B-Function", "I-Function", "B-Nothing"])


def material(kind, rows=60, seed=0):
    """Truth, a system's answers with invalid ones among them, and labels."""
    rng = np.random.default_rng(seed)
    right = rng.random(rows) < 0.6
    if kind in ("binary", "multi_class"):
        labels = 2 if kind == "binary" else 4
        truth = rng.integers(0, labels, rows)
        return truth, np.where(right, truth, rng.integers(-1, labels, rows)), labels
    if kind == "multi_label":
        truth = (rng.random((rows, 3)) < 0.4).astype(int)
        answers = np.where(rng.random((rows, 3)) < 0.7, truth, 1 - truth)
        answers[::9] = -1
        return truth, answers, 3
    if kind == "regression":
        truth = rng.lognormal(1, 1, rows)
        answers = truth * rng.lognormal(0, 0.6, rows)
        answers[::9] = np.nan
        return truth, answers, 0
    if kind == "masked":
        truth = rng.integers(0, 50, rows)
        return truth, Answers(np.where(right, truth, -1), -rng.exponential(2, rows)), 50
    truth = [rng.choice(TAGS[:5], length).tolist() for length in rng.integers(1, 9, rows)]
    answers = [[tag if rng.random() < 0.7 else str(rng.choice(TAGS)) for tag in row] for row in truth]
    return truth, answers, TYPES


def taken(values, picked):
    """Rows of anything by index."""
    if isinstance(values, Answers):
        return Answers(*(np.asarray(part)[picked] for part in values))
    return values[picked] if isinstance(values, np.ndarray) else [values[row] for row in picked]


def naive(kind, truth, answers, labels, name, draws, seed):
    """The score on resampled rows, a resample at a time."""
    rng = np.random.default_rng(seed)
    rows = (rng.integers(0, len(truth), len(truth)) for _ in range(draws))
    return np.array([evaluate(kind, taken(truth, p), taken(answers, p), labels)[name] for p in rows])


# Scores that get an interval, and the bounds that tracked files hold: those that any later program has to give.
BOUNDS = {
    ("binary", "f1_macro"): (0.6403142519580876, 0.8485700280112045, 0.006850152096365136),
    ("multi_class", "f1_macro"): (0.539497387145643, 0.785077395650914, 0.00873750958084929),
    ("multi_class", "accuracy"): (0.5, 0.7666666666666667, 0.00833333333333336),
    ("multi_label", "f1_micro"): (0.36220472440944884, 0.5774647887323944, 0.007744210029163728),
    ("multi_label", "accuracy"): (0.08333333333333333, 0.2833333333333333, 0.016666666666666663),
    ("regression", "smape"): (0.36022313698467834, 0.532140588646833, 0.006792860446581062),
    ("regression", "rmse"): (2.299325488067525, 6.521563137985968, 0.11856755066056168),
    ("entities", "f1_micro"): (0.5916141830938857, 0.7496866754617414, 0.006363328908326249),
    ("entities", "token_f1_macro"): (0.6561679617497191, 0.7804080069700255, 0.0024381480000393307),
    ("masked", "accuracy"): (0.4166666666666667, 0.6833333333333333, 0.008333333333333331),
    ("masked", "perplexity"): (6.051360702039432, 16.26066070110048, 0.6021327006690882),
}


def parts(bound, values, tail):
    """Whether a bound parts the values at that share, within four standard deviations of both samplings."""
    allowed = 4 * np.sqrt(tail * (1 - tail) * (1 / DRAWS + 1 / len(values)))
    return (values < bound - 1e-12).mean() - allowed <= tail <= (values <= bound + 1e-12).mean() + allowed


@pytest.mark.ci
@pytest.mark.parametrize(("kind", "name"), BOUNDS)
def test_bounds_are_those_of_resampling_rows_one_by_one(kind, name):
    truth, answers, labels = material(kind)
    slow = naive(kind, truth, answers, labels, name, 500 if kind == "entities" else 800, seed=9)
    for level in (0.2, 0.6, 0.9):
        found = interval(kind, truth, answers, labels, name, Resampling(DRAWS, 1, level))
        assert parts(found.low, slow, (1 - level) / 2)
        assert parts(found.high, slow, (1 + level) / 2)


@pytest.mark.parametrize(("kind", "name"), BOUNDS)
def test_the_seed_alone_decides_whatever_the_order_of_rows(kind, name):
    """The ledger of programs rests on it: tracked intervals stay up to date while these are the same."""
    truth, answers, labels = material(kind)
    found = interval(kind, truth, answers, labels, name, Resampling(500, 5, 0.95))
    assert found == pytest.approx(BOUNDS[kind, name], rel=1e-12)
    mixed = np.random.default_rng(4).permutation(len(truth))
    truth_mixed, answers_mixed = taken(truth, mixed), taken(answers, mixed)
    assert interval(kind, truth_mixed, answers_mixed, labels, name, Resampling(500, 5, 0.95)) == found
    assert interval(kind, truth, answers, labels, name, Resampling(500, 6, 0.95)) != found


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
    slow = naive("multi_label", truth, predicted, 40, "f1_macro", 800, 1)
    found = interval("multi_label", truth, predicted, 40, "f1_macro", Resampling(DRAWS, 0, 0.8))
    assert parts(found.low, slow, 0.1)
    assert parts(found.high, slow, 0.9)


def test_one_draw_is_enough_and_both_bounds_are_its_score():
    truth, answers, labels = material("binary")
    found = interval("binary", truth, answers, labels, "accuracy", Resampling(1, 3, 0.95))
    assert found[0] == found[1]
    assert 0 < found[0] < 1


def test_a_score_that_cannot_vary_has_a_bound_without_error():
    assert interval("binary", [0, 1, 1], [0, 1, 1], 2, "accuracy", Resampling(100, 0, 0.95)) == (1.0, 1.0, 0.0)
    assert interval("regression", [1.0], [2.0], 0, "mae", Resampling(100, 0, 0.95)) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"truth": [], "predicted": []}, "no rows to resample"),
        ({"resampling": Resampling(0, 0, 0.95)}, "at least one draw"),
        ({"resampling": Resampling(10, 0, 1.0)}, "level in"),
        ({"name": "f1_per_class"}, "not one number"),
        ({"name": "invalid"}, "no score is called 'invalid'"),
        ({"name": "token_f1_macro"}, "no score is called 'token_f1_macro'"),
        ({"kind": "regression", "name": "accuracy"}, "no score is called 'accuracy'"),
        ({"kind": "masked", "name": "perplexity"}, "give masked.Answers"),
        ({"kind": "regression", "predicted": [np.nan] * 2, "name": "mae"}, "no valid answer"),
    ],
)
def test_refuses_what_has_no_interval(changed, says):
    asked = {"kind": "binary", "truth": [0, 1], "predicted": [0, 1], "labels": 2, "name": "accuracy"}
    asked |= {"resampling": Resampling(10, 0, 0.95)} | changed
    with pytest.raises(ValueError, match=says):
        interval(**asked)


@pytest.mark.ci
@pytest.mark.parametrize(("rows", "least", "most"), [(20, 0.82, 0.88), (50, 0.91, 0.97)])
def test_how_often_an_interval_over_few_rows_covers_the_true_score(rows, least, most):
    """What ``stats.intervals.caution_of`` says, of a system that is right on nine of ten rows."""
    rng, covered, times = np.random.default_rng(7), 0, 1_000
    for seed in range(times):
        truth = rng.integers(0, 2, rows)
        answers = np.where(rng.random(rows) < 0.9, truth, 1 - truth)
        bounds = interval("binary", truth, answers, 2, "f1_macro", Resampling(500, seed, 0.95))
        covered += bounds.low <= 0.9 <= bounds.high
    assert least <= covered / times <= most
