from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics import sequence_labeling as seqeval
from seqeval.scheme import IOB2, Entities
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from selu.metrics.entities import scores

TYPES = ("Class", "Function", "Library")
TAGS = ("O", *(f"{place}-{name}" for name in TYPES for place in "BI"))
PAIRS = st.sampled_from(TAGS).flatmap(lambda tag: st.tuples(st.just(tag), st.sampled_from([*[tag] * 8, *TAGS])))


def parted(rows):
    return [[tag for tag, _ in row] for row in rows], [[tag for _, tag in row] for row in rows]


@pytest.mark.ci
@pytest.mark.parametrize("strict", [False, True])
@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(PAIRS, min_size=1, max_size=9), min_size=1, max_size=5))
def test_equals_seqeval_bit_for_bit(strict, rows):
    """Of types that occur nowhere seqeval says nothing; here they are declared, and count as 0."""
    truth, predicted = parted(rows)
    mode = {"mode": "strict", "scheme": IOB2} if strict else {}
    if strict:
        spans = [*Entities(truth, IOB2).entities, *Entities(predicted, IOB2).entities]
        types = sorted({span.tag for row in spans for span in row})
    else:
        types = sorted({span[0] for side in (truth, predicted) for span in seqeval.get_entities(side)})
    found = scores(truth, predicted, TYPES, strict=strict)
    assert found["accuracy"] == seqeval.accuracy_score(truth, predicted)
    for measure in ("f1", "precision", "recall"):
        each = dict(zip(TYPES, found[f"{measure}_per_class"], strict=True))
        if types:
            scored = partial(getattr(seqeval, f"{measure}_score"), truth, predicted, zero_division=0, **mode)
            assert [each.pop(name) for name in types] == scored(average=None).tolist()
            assert found[f"{measure}_micro"] == scored(average="micro")
            macro = scored(average="macro") * len(types)
            assert found[f"{measure}_macro"] * len(TYPES) == pytest.approx(macro, rel=1e-15)
        assert not any(each.values())


@settings(max_examples=40)
@given(st.lists(st.lists(PAIRS, max_size=8), max_size=4))
def test_tokens_equal_scikit_learn(rows):
    """Tags other than O are the classes, in the order of the types."""
    truth, predicted = parted(rows)
    found = scores(truth, predicted, TYPES)
    flat = [[tag for row in side for tag in row] for side in (truth, predicted)]
    if not flat[0]:
        assert found["accuracy"] == found["token_f1_macro"] == 0.0
        return
    assert found["accuracy"] == accuracy_score(*flat)
    for ours, theirs in {"micro": "micro", "macro": "macro", "per_class": None}.items():
        expected = precision_recall_fscore_support(*flat, labels=TAGS[1:], average=theirs, zero_division=0)
        for measure, value in zip(("precision", "recall", "f1"), expected[:3], strict=True):
            assert found[f"token_{measure}_{ours}"] == (value if theirs else value.tolist())


def test_invalid_tags_are_wrong_and_open_nothing():
    found = scores([["B-Class", "O", "O"]], [["B-Class", "B-Person", None]], TYPES)
    assert found["invalid"] == 2
    assert (found["precision_micro"], found["recall_micro"], found["accuracy"]) == (1.0, 1.0, 1 / 3)
    cut = scores([["B-Class", "I-Class"]], [["B-Class", "?"]], TYPES)
    assert (cut["f1_micro"], cut["token_recall_micro"]) == (0.0, 0.5)
