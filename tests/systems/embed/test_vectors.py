from __future__ import annotations

import math

import numpy as np
import pytest

from selu.systems.embed import vectors
from selu.vocabulary import SeluError


def test_both_distances_rank_unit_vectors_alike():
    random = np.random.default_rng(3)
    first, second = (random.normal(size=(9, 5)) for _ in range(2))
    first, second = (axis / np.linalg.norm(axis, axis=1, keepdims=True) for axis in (first, second))
    near, far = vectors.cosine(first, second), vectors.squared_euclidean(first, second)
    assert far == pytest.approx(2 * near)
    assert vectors.cosine(first, 3 * first) == pytest.approx(np.zeros(9))


@pytest.mark.parametrize(
    ("given_", "reason"),
    [
        ([[1.0, 0.0]], r"shape \(1, 2\) for 2 texts"),
        ([[1.0, 0.0], [0.0, 0.0]], "zero for text 2 of 2"),
        ([[math.nan, 0.0], [1.0, 0.0]], "not finite for text 1 of 2"),
        ([[1.0, 0.0], [1.0]], "several sizes"),
    ],
)
def test_vectors_that_have_no_distance_are_refused(given_, reason):
    with pytest.raises(SeluError, match=reason):
        vectors.check_vectors(given_, 2)
    assert vectors.check_vectors([[1, 0], [0, 2]], 2).shape == (2, 2)
