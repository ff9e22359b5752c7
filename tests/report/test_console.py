"""Tables for people: whatever the width, a number is whole or its column is left out by name."""

from __future__ import annotations

import re

import pytest

from selu.report.console import Form, measure, render, table, wrapped

ROWS = [
    {
        "id": f"task-{number}",
        "kind": "multi_class",
        "score": str(score),
        "value": score * 1.23456,
        "low": score / 3,
        "high": score * 3,
        "rows": 10 ** (number + 2),
        "state": None,
        "reason": "One reason is short." if number else "Another reason goes on and on. " * 12,
    }
    for number, score in enumerate((0.78, 0.719, 0.5))
]


@pytest.mark.parametrize("columns", range(24, 130, 7))
def test_a_number_is_whole_or_its_column_is_left_out(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = table(ROWS, ("value", "interval", "reason"))
    assert max(map(measure, lines)) <= columns
    text = "\n".join(lines)
    numbers = set(re.findall(r"[\d.,]*\d", text.partition("Not shown")[0]))
    whole = {"0", "1", "2", "0.78", "0.719", "0.5", "100", "1,000", "10,000", "0.9630", "0.8876", "0.6173"}
    whole |= {"0.260", "2.340", "0.240", "2.157", "0.167", "1.500", "95"}
    assert numbers <= whole
    assert "state" not in text  # an empty column says nothing
    assert "goes on and on." in text.replace("\n    ", " ")


def test_points_stand_below_each_other_and_forms_for_programs_have_all_columns(capsys):
    lines = table(ROWS, wide=True)
    places = {line.index(".") for line in (line[line.index("0.") :] for line in lines[1:])}
    assert places == {1}
    assert len({line.index("0.") for line in lines[1:]}) == 1
    render(ROWS, Form.CSV)
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head == ",".join(ROWS[0])
    assert first.startswith("task-0,multi_class,0.78,0.96")
    assert ",100,,Another" in first
    render([{"a": "x|y", "b": None}], Form.MARKDOWN)
    assert capsys.readouterr().out.splitlines()[2] == "| x\\|y | - |"
    render([{"a": "x\ny", "b": "\\|\\"}], Form.MARKDOWN)
    assert capsys.readouterr().out.splitlines()[2:] == ["| x y | \\\\\\|\\\\ |"]
    render([{"a": "[x](http://y)", "b": "<b>`"}], Form.MARKDOWN)  # neither a link nor HTML nor code
    assert capsys.readouterr().out.splitlines()[2:] == ["| \\[x\\](http://y) | \\<b>\\` |"]


def test_what_moves_a_cursor_is_left_out_and_wide_signs_count_twice(capsys):
    render([{"id": "a\x1b[31m\x07b", "text": "文字" * 3}])
    render({"id": "\x1b[2Jc"})
    assert not re.search(r"[\x1b\x07]", capsys.readouterr().out)
    assert wrapped("文字文字 ab", 4) == ["文字", "文字", "ab"]
    assert wrapped("", 4) == [""]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ('=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("@SUM(1)", "'@SUM(1)"),
        ("-2+3", "'-2+3"),
        ("-0.5", "-0.5"),
        ("+1e-3", "+1e-3"),
        ("-", "-"),
        ("bert-base", "bert-base"),
    ],
)
def test_a_name_that_a_spreadsheet_would_run_is_written_as_text(name, written, capsys):
    render([{"system": name, "value": -0.25}], Form.CSV)
    assert capsys.readouterr().out == f"system,value\n{written},-0.25\n"
