"""``selu report comparisons --paper nlbse24`` over runs as ``selu run`` leaves them, on rows of our own."""

from __future__ import annotations

import csv
import json
import random
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.metrics import f1_score

from helpers import made_runs, small_project
from selu import registry
from selu.app import report
from selu.evidence.evidence import Evidence
from selu.execution import plans, results
from selu.execution.grids import plan as grids
from selu.execution.planned import Wanted
from selu.execution.results import read_rows
from selu.papers.nlbse24.evidence import comparisons, runs
from selu.runs import record
from selu.vocabulary import SeluError

ALL = "issue_all"
SYSTEMS = ("tfidf-logistic", "fasttext-lines")
MACHINE = {"processor": "a processor", "cores": 2, "system": "a system"}


def rows(task: Any) -> pd.DataFrame:
    """Sixty rows; sentences of a language stand in each of its categories."""
    numbers = random.Random(task.id)
    table = small_project.table(task)
    prefix = task.id.partition("_")[0]
    repository = task.sources[0]
    texts = [f"{prefix} sentence {n}" if prefix != "issue" else f"{repository} {n}" for n in range(60)]
    labels = [numbers.randrange(len(task.labels)) for _ in texts]
    return table.assign(text=texts, paper=texts, sound=texts, label=labels, group=repository)


