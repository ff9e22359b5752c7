from __future__ import annotations

import csv
import json

import pytest

from helpers import small_project as small
from papers.faun_eval import answering
from papers.faun_eval.answering import lines
from papers.faun_eval.pipeline import histories
from selu.papers.faun_eval import rescored, rescored_files, trees
from selu.papers.faun_eval.agent import page, reading
from selu.papers.faun_eval.answers import read_tasks
from selu.vocabulary import SeluError

TASKS = [f"t{number}" for number in range(6)]
BEFORE = "import os\n\n\ndef f(x):\n    return x\n"


def patch(path, old="    return x", new="    return x + 1"):
    return (
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
        f"@@ -2,4 +2,4 @@\n \n \n def f(x):\n-{old}\n+{new}\n"
    )


def block(path, old="    return x", new="    return x + 1"):
    return f"Here it is:\n\n```python\n{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```\n"


def read(*records):
    return reading.read(lines(records), "mine.jsonl", TASKS)


def problems(own):
    return [(trouble.record, trouble.task, trouble.problem) for trouble in own.troubles]


def test_every_record_that_is_bad_is_named_and_the_rest_goes_on():
    good = {"instance_id": "t5", "model_patch": patch("a.py"), "model_name_or_path": "mine"}
    binary = "diff --git a/x.png b/x.png\nGIT binary patch\nliteral 3\n\n"
    own = read(
        "{\n",
        7,
        {"model_patch": "x"},
        {"instance_id": "t9", "model_patch": patch("a.py")},
        {"instance_id": "t0", "model_patch": patch("../a.py")},
        {"instance_id": "t0", "model_patch": patch("a.py")},
        {"instance_id": "t1", "model_patch": binary},
        {"instance_id": "t2", "model_patch": "x" * 1_000_000},
        {"instance_id": "t3", "model_patch": f"a.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n{block('b.py')}"},
        {"instance_id": "t4", "model_patch": "", "found_files": []},
        good,
        "[" * 100_000 + "\n",
        {"instance_id": "t4", "found_files": ["a.py"]},
    )
    assert problems(own) == [
        (1, "", "no JSON"),
        (2, "", "no record"),
        (3, "", "no task named"),
        (4, "t9", "unknown task"),
        (5, "t0", "patch: path outside the tree"),
        (6, "t0", "task answered twice"),
        (7, "t1", "patch: binary file"),
        (8, "t2", reading.TOO_LONG),
        (8, "t2", "patch: no changed file"),
        (9, "t3", "block: no divider (line 2)"),
        (10, "t4", "neither patch nor files"),
        (12, "", "no JSON"),
        (13, "t4", "task answered twice"),
    ]
    assert own.models == ("mine",)
    assert own.answers.by_task["t5"].files == ("a.py",)
    assert own.answers.by_task["t3"].files == ("b.py",)
    assert "t4" not in own.answers.by_task
    assert own.answers.left_out == {
        "no JSON": 2,
        "no record": 1,
        "no task named": 1,
        "task answered twice": 2,
        "unknown task": 1,
    }


def test_halves_of_characters_and_strange_files_do_no_harm():
    own = read(
        {"instance_id": "t0", "model_patch": patch("a.py", new="    return '\ud800'")},
        {"instance_id": "t1", "found_files": ["/etc/passwd", 3, "a.py"]},
    )
    assert problems(own) == [
        (1, "t0", reading.STRANGE),
        (2, "t1", "a file that is not text"),
        (2, "t1", reading.OUTSIDE),
    ]
    assert own.answers.by_task["t1"].files == ("/etc/passwd", "a.py")
    assert json.dumps(own.answers.by_task["t0"].text).isascii()


def test_a_file_that_is_none_ends_in_a_sentence():
    for content, sentence in ((b"\xff", "is not UTF-8"), (b"[1, ", "is a damaged JSON list")):
        with pytest.raises(SeluError, match=f"mine.jsonl {sentence}"):
            reading.read(content, "mine.jsonl", TASKS)


def test_blocks_count_as_the_patch_that_they_are():
    """Whoever publishes SEARCH/REPLACE blocks is scored as one who publishes the same edit as a patch."""
    own = read(
        {"instance_id": "t0", "model_patch": block("a.py")}, {"instance_id": "t1", "model_patch": patch("a.py")}
    )
    first, second = (own.answers.by_task[name] for name in ("t0", "t1"))
    assert first.files == second.files == ("a.py",)
    assert first.patch.lines == second.patch.lines == "-    return x\n+    return x + 1\n"
    assert (first.patch.fault, set(own.replies)) == (None, {"t0"})


