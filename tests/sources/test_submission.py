"""A file of somebody's predictions: what is wrong is said with row and column."""

from __future__ import annotations

import pytest

from selu.sources import submission
from selu.vocabulary import SeluError

TASKS = ("bug_issue", "issue_type", "sentiment")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "p1", "answer": 1, "answer": 2}\n', "row 1, the field 'answer' occurs twice"),
        ('["p1", 1]\n', "row 1 is not like"),
        ('[{"id": "p1", "answer": 1, "answer": 2}]\n', "the field 'answer' occurs twice"),
        ("id,label\np1,bug\n", "row 1 has a column id, but no column answer"),
        ("id,answer\n", "no row comes after it"),
        ("id,answer\np1,bug\np1,bug\n", "row 3, column id: 'p1' stands in row 2, too"),
        ('{"id": "p1"}\n', "row 1 has no answer"),
        ('{"answer": "p1"}\n', "row 1 has no id"),
        ('{"id": "p1", "answer": null}\n', "row 1, column answer: there is no answer"),
        ('{"id": "p1", "answer": 1}\n[]\n', "row 2 is not like"),
        (
            '{"id": "1", "answer": 1, "task": "sentiment"}\n{"id": "2", "answer": 1, "task": "bug_issue"}',
            "row 2, col",
        ),
    ],
)
def test_what_cannot_be_used_is_said_with_its_place(text, message):
    with pytest.raises(SeluError) as refused:
        submission.read(text.encode(), TASKS)
    assert message in str(refused.value)
    assert len(str(refused.value)) < 300


def test_predictions_as_a_json_list():
    found = submission.read(b'[{"id": "p1", "answer": 1},\n {"id": "p2", "prediction": 0}]\n', TASKS)
    assert found.answers == {"p1": (1, 1), "p2": (0, 2)}
    from_a_spreadsheet = submission.read("id,answer\np1,bug\n".encode("utf-16"), TASKS)
    assert from_a_spreadsheet.answers == {"p1": ("bug", 2)}


@pytest.mark.parametrize(
    "content",
    [b"", b"task,score\nbug_issue,\xff\n", b"t\0a\0s\0k\0", b"PK\x03\x04", b"task,score\nbug_issue,0.5\n"],
)
def test_what_holds_no_predictions_is_left_to_the_reader_of_scores(content):
    assert submission.read(content, TASKS) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,answer\na,1\nt,1\n", "row 3, column id: t is a training row of x; the file is for another split"),
        ("id,answer\na,1\nz,1\n", "row 3, column id: x has no row 'z'"),
        ("id,answer\na,1\n", "1 of 2 test rows of x have no answer, the first is b"),
    ],
)
def test_predictions_for_other_rows(text, message):
    with pytest.raises(SeluError, match=message):
        submission.hold_to_split(submission.read(text.encode(), TASKS), ["a", "b"], ["t"], "x")


@pytest.mark.parametrize(
    ("value", "kind", "scored"),
    [
        ("Bug", "binary", 1),
        ("usage, Intent", "multi_label", [1, 0, 1]),
        ("usage;intent", "multi_label", [1, 0, 1]),
        ([], "multi_label", [0, 0, 0]),
        ("", "multi_label", [0, 0, 0]),
        ("3.5", "regression", 3.5),
        ("O B-bug I-bug", "entities", ["O", "B-bug", "I-bug"]),
    ],
)
def test_an_answer_as_people_write_it(value, kind, scored):
    labels = ("usage", "parameters", "intent") if kind == "multi_label" else ("not a bug", "bug")
    assert submission.answer_of(value, 2, kind, labels, (1, 96)) == scored


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ("bgu", "binary", "row 2, column answer: there is no label 'bgu'; did you mean 'bug'"),
        ("bug;nonsuch", "multi_label", "there is no label 'nonsuch'"),
        ("much", "regression", "'much' is not a number"),
        ("100", "regression", "100 is not in 1 to 96, the task's range"),
        ("O I-bgu", "entities", "did you mean 'I-bug'"),
    ],
)
def test_an_answer_that_is_none(value, kind, message):
    with pytest.raises(SeluError, match=message):
        submission.answer_of(value, 2, kind, ("not a bug", "bug"), (1, 96))
