"""Scores from counts: a recount that is wrong would call a right score of the paper false."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import f1_score

from selu.papers.selu.recounts.counts import Labels, Matrix

CLASSES = st.integers(2, 5)


def matrix(true: list[int], answers: list[int], classes: int) -> Matrix:
    """Count answers; ``classes`` stands for one that names no class."""
    cells = np.zeros((classes, classes + 1), dtype=np.int64)
    np.add.at(cells, (true, answers), 1)
    return Matrix(cells)


def macro(true: list[NDArray[np.bool_]], given: list[NDArray[np.bool_]]) -> NDArray[np.float64]:
    """Macro F1 of resamples, whose rows of each label and answers with it are arrays (resamples, rows)."""
    f1 = [
        2 * (first & second).sum(1) / (first.sum(1) + second.sum(1))
        for first, second in zip(true, given, strict=True)
    ]
    return np.mean(f1, axis=0)


@given(
    CLASSES.flatmap(
        lambda k: st.tuples(st.just(k), st.lists(st.tuples(*2 * [st.integers(0, k - 1)]), min_size=1))
    )
)
def test_macro_f1_is_that_of_the_rows(drawn):
    classes, pairs = drawn
    true, answers = (list(column) for column in zip(*pairs, strict=True))
    expected = f1_score(true, answers, labels=range(classes), average="macro", zero_division=0)
    assert matrix(true, answers, classes).macro_f1() == pytest.approx(expected, abs=1e-12)


def test_an_answer_that_names_no_class_misses_its_true_one():
    """A prompted model would gain by saying nothing."""
    assert matrix([0, 0, 1, 1], [0, 2, 1, 1], 2).macro_f1() == pytest.approx((2 / 3 + 1) / 2)


def test_the_interval_is_that_of_resampled_rows():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3, 400)
    answers = np.where(rng.random(400) < 0.7, true, rng.integers(0, 3, 400))
    low, high = matrix(list(true), list(answers), 3).interval(4000, 1, 0.95)
    rows = rng.integers(0, 400, (1000, 400))
    scores = macro(*([values[rows] == label for label in range(3)] for values in (true, answers)))
    assert (low, high) == pytest.approx(np.quantile(scores, [0.025, 0.975]), abs=0.008)
    assert (low, high) == matrix(list(true), list(answers), 3).interval(4000, 1, 0.95)


def test_a_label_that_was_never_given_rightly_scores_nothing():
    counts = Labels((0, 3), (4, 5), (None, 4), 6)
    assert counts.f1().tolist() == [0, pytest.approx(6 / 9)]
    assert counts.micro_f1() == pytest.approx(6 / 15)
    assert Labels((0, 3), (4, 5), (None, 4)).micro_f1() is None


def test_the_interval_of_labels_is_that_of_rows_whose_labels_are_independent():
    rng = np.random.default_rng(0)
    true, answers = rng.random((300, 3)) < (0.5, 0.3, 0.2), rng.random((300, 3)) < (0.5, 0.3, 0.2)
    answers = np.where(rng.random((300, 3)) < 0.6, true, answers)
    right, support, answered = (tuple(map(int, flags.sum(axis=0))) for flags in (true & answers, true, answers))
    found = Labels(right, support, answered, rows=300).interval(4000, 1, 0.95)
    rows = rng.integers(0, 300, (1000, 300))
    scores = macro(*([flags[rows, label] for label in range(3)] for flags in (true, answers)))
    assert found == pytest.approx(np.quantile(scores, [0.025, 0.975]), abs=0.01)


def test_labels_of_spans_have_no_interval():
    """Spans of one sentence are not independent, so that an interval over spans would be too narrow."""
    assert Labels((3,), (5,), (4,), 4).interval(100, 1, 0.95) is None
    assert Labels((0,), (5,), (None,), rows=9).interval(100, 1, 0.95) == (0, 0)
