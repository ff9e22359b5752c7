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


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        *(("regression", float(value), "not a finite number") for value in ("nan", "inf", "-inf")),
        ("binary", 2, "the label 2, which the task does not declare"),
        ("multi_class", -1, "the label -1, which the task does not declare"),
        ("multi_class", 99, "the label 99, which the task does not declare"),
        ("multi_label", [0, 1, 2], "the label 2"),
        ("multi_label", [0, 1], "not as many labels"),
    ],
)
def test_an_answer_that_the_task_does_not_know(kind, value, words):
    of = plain.whole(kind, 1)
    with pytest.raises(SeluError, match=words):
        check(replace(of, answers=[*of.answers[:-1], value]))


@pytest.mark.parametrize("kind", plain.KINDS)
def test_the_same_answer_everywhere_teaches_nothing_but_numbers(kind):
    of, same = plain.whole(kind, 1), {"multi_label": [1, 1, 1], "regression": 1.0}.get(kind, 1)
    of = replace(of, answers=[same] * len(of.texts))
    if kind == "regression":
        check(of)
    else:
        with pytest.raises(SeluError, match="the same label, so that there is nothing to learn"):
            check(of)
