from __future__ import annotations

import pytest

from selu.metrics import kinds
from selu.metrics.evaluate import KINDS, evaluate
from selu.vocabulary import Kind


def test_the_kinds_are_those_of_the_vocabulary():
    assert set(KINDS) == set(Kind)
    assert {kind: kinds.columns(kind)[0] for kind in Kind} == {
        kind: "tokens" if kind in ("entities", "masked") else "text" for kind in Kind
    }
    assert [kind for kind in Kind if kinds.metric(kind)[1]] == ["regression"]  # where a lower score is better


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
