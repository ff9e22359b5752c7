from __future__ import annotations

import json
import os
import random
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from selu.systems.baseline.tfidf_xgboost import TfidfXgboost, usable_columns

ROOT = Path(__file__).parents[3]
LESSONS = 5
MANY = 15  # in the slow tests


@pytest.mark.ci
@pytest.mark.parametrize("kind", plain.KINDS)
def test_answers_are_the_plain_pipelines(kind):
    """Bit for bit, with one thread and with two, over random candidates on random lessons."""
    assert [case for seed in range(LESSONS) for case in plain.differing(kind, seed, (1,))] == []
    assert plain.differing(kind, LESSONS, (2,)) == []


def test_a_class_that_no_train_row_has_is_never_answered():
    """XGBoost itself refuses such classes; the learner numbers those that are there and answers with theirs."""
    lesson = plain.whole("multi_class", 3)
    answers = [4 if answer == 1 else answer for answer in lesson.answers]
    gap = replace(lesson, labels=7, answers=answers)
    dense = {value: index for index, value in enumerate(sorted(set(answers)))}
    numbered = replace(lesson, answers=[dense[answer] for answer in answers])
    for params in ({"max_depth": 3, "min_child_weight": 1}, {"max_depth": 6, "min_child_weight": 3}):
        found = TfidfXgboost(gap).answer(params)
        assert [dense[answer] for answer in found] == plain.answers(numbered, *params.values(), threads=1)
        assert set(found) <= set(answers)


def test_two_classes_of_a_task_of_more_have_the_bound_of_two():
    """XGBoost takes them as binary; the bound of many classes would be looser, never wrong."""
    for seed in range(3):
        lesson = plain.whole("binary", seed)
        declared = replace(lesson, kind="multi_class", labels=5)
        for weight in (1, 7):
            params = {"max_depth": 5, "min_child_weight": weight}
            assert TfidfXgboost(declared).answer(params) == plain.answers(lesson, 5, weight, 1)


@pytest.mark.parametrize("value", [0, 1])
def test_a_label_that_is_constant_in_train_is_answered_so(value):
    lesson = plain.whole("multi_label", 5)
    fixed = replace(lesson, answers=[[value, *row[1:]] for row in lesson.answers])
    found = TfidfXgboost(fixed).answer({"max_depth": 3, "min_child_weight": 1})
    assert {row[0] for row in found} == {value}
    rest = [TfidfXgboost(lesson).answer({"max_depth": 3, "min_child_weight": 1}), found]
    assert [row[1:] for row in rest[0]] == [row[1:] for row in rest[1]]
    if value == 0:  # the other one is refused by XGBoost
        assert found == plain.answers(fixed, 3, 1, 1)


def test_the_order_of_words_decides_nothing_where_each_text_has_all():
    """XGBoost takes the values of a dense row by their place in it, whatever words they are of."""
    lesson = plain.whole("binary", 1)
    texts = [" ".join(["third"] * (1 + 5 * answer) + ["first", "first", "second"]) for answer in lesson.answers]
    alike = [" ".join(sorted(text.split())) for text in texts]
    params = {"max_depth": 4, "min_child_weight": 1}
    found = [
        TfidfXgboost(replace(lesson, texts=each, questions=alike)).answer(params) for each in (texts, alike)
    ]
    assert found[0] == found[1]


def test_one_learner_answers_every_candidate_as_a_new_one_would():
    lesson = plain.whole("multi_class", 8)
    learner, numbers = TfidfXgboost(lesson), random.Random(8)
    for params in [plain.candidate(numbers) for _ in range(4)]:
        assert learner.answer(params) == TfidfXgboost(lesson).answer(params)


def test_answers_are_plain_numbers():
    for kind, wanted in (("binary", int), ("multi_class", int), ("regression", float)):
        found = TfidfXgboost(plain.whole(kind, 1)).answer({"max_depth": 2, "min_child_weight": 1})
        assert {type(answer) for answer in found} == {wanted}
        json.dumps(found)
    rows = TfidfXgboost(plain.whole("multi_label", 1)).answer({"max_depth": 2, "min_child_weight": 1})
    assert {type(answer) for row in rows for answer in row} == {int}


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=12),
    st.sampled_from([0, 0.25, 0.5, 1, 1.5, 2, 3, 7]),
    st.sampled_from([0.25, 0.5, 1.0]),
)
def test_usable_columns_are_those_whose_rows_can_weigh_enough(rows, weight, curvature):
    features = csr_matrix(np.array(rows, dtype=float))
    found = usable_columns(features, weight, curvature).tolist()
    stored = [sum(row[n] > 0 for row in rows) for n in range(4)]
    heavy = {n for n in range(4) if stored[n] * curvature >= weight}
    assert found == sorted(heavy | {stored.index(min(stored))})


@given(st.lists(st.sampled_from([0, 1, 5, 12]), min_size=1, max_size=6), st.sampled_from([0, 1, 5, 12, 13]))
def test_a_cut_is_dense_only_where_the_whole_is(stored, weight):
    """XGBoost reads dense matrices in another way: other sums, and features taken by their place in a row."""
    features = csr_matrix(np.array([[row < count for count in stored] for row in range(12)], dtype=float))
    cut = features[:, usable_columns(features, weight, 1.0)]
    assert (cut.nnz == np.prod(cut.shape)) == (features.nnz == np.prod(features.shape))


@given(st.integers(1, 10_000), st.sampled_from([0.25, 0.5, 1.0]))
def test_rounding_never_loses_a_column_at_the_bound(rows, curvature):
    """Sums of 32-bit derivatives may come out a little above what the rows add up to."""
    features = csr_matrix(np.ones((rows, 2), dtype=np.float32))
    assert usable_columns(features, rows * curvature * (1 + 5e-7), curvature).tolist() == [0, 1]


@pytest.mark.slow
def test_the_same_in_the_authors_environment():
    """In a process of its own: features that are mixed up may also kill it."""
    python = Path(os.environ.get("SELU_AUTHORS_PYTHON") or ROOT / ".venv-authors" / "bin" / "python")
    if not python.is_file():
        pytest.skip("the authors' environment is not built: 'make environments' builds it")
    done = subprocess.run(
        [python, plain.__file__, str(MANY)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_WAIT_POLICY": "passive"},
        capture_output=True,
        text=True,
        timeout=900,  # where memory is damaged it may also stand still
    )
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr}"
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["differing"] == []
    assert found["compared"] == 2 * len(plain.KINDS) * MANY
    pins = (ROOT / "locks" / "authors.txt").read_text("utf-8")
    assert f"xgboost=={found['xgboost']} " in pins
