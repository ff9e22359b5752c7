from __future__ import annotations

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from helpers import pinned
from papers.faun_eval.answering import DRAWS, lines
from selu.files import read_json
from selu.papers.asked import Replies
from selu.papers.faun_eval import answers, rescored_files
from selu.papers.faun_eval.asking import answered, common, edited, located, model, tables
from selu.papers.faun_eval.metrics import blocks, similarity
from selu.papers.faun_eval.metrics.blocks import Block
from selu.systems.texts.reply import Reply
from selu.vocabulary import MachineError, SeluError

OLD = "def f(x):\n    return x\n"
NEW = "def f(x):\n    return x + 1\n"
ISSUE = "f forgets to add one, which a long text explains"


def patch(path, hunks=1):
    """A patch that changes one or several places."""
    places = [
        f"@@ -{10 * at},2 +{10 * at},2 @@\n def f(x):\n-    return x\n+    return x + 1\n"
        for at in range(1, hunks + 1)
    ]
    return f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n" + "".join(places)


def gold(path="own/one.py", hunks=1):
    record = {
        "instance_id": "t",
        "repo": "own/er",
        "base_commit": "",
        "problem_statement": ISSUE,
        "patch": patch(path, hunks),
    }
    return answers.read_tasks(lines([record]), "t.jsonl")["t"]


@pytest.fixture
def evidence(tmp_path):
    """Five tasks, of which one is fixed in two places, and four questions, pinned; an encoder by letters."""
    tasks = [
        {
            "instance_id": f"t{at}",
            "repo": "own/er",
            "base_commit": "",
            "problem_statement": f"{at} {ISSUE}",
            "patch": patch(f"own/file{at}.py", hunks=2 if at == 4 else 1),
        }
        for at in range(5)
    ]
    words = ("the loop", "the loop ends", "a list", "a list grows")
    asked = [{"question": f"what is {word}", "answer": f"it is {word}, surely"} for word in words]
    contents = {("tasks", "Lite"): lines(tasks), ("questions", "own"): lines(asked)}
    pinned.write(tmp_path / rescored_files.PINS, contents)
    settings = {
        located.SECTION: {"tasks": 2, "paths": 2, "characters": 9, "answer_tokens": 9, "seed": 1},
        answered.SECTION: {"questions": 3, "answer_tokens": 30, "seed": 1},
        edited.SECTION: {"tasks": 4, "characters": 9, "answer_tokens": 90, "seed": 1},
    }

    def embed(_name, texts):
        return np.array([[text.count(letter) + 0.01 for letter in "abcdefghilnost"] for text in texts])

    return SimpleNamespace(
        draws=DRAWS,
        copies=lambda: [tmp_path],
        pins=lambda: tmp_path,
        embed=embed,
        settings=lambda section, kind: kind(**settings[section]),
    )


class Model:
    """A model that replies by the set and by the prompt; it is silent where ``reply`` returns None."""

    def __init__(self, reply):
        self.reply, self.asked = reply, {}

    def ask(self, sets, limit):
        (questions,) = sets
        self.asked[questions.name] = (questions.prompts, limit)
        texts = {at: self.reply(questions.name, prompt) for at, prompt in enumerate(questions.prompts)}
        replies = {
            at: Reply(text, 100, 5, 0.5, cut=questions.name == "edited")
            for at, text in texts.items()
            if text is not None
        }
        return Replies("my-model", {"weights": "a"}, 7, {questions.name: replies})


def solve(name, prompt):
    """Reply as a model that solves every task."""
    if name == "answered":
        return f"it is {prompt.partition('what is ')[2].strip()}, surely"
    if name == "located":
        return sorted(line for line in prompt.splitlines() if line.startswith("own/"))[0]
    path = next(word.rstrip(":") for word in prompt.splitlines() if word.startswith("own/"))
    return blocks.write([Block(path, OLD, NEW)])


