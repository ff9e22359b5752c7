"""Scores that follow from counts, of one label or several a row: scikit-learn's, to the last bit."""

from __future__ import annotations

from itertools import cycle, islice

import numpy as np
import pytest
from sklearn import config_context
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    multilabel_confusion_matrix,
    precision_recall_fscore_support,
)

from selu.metrics import classification, multi_label

AVERAGES = {"micro": "micro", "macro": "macro", "per_class": None}


def assert_agree(found, truth, predicted, labels, average):
    """Precision, recall and F1 are scikit-learn's with all labels declared, and so is accuracy."""
    with config_context(skip_parameter_validation=True, assume_finite=True):
        theirs = precision_recall_fscore_support(
            truth, predicted, labels=range(labels), average=AVERAGES[average], zero_division=0
        )
    for measure, value in zip(("precision", "recall", "f1"), theirs[:3], strict=True):
        assert np.array_equal(found[f"{measure}_{average}"], value), (truth, predicted, measure)
    assert found["accuracy"] == accuracy_score(truth, predicted)


def several(rng, labels, rows):
    """Any truth and answers of several labels; some labels are never true, or never answered."""
    truth = rng.random((rows, labels)) < rng.random(labels) * (rng.random(labels) < 0.8)
    kept = rng.random((rows, labels)) < rng.random()
    predicted = np.where(kept, truth, rng.random((rows, labels)) < rng.random()) & (rng.random(labels) < 0.9)
    return truth.astype(np.int64), predicted.astype(np.int64)


@pytest.mark.ci
def test_one_label_a_row_equals_scikit_learn():
    """600 cases: 2 to 12 classes, absent ones among them, a third with invalid answers; an average each."""
    rng = np.random.default_rng(1)
    for average in islice(cycle(AVERAGES), 600):
        labels = 2 if rng.random() < 0.3 else int(rng.integers(3, 13))
        rows, invalid = rng.integers(1, 40), rng.random() < 1 / 3
        truth = rng.choice(rng.choice(labels, size=rng.integers(1, labels + 1), replace=False), rows)
        predicted = np.where(rng.random(rows) < rng.random(), truth, rng.integers(-invalid, labels, rows))
        found = classification.scores(truth, predicted, labels)
        assert_agree(found, truth, predicted, labels, average)
        assert found["confusion_matrix"] == confusion_matrix(truth, predicted, labels=range(labels)).tolist()
        assert found["invalid"] == (predicted == -1).sum()


@pytest.mark.ci
def test_several_labels_a_row_equal_scikit_learn():
    """500 cases of 2 to 11 labels; an average each."""
    rng = np.random.default_rng(4)
    for average in islice(cycle(AVERAGES), 500):
        labels = int(rng.integers(2, 12))
        truth, predicted = several(rng, labels, rng.integers(1, 30))
        found = multi_label.scores(truth, predicted, labels)
        assert_agree(found, truth, predicted, labels, average)
        assert found["confusion_matrices"] == multilabel_confusion_matrix(truth, predicted).tolist()
        assert found["invalid"] == 0


def test_an_invalid_answer_says_no_to_all_labels_and_is_never_right():
    """Its labels count as if it had answered no, but no to nothing is not right, and no matrix holds it."""
    rng = np.random.default_rng(6)
    truth, predicted = several(rng, 4, 50)
    broken = rng.random(50) < 0.3
    no = np.where(broken[:, None], 0, predicted)
    for mark in (np.full(4, -1), np.array([1, -1, 0, 1])):
        found = multi_label.scores(truth, np.where(broken[:, None], mark, predicted), 4)
        as_no = multi_label.scores(truth, no, 4)
        for name in as_no.keys() - {"accuracy", "confusion_matrices", "invalid"}:
            assert found[name] == as_no[name]
        assert found["invalid"] == broken.sum()
        assert found["accuracy"] == (truth == predicted)[~broken].all(axis=1).sum() / 50
        valid = multilabel_confusion_matrix(truth[~broken], predicted[~broken])
        assert found["confusion_matrices"] == valid.tolist()
    assert multi_label.scores([[0, 0]], [[-1, -1]], 2)["accuracy"] == 0.0


def test_of_no_rows_every_score_is_zero_and_one_label_is_enough():
    for family, name, table in (
        (classification, "confusion_matrix", [[0] * 3] * 3),
        (multi_label, "confusion_matrices", [[[0, 0], [0, 0]]] * 3),
    ):
        found = family.scores([], [], 3)
        assert found.pop(name) == table
        assert found.pop("f1_per_class") == [0.0] * 3
        assert {value for name, value in found.items() if not name.endswith("per_class")} == {0}
    assert classification.scores([0, 0], [0, -1], 1)["accuracy"] == 0.5
    separate = np.empty(2, dtype=object)  # rows as a table keeps them
    separate[:] = [np.array([1], dtype=np.int8), np.array([0], dtype=np.int8)]
    assert multi_label.scores(separate, [[True], [False]], 1)["f1_macro"] == 1.0


@pytest.mark.parametrize("form", [list, np.int8, np.uint8, np.int32, np.int64, bool])
def test_the_type_of_the_numbers_does_not_matter(form):
    truth, predicted = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])
    given = [array.tolist() if form is list else array.astype(form) for array in (truth, predicted)]
    assert classification.scores(*given, 2) == classification.scores(truth, predicted, 2)
