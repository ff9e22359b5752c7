"""Probabilities of baselines: they agree with the answers, and asking for them changes none."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import classes
import numpy as np
import plain
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from xgboost import XGBClassifier

from selu.systems import learners
from selu.systems.baseline.learning import Lesson

TREES = {"max_depth": 3, "min_child_weight": 1}
FAST = {"lr": 0.5, "epoch": 10, "quoted": True, "threads": 3, "threshold": 0.5}
LINEAR = {"min_df": 1, "C": 1.0, "max_iter": 100, "class_weight": "balanced"}
# Learner, kind, parameters, and the sha256 of its answers before it gave probabilities (programs.csv).
KNOWN = [
    ("tfidf-xgboost", "binary", TREES, "a43a08fc05afbc10"),
    ("tfidf-xgboost", "multi_class", TREES, "b47e79aec8d79cb5"),
    ("tfidf-xgboost", "multi_label", TREES, "a4bf7a94002331e4"),
    ("tfidf-squared-error", "binary", TREES, "4163b047a411361b"),
    ("fasttext", "binary", FAST, "ca7d5b6dfee9bc4a"),
    ("fasttext", "multi_class", FAST, "403ee144f9d00223"),
    ("fasttext", "multi_label", FAST, "618f273ac608da1c"),
    ("fasttext-lines", "multi_class", {"epoch": 25}, "403ee144f9d00223"),
    ("tfidf-logistic", "binary", LINEAR, "ca7d5b6dfee9bc4a"),
    ("tfidf-logistic", "multi_class", LINEAR, "403ee144f9d00223"),
]


def lesson(folder: Path, kind: str) -> Lesson:
    """Words tell the classes apart; of several labels, each is one of the classes."""
    if kind != "multi_label":
        return classes.lesson(folder, kind, rows=60)
    given = classes.lesson(folder, rows=60)
    return replace(
        given, kind=kind, answers=[[int(label != answer) for label in range(3)] for answer in given.answers]
    )


def digest(answers: list) -> str:
    return hashlib.sha256(json.dumps(answers).encode()).hexdigest()[:16]


@pytest.mark.ci
@pytest.mark.parametrize(("learner", "kind", "params", "known"), KNOWN)
def test_answers_are_those_of_before_with_and_without_them(tmp_path, learner, kind, params, known):
    given = lesson(tmp_path, kind)
    alone, beside = (learners.kind(learner)(given) for _ in range(2))
    answers = alone.answer(params)
    assert digest(answers) == digest(beside.answer({**params, "probabilities": True})) == known
    assert len(alone.probabilities) == 0
    shares = np.array(beside.probabilities)
    assert shares.shape == (len(given.questions), given.labels)
    assert ((shares >= 0) & (shares <= 1)).all()
    if kind == "multi_label":
        assert (shares > 0.5).astype(int).tolist() == answers
    else:
        assert shares.argmax(axis=1).tolist() == answers
        assert shares.sum(axis=1) == pytest.approx(1, abs=1e-4)


def test_probabilities_of_trees_are_predict_proba():
    given = plain.lesson("multi_class", 1)
    vectors = TfidfVectorizer()
    train, asked = vectors.fit_transform(given.texts), vectors.transform(given.questions)
    train.sort_indices()
    trees = XGBClassifier(**TREES, random_state=given.seed, n_jobs=1).fit(train, given.answers)
    learner = learners.kind("tfidf-xgboost")(given)
    learner.answer({**TREES, "probabilities": True})
    assert np.array(learner.probabilities) == pytest.approx(trees.predict_proba(asked), abs=1e-6)


def test_a_label_of_no_train_row_has_none(tmp_path):
    given = replace(classes.lesson(tmp_path), labels=5)
    for name, params in (("tfidf-xgboost", TREES), ("fasttext", FAST), ("tfidf-logistic", LINEAR)):
        learner = learners.kind(name)(given)
        learner.answer({**params, "probabilities": True})
        assert np.array(learner.probabilities)[:, 3:].tolist() == [[0.0, 0.0]] * len(given.questions)


def test_a_text_without_a_known_word_has_no_answer_of_fasttext_and_no_probability(tmp_path):
    given = replace(classes.lesson(tmp_path), questions=["crash broken", ""])
    learner = learners.kind("fasttext")(given)
    answers = learner.answer({**FAST, "probabilities": True})
    assert (answers[1] == -1) == (sum(learner.probabilities[1]) == 0)
