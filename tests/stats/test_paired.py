"""McNemar's test and the smallest detectable difference, held to known values and to a simulation."""

from __future__ import annotations

import numpy as np
import pytest

from selu.stats.paired import detectable, mcnemar


def test_mcnemar_counts_only_rows_that_one_system_alone_has_right():
    assert mcnemar(0, 0) == 1
    assert mcnemar(0, 6) == mcnemar(6, 0) == pytest.approx(2 / 2**6)
    assert mcnemar(5, 5) == 1
    assert mcnemar(1, 8) == pytest.approx(2 * (1 + 9) / 2**9)


def test_a_difference_of_the_detectable_size_is_found_as_often_as_said():
    smallest = detectable(0.02, 0.95, 0.8)
    seen = np.random.default_rng(0).normal(smallest, 0.02, 100_000)
    assert (np.abs(seen) > 1.959964 * 0.02).mean() == pytest.approx(0.8, abs=0.005)