def test_a_model_that_solves_every_task_scores_one(evidence):
    asked = Model(solve)
    made = model.ask(evidence, asked, ())
    record = json.loads(made["scores.json"])
    assert {name: limit for name, (_, limit) in asked.asked.items()} == {
        "answered": 30,
        "located": 9,
        "edited": 90,
    }
    (own, *others) = record["questions"]["rows"]
    assert own["mean"]["score"] == pytest.approx(1)
    assert own["change"]["low"] > 0
    assert all(row["mean"]["score"] < 0.9 for row in others)
    (own, unedited) = record["edits"]["rows"]
    assert (own["applies"]["score"], own["exact"]["score"], own["codebleu"]["score"]) == (
        1,
        1,
        pytest.approx(1),
    )
    assert own["applies"]["low"] < 0.7  # all of four are not surely all
    assert unedited["codebleu"]["score"] < 1
    assert record["edits"]["sample"]["one place"] == 4  # the fix of one task changes two places
    for sentence in (
        "The answers of my-model to 3 questions score 1.000",
        "names the changed file in",
        "The edits of my-model apply in 4 of 4 tasks and equal the fix in 4",
        "the limit ended 4 of my-model",
    ):
        assert sentence in made["index.md"]
        assert sentence in made["index.html"]
    rows = list(csv.DictReader(made["answers.csv"].splitlines()))
    assert [row["task"] for row in rows].count("code editing") == 4


def test_a_silent_model_scores_nothing_and_each_task_counts_it(evidence):
    made = model.ask(evidence, Model(lambda *_: None), ())
    record = json.loads(made["scores.json"])
    assert record["questions"]["empty"] == 3
    assert record["questions"]["rows"][0]["mean"]["score"] == 0
    assert record["files"]["states"] == {"named": 0, "other": 0, "empty": 2}
    assert record["edits"]["states"][edited.State.EMPTY] == 4
    assert record["edits"]["rows"][0]["codebleu"]["score"] == 0
    assert record["edits"]["cost"] is None
    assert "No reply of my-model to 4 tasks is an edit that applies." in made["index.md"]


def test_tasks_are_drawn_and_cannot_be_named(evidence):
    with pytest.raises(SeluError, match=r"leave --task out, and set in data/params/faun_eval.yaml"):
        model.ask(evidence, Model(solve), ("t0",))
    assert common.draw(range(9), 5, 1)[:2] == common.draw(range(9), 2, 1)


@pytest.mark.parametrize(
    ("reply", "path"),
    [
        ("db/models/query.py", "db/models/query.py"),
        ("The file is `db/models/query.py`, not db/sql.py.", "db/models/query.py"),
        ("./db/models/query.py", "db/models/query.py"),
        ("../db/models/query.py", ""),  # no path of the list
        ("src/db/models/query.py", ""),
        ("models/query.py", ""),
        ("db/models/query.pyi", ""),
        ("db/models/query.py.", "db/models/query.py"),
        ("", ""),
    ],
)
def test_an_answer_counts_where_it_names_a_path_of_the_list(reply, path):
    assert located.read_path(reply, ["db/sql.py", "db/models/query.py"]) == path


def test_the_prompts_show_the_beginning_of_the_issue_and_what_is_asked_about(evidence):
    asked = Model(solve)
    model.ask(evidence, asked, ())
    for name in ("located", "edited"):
        prompt = asked.asked[name][0][0]
        assert "f forge" in prompt
        assert "f forgets" not in prompt  # of nine characters, two are the number
    listed = asked.asked["located"][0][0].partition("Files:\n")[2].split()
    assert listed == sorted(listed)
    assert len(listed) == 2
    assert asked.asked["edited"][0][0].endswith(f".py:\n{OLD}\n")
    assert "surely" not in "".join(asked.asked["answered"][0])  # no answer is shown


BLOCK = blocks.write([Block("own/one.py", OLD, NEW)])


