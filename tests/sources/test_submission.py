"""A file of somebody's scores or predictions: what is wrong is said with row and column."""

from __future__ import annotations

import pytest

from selu.sources import submission
from selu.vocabulary import SeluError

TASKS = ("bug_issue", "issue_type", "sentiment")


@pytest.mark.parametrize(
    "text",
    [
        "task,score\nbug_issue,0.5\nIssue-Type,.25\nsentiment,\n",
        "\ufefftask;score;system\r\nbug issue;0.5;mine\r\nissue_type;0.25;mine\r\n",
        "\n\ntask;score\nbug_issue;0.5\nissue_type;0.25\n",
        "system\tbug_issue\tissue_type\tsentiment\nmine\t0.5\t2.5e-1\t\n",
        '\n"Task","Score"\n"bug_issue"," 0.5 "\n\nissue_type,0.25\n',
    ],
)
def test_scores_in_each_form(text):
    found = submission.read(text.encode(), TASKS)
    assert found.scores == {"bug_issue": 0.5, "issue_type": 0.25}
    assert found.name in ("", "mine")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("task,score\n", "no row comes after it"),
        ("t\0a\0s\0k\0", "row 1 holds zero bytes, as UTF-16 does"),
        ("task,score\nbug_issue,\n", "every score of the file is empty"),
        (
            "task,score\nbug_isue,0.5\n",
            "row 2, column task: there is no task 'bug_isue'; did you mean 'bug_issue'",
        ),
        ("task,score\nbug_issue,0.5\n\nbug-issue,0.6\n", "row 4, column task: bug_issue stands in row 2, too"),
        ("task,score\nbug_issue,good\n", "row 2, column score: 'good' is no number"),
        ("task,score\nbug_issue,=1+1\n", "row 2, column score: '=1+1' is no number"),
        ("task,score\nbug_issue,1_0\n", "row 2, column score: '1_0' is no number"),
        ("task,score\nbug_issue,nan\n", "row 2, column score: 'nan' is no number"),
        ("task;score\nbug_issue;0,5\n", "row 2, column score: '0,5' is no number"),
        ("task,score\nbug_issue,85.3\n", "row 2, column score: 85.3 is not in 0 to 1"),
        ("task,score\nbug_issue,-0.1\n", "row 2, column score: -0.1 is not in 0 to 1"),
        ("task,score\nbug_issue\n", "row 2 has 1 columns, row 1 has 2"),
        ("task,score,score\n", "row 1 has the column 'score' twice"),
        ('task,score\n"bug_issue,0.5\n', "is no CSV: a quotation mark is not closed"),
        (
            "task,score,system\nbug_issue,0.5,a\nissue_type,0.5,b\n",
            "row 3, column system: 'b' is another system",
        ),
        ("bug_issue,nonsuch\n0.5,0.5\n", "row 1, column nonsuch: there is no task"),
        ("bug_issue,bug issue\n0.5,0.5\n", "row 1, column bug issue: bug_issue has a column already"),
        ("bug_issue\n0.5\n0.6\n", "row 3 is a second system"),
        ("task,score\n" + "bug_issue,0.5\n" * 10_000, "has 10,000 rows: scores take one row a task"),
        ("bug_issue,0.5\nissue_type,0.6\n", "row 1 has numbers and names no columns"),
        ('{"id": "p1", "answer": 1, "answer": 2}\n', "row 1, the field 'answer' is there twice"),
        ('["p1", 1]\n', "row 1 is not like"),
        ('[{"id": "p1", "answer": 1, "answer": 2}]\n', "the field 'answer' is there twice"),
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
def test_what_cannot_be_used_is_said_with_its_place(text, said):
    with pytest.raises(SeluError) as refused:
        submission.read(text.encode(), TASKS)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 300


def test_predictions_as_a_json_list():
    found = submission.read(b'[{"id": "p1", "answer": 1},\n {"id": "p2", "prediction": 0}]\n', TASKS)
    assert found.answers == {"p1": (1, 1), "p2": (0, 2)}


def test_a_file_that_is_no_text():
    with pytest.raises(SeluError, match="row 2 is not UTF-8"):
        submission.read(b"task,score\nbug_issue,\xff\n", TASKS)
    with pytest.raises(SeluError, match="UTF-16"):
        submission.read("task,score\nbug_issue,0.5\n".encode("utf-16"), TASKS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,answer\na,1\nt,1\n", "row 3, column id: t is a training row of x; the file is for another split"),
        ("id,answer\na,1\nz,1\n", "row 3, column id: x has no row 'z'"),
        ("id,answer\na,1\n", "1 of 2 test rows of x have no answer, the first is b"),
    ],
)
def test_predictions_for_other_rows(text, said):
    with pytest.raises(SeluError, match=said):
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
    ("value", "kind", "said"),
    [
        ("bgu", "binary", "row 2, column answer: there is no label 'bgu'; did you mean 'bug'"),
        ("bug;nonsuch", "multi_label", "there is no label 'nonsuch'"),
        ("much", "regression", "'much' is no number"),
        ("100", "regression", "100 is not in 1 to 96, the task's range"),
        ("O I-bgu", "entities", "did you mean 'I-bug'"),
    ],
)
def test_an_answer_that_is_none(value, kind, said):
    with pytest.raises(SeluError, match=said):
        submission.answer_of(value, 2, kind, ("not a bug", "bug"), (1, 96))
