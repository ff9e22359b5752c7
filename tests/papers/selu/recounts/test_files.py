"""The authors' result files: what is read of them, and what is refused by file and field."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.papers.selu.recounts.counts import Labels, Matrix
from selu.papers.selu.recounts.files import contradictions, read_counts
from selu.vocabulary import SeluError

LABEL = st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30)).filter(
    lambda label: sum(label[:2]) > 0
)


def file(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def test_a_matrix_is_read_and_held_to_the_scores_beside_it():
    content = file(eval_confusion_matrix=[[3, 1], [0, 4]], eval_f1_None=[6 / 7, 8 / 9], eval_f1_macro=55 / 63)
    counts = read_counts(content, "f", None)
    assert isinstance(counts, Matrix)
    assert counts.support == [4, 4]
    assert contradictions(content, counts) == []
    wrong = file(eval_confusion_matrix=[[3, 1], [0, 4]], eval_f1_None=[6 / 7, 8 / 9], eval_f1_macro=0.9)
    assert contradictions(wrong, counts) == ["f1_macro"]


def test_replies_without_a_class_stand_first_and_belong_to_no_class():
    counts = read_counts(
        file(confusion_matrix=[[0, 0, 0], [1, 3, 0], [1, 0, 5]], unknown_predictions=2), "f", None
    )
    assert isinstance(counts, Matrix)
    assert counts.cells.tolist() == [[3, 0, 1], [0, 5, 1]]


@given(st.lists(LABEL, min_size=1, max_size=6))
def test_counts_are_recovered_from_ratios(labels):
    """Fine-tuned multi-label files hold ratios alone: 130 scores could not be checked."""
    precision = [r / (r + wrong) if r else 0.0 for r, _, wrong in labels]
    recall = [r / (r + missed) for r, missed, _ in labels]
    support = [r + missed for r, missed, _ in labels]
    counts = read_counts(file(precision_None=precision, recall_None=recall), "f", support)
    assert isinstance(counts, Labels)
    assert counts.right == tuple(r for r, _, _ in labels)
    assert counts.answered == tuple(r + wrong if r else None for r, _, wrong in labels)


def test_entities_carry_their_numbers():
    """The overall precision says how many were given where no single one was right."""
    entities = {
        "eval_Class": {"precision": 0.5, "recall": 0.25, "f1": 1 / 3, "number": 8},
        "eval_Library": {"precision": 0.0, "recall": 0.0, "f1": 0.0, "number": 2},
    }
    content = file(**entities, eval_overall_precision=0.4, eval_overall_f1=4 / 15)
    counts = read_counts(content, "f", None)
    assert isinstance(counts, Labels)
    assert counts.micro_f1() == pytest.approx(4 / 15)
    assert contradictions(content, counts) == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"[]", "f is not a result file"),
        (b"{", "f is not a result file"),
        (file(confusion_matrix=[[1, 2]]), "f: confusion_matrix is not square"),
        (file(confusion_matrix=[[1, 2.5], [3, 4]]), "f: confusion_matrix holds something other than counts"),
        (file(confusion_matrix=[[1, -2], [3, 4]]), "f: confusion_matrix holds something other than counts"),
        (file(confusion_matrix=[[1, 0], [0, 1]], unknown_predictions=1), "f: unknown_predictions is 1"),
        (
            file(confusion_matrices=[[[1, 2], [3, 4]], [[1, 2], [3, 5]]]),
            "f: confusion_matrices count different",
        ),
        (file(precision_None=[0.5], recall_None=[0.3]), "f: precision and recall of label 0"),
        (file(precision_None=[0.5, 0.5], recall_None=[0.5, 0.5]), "f: 2 labels, and the test part has 1"),
    ],
)
def test_counts_that_cannot_be_are_named_by_file_and_field(content, says):
    with pytest.raises(SeluError) as refused:
        read_counts(content, "f", [7])
    assert str(refused.value).startswith(says)


def test_a_file_without_counts_is_left_out():
    assert read_counts(file(mae=3.5, smape=0.5), "f", None) is None


def test_more_answers_than_rows_are_refused():
    content = file(precision_None=[0.5], recall_None=[0.5])
    assert read_counts(content, "f", [4], 6).rows == 6
    with pytest.raises(SeluError, match="f: precision and recall give more answers than the 5 rows have"):
        read_counts(content, "f", [4], 5)