@pytest.mark.parametrize(
    ("reply", "state", "text"),
    [
        (BLOCK, edited.State.APPLIES, NEW),
        (f"Here it is:\n```\n{BLOCK}```\n", edited.State.APPLIES, NEW),
        (blocks.write([Block("own/one.py", OLD, "")]), edited.State.APPLIES, ""),
        (blocks.write([Block("own/one.py", OLD, OLD)]), edited.State.UNCHANGED, None),
        (blocks.write([Block("own/new.py", "", NEW)]), edited.State.UNCHANGED, None),  # of another file
        (blocks.write([Block("own/two.py", OLD, NEW)]), edited.State.REFUSED, None),
        (blocks.write([Block("own/one.py", NEW, OLD)]), edited.State.REFUSED, None),
        (BLOCK + BLOCK, edited.State.REFUSED, None),  # both change the same lines
        (BLOCK[:-9], edited.State.MALFORMED, None),
        (BLOCK.removeprefix("own/one.py\n"), edited.State.MALFORMED, None),
        (NEW, edited.State.NO_BLOCK, None),
        (" \n", edited.State.EMPTY, None),
    ],
)
def test_a_reply_counts_where_all_its_blocks_apply_and_change_the_lines(reply, state, text):
    assert edited.edit(reply, gold()) == (state, text)


def test_an_edit_equals_the_fix_where_its_lines_do_with_their_indentation():
    scores = edited.score_one(f"    {NEW}", gold())
    assert (scores["applies"], scores["exact"]) == (1, 0)
    assert edited.score_one(NEW.rstrip("\n"), gold())["exact"] == 1
    assert edited.score_one("", gold()) == {"applies": 1, "codebleu": 0, "edit": 0, "exact": 0}
    assert set(edited.score_one(None, gold()).values()) == {0}


def test_a_missing_library_is_told_before_a_model_is_asked(evidence, monkeypatch):
    def missing(name):
        raise MachineError(f"{name} is not installed: run 'make text-metrics-environment', which brings it.")

    monkeypatch.setattr(similarity, "library", missing)
    asked = Model(solve)
    with pytest.raises(MachineError, match="make text-metrics-environment"):
        model.ask(evidence, asked, ())
    assert asked.asked == {}


def test_models_that_were_asked_other_samples_are_not_put_in_one_table(evidence):
    record = json.loads(model.ask(evidence, Model(solve), ())["scores.json"])
    other = json.loads(json.dumps(record))
    other["edits"]["sample"]["tasks"] = 3
    assert len(tables.edited([record, record]).frame) == 3
    with pytest.raises(SeluError, match=r"asked different samples: ask them again"):
        tables.edited([record, other])


def test_the_example_of_the_prompt_is_a_block_that_applies():
    (block,) = blocks.read(edited.EXAMPLE)[0]
    assert blocks.applicable(edited.EXAMPLE, {block.path: block.search})
    assert edited.EXAMPLE in edited.write_prompt(gold(), 9)


def test_tracked_models_were_asked_the_same_and_their_sentences_say_what_their_tables_do(root: Path) -> None:
    records = [
        read_json(root / "docs" / "measurements" / f"faun_eval_{name}.json", "selu run")
        for name in ("smollm2-135m", "qwen2.5-coder-0.5b")
    ]
    for task in ("questions", "files", "edits"):
        first, second = (record[task] for record in records)
        assert first["sample"] == second["sample"]
        assert first["rows"][1:] == second["rows"][1:]  # what no model decides
    for made in (tables.answered(records), tables.named_files(records), tables.edited(records)):
        assert list(made.frame.iloc[:2, 0].str.partition(",")[0]) == [record["model"] for record in records]
    for record in records:
        assert "No reply" in tables.say_edited(record)  # as the overview says, too
        assert "not clearly more or less than the answer of a random other question" in tables.say_answered(
            record
        )
        assert "less often than it is the first of them" in tables.say_named(record)
