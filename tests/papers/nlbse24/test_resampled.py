"""Counts and draws against scikit-learn on rows that are written out, one draw after the other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from selu.papers.nlbse24.resampled import Question, f1_draws, scores

SEED = 5


def issue(place: str, rows: int = 30, seed: int = 1) -> tuple[Question, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, rows)
    answers = np.where(rng.random((2, rows)) < 0.6, truth, rng.integers(0, 3, (2, rows)))
    return Question(place, place, np.arange(rows), truth, (0, 1, 2)), answers


@pytest.fixture
def categories() -> list[tuple[Question, np.ndarray]]:
    """Two categories of one language that share sentences; one holds a sentence twice."""
    rng = np.random.default_rng(3)
    found = []
    for place, units in (("java/a", [0, 1, 2, 3, 4, 5, 5]), ("java/b", [3, 4, 5, 6, 7])):
        truth = rng.integers(0, 2, len(units))
        answers = truth[None] ^ (rng.random((1, len(units))) < 0.3)
        found.append((Question(place, "java", np.array(units), truth, (1,)), answers))
    return found


def test_scores_are_those_of_scikit_learn_averaged_over_seeds():
    question, answers = issue("react")
    found = scores(question, answers)
    expected = np.mean(
        [
            precision_recall_fscore_support(question.truth, given, labels=[0, 1, 2], zero_division=0)[:3]
            for given in answers
        ],
        axis=0,
    )
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_a_class_that_nobody_names_scores_nothing():
    question = Question("react", "react", np.arange(2), np.array([0, 0]), (0, 1, 2))
    assert [part.tolist() for part in scores(question, np.array([[1, 1]]))] == [[0.0] * 3] * 3


def test_draws_of_issues_are_f1_of_rows_written_out():
    question, answers = issue("react")
    other = issue("vscode", 20, seed=2)[0]
    drawn = f1_draws([other, question], {"one": {"react": answers}}, 40, SEED)
    assert list(drawn) == [("one", "react")]
    picked = np.random.default_rng((SEED, 1)).integers(0, 30, size=(40, 30))
    for rows, found in zip(picked, drawn["one", "react"], strict=True):
        expected = [
            precision_recall_fscore_support(
                question.truth[rows], given[rows], labels=[0, 1, 2], zero_division=0
            )[2]
            for given in answers
        ]
        np.testing.assert_allclose(found, np.mean(expected, axis=0), rtol=1e-14)


def test_a_sentence_is_drawn_once_for_all_its_categories(categories):
    questions = [question for question, _ in categories]
    drawn = f1_draws(questions, {"one": {q.place: given for q, given in categories}}, 25, SEED)
    picked = np.random.default_rng((SEED, 0)).integers(0, 8, size=(25, 8))
    for question, answers in categories:
        for units, found in zip(picked, drawn["one", question.place], strict=True):
            rows = [row for unit in units for row in np.flatnonzero(question.units == unit)]
            expected = precision_recall_fscore_support(
                question.truth[rows], answers[0][rows], labels=[1], zero_division=0
            )[2]
            np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_another_entrant_changes_nobodys_draws():
    question, answers = issue("react")
    alone = f1_draws([question], {"one": {"react": answers}}, 50, SEED)
    together = f1_draws([question], {"two": {"react": answers[::-1] * 0}, "one": {"react": answers}}, 50, SEED)
    np.testing.assert_array_equal(alone["one", "react"], together["one", "react"])
    assert not np.array_equal(together["one", "react"], together["two", "react"])


def test_draws_do_not_depend_on_how_many_are_made_at_once(monkeypatch):
    question, answers = issue("react")
    whole = f1_draws([question], {"one": {"react": answers}}, 50, SEED)
    monkeypatch.setattr("selu.papers.nlbse24.resampled._BLOCK", 30 * 7)
    np.testing.assert_array_equal(
        f1_draws([question], {"one": {"react": answers}}, 50, SEED)["one", "react"], whole["one", "react"]
    )