# -- pages ------------------------------------------------------------------------------------------


@pytest.fixture
def published(tmp_path):
    """Two published sets, scored, as the tracked files have them."""
    tasks = [
        {
            "instance_id": name,
            "repo": "own/er",
            "base_commit": "",
            "problem_statement": "f is off by one",
            "patch": patch("a.py"),
        }
        for name in TASKS
    ]
    right = [{"instance_id": name, "model_patch": patch("a.py")} for name in TASKS[:3]]
    wrong = [{"instance_id": name, "model_patch": patch("b.py", new="    pass")} for name in TASKS[3:]]
    files = {
        ("tasks", "Lite"): lines(tasks),
        ("patches", "one"): lines(right + wrong),
        ("outcomes", "one"): json.dumps({"resolved": TASKS[:2]}).encode(),
        ("files", "two"): lines({"instance_id": name, "found_files": ["b.py", "a.py"]} for name in TASKS),
    }
    made = answering.published(tmp_path, files)
    rescored_files.rescore(made)
    return made


def place(published, tmp_path, *records):
    (tmp_path / "mine.jsonl").write_bytes(lines(records))
    return page.place(published, tmp_path / "mine.jsonl", lambda _: None)


def rows(text):
    return list(csv.DictReader(text.splitlines()))


def test_answers_are_placed_and_said_what_their_metrics_are_worth(published, tmp_path):
    mine = [
        {"instance_id": name, "model_patch": patch("a.py"), "model_name_or_path": "My agent"} for name in TASKS
    ]
    id, files = place(published, tmp_path, *mine, {"instance_id": "t9"})
    assert id.startswith("My-agent-")
    found = {row["Metric"]: row for row in rows(files["scores.csv"])}
    assert found["First existing file exact"]["Place"] == "1 of 3"
    assert found["Edit similarity of patches"]["Place"] == "1 of 2"
    assert found["Answered"]["Score"] == "1.000"
    assert float(found["CodeBLEU of patches"]["AUC"]) > 0.5
    assert found["Answered"]["AUC"] == ""
    gaps = {(row["Metric"], row["Published set"]): row["Difference"] for row in rows(files["paired.csv"])}
    assert gaps["First existing file exact", "two"] == "+1.000"
    assert len(rows(files["tasks.csv"])) == 6
    assert "My agent answers 6 of 6 tasks." in files["index.md"]
    assert "Something is wrong with 1 record" in files["index.html"]
    assert "It is unknown which patches apply" in files["index.md"]
    assert rows(files["problems.csv"]) == [{"record": "7", "task": "t9", "problem": "unknown task"}]


def test_a_set_of_files_alone_has_no_scores_of_patches(published, tmp_path):
    _, files = place(published, tmp_path, *({"instance_id": name, "found_files": ["a.py"]} for name in TASKS))
    assert [row["Metric"] for row in rows(files["scores.csv"])] == [
        rescored.NAMES[metric] for metric in ("answered", *rescored.LOCATED)
    ]
    assert "Nothing is wrong with any record." in files["index.md"]


def test_with_a_clone_it_is_known_which_patches_apply(tmp_path):
    folder = tmp_path / trees.FOLDER / "own" / "er"
    (commit,) = histories.make(folder, [("first", {"a.py": BEFORE.encode(), "pkg/b.py": b"y = 1\n"})])
    tasks = [{"instance_id": name, "repo": "own/er", "patch": patch("a.py")} for name in TASKS]
    known = read_tasks(lines({**task, "base_commit": commit} for task in tasks[:5]), "t.jsonl")
    own = read(
        {"instance_id": "t0", "model_patch": patch("a.py")},
        {"instance_id": "t1", "model_patch": patch("a.py", old="    return y")},
        {"instance_id": "t2", "model_patch": block("a.py")},
        {"instance_id": "t3", "model_patch": block("a.py", old="")},
    )
    found, refused = page.score_in_files(own, known, [tmp_path])
    assert found["applies"] == {"score": 2 / 5, "tasks": 5}
    assert found["codebleu_file"] == {"score": 2 / 5, "tasks": 5}
    assert found["blocks_once"] == {"score": 0.5, "tasks": 2}
    assert [(trouble.task, trouble.problem) for trouble in refused] == [
        ("t1", "patch does not apply"),
        ("t3", "patch does not apply"),
    ]
    assert trees.list_paths(folder, commit) == ["a.py", "pkg/b.py"]
    assert trees.list_paths(folder, "0" * 40) is None
    assert trees.read_text(folder, commit, "none.py") is None
    assert trees.apply(patch("../a.py"), {"a.py": BEFORE}) is None


