from __future__ import annotations

import pytest

from selu.metrics.evaluate import KINDS, evaluate
from selu.vocabulary import Kind


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