@pytest.fixture(scope="module")
def made(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tasks prepared, and every run of two systems."""
    project = small_project.make(tmp_path_factory.mktemp("made") / "project", ())
    for part in ("paper", "pins"):
        shutil.copytree(root / "data" / part / "nlbse24", project / "data" / part / "nlbse24")
    declared = registry.tasks("nlbse24")
    tables = {task.id: rows(task) for task in declared if task.id != ALL}
    own = [table for name, table in tables.items() if name.startswith("issue_")]
    whole = pd.concat(own, ignore_index=True)
    tables[ALL] = whole.assign(id=[f"p{number:06}" for number in range(len(whole))])
    for name, table in tables.items():
        small_project.put(project, name, table)
    for run in plans.plan(project, Wanted(list(tables), SYSTEMS)):
        fields = {"machine": MACHINE, "inference": [0.001, 0.003]}
        wrong = 0.1 if run.system == SYSTEMS[0] else 0.4
        made_runs.write(project, run, read_rows(project, run), wrong, record_fields=fields)
    return project


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "project"))


def found(root: Path) -> dict[str, Any]:
    list(report.make(root, ["comparisons"], lambda _: None, "nlbse24"))
    whole: dict[str, Any] = json.loads((root / "reports" / "nlbse24" / "results.json").read_text("utf-8"))
    return whole


@pytest.mark.ci
def test_every_run_is_scored_and_the_same_bytes_come_again(project):
    first = found(project)
    paths = [project / "reports" / "nlbse24" / name for name in ("results.json", "reruns.csv")]
    contents = [path.read_bytes() for path in paths]
    assert found(project) == first
    assert contents == [path.read_bytes() for path in paths]
    ids = ["fasttext-lines", "tfidf-logistic", "fasttext-lines*", "tfidf-logistic*"]
    assert [entrant["id"] for entrant in first["issues"]["entrants"]] == ids
    assert [entrant["id"] for entrant in first["comments"]["entrants"]] == ids[:2]
    assert first["comments"]["entrants"][0]["runtime"]["seconds"] == pytest.approx(0.002)
    assert first["comments"]["entrants"][0]["runtime"]["machines"] == ["a processor, 2 cores, a system"]
    assert first["comments"]["ranking"][0]["id"] == "tfidf-logistic"
    lacking = {entry["system"]: entry["tracks"] for entry in first["not_run"]}
    assert lacking.keys() == grids.declared(project, "nlbse24").keys() - {*SYSTEMS}
    tracks = [lacking[name] for name in ("minilm-logistic", "setfit", "stacc")]
    assert tracks == [["comments", "issues"], ["issues"], ["comments"]]


@pytest.mark.ci
def test_one_model_of_all_is_scored_by_repository(project):
    (run,) = plans.plan(project, Wanted([ALL], SYSTEMS[:1]))
    seen = Evidence(project, "nlbse24")
    (found_run,) = seen.runs([ALL], SYSTEMS[:1])
    test = runs.test_rows(seen, {runs.Key("issues", "x", "paper", True): [found_run]})[ALL]
    test = test.assign(given=results.read_answers(run.folder, test))
    entrant = next(e for e in found(project)["issues"]["entrants"] if e["id"] == "tfidf-logistic*")
    assert set(entrant["tasks"].values()) == {ALL}
    for repository, own in test.groupby("group"):
        place = str(repository).partition("/")[2]
        expected = f1_score(own["label"], own["given"], average=None, labels=[0, 1, 2], zero_division=0)
        scores = entrant["scores"][place]
        assert [scores[label]["f1"] for label in ("bug", "feature", "question")] == pytest.approx(expected)


def test_the_long_table_is_laid_out_anew_without_rows_or_runs(project):
    found(project)
    path = project / "reports" / "nlbse24" / "reruns.csv"
    before = path.read_bytes()
    for folder in ("data/clean", "results"):
        shutil.rmtree(project / folder)
    path.unlink()
    assert list(report.make(project, ["reruns"], lambda _: None, "nlbse24")) == [path]
    assert path.read_bytes() == before
    header = next(csv.reader(before.decode().splitlines()))
    assert header[:4] == ["system", "task", "repository_or_category", "label"]


def test_a_run_that_is_not_there_is_named_and_leaves_no_mean(project):
    shutil.rmtree(project / "results" / "nlbse24" / "java_usage" / "tfidf-logistic")
    entrant = next(e for e in found(project)["comments"]["entrants"] if e["id"] == "tfidf-logistic")
    assert [each["task"] for each in entrant["absent"]] == ["java_usage"]
    assert (entrant["overall"], entrant["score"], len(entrant["categories"])) == (None, None, 18)


def test_a_sentence_is_one_unit_in_all_categories_of_its_language(project):
    seen = Evidence(project, "nlbse24")
    questions = runs.comment_questions(runs.test_rows(seen, runs.stored_groups(seen)))
    assert len(questions) == 19
    assert {question.stratum: question.units.tolist() for question in questions} == {
        language: list(range(12)) for language in ("java", "pharo", "python")
    }


def test_without_runs_or_rows_it_says_how_to_get_them(project):
    shutil.rmtree(project / "data" / "clean")
    with pytest.raises(SeluError, match=r"no prepared rows here: run 'selu prepare issue_react'"):
        found(project)
    shutil.rmtree(project / "results")
    with pytest.raises(SeluError, match="holds no run: run 'dvc pull' to get them, or 'selu run"):
        found(project)
    with pytest.raises(SeluError, match=r"results\.json is missing"):
        comparisons.tabulate(Evidence(project, "nlbse24"), print)


def test_a_stale_run_is_refused(project):
    small_project.alter(project, lambda p: p["systems"]["tfidf-logistic"]["params"].update(C=3.0), "nlbse24")
    with pytest.raises(SeluError, match=r"25 runs can't be used, first issue_react/tfidf-logistic.*stale"):
        found(project)


def test_rows_of_a_repository_must_be_the_same_in_both_tasks(project):
    table = rows(small_project.task("issue_react"))
    small_project.put(project, "issue_react", table.assign(text=table["text"] + "!"))
    groups = {"own": plans.plan(project, Wanted(["issue_react", ALL], SYSTEMS[:1]))}
    record_of_run = {run.task.id: run for run in groups["own"]}
    made_runs.write(
        project, record_of_run["issue_react"], read_rows(project, record_of_run["issue_react"]), 0.1
    )
    assert record.state(record_of_run[ALL].folder, record_of_run[ALL].identity) is record.State.PRESENT
    seen = Evidence(project, "nlbse24")
    test = runs.test_rows(
        seen, {runs.Key("issues", "x", "paper", True): seen.runs(list(record_of_run), SYSTEMS[:1])}
    )
    with pytest.raises(SeluError, match="the test rows of issue_react are others than those"):
        runs.issue_questions(test)
