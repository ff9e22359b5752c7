from __future__ import annotations

from itertools import cycle, islice

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix

from selu.metrics.classification import scores

AVERAGES = ("micro", "macro", "per_class")


def answers(rng, labels, rows, invalid):
    """Any truth and answers, often of few of the labels, some answers invalid."""
    of = rng.choice(labels, size=rng.integers(1, labels + 1), replace=False)
    truth = rng.choice(of, rows)
    predicted = np.where(rng.random(rows) < rng.random(), truth, rng.integers(-invalid, labels, rows))
    return truth, predicted


def test_equals_scikit_learn_bit_for_bit(agreed):
    """600 cases: 2 to 12 classes, absent ones among them, a third with invalid answers; an average each."""
    rng = np.random.default_rng(1)
    for average in islice(cycle(AVERAGES), 600):
        labels = 2 if rng.random() < 0.3 else int(rng.integers(3, 13))
        truth, predicted = answers(rng, labels, rng.integers(1, 40), rng.random() < 1 / 3)
        found = scores(truth, predicted, labels)
        assert agreed(found, truth, predicted, labels, average), (truth, predicted, labels, average)
        assert found["accuracy"] == accuracy_score(truth, predicted)
        assert found["confusion_matrix"] == confusion_matrix(truth, predicted, labels=range(labels)).tolist()
        assert found["invalid"] == (predicted == -1).sum()


@pytest.mark.parametrize("average", AVERAGES)
def test_equals_scikit_learn_on_many_rows_and_classes(agreed, average):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 150, 50_000)
    predicted = np.where(rng.random(50_000) < 0.6, truth, rng.integers(-1, 150, 50_000))
    assert agreed(scores(truth, predicted, 150), truth, predicted, 150, average)


def test_of_no_rows_every_score_is_zero():
    found = scores([], [], 3)
    assert found.pop("confusion_matrix") == [[0] * 3] * 3
    assert {value for name, value in found.items() if not name.endswith("per_class")} == {0}
    assert found["f1_per_class"] == [0.0] * 3
    assert scores([0, 0], [0, -1], 1)["accuracy"] == 0.5  # one label is enough


@pytest.mark.parametrize("form", [list, np.int8, np.uint8, np.int32, np.int64, bool])
def test_the_type_of_the_numbers_does_not_matter(form):
    truth, predicted = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])
    given_as = (lambda array: array.tolist()) if form is list else (lambda array: array.astype(form))
    assert scores(given_as(truth), given_as(predicted), 2) == scores(truth, predicted, 2)


def test_small_integers_do_not_overflow():
    truth = np.arange(120, dtype=np.int8)
    assert scores(truth, truth, 120)["f1_macro"] == 1.0


@pytest.mark.parametrize(
    ("truth", "predicted", "labels", "says"),
    [
        ([0, 1], [0], 2, "2 true values but 1 predictions"),
        ([0, 2], [0, 1], 2, r"truth holds 2, but each must be a declared label index 0\.\.1"),
        ([0, -1], [0, 1], 2, "truth holds -1"),
        ([0, 1], [0, 2], 2, r"predicted holds 2.*0\.\.1, or -1"),
        ([0, 1], [0, -2], 2, "predicted holds -2"),
        ([0.0, 1.0], [0, 1], 2, "truth must be whole numbers, not float64"),
        ([[0], [1]], [0, 1], 2, "truth must have 1 dimension"),
        ([0], [0], 0, "at least one label"),
    ],
)
def test_refuses_what_it_cannot_count(truth, predicted, labels, says):
    with pytest.raises(ValueError, match=says):
        scores(truth, predicted, labels)
