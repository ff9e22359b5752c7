from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import plain

from selu.systems.baseline.learning import check
from selu.vocabulary import SeluError


@pytest.mark.parametrize("kind", plain.KINDS)
def test_a_lesson_passes(kind):
    check(plain.whole(kind, 1))


@pytest.mark.parametrize("kind", plain.KINDS)
@pytest.mark.parametrize("empty", ["texts", "questions"])
def test_no_rows(kind, empty):
    with pytest.raises(SeluError, match="no rows to learn from or to answer"):
        check(replace(plain.whole(kind, 1), **{empty: []}))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_target_that_is_no_number(value):
    of = plain.whole("regression", 1)
    with pytest.raises(SeluError, match="not a finite number"):
        check(replace(of, answers=[*of.answers[:-1], value]))


def test_the_same_number_everywhere_is_no_mistake():
    of = plain.whole("regression", 1)
    check(replace(of, answers=[1.0] * len(of.texts)))


@pytest.mark.parametrize(("kind", "value"), [("binary", 2), ("multi_class", -1), ("multi_class", 99)])
def test_a_label_that_is_not_declared(kind, value):
    of = plain.whole(kind, 1)
    with pytest.raises(SeluError, match=f"the label {value}, which the task does not declare"):
        check(replace(of, answers=[*of.answers[:-1], value]))


def test_labels_of_several_that_are_not_declared():
    of = plain.whole("multi_label", 1)
    with pytest.raises(SeluError, match="the label 2"):
        check(replace(of, answers=[*of.answers[:-1], [0, 1, 2]]))
    with pytest.raises(SeluError, match="not as many labels"):
        check(replace(of, answers=[*of.answers[:-1], [0, 1]]))


@pytest.mark.parametrize("kind", ["binary", "multi_class", "multi_label"])
def test_one_class_only(kind):
    of = plain.whole(kind, 1)
    same = [1, 1, 1] if kind == "multi_label" else 1
    with pytest.raises(SeluError, match="the same label, so that there is nothing to learn"):
        check(replace(of, answers=[same] * len(of.texts)))
