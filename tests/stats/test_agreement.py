"""Shares of rows and agreement beyond chance, with their intervals."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from selu.stats.agreement import kappa, share


def test_a_share_has_a_width_even_where_all_rows_agree() -> None:
    """Bounds of Wilson's interval at 95 % by hand: 3.84 / (rows + 3.84) at the ends."""
    assert share(0, 10, 0.95) == pytest.approx(
        {"count": 0, "rows": 10, "share": 0, "low": 0, "high": 0.277533}, abs=1e-6
    )
    assert share(10, 10, 0.95)["low"] == pytest.approx(1 - 0.277533, abs=1e-6)
    half = share(5, 10, 0.95)
    assert half["share"] == 0.5
    assert half["high"] - 0.5 == pytest.approx(0.5 - half["low"]) == pytest.approx(0.26341, abs=1e-5)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60))
def test_kappa_is_that_of_another_library(pairs: list[tuple[int, int]]) -> None:
    found = kappa(pairs, 0.95)
    if len({answer for pair in pairs for answer in pair}) == 1:
        assert found is None
        return
    assert found is not None
    assert found["value"] == pytest.approx(cohen_kappa_score(*zip(*pairs, strict=True)), abs=1e-12)
    assert -1 <= found["low"] <= found["value"] <= found["high"] <= 1
    other = kappa([(b, a) for a, b in pairs], 0.95)
    assert other is not None
    assert [other[name] for name in found] == pytest.approx([found[name] for name in found], abs=1e-9)


def test_the_interval_of_kappa_is_as_wide_as_resamples_of_the_rows() -> None:
    numbers = random.Random(7)
    answers = [numbers.choices("abc", (5, 3, 2))[0] for _ in range(400)]
    pairs = [(a, a if numbers.random() < 0.7 else numbers.choice("abc")) for a in answers]
    drawn = [kappa(numbers.choices(pairs, k=400), 0.95) for _ in range(1500)]
    values = [estimate["value"] for estimate in drawn if estimate]
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    found = kappa(pairs, 0.95)
    assert found is not None
    assert (found["high"] - found["low"]) / 2 == pytest.approx(1.96 * deviation, rel=0.08)
