from __future__ import annotations

import classes
import numpy as np
import pytest

from selu.systems import learners
from selu.systems.baseline.learning import Lesson
from selu.systems.embed import encoder_linear

PARAMS = {"max_tokens": 40, "C": 100.0, "max_iter": 500}


@pytest.fixture
def params(folder) -> dict:
    return {**PARAMS, "path": str(folder)}


def answers(lesson: Lesson, params: dict) -> list:
    return learners.kind("encoder-linear")(lesson).answer(params)


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["binary", "multi_class"])
def test_classes_are_learnt_twice_alike(kind, params, tmp_path):
    lesson = classes.lesson(tmp_path, kind, 120)
    found = answers(lesson, params)
    assert np.mean(np.equal(found, classes.right(lesson))) > 0.8
    assert answers(lesson, params) == found
    assert answers(lesson, {**params, "max_tokens": 3}) != found


@pytest.mark.ci
def test_each_label_has_a_head_and_one_that_never_occurs_is_never_given(params, tmp_path):
    source = classes.lesson(tmp_path, "multi_class", 120)
    several = classes.lesson(
        tmp_path, "multi_class", 120, answers=[[int(a == 0), int(a != 1), 0] for a in source.answers]
    )
    lesson = Lesson("multi_label", 3, several.texts, several.answers, source.questions, 42, tmp_path)
    found = np.array(answers(lesson, params))
    right = np.array([[a == 0, a != 1, 0] for a in classes.right(source)])
    assert (found == right).mean() > 0.8
    assert not found[:, 2].any()


def test_numbers_are_answered_within_the_range_of_those_learnt_from(params, tmp_path):
    source = classes.lesson(tmp_path, "multi_class", 120)
    lesson = Lesson(
        "regression",
        0,
        source.texts,
        [(1.0, 3.0, 8.0)[a] for a in source.answers],
        source.questions,
        42,
        tmp_path,
    )
    found = np.array(answers(lesson, params))
    assert found.min() >= 1
    assert found.max() <= 8
    right = np.array([(1.0, 3.0, 8.0)[a] for a in classes.right(source)])
    assert np.corrcoef(found, right)[0, 1] > 0.8
    flat = np.array(answers(lesson, {**params, "C": 1e-9}))
    assert np.ptp(flat) < 1e-3  # all but the mean is penalised


def test_a_second_head_reads_no_text_again(params, tmp_path, monkeypatch):
    lesson, kept = classes.lesson(tmp_path, "binary", 60), {**params, "vectors": str(tmp_path / "vectors")}
    found = answers(lesson, kept)
    monkeypatch.setattr(encoder_linear, "_loaded", None)  # whoever reads a text fails
    assert answers(lesson, kept) == found
    assert answers(lesson, {**kept, "C": 1e-9}) != found
