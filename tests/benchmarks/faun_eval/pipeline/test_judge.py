"""A verdict that is read wrongly, or taken where nobody gave one, lets unclear records into a benchmark."""

from __future__ import annotations

import json

import pytest

from selu.benchmarks.faun_eval.pipeline import judge
from selu.benchmarks.faun_eval.pipeline.funnel import run
from selu.vocabulary import SeluError

CASES = [judge.Judged(f"#{number}", f"problem {number}", f"solution {number}") for number in (1, 2, 3)]


def passed(found):
    funnel = run(CASES, [judge.as_filter(found)], lambda one: one.name)
    return [one.name for one in funnel.passed], {one.name: one.reason for one in funnel.refusals}


def test_a_person_a_record_and_a_model_judge_alike(tmp_path):
    """The three judges are one interface; what a model answers is kept, and not asked for again."""
    wanted = (["#1"], {"#2": "not clear", "#3": "no verdict"})
    assert passed(judge.by_person(b"name,clear\n#1,yes\n#2,No\n#3,\n", "mine.csv")) == wanted
    asked = []

    def ask(prompt):
        asked.append(prompt)
        return {1: "**Yes**, it is.", 2: "No.", 3: "Notable, perhaps."}[len(asked)]

    path = tmp_path / "answers.jsonl"
    assert passed(judge.prompted(ask, path)) == wanted
    assert "problem 2" in asked[1]
    assert "solution 2" in asked[1]
    assert passed(judge.open_file(path)) == wanted
    known = {record["name"]: record["answer"] for record in map(json.loads, path.read_text().splitlines())}
    assert passed(judge.prompted(ask, path, known)) == wanted
    assert len(asked) == 3


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", b"name,clear\n#1,maybe\n", "line 2: columns name and clear"),
        ("a.csv", b"id,verdict\n#1,yes\n", "line 2: columns name and clear"),
        ("a.csv", b"name,clear\n#1,yes\n#1,no\n", "line 3: '#1' is judged twice"),
        ("a.csv", b"\xff\xfe", "is no CSV in UTF-8"),
        ("a.jsonl", b'{"name": "#1"}\n', "line 1: no answer with name and answer"),
    ],
)
def test_a_damaged_file_of_verdicts_is_refused_in_a_sentence(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SeluError, match=says):
        judge.open_file(tmp_path / name)
    with pytest.raises(SeluError, match="can't be read"):
        judge.open_file(tmp_path / "nowhere.csv")
