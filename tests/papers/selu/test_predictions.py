"""The authors' published predictions: reading them, and finding what lies between them and their report."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu import registry
from selu.metrics.evaluate import evaluate
from selu.papers.selu.reruns import flips
from selu.papers.selu.reruns.predictions import (
    answers,
    apart,
    read_predictions,
    read_report,
    read_scores,
    same,
)
from selu.vocabulary import Kind, Label, SeluError

TASKS = {task.id: task for task in registry.tasks("selu")}
BINARY, CLASSES = TASKS["security_requirement"], TASKS["sentiment"]
LABELS, NUMBERS = TASKS["smell_doc"], TASKS["story_points"]


def written(scores, order=None) -> bytes:
    """Scores as the authors write them, their columns in this order."""
    order = list(order if order is not None else range(scores.shape[1]))
    lines = [",".join(map(str, order)), *(",".join(repr(float(row[c])) for c in order) for row in scores)]
    return ("\n".join(lines) + "\n").encode()


def softmax(logits):
    """float32 as the authors', so that a row's sum is 1 only to seven digits."""
    powers = np.exp(np.asarray(logits, np.float32))
    return (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)


def report_of(kind, truth, given_answers, count) -> dict:
    """What the authors report of these answers, by way of the names of their file."""
    scores = evaluate(str(kind), truth, given_answers, count)
    names = ["accuracy", "f1_macro", "f1_micro", "f1_per_class", "precision_per_class", "recall_per_class"]
    names += ["confusion_matrix"] if kind is not Kind.MULTI_LABEL else []
    as_theirs = {
        f"eval_{name}".replace("per_class", "None"): np.asarray(scores[name]).tolist() for name in names
    }
    if kind is Kind.MULTI_LABEL:
        as_theirs["eval_accuracy"] = {"accuracy": as_theirs["eval_accuracy"]}
    return read_report(json.dumps(as_theirs).encode(), "test_results.json")


@st.composite
def published(draw, kinds=(Kind.BINARY, Kind.MULTI_CLASS, Kind.MULTI_LABEL)):
    """A task, its scores in index order, and an order of the file's columns."""
    kind = draw(st.sampled_from(kinds))
    count = 2 if kind is Kind.BINARY else draw(st.integers(2, 5))
    rows = draw(st.integers(1, 12))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    logits = random.integers(-3, 4, (rows, count)) / draw(st.sampled_from([1, 8, 512]))  # ties happen
    scores = 1 / (1 + np.exp(-logits)) if kind is Kind.MULTI_LABEL else softmax(logits)
    task = replace(BINARY, kind=kind, labels=tuple(Label(f"l{i}", "made up") for i in range(count)))
    return task, scores.astype(np.float64), draw(st.permutations(range(count))), random


@given(published())
def test_columns_are_taken_by_the_header_whatever_their_order(case):
    task, scores, order, _ = case
    content = written(scores, order)
    assert read_scores(content, task, len(scores), "x").tolist() == scores.tolist()
    found = read_predictions(content, task, len(scores), "x")
    if task.kind is Kind.MULTI_LABEL:
        assert found.tolist() == [[int(p > 0.5) for p in row] for row in scores.tolist()]
    else:
        assert found.tolist() == [row.index(max(row)) for row in scores.tolist()]
    assert read_predictions(content.replace(b"\n", b"\r\n"), task, len(scores), "x").tolist() == found.tolist()


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_a_regression_answer_is_the_number_itself(values):
    assert read_predictions(written(np.array(values)[:, None]), NUMBERS, len(values), "x").tolist() == values


def test_a_tie_goes_to_the_lower_index_and_a_sigmoid_must_be_above_the_threshold():
    tied = b"2,1,0\n0.4,0.4,0.2\n0.25,0.375,0.375\n"
    assert read_predictions(tied, CLASSES, 2, "x").tolist() == [1, 0]
    assert read_predictions(b"4,3,2,1,0\n0.5,0.5000001,0.9,0.1,0.499\n", LABELS, 1, "x").tolist() == [
        [0, 0, 1, 1, 0]
    ]


