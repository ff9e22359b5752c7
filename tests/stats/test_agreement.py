"""Shares of rows and agreement beyond chance, with their intervals."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from selu.stats.agreement import kappa, share


def wilson(count: int, rows: int) -> tuple[float, float]:
    z, p = 1.959963984540054, count / rows
    middle = (p + z * z / (2 * rows)) / (1 + z * z / rows)
    half = z * math.sqrt(p * (1 - p) / rows + z * z / (4 * rows * rows)) / (1 + z * z / rows)
    return middle - half, middle + half


@given(rows=st.integers(1, 5000), data=st.data())
def test_a_share_lies_between_its_bounds(rows: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, rows))
    found = share(count, rows, 0.95)
    assert (found["low"], found["high"]) == pytest.approx(wilson(count, rows), abs=1e-12)
    assert 0 <= found["low"] <= found["share"] <= found["high"] <= 1
    assert found["low"] < found["high"]


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
    values = [one["value"] for one in drawn if one]
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    found = kappa(pairs, 0.95)
    assert found is not None
    assert (found["high"] - found["low"]) / 2 == pytest.approx(1.96 * deviation, rel=0.08)
