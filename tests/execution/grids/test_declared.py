from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from helpers import small_project as small
from selu.app import show
from selu.app.running.run import run as run_wanted
from selu.execution.grids.run import learnt_rows
from selu.execution.planned import Planned
from selu.execution.plans import Wanted, plan
from selu.vocabulary import SeluError

ISSUE, COMMENT = "issue_react", "pharo_intent"
ALWAYS = ["fasttext-lines", "minilm-logistic", "tfidf-logistic"]  # as a sorted params.yaml has them


def deaf(_line: str) -> None:
    pass


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small.make(tmp_path_factory.mktemp("declared"), (small.BINARY, ISSUE, COMMENT))


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "project")


def named(runs: list[Planned]) -> list[str]:
    return [run.name for run in runs]


def declare(root: Path, name: str, **changes: Any) -> None:
    small.alter(root, lambda params: params["systems"][name].update(changes), "nlbse24")


def test_a_task_of_the_competition_is_run_by_the_systems_that_it_declares(project):
    assert named(plan(project, Wanted((ISSUE, COMMENT)))) == [
        f"{task}/{system}/paper-s42" for task in (ISSUE, COMMENT) for system in ALWAYS
    ]


def test_selus_tasks_are_planned_as_before_and_their_systems_run_elsewhere_when_named(project):
    assert {run.task.id for run in plan(project, Wanted((small.BINARY,)))} == {small.BINARY}
    (run,) = plan(project, Wanted((ISSUE,), ("tfidf-xgboost",), ("strict",)))
    assert run.folder == project / "results" / "nlbse24" / ISSUE / "tfidf-xgboost" / "strict-s42"


def test_systems_that_take_long_are_planned_where_they_are_named(project):
    (run,) = plan(project, Wanted((ISSUE, COMMENT), ("setfit-minilm",)))
    assert (run.task.id, run.environment, run.learner) == (ISSUE, "finetune", "setfit")
    assert run.fields["pick"]["on"] == "nothing"
    assert run.grid[0]["weights"] is not None


@pytest.mark.parametrize(
    "change",
    [
        {"params": {"epoch": 50, "timings": 10, "timed_texts": 200}},
        *({"text": "paper"}, {"seeds": [43]}, {"named": True}, {"sets": ["java"]}),
    ],
)
def test_a_declaration_changes_the_runs_of_its_system_alone(project, change):
    before = {run.name: run.identity for run in plan(project, Wanted((ISSUE,)))}
    declare(project, "fasttext-lines", **change)
    now = {run.name: run.identity for run in plan(project, Wanted((ISSUE,)))}
    assert {name.split("/")[1] for name in before if now.get(name) != before[name]} == {"fasttext-lines"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learner": "magic"}, "data/params/nlbse24.yaml: systems.fasttext-lines.learner: magic is none of"),
        (
            {"sets": ["cobol"]},
            "nlbse24.yaml: systems.fasttext-lines.sets: cobol is none of issue, java, pharo, python",
        ),
        ({"text": "sound"}, "nlbse24.yaml: systems.fasttext-lines.text"),
        ({"learns": [COMMENT]}, "nlbse24.yaml: systems.fasttext-lines: .*learns goes with 'text: row'"),
        ({"epochs": 3}, "nlbse24.yaml: systems.fasttext-lines.epochs"),
        (
            {"seeds": [42, 43, 42]},
            r"nlbse24.yaml: systems.fasttext-lines: .*\[42, 43, 42\] holds a value twice",
        ),
    ],
)
def test_a_wrong_declaration_is_said_by_its_place(project, change, message):
    declare(project, "fasttext-lines", **change)
    with pytest.raises(SeluError, match=message):
        plan(project, Wanted((ISSUE,)))


@pytest.mark.slow
def test_weights_that_are_not_here_fail_the_run_with_what_to_do_and_leave_no_record(project, monkeypatch):
    monkeypatch.delenv("SELU_MODELS", raising=False)
    messages: list[str] = []
    with pytest.raises(SeluError, match="issue_react/setfit/paper-s42"):
        run_wanted(project, Wanted((ISSUE,), ("setfit",)), "missing", 1, messages.append)
    assert any("all-mpnet-base-v2, where the encoder should lie, is no folder" in line for line in messages)
    assert not (project / "results").exists()


