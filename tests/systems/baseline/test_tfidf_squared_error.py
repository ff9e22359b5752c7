from __future__ import annotations

import random

import plain

from selu.systems.baseline.tfidf_squared_error import TfidfSquaredError
from selu.systems.baseline.tfidf_xgboost import TfidfXgboost


def test_answers_are_those_of_trees_of_squared_error_on_all_columns():
    numbers, other = random.Random(3), 0
    for seed in range(8):
        lesson, threads = plain.whole("binary", seed), 1 + (seed == 7)
        params = plain.candidate(numbers)
        found = TfidfSquaredError(lesson, threads).answer(params)
        assert found == plain.answers(lesson, *params.values(), threads, "reg:squarederror")
        assert set(found) <= {0, 1}
        other += found != TfidfXgboost(lesson).answer(params)
    assert other  # it is another learner than the one with the classifier's own loss
