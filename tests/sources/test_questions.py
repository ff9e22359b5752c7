"""Texts that come in, in each form, and answers in the same form."""

from __future__ import annotations

from pathlib import Path

import pytest

from selu.sources import questions
from selu.sources.questions import Form
from selu.vocabulary import SeluError


@pytest.mark.parametrize(
    ("lines", "as_json", "words"),
    [
        (b"", False, "no text was given"),
        (b"fine\n\xff\n", False, "line 2 is not UTF-8"),
        (b"fine\n\xff\n\xfe\n", False, "line 2 is not UTF-8: .* In all, 2 rows can't be used"),
        (b"{}\n", True, "line 1 is neither"),
        (b'{"text": "a"}\n{"text": 1}', True, "line 2, field 'text': that is not text"),
        (b'{"text": {"body": "a"}}', True, "line 1, field 'text': that is not text"),
        (b'{"texts": "a"}', True, "line 1: there is no field 'text'; did you mean 'texts'"),
        (b'{"text": "a", "text": "b"}', True, "line 1: the field 'text' occurs twice"),
        ("text\n".encode("utf-16"), False, "line 1 begins as UTF-16 does"),
        (b'{"words": ["a", "b"], "tags": ["VERB"]}', True, "line 1 is neither"),
        (b'{"text": "a", "words": ["a"]}', True, "line 1 is neither"),
        (b"[" * 100_000, True, "line 1 is not like"),
        (b'[{"text": "a"}]', True, "line 1 is not like"),
        (rb'{"text": "\ud800"}', True, "line 1 has a lone surrogate"),
    ],
)
def test_lines_that_are_none(lines: bytes, as_json: bool, words: str) -> None:
    with pytest.raises(SeluError, match=words):
        questions.read(lines, Form.JSON if as_json else Form.LINES)


@pytest.mark.parametrize(
    ("content", "form", "column", "words"),
    [
        (b"a,b\n1,2\n", Form.CSV, "text", "there is no column 'text'"),
        (b"txt,b\n1,2\n", Form.CSV, None, "did you mean 'txt'"),
        (b"text,text\n1,2\n", Form.CSV, None, "line 1 has the column 'text' twice"),
        (b"text,b\n1\n2,3\n4\n", Form.CSV, None, "line 2 has 1 columns, line 1 has 2. In all, 2 rows can't be"),
        (b"text,answer\n1,2\n", Form.CSV, None, "line 1 has a column answer already"),
        (b"text,b\n1,2\n3\n", Form.CSV, None, "line 3 has 1 columns, line 1 has 2"),
        (b'text,b\n"1,2\n', Form.CSV, None, "is not CSV: a quotation mark is not closed"),
        (b"text,b\n", Form.CSV, None, "no row comes after it"),
        (b"text,b\n\xff,1\n", Form.CSV, None, "line 2 is not UTF-8"),
        (b"x\n", Form.LINES, "text", "--column names a column"),
        (b'{"text": "a"}\n', Form.JSON, "body", "line 1: there is no field 'body'"),
    ],
)
def test_tables_that_are_none(content: bytes, form: Form, column: str | None, words: str) -> None:
    with pytest.raises(SeluError) as refused:
        questions.read(content, form, column)
    assert words in str(refused.value)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("named", [False, True])
def test_columns_are_separated_as_spreadsheets_do(separator: str, named: bool) -> None:
    table = f"text{separator}n\r\na{separator}1\r\n"
    given = questions.read(f"{f'sep={separator}' + chr(10) if named else ''}{table}".encode(), Form.CSV)
    assert [question.row for question in given] == [{"text": "a", "n": "1"}]


def test_the_forms_of_files() -> None:
    forms = {name: questions.form_of(Path(name), False) for name in ("a.CSV", "a.tsv", "a.jsonl", "a.txt", "a")}
    assert list(forms.values()) == [Form.CSV, Form.CSV, Form.JSON, Form.LINES, Form.LINES]
    assert questions.form_of(None, True) is Form.JSON


def test_answers_stand_behind_their_rows() -> None:
    given = questions.read(b'{"id": 1, "body": "x"}\n\n', Form.JSON, "body")
    assert questions.written(given, [["a", "b"]], Form.JSON, [{"a": 0.9, "b": 0.8}]) == (
        '{"id": 1, "body": "x", "answer": ["a", "b"], "probabilities": {"a": 0.9, "b": 0.8}}\n'
    )
    given = questions.read(b"text\r\nx\r\n", Form.CSV)
    assert [question.text for question in given] == ["x"]
    assert questions.written(given, [["a", "b"]], Form.CSV) == 'text,answer\nx,"a, b"\n'
    assert questions.written(given, [None], Form.LINES) == "\n"
    assert questions.written(given, [0.5], Form.LINES, [{"a": 0.25}]) == "0.5000\t0.2500\n"
