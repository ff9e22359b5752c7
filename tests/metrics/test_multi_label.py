from __future__ import annotations

from itertools import cycle, islice

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, multilabel_confusion_matrix

from selu.metrics.multi_label import scores

AVERAGES = ("micro", "macro", "per_class")


def answers(rng, labels, rows):
    """Any truth and answers; some labels are never true, or never answered."""
    truth = rng.random((rows, labels)) < rng.random(labels) * (rng.random(labels) < 0.8)
    kept = rng.random((rows, labels)) < rng.random()
    predicted = np.where(kept, truth, rng.random((rows, labels)) < rng.random()) & (rng.random(labels) < 0.9)
    return truth.astype(np.int64), predicted.astype(np.int64)


def test_equals_scikit_learn_bit_for_bit(agreed):
    """500 cases of 2 to 11 labels; an average each."""
    rng = np.random.default_rng(4)
    for average in islice(cycle(AVERAGES), 500):
        labels = int(rng.integers(2, 12))
        truth, predicted = answers(rng, labels, rng.integers(1, 30))
        found = scores(truth, predicted, labels)
        assert agreed(found, truth, predicted, labels, average), (truth, predicted)
        assert found["accuracy"] == accuracy_score(truth, predicted)
        assert found["confusion_matrices"] == multilabel_confusion_matrix(truth, predicted).tolist()
        assert found["invalid"] == 0


def test_an_invalid_answer_says_no_to_all_and_is_never_right():
    """Its labels count as if it had answered no, but no to nothing is not right, and no matrix holds it."""
    rng = np.random.default_rng(6)
    truth, predicted = answers(rng, 4, 50)
    broken = rng.random(50) < 0.3
    no = np.where(broken[:, None], 0, predicted)
    for mark in (np.full(4, -1), np.array([1, -1, 0, 1])):
        found = scores(truth, np.where(broken[:, None], mark, predicted), 4)
        as_no = scores(truth, no, 4)
        for name in as_no:
            if name not in ("accuracy", "confusion_matrices", "invalid"):
                assert found[name] == as_no[name]
        assert found["invalid"] == broken.sum()
        assert found["accuracy"] == (truth == predicted)[~broken].all(axis=1).sum() / 50
        valid = multilabel_confusion_matrix(truth[~broken], predicted[~broken])
        assert found["confusion_matrices"] == valid.tolist()
    assert scores([[0, 0]], [[-1, -1]], 2)["accuracy"] == 0.0


def test_of_no_rows_every_score_is_zero():
    found = scores([], [], 2)
    assert found["accuracy"] == found["f1_macro"] == found["f1_micro"] == 0.0
    assert found["confusion_matrices"] == [[[0, 0], [0, 0]]] * 2


def test_one_label_and_rows_kept_apart():
    separate = np.empty(2, dtype=object)
    separate[:] = [np.array([1], dtype=np.int8), np.array([0], dtype=np.int8)]
    assert scores(separate, [[True], [False]], 1)["f1_macro"] == 1.0


@pytest.mark.parametrize(
    ("truth", "predicted", "says"),
    [
        ([[0, 1]], [[0, 1], [1, 1]], "1 true values but 2 predictions"),
        ([[0, 2]], [[0, 1]], "truth must hold only 0 and 1"),
        ([[0, -1]], [[0, 1]], "truth must hold only 0 and 1"),
        ([[0, 1]], [[0, 2]], "predicted must hold only 0 and 1, or -1"),
        ([[0, 1]], [[0, 1, 1]], "predicted has 3 columns, but 2 labels"),
        ([0, 1], [0, 1], r"truth must have 2 dimension\(s\)"),
        ([[0.2, 1]], [[0, 1]], "whole numbers"),
    ],
)
def test_refuses_what_it_cannot_count(truth, predicted, says):
    with pytest.raises(ValueError, match=says):
        scores(truth, predicted, 2)
