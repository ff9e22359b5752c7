from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import matthews_corrcoef

from selu.metrics.correlation import matthews

LABELS = 3
PAIRS = st.lists(st.tuples(st.integers(0, LABELS - 1), st.integers(-1, LABELS - 1)), min_size=1, max_size=40)


@pytest.mark.filterwarnings("ignore:A single label was found")
@given(PAIRS)
def test_it_is_scikit_learns_with_invalid_answers_as_a_label_of_their_own(pairs):
    truth, answers = zip(*pairs, strict=True)
    assert matthews(truth, answers, LABELS) == pytest.approx(matthews_corrcoef(truth, answers), abs=1e-12)


def test_of_two_labels_it_is_that_of_matthews():
    """(TP TN - FP FN) / sqrt((TP+FP)(TP+FN)(TN+FP)(TN+FN)), of 5, 3, 1 and 2."""
    truth = [1] * 5 + [0] * 3 + [0] * 1 + [1] * 2
    answers = [1] * 5 + [0] * 3 + [1] * 1 + [0] * 2
    assert matthews(truth, answers, 2) == pytest.approx(13 / (6 * 7 * 4 * 5) ** 0.5, abs=1e-15)


def test_one_answer_to_everything_is_worth_nothing():
    assert matthews([0, 0, 0, 1], [0, 0, 0, 0], 2) == matthews([0, 0], [0, 1], 2) == 0
    assert matthews([0, 1], [0, 1], 2) == -matthews([0, 1], [1, 0], 2) == 1


def test_labels_that_are_not_declared_are_refused():
    with pytest.raises(ValueError, match=r"truth holds 3, but each must be a declared label index 0\.\.2"):
        matthews([3], [0], LABELS)
