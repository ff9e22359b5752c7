"""Models asked in the authors' words, from their package by hash; replies read by their scripts and by ours."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

sys.path.append(str(Path(__file__).parents[2] / "systems" / "prompt"))

from api_server import Server

from helpers import asking
from helpers import small_project as small
from helpers.asking import AUTHORS_PINS, AUTHORS_WORDS, TASKS, put_package
from helpers.running import run
from selu import registry
from selu.app import show
from selu.app.running.run import run as run_wanted
from selu.cost import prices
from selu.execution.planned import Planned, Wanted
from selu.execution.plans import plan
from selu.files import read_json
from selu.papers.selu.prompts import authors, examples
from selu.runs import record
from selu.splits import files
from selu.vocabulary import Kind, SeluError, Task

PACKAGE = small.ROOT.parent / "shared" / "published" / "selu" / "package_final"
SYSTEMS = ("gpt-4o-authors-zero-shot", "gpt-4o-authors-3-shot")
WANTED = Wanted(tasks=(small.CLASSES,), systems=SYSTEMS[:1])
needs_package = pytest.mark.skipif(not PACKAGE.is_dir(), reason="the authors' package is not beside this clone")


def answer(prompt: str) -> str:
    """Replies of which the authors' scripts and our grammar find different ones invalid."""
    return ("positive", "It is positive, I think.", "mixed feelings", "negative")[len(prompt) % 4]


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def server(asked):
    with Server(lambda prompt: (asked.append(prompt), answer(prompt))[1]) as found:
        yield found


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = asking.make(tmp_path_factory.mktemp("made") / "project", TASKS)
    (root / AUTHORS_PINS).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(small.ROOT / AUTHORS_PINS, root / AUTHORS_PINS)
    return root


