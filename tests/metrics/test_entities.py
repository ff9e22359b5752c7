from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from selu.metrics.entities import scores

TYPES = ("Class", "Function", "Library")
TAGS = ("O", *(f"{place}-{name}" for name in TYPES for place in "BI"))
rows_of_tags = st.lists(
    st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS)), max_size=8), max_size=4
)


def parted(rows):
    return [[tag for tag, _ in row] for row in rows], [[tag for _, tag in row] for row in rows]


@pytest.fixture(scope="module")
def golden(root):
    """Random tags and what seqeval 1.2.2 gives them; made by make_entities.py beside this file."""
    cases = json.loads((root / "tests" / "golden" / "entities.json").read_text("utf-8"))
    for case in cases:
        for name in ("truth", "predicted"):
            case[name] = [row.split() for row in case[name]]
    assert len(cases) == 150
    return cases


@pytest.mark.parametrize("mode", ["default", "strict"])
def test_equals_seqeval_bit_for_bit(golden, mode):
    """With the types declared that seqeval finds, all its averages; with all of them, micro all the same."""
    for case in golden:
        expected = dict(case[mode])
        if types := expected.pop("types"):
            others = [name for name in TYPES if name not in types]
            found = scores(case["truth"], case["predicted"], [*types, *others], strict=mode == "strict")
            for name, value in expected.items():
                ours = found[name][: len(types)] if name.endswith("per_class") else found[name]
                if name.endswith("macro") and others:
                    each = found[name.replace("macro", "per_class")]
                    assert each[len(types) :] == [0.0] * len(others)
                    ours, value = found[name] * len(TYPES), value * len(types)  # declared classes count as 0
                    assert ours == pytest.approx(value, rel=1e-15)
                else:
                    assert ours == value, (case, name)
        else:
            assert scores(case["truth"], case["predicted"], TYPES, strict=mode == "strict")["f1_micro"] == 0.0
        assert scores(case["truth"], case["predicted"], TYPES)["accuracy"] == case["accuracy"]


@settings(max_examples=40)
@given(rows_of_tags)
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
