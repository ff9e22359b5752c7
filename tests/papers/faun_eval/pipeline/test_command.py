"""``selu prepare --paper faun_eval --repository``: what somebody gets for a repository of their own."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[3] / "systems" / "prompt"))

from api_server import Server

from helpers import pinned
from helpers import small_project as small
from papers.faun_eval.pipeline import histories
from papers.faun_eval.pipeline.github_server import NAME, TOKEN, FakeClock, Schedule, World, github
from selu.app.datasets import prepare as preparation
from selu.papers.api import Source
from selu.papers.faun_eval.metrics import blocks
from selu.papers.faun_eval.pipeline.command import mine
from selu.vocabulary import SeluError

ISSUE, PULL, SECOND = 1, 2, 3
BEFORE, AFTER = b"def f():\n    return 1\n", b"def f():\n    return 2\n"


@pytest.fixture
def clone(tmp_path):
    folder = tmp_path / "clone"
    files = {"src/a.py": BEFORE, "src/b.py": b"\0\0", "docs/c.md": b"c", ".ci/d.py": b"d"}
    ids = histories.make(
        folder,
        [
            ("first", files),
            ("Fixes #1 (#2)", {"src/a.py": AFTER}),
            ("Closes #3", {"src/b.py": b"\0\1"}),
            ("Fixes #4", {"docs/c.md": b"d"}),
            ("Fixes #5", {"src/a.py": AFTER + b"# why\n"}),
        ],
    )
    return folder, ids


def source(tmp_path, clone=None, name=NAME, **fields):
    pins = tmp_path / "pins"
    pins.mkdir(exist_ok=True)
    pinned.write(pins / "pairs.csv", {("pairs", "x"): b""})
    made = Source(name, clone, (), None, False, tmp_path / "work", pins, [])
    return replace(made, **fields)


def rows(table):
    return list(csv.DictReader(table.splitlines()))


def records(text):
    return [json.loads(line) for line in text.splitlines()]


def test_a_clone_alone_gives_tasks_of_its_commit_messages(tmp_path, clone):
    folder, ids = clone
    made = mine(source(tmp_path, folder), lambda _: None, {})
    (edit,) = records(made.texts["editing.jsonl"])
    assert (edit["issue"], edit["commit"], edit["base"], edit["path"]) == (1, ids[1], ids[0], "src/a.py")
    assert edit["tree"] == "src/\n  a.py\n  b.py\n\n1 directories, 2 files\n"
    assert edit["file"] == BEFORE.decode()
    read, malformed = blocks.read(edit["patch"])
    assert blocks.apply(read, {"src/a.py": edit["file"]}) == ({"src/a.py": AFTER.decode()}, [])
    assert not malformed
    assert {(row["record"].split()[0], row["reason"]) for row in rows(made.tables["reasons.csv"])} == {
        ("#3", "binary file"), ("#4", "suffix of no main language"), ("#5", "only comments or strings change"),
    }  # fmt: skip
    funnel = [
        (row["came"], row["passed"])
        for row in rows(made.tables["funnel.csv"])
        if row["part"] == "commit message"
    ]
    assert funnel[0] == ("4", "4")
    assert funnel[-1] == ("3", "1")
    spoken = rows(made.tables["funnel_by_language.csv"])
    for step in rows(made.tables["funnel.csv"]):
        every = [row for row in spoken if (row["part"], row["filter"]) == (step["part"], step["filter"])]
        for count in ("came", "passed"):
            assert sum(int(row[count]) for row in every) == int(step[count])
    assert ("Python", "substance check", "3", "1") in [tuple(row.values())[1:] for row in spoken]
    assert "GITHUB_TOKEN is not set" in made.says[-1]


def test_two_reviewers_keep_what_both_find_clear_and_their_agreement_is_told(tmp_path, clone):
    """A benchmark that says two people reviewed it can say how far they agreed."""
    folder, ids = clone
    (tmp_path / "a.csv").write_text(f"name,clear\n#1 {ids[1]},yes\n")
    (tmp_path / "b.csv").write_text(f"name,clear\n#1 {ids[1]},no\n")
    two = [tmp_path / "a.csv", tmp_path / "b.csv"]
    made = mine(source(tmp_path, folder, verdicts=two), lambda _: None, {})
    assert ("#1 " + ids[1], "reviewers differ") in {
        (row["record"], row["reason"]) for row in rows(made.tables["reasons.csv"])
    }
    (row,) = rows(made.tables["agreement.csv"])
    assert (row["one"], row["records"], row["same"]) == (str(two[0]), "1", "0")
    assert any("b.csv agree on 0 of 1 records: Cohen's kappa is 0.00" in line for line in made.says)
    with pytest.raises(SeluError, match="--verdicts names a file twice"):
        mine(source(tmp_path, folder, verdicts=[two[0], two[0]]), lambda _: None, {})


def talk(world, commit):
    """Make three records of the world an issue with an answer, its fix, and an issue that nobody answers."""
    world.is_pull.update({ISSUE: False, PULL: True, SECOND: False})
    world.sources.update({ISSUE: [PULL], PULL: [], SECOND: []})
    plain, node = world.issue, world.node
    bodies = {ISSUE: "It returns one. " * 20, PULL: "Fixes #1", SECOND: "Nobody answers. " * 20}
    world.issue = lambda number: plain(number) | {"body": bodies.get(number)}
    paths = {"totalCount": 1, "nodes": [{"path": "src/a.py", "changeType": "MODIFIED"}]}
    about = {"merged": True, "mergeCommit": {"oid": commit}, "files": paths}
    world.node = lambda number: node(number) | (about if number == PULL else {})
    world.comments = [(1, ISSUE, "It must return two.")]


def test_github_and_a_clone_give_questions_faults_and_edits(tmp_path, clone):
    folder, ids = clone
    world, clock = World(6, comments=1), FakeClock()
    talk(world, ids[1])
    (tmp_path / "mine.csv").write_text("name,clear\n#1,yes\n#1 #2,yes\n")
    with github(world, Schedule(5, 0.3), clock) as served:
        environment = {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": served.address}
        made = mine(
            source(tmp_path, folder, verdicts=[tmp_path / "mine.csv"]), lambda _: None, environment, clock
        )
    (question,) = records(made.texts["questions.jsonl"])
    assert (question["issue"], question["answer"]["body"], question["language"]) == (
        1,
        "It must return two.",
        "Python",
    )
    edits = records(made.texts["editing.jsonl"])
    assert [(edit["issue"], edit["pull"], edit["pull_body"]) for edit in edits] == [(1, 2, "Fixes #1")]
    assert edits[0]["issue_body"].startswith("It returns one.")
    reasons = {(row["part"], row["record"], row["reason"]) for row in rows(made.tables["reasons.csv"])}
    assert ("issues", "#3", "fewer than 2 participants") in reasons
    assert ("commit message", f"#1 {ids[1]}", "no verdict") in reasons
    assert {"record": "2", "names": f"{NAME.lower()}#1", "cross-reference": "confirmed"} in rows(
        made.tables["references.csv"]
    )
    sides = {row["side"] for row in rows(made.tables["pairs.csv"])}
    assert sides == {"commit message", "pull request", "pull request with its comments"}
    assert len(records(made.texts["entries.jsonl"])) == 6


@pytest.mark.ci
def test_a_model_judges_what_passed_the_filters_and_is_paid_once(tmp_path, clone, monkeypatch):
    """A second call, even one that crawls again, asks nothing that was answered; only what is new is paid."""
    root, world, messages = small.make(tmp_path / "clone_of_selu", ()), World(6, comments=1), []
    (root / "data" / "pins" / "faun_eval").mkdir(parents=True)
    pinned.write(root / "data" / "pins" / "faun_eval" / "pairs.csv", {("pairs", "x"): b""})
    talk(world, clone[1][1])
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)

    def prepared():
        with github(world, Schedule(5, 0), FakeClock()) as served:
            monkeypatch.setenv("GITHUB_API_URL", served.address)
            wanted = preparation.Repository(NAME, clone[0], judge="judge", renew=True)
            written = preparation.mine(root, "faun_eval", wanted, None, messages.append)
            return {path.name: path.read_text() for path in written}

    with Server(lambda prompt: "No." if "must return two" in prompt else "Yes, it is.") as server:
        server.openai.models["judging"] = "judging"
        monkeypatch.setenv("JUDGE_KEY", server.openai_key)
        model = {"provider": "compatible", "model": "judging", "context": 9000, "key": "JUDGE_KEY"}
        model["base_url"] = server.openai_url
        small.alter(root, lambda params: params["prompt"]["models"].update(judge=model))
        first = prepared()
        assert sum(server.paid.values()) == 3  # the question, the commit, and the pull request of two sides
        assert prepared() == first
        assert sum(server.paid.values()) == 3
        world.pages.clear()
        world.__dict__.pop("lists", None)
        world.comments = [(1, ISSUE, "It must return two, or three.")]
        third = prepared()
        assert sum(server.paid.values()) == 4
    reasons = {(row["record"], row["filter"], row["reason"]) for row in rows(first["reasons.csv"])}
    assert ("#1", "semantic check", "not clear") in reasons
    assert first["questions.jsonl"] == ""
    assert {edit["issue"] for edit in records(first["editing.jsonl"])} == {ISSUE}
    answers = {answer["name"]: answer["answer"] for answer in records(first["answers.jsonl"])}
    assert answers == {"#1": "No.", f"#1 {clone[1][1]}": "Yes, it is.", "#1 #2": "Yes, it is."}
    assert third["answers.jsonl"] == first["answers.jsonl"]
    assert "3 records are judged by judge" in " ".join(messages)
    with pytest.raises(SeluError, match="nonsense is neither a model of"):  # before anything is crawled
        list(
            preparation.mine(
                root, "faun_eval", preparation.Repository(NAME, judge="nonsense"), None, messages.append
            )
        )


def test_a_clone_without_history_is_left_out_where_github_answers(tmp_path):
    (tmp_path / "empty").mkdir()
    histories.git(tmp_path / "empty", "init", "--quiet")
    world, clock, messages = World(6), FakeClock(), []
    with github(world, Schedule(5, 0), clock) as served:
        environment = {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": served.address}
        made = mine(source(tmp_path, tmp_path / "empty"), messages.append, environment, clock)
    assert len(records(made.texts["entries.jsonl"])) == 6
    assert any("has no history" in line for line in messages)
    with pytest.raises(SeluError, match="has no history"):
        mine(source(tmp_path, tmp_path / "empty"), messages.append, {})


@pytest.mark.parametrize("name", ["scipy", "a/b/c", "../x", "https://github.com/a/b", "a/b?x", ""])
def test_what_is_no_repository_is_refused_in_a_sentence(tmp_path, name):
    with pytest.raises(SeluError, match="is not a repository of GitHub: name it as OWNER/NAME"):
        mine(source(tmp_path, name=name), lambda _: None, {})
    with pytest.raises(SeluError, match="Set GITHUB_TOKEN in the environment, or name a clone"):
        mine(source(tmp_path), lambda _: None, {})


def test_texts_of_others_lie_where_nothing_is_committed(tmp_path, clone, monkeypatch, root):
    """Issues and files are third-party data: only ignored folders may hold them."""
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "pins").symlink_to(root / "data" / "pins")
    messages = []
    wanted = preparation.Repository("Own/Repo", clone[0])
    written = list(preparation.mine(tmp_path, "faun_eval", wanted, None, messages.append))
    places = {path.relative_to(tmp_path).parent.as_posix() for path in written}
    assert places == {"data/clean/own/faun_eval/own__repo", "reports/own/faun_eval/own__repo"}
    assert "1 of fault localization" in " ".join(messages)
    with pytest.raises(SeluError, match="nlbse24 makes no data from a repository"):
        list(preparation.mine(tmp_path, "nlbse24", preparation.Repository("own/repo"), None, messages.append))