BAD = {
    "empty": (BINARY, b"", "empty|cut short"),
    "not text": (BINARY, b"0,1\n\xff,1\n", "not plain text .byte 4"),
    "torn": (BINARY, b"0,1\n0.5,0.5\n0.25,0.7", "cut short in line 3"),
    "too few rows": (BINARY, b"0,1\n0.5,0.5\n", "1 predictions where security_requirement has 2"),
    "missing class": (CLASSES, b"0,1\n0.5,0.5\n0.5,0.5\n", "no column for class 2"),
    "class twice": (BINARY, b"1,1\n0.5,0.5\n0.5,0.5\n", "class 1 twice"),
    "foreign class": (BINARY, b"0,2\n0.5,0.5\n0.5,0.5\n", "column '2' where classes are 0 to 1"),
    "no header": (BINARY, b"0.5,0.5\n0.5,0.5\n0.5,0.5\n", "column '0.5'"),
    "short row": (BINARY, b"0,1\n0.5,0.5\n0.5\n", "line 3 has 1 values"),
    "missing value": (BINARY, b"0,1\n0.5,0.5\n0.5,\n", "line 3 has '' where a finite number"),
    "nan": (BINARY, b"0,1\n0.5,0.5\nnan,0.5\n", "line 3 has 'nan'"),
    "word": (NUMBERS, b"0\n5\nfive\n", "line 3 has 'five'"),
    "negative": (BINARY, b"0,1\n-0.5,1.5\n0.5,0.5\n", "line 2 has '-0.5', which is not a probability"),
    "above one": (LABELS, b"0,1,2,3,4\n0,0,0,0,1.5\n0,0,0,0,1\n", "line 2 has '1.5'"),
    "sum": (BINARY, b"0,1\n0.5,0.5\n0.5,0.4\n", "line 3 add up to 0.9, not to 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_with_its_place(name):
    task, content, message = BAD[name]
    with pytest.raises(SeluError, match=message) as caught:
        read_predictions(content, task, 2, "task/model/test_predictions.csv")
    assert str(caught.value).startswith("task/model/test_predictions.csv: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("task", ["se_entities", "requirement_completion"])
def test_kinds_without_published_predictions_are_refused(task):
    with pytest.raises(SeluError, match=f"no predictions of .* tasks such as {task}"):
        read_predictions(b"0\n1\n", TASKS[task], 1, "x")


@given(published(), st.data())
def test_one_changed_byte_never_passes_as_other_numbers_of_rows_or_classes(case, data):
    task, scores, order, _ = case
    content = written(scores, order)
    at = data.draw(st.integers(0, len(content) - 1))
    spoilt = content[:at] + bytes([data.draw(st.integers(0, 255))]) + content[at + 1 :]
    try:
        found = read_scores(spoilt, task, len(scores), "x")
    except SeluError:
        return
    assert found.shape == scores.shape
    assert np.isfinite(found).all()


def test_the_report_takes_the_projects_names():
    theirs = {
        "epoch": 9.0,
        "eval_accuracy": {"accuracy": 0.5},
        "eval_f1_None": [0.25, 1],
        "eval_rmse": 56.4,
        "eval_loss": float("nan"),
    }
    found = read_report(json.dumps(theirs).encode(), "x")
    assert found == {"accuracy": 0.5, "f1_per_class": [0.25, 1], "mse": 56.4}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"eval_f1_macro": 0.5', "not whole JSON"),
        (b"\xff", "not whole JSON"),
        (b"[0.5]", "not a record"),
        (b"{}", "none of the scores"),
        (b'{"eval_f1_macro": "0.5"}', "eval_f1_macro is not made of numbers"),
        (b'{"eval_f1_macro": NaN}', "eval_f1_macro is not made of numbers"),
        (b'{"eval_f1_macro": true}', "eval_f1_macro is not made of numbers"),
        (b'{"eval_f1_None": [0.5, null]}', "eval_f1_None is not made of numbers"),
        (b'{"eval_accuracy": {"other": 1}}', "eval_accuracy is not made of numbers"),
    ],
)
def test_a_bad_report_is_refused(content, message):
    with pytest.raises(SeluError, match=message):
        read_report(content, "x")


def test_scores_are_compared_to_12_digits_and_a_missing_one_is_apart():
    assert same(0.5 + 1e-13, 0.5)
    assert not same(0.5 + 1e-11, 0.5)
    assert same(1e6 + 1e-8, 1e6)
    assert not same([0.5], [0.5, 0.5])
    assert not same(0.5, [0.5])
    ours = {"f1_macro": 0.5, "mae": 1.0}
    assert apart(ours, {"f1_macro": 0.5, "mae": 1.5, "mape": 0.25}) == ["mae", "mape"]


@given(published(), st.data())
def test_changed_answers_are_found_again_from_their_report_alone(case, data):
    """The report is made of changed answers: the search needs no more changes than were made, and what it finds
    gives their counts."""
    task, scores, _, random = case
    count = len(task.labels)
    multi = task.kind is Kind.MULTI_LABEL
    truth = random.integers(0, 2 if multi else count, scores.shape if multi else len(scores))
    theirs = answers(task.kind, scores)
    for row in data.draw(st.lists(st.integers(0, len(scores) - 1), unique=True, max_size=3)):
        column = data.draw(st.integers(0, count - 1))
        if multi:
            theirs[row, column] ^= 1
        else:
            theirs[row] = column
    made = int((theirs != answers(task.kind, scores)).sum())
    report = report_of(task.kind, truth, theirs, count)
    needed = flips.needed(task.kind, truth, scores, report)
    assert needed is not None
    assert len(needed) <= made
    assert [flip.margin for flip in needed] == sorted(flip.margin for flip in needed)
    after = flips.changed(task.kind, scores, needed)
    found = evaluate(str(task.kind), truth, after, count)
    if not multi:
        assert apart(found, report) == []
    elif all(precision > 0 for precision in report["precision_per_class"]):
        assert set(apart(found, report)) <= {"accuracy"}  # counts per label don't say which rows are whole
    assert int((after != answers(task.kind, scores)).sum()) == len(needed)


def test_the_nearest_answer_is_the_one_changed():
    scores = np.array([[0.9], [0.499], [0.2], [0.7]])
    truth = np.array([[1], [0], [0], [1]])
    (flip,) = flips.needed(
        Kind.MULTI_LABEL, truth, scores, {"precision_per_class": [2 / 3], "recall_per_class": [1.0]}
    )
    assert (flip.row, flip.label, flip.before, flip.after, flip.score) == (1, 0, 0, 1, 0.499)
    assert flips.changed(Kind.MULTI_LABEL, scores, [flip]).tolist() == [[1], [1], [0], [1]]


def test_other_labels_or_no_counts_settle_nothing():
    scores, truth = softmax([[1, 0], [0, 1], [2, 0]]), np.array([0, 1, 1])
    assert flips.needed(Kind.BINARY, truth, scores, {"confusion_matrix": [[2, 0], [0, 1]]}) is None
    assert flips.needed(Kind.BINARY, truth, scores, {"confusion_matrix": [[3]]}) is None
    assert flips.needed(Kind.BINARY, truth, scores, {}) is None
    assert flips.needed(Kind.REGRESSION, truth, scores, {"mae": 1.0}) is None
    labels = np.array([[1], [1], [0]])
    sigmoids = np.array([[0.9], [0.1], [0.1]])
    of_three = {"precision_per_class": [1.0], "recall_per_class": [1 / 3]}
    assert flips.needed(Kind.MULTI_LABEL, labels, sigmoids, of_three) is None
