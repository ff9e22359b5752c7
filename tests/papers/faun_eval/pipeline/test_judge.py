"""A verdict that is read wrongly, or taken where nobody gave one, lets unclear records into a benchmark."""

from __future__ import annotations

from collections import Counter

import pytest

from selu.papers.asked import Replies
from selu.papers.faun_eval.pipeline import judge, reviewers
from selu.papers.faun_eval.pipeline.filters.funnel import run
from selu.systems.texts.reply import Reply
from selu.vocabulary import SeluError

CASES = [judge.Judged(f"#{number}", f"problem {number}", f"solution {number}") for number in (1, 2, 3)]


def passed(found, cases=CASES):
    funnel = run(cases, (), lambda case: case.name).narrow(judge.CHECK, found, lambda case: case.name)
    assert [(step.filter, step.came, step.passed) for step in funnel.steps] == [
        (judge.CHECK, len(cases), len(funnel.passed))
    ]
    return [case.name for case in funnel.passed], {refusal.name: refusal.reason for refusal in funnel.refusals}


class Given:
    """Answers by what a prompt holds; one of them gets no reply."""

    id = "made"

    def __init__(self):
        self.asked = []

    def ask(self, sets, limit):
        answers = {"problem 1": "**Yes**, it is.", "problem 2": "No.", "problem 3": "Notable, perhaps."}
        self.asked += [prompt for questions in sets for prompt in questions.prompts]
        replies = {
            questions.name: {0: Reply(text, 9, 1, 0.1)}
            for questions in sets
            for word, text in answers.items()
            if word in questions.prompts[0]
        }
        return Replies(
            "made", {}, None, {questions.name: replies.get(questions.name, {}) for questions in sets}
        )


def test_a_person_a_record_and_a_model_judge_alike(tmp_path):
    """The three judges are one interface; what a model answers can be handed on as a file."""
    wanted = (["#1"], {"#2": "not clear", "#3": "no verdict"})
    assert passed(judge.by_person(b"name,clear\n#1,yes\n#2,No\n#3,\n", "mine.csv")) == wanted
    model, path = judge.Prompted(given := Given()), tmp_path / "answers.jsonl"
    assert passed(model) == wanted
    assert "problem 2" in given.asked[1]
    assert "solution 2" in given.asked[1]
    path.write_text(model.to_lines())
    assert passed(judge.open_file(path)) == wanted


def test_what_is_too_long_or_gets_no_reply_is_named_and_the_rest_is_judged():
    """A stack trace of a megabyte, half a character or a refused prompt must not end a command of hours."""
    strange = judge.Judged("#4", "half of a character: \ud800", "")
    long = judge.Judged("#5", "x" * 1_000_000, "y")
    same = judge.Judged("#6", CASES[0].problem, CASES[0].solution)
    given = Given()
    found = passed(judge.Prompted(given), [long, strange, same, *CASES])
    assert found == (
        ["#6", "#1"],
        {"#2": "not clear", "#3": "no verdict", "#4": "no verdict", "#5": "too long for the judge"},
    )
    assert len(given.asked) == 4  # the same text is asked once


def test_agreement_of_reviewers_is_cohens_kappa_of_what_both_judged():
    """The worked example of two readers who judge 50 applications: 35 alike, kappa .40 (Wikipedia)."""
    yes = {"a": [*["yes"] * 25, *["no"] * 25, "", "yes"], "b": [*["yes"] * 20, *["no"] * 5] + ["yes"] * 10}
    yes["b"] += [*["no"] * 15, "yes", "no"]
    files = {
        name: judge.by_person(
            ("name,clear\n" + "".join(f"#{at},{word}\n" for at, word in enumerate(words))).encode(), name
        )
        for name, words in yes.items()
    }
    two_reviewers = reviewers.Reviewers(files)
    cases = [judge.Judged(f"#{at}", "p", "s") for at in range(51)]
    reasons = Counter(two_reviewers(cases))
    assert reasons == {None: 20, "not clear": 15, "reviewers differ": 15, "no verdict": 1}
    table, (says,) = two_reviewers.agreement()
    header, row = (line.split(",") for line in table.strip().split("\n"))
    found = dict(zip(header, row, strict=True))
    assert (found["records"], found["same"], float(found["share"])) == ("50", "35", 0.7)
    assert float(found["kappa"]) == pytest.approx(0.4)
    assert float(found["kappa_low"]) < 0.4 < float(found["kappa_high"])
    assert "a and b agree on 35 of 50 records: Cohen's kappa is 0.40 (0.15 to 0.65)" in says


def test_kappa_is_not_given_where_it_is_not_defined():
    same = {name: judge.by_person(b"name,clear\n#1,yes\n#2,yes\n", name) for name in "ab"}
    two_reviewers = reviewers.Reviewers(same)
    assert two_reviewers.agreement()[1] == ["a and b judge no record of these in common"]
    two_reviewers(CASES)
    table, (says,) = two_reviewers.agreement()
    assert table.strip().endswith(",,,")
    assert "both give one answer only" in says


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", b"name,clear\n#1,maybe\n", "line 2: columns name and clear"),
        ("a.csv", b"id,verdict\n#1,yes\n", "line 2: columns name and clear"),
        ("a.csv", b"name,clear\n#1,yes\n#1,no\n", "line 3: '#1' is judged twice"),
        ("a.csv", b"\xff\xfe", "is not CSV in UTF-8"),
        ("a.jsonl", b'{"name": "#1"}\n', "line 1: no answer with name and answer"),
    ],
)
def test_a_damaged_file_of_verdicts_is_refused_in_a_sentence(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SeluError, match=says):
        judge.open_file(tmp_path / name)
    with pytest.raises(SeluError, match="can't be read"):
        judge.open_file(tmp_path / "nowhere.csv")
