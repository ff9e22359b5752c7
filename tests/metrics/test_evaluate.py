from __future__ import annotations

import json

import pytest

from selu.metrics.evaluate import KINDS, evaluate
from selu.metrics.masked import Answers
from selu.vocabulary import Kind

SHARES = {
    "accuracy",
    *(f"{m}_{a}" for m in ("f1", "precision", "recall") for a in ("micro", "macro", "per_class")),
}
CASES = {
    "binary": ([0, 1], [0, -1], 2, SHARES | {"confusion_matrix"}),
    "multi_class": ([0, 2], [0, 1], 3, SHARES | {"confusion_matrix"}),
    "multi_label": ([[0, 1]], [[1, 1]], 2, SHARES | {"confusion_matrices"}),
    "regression": ([1.0], [2.0], 0, {"mae", "mse", "rmse", "mape", "smape"}),
    "entities": (
        [["B-Class"]],
        [["O"]],
        ["Class"],
        SHARES | {f"token_{name}" for name in SHARES - {"accuracy"}},
    ),
    "masked": ([1], Answers([1], [-0.5]), 5, {"accuracy", "perplexity"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_scores_ready_for_json(kind):
    truth, predicted, labels, names = CASES[kind]
    found = evaluate(kind, truth, predicted, labels)
    assert set(found) == names | {"invalid"}
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_the_kinds_are_those_of_the_vocabulary():
    assert set(KINDS) == set(Kind)


@pytest.mark.parametrize(
    ("kind", "labels", "says"),
    [
        ("ranking", 2, "no kind of task is called 'ranking'"),
        ("binary", 3, "a binary task has 2 labels, not 3"),
        ("entities", 3, "labels must be the names of the types, not 3"),
        ("multi_class", ["a", "b"], "labels must be their number"),
    ],
)
def test_refuses_a_kind_or_labels_that_are_none(kind, labels, says):
    with pytest.raises(ValueError, match=says):
        evaluate(kind, [], [], labels)
