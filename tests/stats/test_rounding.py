"""How a value of ours stands to a published one, by the digits that are published."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.stats import rounding
from selu.vocabulary import CellVerdict


@pytest.mark.parametrize(
    ("published", "value", "expected"),
    [
        ("0.625", 0.6245, CellVerdict.REPRODUCED),  # a half goes up
        ("0.625", 0.62549999, CellVerdict.REPRODUCED),
        ("0.625", 0.6255, CellVerdict.WITHIN_NOISE),
        ("0.625", 0.62449999, CellVerdict.WITHIN_NOISE),
        ("0.78", 0.7797202797202798, CellVerdict.REPRODUCED),
        ("0.78", 0.7794, CellVerdict.WITHIN_NOISE),  # a dropped zero is a printed digit, too
        ("0.0", 0.0004, CellVerdict.REPRODUCED),
        ("0.9", 0.5, CellVerdict.DEVIATES),
    ],
)
def test_a_verdict_follows_three_published_digits(published: str, value: float, expected: CellVerdict) -> None:
    assert rounding.verdict(published, None, value, value - 0.01, value + 0.01) is expected


def test_noise_is_judged_by_the_full_digits_where_they_are_known() -> None:
    assert rounding.verdict("0.5", 0.49951, 0.51, 0.4995, 0.52) is CellVerdict.WITHIN_NOISE
    assert rounding.verdict("0.5", 0.49949, 0.51, 0.4995, 0.52) is CellVerdict.DEVIATES
    assert rounding.verdict("0.5", None, 0.51, 0.5, 0.52) is CellVerdict.WITHIN_NOISE  # a bound belongs to it


@given(st.integers(0, 1000), st.floats(0, 1), st.floats(0, 0.2))
def test_a_number_is_never_apart_from_itself(thousandths: int, shift: float, width: float) -> None:
    published = f"{thousandths / 1000:.3f}"
    at = thousandths / 1000
    assert rounding.verdict(published, at, at, at - width, at + width) is CellVerdict.REPRODUCED
    inside = rounding.verdict(published, at, shift, min(at, shift) - width, max(at, shift) + width)
    assert inside is not CellVerdict.DEVIATES
