"""What a reader of a task's page is told: the order of the systems, and where each of our scores comes from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jinja2 import ChoiceLoader, DictLoader

from selu.boards.rows import Published
from selu.evidence.evidence import Evidence
from selu.papers.task_pages import task_pages
from selu.registry import benchmark
from selu.report.site import _environment

ROOT = Path(__file__).parents[2]
SENTIMENT = next(task for task in benchmark("selu").tasks() if task.id == "sentiment")


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return Evidence(ROOT, "selu")


@pytest.fixture(scope="module")
def page(evidence: Evidence) -> dict[str, Any]:
    scores = [Published("a", "A", ".5"), Published("b", "B", "0.50"), Published("c", "C", "0.7")]
    scores += [Published("d", "D", None, "absent by design: it can't"), Published("e", "E", "0.4")]
    rows = [{"text": "It broke again.", "answer": "negative"}]
    pages = task_pages(evidence, [SENTIMENT], {"sentiment": scores}, {"sentiment": rows})
    return dict(pages["tasks/sentiment.html"].values)


def test_equal_scores_share_a_rank_and_a_missing_one_keeps_its_reason(page):
    places = [(row.published.system, row.rank) for row in page["ranking"]]
    assert places == [("c", 1), ("a", 2), ("b", 2), ("e", 4), ("d", None)]
    assert page["ranking"][-1].published.reason == "absent by design: it can't"
    assert page["ranking"][3].behind == pytest.approx(0.3)


def test_every_run_shows_what_it_answered_and_the_command_that_makes_it_again(page):
    runs = {run.name: run for _, system_runs in page["systems"] for run in system_runs}
    assert {"paper-s42", "strict-s42", "paper-s42-baselines"} <= set(runs)
    for run in runs.values():
        sample = re.search(r"-sample(\d+)-", run.name)
        rows = int(sample[1]) if sample else 2629
        assert run.rows == rows
        assert sum(map(sum, run.confusion)) + run.invalid == rows
        assert run.low < run.value < run.high or run.value == 0  # no label was answered right
        assert run.command.startswith("selu run --task sentiment --system ")
        assert len(run.hashes["identity"]) == 64


def test_the_prompt_is_that_of_the_shown_row_and_the_licence_is_said(page):
    assert page["prompt"].endswith("It broke again.")
    assert page["data"]["licence"] == "not stated"
    assert page["data"]["standing"] == "original data"


def _main(values: Mapping[str, Any]) -> str:
    """What stands on a task's page, without head and foot."""
    environment = _environment()
    base = DictLoader({"base.html.j2": "{% block main %}{% endblock %}"})
    environment.loader = ChoiceLoader([base, environment.loader])
    site = {"root": "", "home": "index.html", "brand": "selu", "folder": "", "benchmark": {"pages": {}}}
    return environment.get_template("task.html.j2").render({**site, **values})


def test_the_prompt_says_whose_words_it_has(page):
    assert "The wording is this project’s, not the authors’." in _main(page)


@pytest.mark.ci
def test_a_page_counts_no_labels_of_stand_in_rows(evidence):
    """They stood below a ranking by 803,417 rows as if they were the paper's."""
    issue = next(task for task in benchmark("selu").tasks() if task.id == "issue_type")
    shown = {
        task.id: _main(task_pages(evidence, [task])[f"tasks/{task.id}.html"].values)
        for task in (issue, SENTIMENT)
    }
    labels = {name: text[text.index('id="labels"') : text.index('id="data"')] for name, text in shown.items()}
    assert "Share, %" in labels["sentiment"]
    assert "Share, %" not in labels["issue_type"]
    assert "the rows below are stand-ins" in labels["issue_type"]
    assert "the paper’s 803,417 are not here" in shown["issue_type"]


def test_published_scores_of_one_label_have_a_number_of_a_run_beside_them():
    """NLBSE'24 publishes F1 of the category; a run's first number is macro F1 over both labels."""
    task = next(task for task in benchmark("nlbse24").tasks() if task.id == "java_summary")
    values = task_pages(Evidence(ROOT, "nlbse24"), [task], {task.id: [Published("a", "A", "0.8")]})[
        "tasks/java_summary.html"
    ].values
    runs = {system: runs[0] for system, runs in values["systems"]}
    recorded = ROOT / "results/nlbse24/java_summary/minilm-logistic/paper-s42/scores.json"
    by_label = json.loads(recorded.read_text("utf-8"))["scores"]["f1_per_class"]
    shown = {other.name: other.value for other in runs["minilm-logistic"].others}
    assert [shown["F1 of the label other"], shown["F1 of the label summary"]] == by_label
    page = _main(values)
    assert "The published scores are F1 of the positive label; the first number of a run is macro F1" in page
    assert f"F1 of the label summary <b>{by_label[1]:.4f}</b>" in page
    assert " s of processor time)." in page


def test_a_failed_run_and_one_without_scores_are_left_out():
    kept = {"fields": {}, "identity": "0" * 64}
    evidence = SimpleNamespace(
        stored=lambda: ["sentiment/x/paper-s1"],
        result=lambda _name: (kept, None),
        data=lambda _task: {"standing": "synthetic"},
        read=lambda *_arguments, **_options: None,
        prompt=lambda *_arguments: None,
    )
    shown = task_pages(evidence, [SENTIMENT])["tasks/sentiment.html"].values  # type: ignore[arg-type]
    assert (shown["systems"], shown["ranking"], shown["data"]["standing"]) == ([], [], "stand-in data")