@pytest.fixture
def root(made, tmp_path, server, monkeypatch):
    """A project whose GPT-4o is served here, and a package of templates of ours that its pins name."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-openai-0001")
    monkeypatch.delenv("SELU_MIRROR", raising=False)
    root = Path(shutil.copytree(made, tmp_path / "project"))

    def at_home(params: dict[str, Any]) -> None:
        params["prompt"].update(asking.QUICK)
        for name in ("gpt-4o", "gpt-4o-authors"):
            params["prompt"]["models"][name]["base_url"] = server.openai_url

    small.alter(root, at_home)
    return root


@pytest.fixture
def package(root, tmp_path, monkeypatch):
    folder = put_package(root, tmp_path / "package")
    monkeypatch.setenv("SELU_PREDICTIONS", str(folder))
    return folder


def content_of(planned_run: Planned) -> dict[str, Any]:
    return record.read_run(planned_run.folder, planned_run.identity)


@pytest.mark.ci
def test_runs_in_the_authors_words_lie_beside_ours(root, package, server, asked):
    wanted = Wanted(tasks=(small.CLASSES,), systems=("gpt-4o-zero-shot", *SYSTEMS))
    assert run(root, wanted)[-1] == "6 runs: 6 run, 0 left as they are, 0 failed"
    runs = {(planned_run.system, planned_run.folder.name): planned_run for planned_run in plan(root, wanted)}
    ours = content_of(runs["gpt-4o-zero-shot", "strict-s42"])
    theirs = content_of(runs["gpt-4o-authors-zero-shot", "strict-authors-s42"])
    assert ("gpt-4o-authors-3-shot", "paper-authors-s42") in runs
    assert "wording" not in ours["fields"]["data"]
    assert "invalid_as_authors" not in ours
    assert theirs["fields"]["data"]["wording"] == "authors"
    assert theirs["fields"]["data"]["prompt"] == files.sha256(AUTHORS_WORDS[0].encode())
    rows = small.table(small.task(small.CLASSES)).set_index("id")
    shots = asking.shots_of(rows.reset_index())
    task = small.task(small.CLASSES)
    for row, shot_ids in shots.items():
        shown = [(rows.loc[shot, "paper"], authors.words(task, rows.loc[shot, "label"])) for shot in shot_ids]
        assert authors.Template(AUTHORS_WORDS[0]).render(rows.loc[row, "paper"]) in asked
        assert authors.Template(AUTHORS_WORDS[3]).render(rows.loc[row, "paper"], shown) in asked


def test_both_readings_of_the_replies_are_recorded(root, package, asked):
    run(root, WANTED)
    paper, strict = plan(root, WANTED)
    content, replies = content_of(paper), [answer(prompt) for prompt in asked]
    assert len(replies) == 12
    unread, sentences = (replies.count(reply) for reply in ("mixed feelings", "It is positive, I think."))
    assert min(unread, sentences) > 0
    assert content["invalid_as_authors"] == {"no answer": unread, "no reply": 0}
    assert sum(content["invalid"].values()) == unread + sentences
    assert content_of(strict)["invalid_as_authors"] == content["invalid_as_authors"]
    scores = {
        planned_run.protocol: record.read_scores(planned_run.folder)["scores"]["invalid"]
        for planned_run in (paper, strict)
    }
    assert scores == {"paper": unread, "strict": unread + sentences}


def test_plan_and_show_say_whose_wording_it_is(root, package):
    rows = prices.table(root, Wanted((small.CLASSES,), ("gpt-4o-zero-shot", SYSTEMS[0])))
    assert [row["prompts"] for row in rows] == ["in our words", "in the authors' words"]
    assert [row["to_ask"] for row in rows] == [12, 12]
    run(root, WANTED)
    found = show.record(root, SYSTEMS[0])
    assert found["prompts"] == "in the authors' words"
    assert any(line.split() == ["Prompts", "in", "the", "authors'", "words"] for line in show.lines(found))


def test_without_their_package_nothing_is_asked_and_one_sentence_says_what_to_do(
    root, package, server, monkeypatch
):
    monkeypatch.delenv("SELU_PREDICTIONS")
    (row,) = prices.table(root, WANTED)
    assert (
        "can't be asked: zero-shot.txt is not available here: 'selu fetch prompt_files' brings it"
        in row["state"]
    )
    messages: list[str] = []
    for spoil in (lambda: None, lambda: (package / "zero-shot.txt").write_text("other {text}")):
        spoil()
        with pytest.raises(SeluError):
            run_wanted(root, WANTED, "missing", None, messages.append)
        monkeypatch.setenv("SELU_PREDICTIONS", str(package))
    assert [line for line in messages if "in SELU_PREDICTIONS" in line]
    assert [line for line in messages if "does not have the pinned bytes" in line]
    assert not server.requests
    assert not list(root.glob("results/**/run.json"))  # no cell is held to have failed


def test_a_mirror_has_their_package_too(root, package, tmp_path, monkeypatch):
    place = tmp_path / "mirror" / "selu" / "predictions"
    shutil.copytree(package, place)
    monkeypatch.delenv("SELU_PREDICTIONS")
    monkeypatch.setenv("SELU_MIRROR", str(tmp_path / "mirror"))
    assert run(root, WANTED)[-1].startswith("2 runs: 2 run")


def test_another_template_is_another_run_and_ours_stay(root, package):
    wanted = Wanted((small.CLASSES,), ("gpt-4o-zero-shot", SYSTEMS[0]))
    before = {planned_run.name: planned_run.identity for planned_run in plan(root, wanted)}
    pins = (root / AUTHORS_PINS).read_text()
    (root / AUTHORS_PINS).write_text(pins.replace(files.sha256(AUTHORS_WORDS[0].encode()), "0" * 64))
    changed = {
        planned_run.name
        for planned_run in plan(root, wanted)
        if planned_run.identity != before[planned_run.name]
    }
    assert {name.split("/")[1] for name in changed} == {SYSTEMS[0]}
    small.alter(root, lambda p: p["prompt"]["models"]["gpt-4o"].update(prompts="ours"))
    assert {
        planned_run.name
        for planned_run in plan(root, wanted)
        if planned_run.identity != before[planned_run.name]
    } == changed


def test_a_schema_names_the_labels_as_their_prompt_does(root, package):
    small.alter(root, lambda p: p["prompt"]["models"]["gpt-4o-authors"].update(variant="structured"))
    wanted = Wanted((small.LABELS,), SYSTEMS[:1])
    planned_run = plan(root, wanted)[1]
    assert planned_run.folder.name == "strict-structured-authors-s42"
    assert planned_run.fields["data"]["task"] == {
        "labels": ["usage", "parameters", "developmentNotes", "expand", "Summary"]
    }


def put_examples(root: Path) -> list[str]:
    """Of each ranked task the four made-up rows that golden prompts are rendered from: the last is asked."""
    tasks = [task for task in registry.tasks("selu") if task.ranked]
    for task in tasks:
        *shown, last = examples()[task.id]
        rows = [last, *shown]
        texts, ids = [text for text, _ in rows], [f"p{place}" for place in range(4)]
        labels = [label_of(task, answer) for _, answer in rows]
        columns = {"id": ids, "text": texts, "paper": texts, "sound": texts, "label": labels}
        small.put(root, task.id, pd.DataFrame({**columns, "group": [None] * 4, "source": ["made"] * 4}))
        asking.put_shots(root, task.id, {"p0": ids[1:]})
    return [task.id for task in tasks]


def label_of(task: Task, answer: str) -> Any:
    names = [label.name for label in task.labels]
    if task.kind is Kind.MULTI_LABEL:
        return [int(name in answer.split(", ")) for name in names]
    return names.index(answer) if names else float(answer)


@pytest.mark.ci
@needs_package
def test_40_of_40_prompts_reach_a_server_as_the_authors_bytes(root, asked, server, monkeypatch):
    monkeypatch.setenv("SELU_PREDICTIONS", str(PACKAGE))
    server.answer = lambda prompt: (asked.append(prompt), "3")[1]
    golden = read_json(small.ROOT / "tests" / "golden" / "authors_prompts.json", "git checkout")
    run(root, Wanted(tuple(put_examples(root)), SYSTEMS))
    assert sorted(files.sha256(prompt.encode()) for prompt in asked) == sorted(golden.values())
    assert len(asked) == 40
