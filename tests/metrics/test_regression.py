from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    root_mean_squared_error,
)

from selu.metrics.regression import LARGEST, scores

NUMBERS = st.floats(-1e6, 1e6)
ORACLES = {
    "mae": mean_absolute_error,
    "mse": mean_squared_error,
    "rmse": root_mean_squared_error,
    "mape": mean_absolute_percentage_error,
}


def test_equals_scikit_learn():
    """800 cases, zeros among truth and answers."""
    rng = np.random.default_rng(7)
    for _ in range(800):
        rows = rng.integers(1, 50)
        truth = np.where(rng.random(rows) < 0.1, 0.0, rng.lognormal(1, 2, rows) * rng.choice([-1, 1], rows))
        predicted = np.where(rng.random(rows) < 0.1, 0.0, truth + rng.normal(0, 3, rows))
        found = scores(truth, predicted)
        name = list(ORACLES)[rng.integers(4)]
        assert found[name] == pytest.approx(ORACLES[name](truth, predicted), rel=1e-12)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=20))
def test_smape_is_equation_2(rows):
    terms = [
        abs(prediction - truth) / ((abs(truth) + abs(prediction)) / 2)
        if abs(truth) + abs(prediction) > 1e-300
        else 0.0
        for truth, prediction in rows
    ]
    found = scores(*zip(*rows, strict=True))["smape"]
    if all(truth == prediction == 0 or abs(truth) + abs(prediction) > 1e-300 for truth, prediction in rows):
        assert found == pytest.approx(sum(terms) / len(rows), rel=1e-12, abs=1e-300)
    assert 0 <= found <= 2


def test_smape_at_its_ends():
    assert scores([0.0, 3.0], [0.0, 3.0])["smape"] == 0.0
    assert scores([0.0, 3.0], [1e-9, -3.0])["smape"] == 2.0
    assert scores([1.0], [3.0])["smape"] == 1.0


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=20), st.randoms())
def test_order_of_rows_does_not_change_a_bit(rows, random):
    found = scores(*zip(*rows, strict=True))
    random.shuffle(rows)
    assert scores(*zip(*rows, strict=True)) == found
    assert found["mae"] <= found["rmse"] * (1 + 1e-12) + 1e-150  # squares below 1e-308 are lost


def test_invalid_answers_are_counted_and_left_out():
    truth = [1.0, 2.0, 3.0, 4.0, 5.0]
    found = scores(truth, [1.5, math.nan, math.inf, -1e200, 4.0])
    assert found.pop("invalid") == 3
    expected = scores([1.0, 5.0], [1.5, 4.0])
    assert expected.pop("invalid") == 0
    assert found == expected


def test_the_largest_numbers_still_have_finite_scores():
    found = scores([LARGEST, -LARGEST, 0.0], [-LARGEST, LARGEST, LARGEST])
    assert all(math.isfinite(value) for value in found.values())
    assert found["invalid"] == 0