@pytest.mark.ci
def test_runs_are_made_side_by_side_scored_and_timed(project):
    wanted = Wanted((ISSUE, COMMENT), ("fasttext-lines", "tfidf-logistic"))
    run_wanted(project, wanted, "missing", 2, deaf)
    for run in plan(project, wanted):
        content = json.loads((run.folder / "run.json").read_text("utf-8"))
        assert len(content["inference"]) == 10
        assert all(0 < seconds < 1 for seconds in content["inference"])
        assert content["picked_on"] == "nothing"
        answers = pq.read_table(run.folder / "predictions.parquet").column("prediction").to_pylist()
        assert len(answers) == 12
        assert json.loads((run.folder / "scores.json").read_text("utf-8"))["rows"] == 12
    assert run_wanted(project, wanted, "missing", 2, deaf) == []
    rows = show.record(project, f"{COMMENT}/tfidf-logistic")["runs"]
    assert rows[0]["state"] == "present"
    assert {"value", "f1 of both classes"} <= set(rows[0])


def test_a_system_may_learn_from_rows_of_other_tasks_which_are_part_of_what_its_runs_are(project):
    """Multi-task training: a run would otherwise stay up to date when the rows that it learnt from changed."""

    def runs():
        return {run.task.id: run for run in plan(project, Wanted((ISSUE, COMMENT), ("tfidf-logistic",)))}

    before = runs()
    declare(project, "tfidf-logistic", learns=[COMMENT], text="row")
    now = runs()
    assert all(now[task].identity != before[task].identity for task in now)
    assert set(now[ISSUE].fields["learns"]) == {COMMENT}
    learnt = learnt_rows(project, now[ISSUE])
    assert {row["task"] for row in learnt["text"]} == {COMMENT}
    assert len(learnt) == 48
    assert not learnt["part"].isin(["test"]).any()
    small.put(project, COMMENT, small.table(small.task(COMMENT), seed=8))
    assert runs()[ISSUE].identity != now[ISSUE].identity
    declare(project, "tfidf-logistic", learns=["cobol"])
    with pytest.raises(SeluError, match=r"systems.tfidf-logistic.learns: cobol is none of"):
        runs()


def test_a_system_on_a_set_that_is_not_its_own_is_absent_by_design(project):
    found = show.record(project, f"{COMMENT}/setfit-minilm")
    assert found["state"] == "absent by design"
    with pytest.raises(
        SeluError, match="no system that can be run 'fasttext-line'; did you mean 'fasttext-lines'"
    ):
        show.record(project, f"{ISSUE}/fasttext-line")


@pytest.mark.ci
def test_a_parameter_with_several_values_is_picked_on_validation_rows(project):
    """A head's strength chosen on test rows would flatter whatever stands on it."""
    params = {"min_df": 1, "C": [0.01, 10.0], "class_weight": "balanced", "max_iter": 1000}
    declare(project, "tfidf-logistic", params=params)
    wanted = Wanted((ISSUE,), ("tfidf-logistic",))
    (run,) = plan(project, wanted)
    assert (run.folder.name, run.fields["pick"]["on"]) == ("strict-s42", "validation")
    assert [candidate["C"] for candidate in run.grid] == [0.01, 10.0]
    run_wanted(project, wanted, "missing", 1, deaf)
    content = json.loads((run.folder / "run.json").read_text("utf-8"))
    scores = [candidate["score"] for candidate in content["grid"]]
    assert content["chosen"]["C"] == content["grid"][scores.index(max(scores))]["C"]


def test_a_task_of_the_competition_has_no_prompts(project):
    with pytest.raises(SeluError, match="issue_react has no prompt template"):
        plan(project, Wanted((ISSUE,), ("gpt-4o-zero-shot",)))
