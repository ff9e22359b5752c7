from __future__ import annotations

from dataclasses import replace

import plain
import pytest

from selu.systems.baseline.learning import check
from selu.vocabulary import SeluError


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
    lesson = plain.whole(kind, 1)
    with pytest.raises(SeluError, match=words):
        check(replace(lesson, answers=[*lesson.answers[:-1], value]))
