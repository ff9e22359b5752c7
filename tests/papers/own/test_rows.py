from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helpers import own_project
from selu.papers.own import record as own
from selu.papers.own import rows as own_rows
from selu.vocabulary import SeluError

RECORD = "question: q?\nkind: {kind}\ntext: [title, body]\nlabel: l\ngroup: who\n{labels}\n"
LABELS = "labels: {a: first, b: second, c: third}"


def read(root: Path, content: str | bytes, kind: str = "multi_class", labels: str = LABELS) -> list[list[Any]]:
    """Rows of the CSV, padded to as many as are asked for at least."""
    own_project.declare(root, RECORD.format(kind=kind, labels=labels), "mine")
    data = content.encode() if isinstance(content, str) else content
    answers = (b"1",) if kind == "regression" else (b"a", b"b", b"c")
    further_rows = (b"t%d,b,%s,w\n" % (n, answers[n % len(answers)]) for n in range(18))
    padding = b"" if b"PLAIN" in data else b"".join(further_rows)
    (root / own.FOLDER / "mine.csv").write_bytes(data + padding)
    return own_rows.read(own.read(root, "mine")).to_numpy().tolist()


def refused(root: Path, *arguments: object, **options: object) -> str:
    with pytest.raises(SeluError) as caught:
        read(root, *arguments, **options)  # type: ignore[arg-type]
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    return text.removeprefix(f"{root / own.FOLDER / 'mine.csv'}").lstrip(", ")


def test_rows_in_the_one_form_of_all_rows(tmp_path):
    rows = read(tmp_path, 'title,body,l,who\r\n" one ","two\nlines",b,me\r\n,only,a,\r\n')
    assert rows[0] == ["o000001", "one two\nlines", 1, "me", "mine.csv:2"]
    assert rows[1] == ["o000002", "only", 0, "", "mine.csv:4"]


def test_labels_and_numbers(tmp_path):
    rows = read(tmp_path, "title,body,l,who\nx,y,c; a,\nx,y,,\n", "multi_label")
    assert [row[2] for row in rows[:3]] == [[1, 0, 1], [0, 0, 0], [1, 0, 0]]
    rows = read(tmp_path, "title,body,l,who\nx,y,2.5,\n", "regression", "range: [0, 8]")
    assert rows[0][2] == 2.5


def test_a_column_of_ids(tmp_path):
    head = "id,title,body,l,who\n"
    rows = "".join(f"a#{n},t,b{n},{'abc'[n % 3]},w\n" for n in range(18))
    found = read(tmp_path, f"{head}{rows}PLAIN,t,b,a,w\n")
    assert [row[0] for row in found] == [*(f"a#{n}" for n in range(18)), "PLAIN"]
    again = refused(tmp_path, f"{head}{rows}PLAIN,t,b,a,w\na#3,t,b,a,w\n")
    assert again == "line 21: the id 'a#3' stands in line 5, too: fix the line."
    assert "the id 'a b' is empty or holds a blank" in refused(tmp_path, f"{head}a b,PLAIN,b,a,w\n")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("title,body,l,who\nx,y,a,w\nx,y,d,w\n", "line 3: the label 'd' is none of the record's (a, b, c)"),
        ('title,body,l,who\n"x\ny",y,a,w\nx,y,A,w\n', "line 4: the label 'A' is none"),
        ("title,body,l,who\nx,y,,w\n", "line 2: the label '' is none"),
        ("title,body,l,who\n , ,a,w\n", "line 2: the text (title + body) is empty"),
        ("title,body,who\n", "has no column 'l', which the record names (it has title, body, who)"),
        ("title.body.l.who\n", "has no column 'title', which the record names (it has title.body.l.who)"),
        (
            "title,body,l,who\nx,y,d,w\nx,y\n,,a,w\n",
            "line 2: the label 'd' is none of the record's (a, b, c): fix",
        ),
        ("title,body,l,who,l\n", "has the column 'l' twice"),
        ("title,body,l,who\nx,y,a\n", "line 2: there are 3 fields instead of 4"),
        (b"title,body,l,who\nx,y,a,w\nx,\xe4,a,w\n", "line 3: the byte 0xe4 is not UTF-8"),
        ("\ufefftitle,body,l,who\nPLAIN,y,a,w\n", "has 1 rows: give at least 10"),
        ('title,body,l,who\nPLAIN,"y,a,w\n', "line 2: the CSV is damaged"),
        ("", "has no column 'title', which the record names"),
    ],
)
def test_what_can_t_be_used_is_named_with_its_line(tmp_path, content, says):
    assert refused(tmp_path, content).startswith(says)


@pytest.mark.parametrize(
    "cell", ["nine", "9", "-1", "nan", "inf", "", "1_0", "٣", "１２", "²", "1e400", "0x1", "1 0"]
)
def test_a_number_lies_in_the_range(tmp_path, cell):
    message = refused(tmp_path, f"title,body,l,who\nx,y,{cell},w\n", "regression", "range: [0, 8]")
    assert message.startswith(f"line 2: '{cell}' is not a number from 0 to 8, the record's range")


def test_a_file_that_is_not_there(tmp_path):
    own_project.declare(tmp_path)
    with pytest.raises(
        SeluError, match=r"commit_reason.csv is missing: put the rows there, or name their file"
    ):
        own_rows.read(own.read(tmp_path, own_project.TASK))


def test_a_label_that_a_part_of_the_split_lacks(tmp_path):
    own_project.declare(tmp_path)
    own_project.write(tmp_path, own_project.rows())
    mine = own.read(tmp_path, own_project.TASK)
    table = own_rows.read(mine)
    parts = [
        "train" if label else ("train", "validation", "test")[n % 3] for n, label in enumerate(table["label"])
    ]
    with pytest.raises(SeluError, match="have the label 'yes', too few for one of them in validation and test"):
        own_rows.check_parts(mine, table, parts)
    own_rows.check_parts(mine, table, ["train", "train", "validation", "validation", "test", "test"] * 10)
