from __future__ import annotations

import numpy as np
import pytest

from selu.metrics.percentiles import bounds


def test_bounds_are_quantiles_of_what_is_a_number():
    drawn = np.arange(1001, dtype=np.float64)
    found = bounds(np.append(drawn, np.nan), 0.9)
    assert (found.low, found.high) == pytest.approx((50, 950))


def test_the_error_is_how_far_the_bounds_move_with_other_draws():
    rng = np.random.default_rng(1)
    lows = [bounds(rng.normal(size=2000), 0.9).low for _ in range(300)]
    error = np.mean([bounds(rng.normal(size=2000), 0.9).error for _ in range(50)])
    assert error == pytest.approx(np.std(lows), rel=0.3)


def test_constant_values_have_no_width_and_no_error():
    assert bounds(np.full(10, 0.25), 0.95) == (0.25, 0.25, 0.0)
