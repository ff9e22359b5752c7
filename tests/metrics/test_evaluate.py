from __future__ import annotations

import math

import pytest

from selu.metrics import kinds
from selu.metrics.evaluate import KINDS, evaluate
from selu.metrics.masked import Answers
from selu.vocabulary import Kind

TYPES = ("Class", "Function")


def test_the_kinds_are_those_of_the_vocabulary():
    assert set(KINDS) == set(Kind)
    assert {kind: kinds.columns(kind)[0] for kind in Kind} == {
        kind: "tokens" if kind in ("entities", "masked") else "text" for kind in Kind
    }
    assert [kind for kind in Kind if kinds.metric(kind)[1]] == ["regression"]  # where a lower score is better


@pytest.mark.parametrize(
    ("kind", "truth", "predicted", "labels", "says"),
    [
        ("ranking", [], [], 2, "no kind of task is called 'ranking'"),
        ("binary", [], [], 3, "a binary task has 2 labels, not 3"),
        ("entities", [], [], 3, "labels must be the names of the types, not 3"),
        ("multi_class", [], [], ["a", "b"], "labels must be their number"),
        ("multi_class", [0, 1], [0], 3, "2 true values but 1 predictions"),
        ("multi_class", [0, 2], [0, 1], 2, r"truth holds 2, but each must be a declared label index 0\.\.1"),
        ("multi_class", [0, 1], [0, 2], 2, r"predicted holds 2.*0\.\.1, or -1"),
        ("multi_class", [0.0, 1.0], [0, 1], 2, "truth must be whole numbers, not float64"),
        ("multi_class", [[0], [1]], [0, 1], 2, "truth must have 1 dimension"),
        ("multi_class", [0], [0], 0, "at least one label"),
        ("multi_label", [[0, 1]], [[0, 1], [1, 1]], 2, "1 true values but 2 predictions"),
        ("multi_label", [[0, 2]], [[0, 1]], 2, "truth must hold only 0 and 1"),
        ("multi_label", [[0, 1]], [[0, 2]], 2, "predicted must hold only 0 and 1, or -1"),
        ("multi_label", [[0, 1]], [[0, 1, 1]], 2, "predicted has 3 columns, but 2 labels"),
        ("multi_label", [0, 1], [0, 1], 2, r"truth must have 2 dimension\(s\)"),
        ("regression", [math.nan], [1.0], 0, "truth holds a value that is no number"),
        ("regression", [], [], 0, "none of 0 answers"),
        ("regression", [1.0, 2.0], [math.nan, math.nan], 0, "none of 2 answers is a valid number"),
        ("regression", [[1.0]], [1.0], 0, "truth must have one dimension"),
        ("entities", [["O"], ["O"]], [["O"], []], TYPES, "row 1 has 1 words but 0 predicted tags"),
        ("entities", [["B-Person"]], [["O"]], TYPES, "truth holds the tag 'B-Person'"),
        ("entities", [["O"]], [["O"]], ["Class", "Class"], "each once"),
        ("masked", [1], Answers([1], [0.5]), 10, "between -700 and 0"),
        ("masked", [1], Answers([1], [math.nan]), 10, "between -700 and 0"),
        ("masked", [1, 2], Answers([1, 2], [-1.0]), 10, "for each of 2 masked tokens"),
        ("masked", [], Answers([], []), 10, "at least one"),
    ],
)
def test_refuses_what_has_no_score(kind, truth, predicted, labels, says):
    with pytest.raises(ValueError, match=says):
        evaluate(kind, truth, predicted, labels)
