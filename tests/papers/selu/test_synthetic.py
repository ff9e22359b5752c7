from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from selu import registry
from selu.papers.selu.readers import synthetic
from selu.sources.rows import canonical
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "data" / "synthetic" / "selu"
TASKS = {task.id: task for task in registry.tasks("selu") if (FOLDER / f"{task.id}.yaml").is_file()}
NAMES = ["bug_issue", "closed_question", "issue_type", "question_quality", "review_type", "safety_issue"]


@pytest.fixture(scope="session")
def tables():
    return {name: synthetic.rows(task, FOLDER) for name, task in TASKS.items()}


def declared(name):
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))


def pinned(table, task):
    counts = table.label.value_counts()
    labels = {label.name: int(counts[i]) for i, label in enumerate(task.labels)}
    return {"rows": len(table), "labels": labels, "sha256": canonical(table)}


def test_the_six_tasks_without_open_data_have_rows():
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    assert sorted(TASKS) == NAMES == sorted(params["shared"]["data"]["synthetic"])


def test_the_rows_are_those_pinned(tables):
    pins = json.loads((FOLDER / "rows.json").read_text("utf-8"))
    assert {name: pinned(table, TASKS[name]) for name, table in tables.items()} == pins
    for table in tables.values():
        assert list(table.id) == [f"s{n:06d}" for n in range(len(table))]
        assert list(table.source) == [f"synthetic:{n + 1}" for n in range(len(table))]
        assert table.group.nunique() >= 8


def altered(tmp_path, change):
    recipe = declared("bug_issue")
    change(recipe)
    path = tmp_path / "bug_issue.yaml"
    path.write_text(yaml.safe_dump(recipe, allow_unicode=True, sort_keys=False), "utf-8")
    return path


def put(*place, value):
    def change(recipe):
        inner = recipe
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = value

    return change


def add_line(pool, line):
    return lambda recipe: recipe["pools"].__setitem__(pool, recipe["pools"][pool] + line + "\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (add_line("bug_core", "A {gadget} is broken."), r"pools\.bug_core\.22: slot 'gadget' is not declared"),
        (add_line("bug_core", "{#n 9 1} times"), r"pools\.bug_core\.22: '{#n 9 1}' counts down"),
        (lambda recipe: recipe["slots"].pop("act"), r"slot 'act' is not declared under slots"),
        (
            put("slots", "version", value="{version}"),
            r"slots\.version\.0: slot 'version' is not declared above it",
        ),
        (put("slots", "spare", value="nobody"), r"slots\.spare: fragment 'nobody' is never used"),
        (put("pools", "log", value=[]), r"pools\.log: holds no fragment"),
        (put("pools", "log", value=["a", " "]), r"pools\.log\.1: empty fragment"),
        (put("labels", "feature", value=3), r"labels: unknown label 'feature', the task has not a bug, bug"),
        (put("labels", "bug", value=131), r"labels\.bug: 131 rows declared, 132 would be made"),
        (put("rows", value=331), r"rows: 331 declared, but the labels add up to 330"),
        (put("copies", 0, "of", value="bugs"), r"copies\.0\.of: unknown label 'bugs'"),
        (
            lambda recipe: recipe["copies"].append({"rows": 0, "of": "bug", "labelled": "bug"}),
            r"copies\.5: needs at",
        ),
        (
            put("shapes", "bug", 1, "parts", value=["bug_titel"]),
            r"shapes\.bug\.1: pool 'bug_titel' is not declared",
        ),
        (put("shapes", "bug", 1, "parts", value=["log*x"]), r"shapes\.bug\.1: 'log\*x' is not a pool"),
        (put("shapes", "bug", 1, "parts", value=[]), r"shapes\.bug\.1: a shape needs parts"),
        (lambda recipe: recipe["shapes"].pop("bug"), r"label 'bug' has none"),
        (lambda recipe: recipe.pop("seed"), r"seed: "),
        (put("group", value="team"), r"group: slot 'team' is not declared"),
        (put("layout", value="latex"), r"layout: 'latex' is not one of"),
        (put("task", value="issue_type"), r"task: 'issue_type' is not 'bug_issue'"),
        (put("pools", "bug_title", value="It broke"), r"shapes\.bug\.\d: too few fragments"),
    ],
)
def test_a_wrong_recipe_is_refused_with_its_place(tmp_path, change, message):
    path = altered(tmp_path, change)
    with pytest.raises(SeluError, match=message) as refusal:
        synthetic.rows(TASKS["bug_issue"], tmp_path)
    assert str(path) in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "is missing: there are no synthetic rows for bug_issue"),
        (b"task: [", "is not YAML"),
        (b"- a list", "the file: "),
    ],
)
def test_a_file_that_is_no_recipe_is_refused(tmp_path, content, message):
    path = tmp_path / "bug_issue.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SeluError, match=message) as refusal:
        synthetic.rows(TASKS["bug_issue"], tmp_path)
    assert str(path) in str(refusal.value)


def test_another_seed_gives_other_rows_of_the_same_counts(tables, tmp_path):
    altered(tmp_path, put("seed", value=1))
    other = synthetic.rows(TASKS["bug_issue"], tmp_path)
    assert list(other.text) != list(tables["bug_issue"].text)
    assert pinned(other, TASKS["bug_issue"])["labels"] == declared("bug_issue")["labels"]