def test_the_command_refuses_what_it_can_not_do_in_a_sentence(tmp_path):
    made = small.make(tmp_path / "project")
    answers = tmp_path / "mine.jsonl"
    answers.write_text("")
    code, _, messages = small.done(made, "run", "--answers", str(answers))
    assert (code, messages[-1]) == (
        2,
        "selu: selu takes no file of answers: --paper names one of faun_eval.",
    )
    code, _, messages = small.done(
        made, "run", "--paper", "faun_eval", "--answers", str(answers), "--system", "x"
    )
    assert code == 2
    assert "leave filters and other options out" in messages[-1]


def by_hand(published, tmp_path, monkeypatch, text):
    """Run the command over a file of answers: exit code, its messages, problems.csv where a page was made."""
    monkeypatch.setattr("selu.app.running.answers.Predictions", lambda *_, **__: published)
    made = small.make(tmp_path / "project")
    answers = tmp_path / "preds.json"
    answers.write_text(text)
    code, _, messages = small.done(made, "run", "--paper", "faun_eval", "--answers", str(answers))
    pages = [path.parent for path in made.rglob("problems.csv")]
    return code, "\n".join(messages), rows((pages[0] / "problems.csv").read_text()) if pages else None


RECORDS = [
    {"instance_id": name, "model_name_or_path": "mine", "model_patch": patch("a.py")} for name in TASKS[:3]
]
BY_TASK = {record["instance_id"]: record for record in RECORDS}
RENAMED = [{"task_id": name, "model": "mine", "prediction": patch("a.py")} for name in TASKS[:3]]
BARE = {name: {"model_patch": patch("a.py")} for name in TASKS[:3]}


@pytest.mark.ci
@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (json.dumps(BY_TASK), []),
        (json.dumps(BY_TASK, indent=2), []),
        (json.dumps(BARE), []),
        ("\n".join(map(json.dumps, RENAMED)), []),
        ("\n".join(map(json.dumps, RECORDS)) + '\n{"instance_id": "t', ["no JSON"]),
    ],
    ids=["one line", "pretty", "bare", "other names of fields", "half a line"],
)
def test_answers_in_the_forms_that_programs_write_are_read(published, tmp_path, monkeypatch, text, problems):
    code, output, named = by_hand(published, tmp_path, monkeypatch, text)
    assert (code, [problem["problem"] for problem in named]) == (0, problems)
    assert "3 of 6 tasks answered" in output


def test_a_name_in_an_answer_is_no_formula_in_the_list_of_problems(published, tmp_path, monkeypatch):
    odd = {"instance_id": "=HYPERLINK(1)\x1b[2J", "model_name_or_path": "mine", "model_patch": patch("a.py")}
    text = "\n".join(map(json.dumps, [*RECORDS, odd]))
    _, _, (named,) = by_hand(published, tmp_path, monkeypatch, text)
    assert named["task"] == "'=HYPERLINK(1)[2J"


def test_the_name_of_a_set_is_text_in_its_page(published, tmp_path, monkeypatch):
    odd = "mine\n\n# [x](http://y)\x1b[2J"
    text = "\n".join(json.dumps(record | {"model_name_or_path": odd}) for record in RECORDS)
    assert by_hand(published, tmp_path, monkeypatch, text)[0] == 0
    (page,) = tmp_path.rglob("index.md")
    assert page.read_text().startswith("# mine # \\[x\\](http://y)\\[2J on SWE-bench Lite\n\n")


@pytest.mark.ci
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "answers none of 6 tasks (no record): give"),
        ("\n\n", "answers none of 6 tasks (no record): give"),
        ("{}", "answers none of 6 tasks (no task named: 1): give"),
        (json.dumps({"t9": {"model_patch": "x"}}), "answers none of 6 tasks (unknown task: 1): give"),
        (json.dumps(BY_TASK, indent=2)[:-3], "answers none of 6 tasks (no JSON"),
        (
            json.dumps([*RECORDS, {**RENAMED[0], "task_id": "t5", "model": "b"}]),
            "2 systems (mine, b): give a file",
        ),
        (json.dumps([RECORDS[0], {**RECORDS[0], "model_name_or_path": "b"}]), "2 systems (mine, b): give"),
    ],
    ids=["empty", "blank", "no entry", "unknown", "cut off", "two systems", "two systems of equal tasks"],
)
def test_answers_of_which_nothing_can_be_used_end_in_a_sentence(
    published, tmp_path, monkeypatch, text, sentence
):
    code, output, named = by_hand(published, tmp_path, monkeypatch, text)
    assert (code, named) == (2, None)
    assert sentence in output
