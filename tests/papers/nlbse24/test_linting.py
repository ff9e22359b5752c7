from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.boards.rounding import Range
from selu.papers.nlbse24 import formulas, linting

SETFIT = "Kallis and Colavito/Recall"


def test_a_mended_entry_is_refused_no_longer(paper):
    mended = paper.with_published("table1", SETFIT, "Average", "0.826")
    assert len(linting.impossible(linting.lint(mended))) == len(linting.impossible(linting.lint(paper))) - 2


@given(st.fractions(0, 1), st.fractions(0, Fraction(1, 100)))
def test_the_score_lies_in_its_range(f1, runtime):
    score = formulas.Score(0.75, 0.25, 0.005)
    exact = score.range(Range(f1, f1), Range(runtime, runtime))
    assert exact.low == exact.high
    assert float(exact.low) == pytest.approx(score.compute(float(f1), float(runtime)))


def test_formulas():
    assert formulas.weighted([0.5, 1.0], [1, 3]) == pytest.approx(0.875)
    assert formulas.weighted([0.2, 0.4, 0.9], [100] * 3) == pytest.approx(formulas.mean([0.2, 0.4, 0.9]))
    assert formulas.ranking({"a": 0.1, "b": 0.3, "c": 0.3}) == ["b", "c", "a"]
