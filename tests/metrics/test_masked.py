from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.metrics.masked import Answers, scores


def test_counts_right_tokens_and_invalid_answers():
    assert scores([5, 49_999, 0, 7], [5, 49_999, 1, -1], 50_000) == {"accuracy": 0.5, "invalid": 1}
    assert scores([], [], 10) == {"accuracy": 0.0, "invalid": 0}


@given(st.lists(st.floats(1e-300, 1), min_size=1, max_size=30))
def test_perplexity_is_the_inverse_geometric_mean_of_the_probabilities(shares):
    tokens = [1] * len(shares)
    found = scores(tokens, Answers(tokens, np.log(shares)), 3)
    expected = math.prod(share ** (-1 / len(shares)) for share in shares)
    assert found["perplexity"] == pytest.approx(expected, rel=1e-9)
    assert found["perplexity"] >= 1 - 1e-12
    assert found["accuracy"] == 1.0


def test_a_system_that_knows_nothing_is_as_perplexed_as_the_vocabulary_is_large():
    guess = Answers([0] * 6, [math.log(1 / 8)] * 6)
    assert scores([0, 1, 2, 3, 4, 5], guess, 8)["perplexity"] == pytest.approx(8)
