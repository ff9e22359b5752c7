"""``selu predict`` with baselines: asked what a run was asked, it answers what the run answered."""

from __future__ import annotations

import json
import random
import shutil
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from helpers import command
from helpers import small_project as small
from selu.data.inputs import clean_texts
from selu.execution.planned import Planned, Wanted
from selu.execution.plans import plan
from selu.registry import record_of, rows_of
from selu.runs import record

ISSUE = "issue_react"
CELLS = [
    (small.BINARY, "tfidf-xgboost", "paper-s42"),
    (small.BINARY, "fasttext", "strict-s42"),
    (small.CLASSES, "fasttext", "paper-s42"),
    (small.LABELS, "tfidf-xgboost", "strict-s42"),
    (small.LABELS, "fasttext", "paper-s42"),
    (small.NUMBER, "tfidf-xgboost", "strict-s42"),
    (small.NUMBER, "fasttext", "strict-s42"),
    (ISSUE, "tfidf-logistic", "paper-s42"),
    (ISSUE, "fasttext-lines", "paper-s42"),
]


def asked(root: Path, task: str, system: str, *options: str, given: str = "fix it") -> tuple[int, str, str]:
    words = ("--root", str(root), "predict", "--task", task, "--system", system, *options)
    done = command.selu(*words, given=given, environment={"SELU_AUTHORS_PYTHON": sys.executable})
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose texts are cleaned, with runs of all these cells; nobody writes into it."""
    root = small.make(tmp_path_factory.mktemp("predict") / "project", (), alike=True)
    for name in (small.BINARY, small.CLASSES, small.LABELS, small.NUMBER, ISSUE):
        rows = small.table(small.task(name))
        raw = [f"{text}  see https://x.org/{n % 3}, {n} times?" for n, text in enumerate(rows["text"])]
        clean = clean_texts(root, small.task(name), raw)
        small.put(root, name, rows.assign(text=raw, paper=clean, sound=clean))
    for tasks, systems in (
        ((small.BINARY, small.CLASSES, small.LABELS, small.NUMBER), ("tfidf-xgboost", "fasttext")),
        ((ISSUE,), ("tfidf-logistic", "fasttext-lines")),
    ):
        words = [word for task in tasks for word in ("--task", task)]
        words += [word for system in systems for word in ("--system", system)]
        code, _, errors = small.done(root, "run", *words)
        assert code == 0, errors
    shutil.rmtree(root / ".selu" / "units")  # from which an answer could be taken
    return root


def recorded(root: Path, run: Planned) -> tuple[list[str], list[Any]]:
    """The raw texts of a run's test rows, and its answers in words."""
    answers = pq.read_table(run.folder / record.PREDICTIONS).to_pydict()
    rows = pq.read_table(rows_of(root, run.task.id)).to_pydict()
    texts = dict(zip(rows["id"], rows["text"], strict=True))
    names = [label.name for label in run.task.labels]

    def words(answer: Any) -> Any:
        if isinstance(answer, list):
            return [name for name, yes in zip(names, answer, strict=True) if yes]
        return names[answer] if names else answer

    return [texts[id] for id in answers["id"]], [words(answer) for answer in answers["prediction"]]


@pytest.mark.ci
@pytest.mark.parametrize(("task", "system", "name"), CELLS)
def test_a_run_s_test_rows_get_the_run_s_answers(ran, task, system, name):
    """Another split, seed, parameter or cleaning would answer other than the scores promise."""
    (run,) = [
        planned_run for planned_run in plan(ran, Wanted((task,), (system,))) if planned_run.folder.name == name
    ]
    texts, answers = recorded(ran, run)
    lines = "\n".join(json.dumps({"text": text}) for text in texts)
    code, out, errors = asked(ran, task, system, "--run", name, "--json", given=lines)
    assert code == 0, errors
    assert [json.loads(line)["answer"] for line in out.splitlines()] == answers
    assert f"{run.name} keeps no model: it is fitted again to " in errors
    assert " rows of original data\n" in errors


@pytest.mark.ci
@pytest.mark.parametrize(("task", "system", "name"), [cell for cell in CELLS if cell[0] != small.NUMBER])
def test_a_baseline_s_answer_has_the_highest_probability(ran, task, system, name):
    code, out, errors = asked(
        ran, task, system, "--run", name, "--probabilities", "--json", given='{"text": "fix"}'
    )
    assert code == 0, errors
    (row,) = map(json.loads, out.splitlines())
    shares = row["probabilities"]
    assert list(shares) == [label.name for label in small.task(task).labels]
    if task == small.LABELS:
        assert row["answer"] == [name for name, share in shares.items() if share >= 0.5]
    elif row["answer"] is None:
        assert sum(shares.values()) == 0
    else:
        assert shares[row["answer"]] == max(shares.values())


@pytest.mark.ci
def test_stand_in_rows_are_said(ran, tmp_path):
    """Who asks for issue types would take answers learnt from 272 rows of ours for more than they are."""
    root = Path(shutil.copytree(ran, tmp_path / "project"))
    path = record_of(root, small.BINARY)
    path.write_text(path.read_text("utf-8").replace('"equal"', '"synthetic"'), "utf-8")
    code, _, errors = asked(root, small.BINARY, "fasttext", "--stand-in")
    assert code == 0, errors
    assert "rows of stand-in data; these are not the paper's rows" in errors


@pytest.mark.ci
def test_the_strict_run_is_asked_where_none_is_named(ran):
    code, out, errors = asked(ran, small.BINARY, "TFIDF-XGBoost", given="login fails hint1\nadd docs\n")
    assert (code, len(out.splitlines())) == (0, 2)
    assert set(out.splitlines()) <= {label.name for label in small.task(small.BINARY).labels}
    assert "tfidf-xgboost/strict-s42 keeps no model" in errors
    scores = json.loads(
        (ran / "results/selu" / small.BINARY / "tfidf-xgboost/strict-s42/scores.json").read_text("utf-8")
    )
    own = f"strict-s42 of tfidf-xgboost, which answers, has a score of {scores['value']:.4f} (f1_macro) on the"
    assert own in errors  # the published one is of another run
    assert asked(ran, ISSUE, "tfidf-logistic")[0] == 0  # has runs under paper alone


@pytest.mark.parametrize(
    ("change", "words", "says"),
    [
        (lambda root: rows_of(root, small.BINARY).unlink(), (), "has no prepared rows here: run 'selu prepare"),
        (lambda root: shutil.rmtree(root / "results"), (), "strict-s42 is missing: 'selu run --task"),
        (
            lambda root: small.alter(root, lambda p: p["baselines"]["fasttext"].update(lr=[0.7])),
            (),
            "strict-s42 is out of date: 'selu run",
        ),
        (lambda root: None, ("--run", "strict-s7"), "no run 'strict-s7': its runs are strict-s42, paper-s42"),
    ],
)
def test_what_is_missing_is_said_with_the_command_that_makes_it(ran, tmp_path, change, words, says):
    root = Path(shutil.copytree(ran, tmp_path / "project"))
    change(root)
    code, out, errors = asked(root, small.BINARY, "fasttext", *words)
    assert (code, out) == (2, "")
    assert says in errors


@pytest.mark.parametrize(
    ("task", "system", "says"),
    [
        (small.BINARY, "fastext", "no system that can be asked 'fastext'; did you mean 'fasttext'"),
        (small.TAGS, "fasttext", "fasttext does not answer se_entities: the classical baselines"),
        (small.BINARY, "gpt-4o-zero-shot", "gpt-4o-zero-shot is behind an API"),
        (small.BINARY, "tfidf-logistic", "there is no such run"),
    ],
)
def test_systems_that_do_not_answer(ran, task, system, says):
    code, out, errors = asked(ran, task, system)
    assert (code, out) == (2, "")
    assert says in errors


@pytest.mark.ci
def test_pairs_of_texts_are_answered_by_name(tmp_path):
    """BLANCA's rows have two texts, of which a baseline says how far they are apart."""
    root, task = small.make(tmp_path / "project", (), alike=True), "class_usage"
    numbers = random.Random(3)
    texts = [" ".join(numbers.choices(small.WORDS, k=6)) for _ in range(120)]
    columns = {"id": [f"p{n:06}" for n in range(60)], "text_a": texts[:60], "text_b": texts[60:]}
    other_columns = {"label": [n / 60 for n in range(60)], "group": [""] * 60, "source": ["made"] * 60}
    small.put(root, task, pd.DataFrame({**columns, **other_columns}, dtype=object), "partial")
    code, _, errors = small.done(root, "run", "--task", task, "--system", "tfidf-cosine")
    assert code == 0, errors
    (run,) = plan(root, Wanted((task,), ("tfidf-cosine",)))
    kept = pq.read_table(run.folder / record.PREDICTIONS).to_pydict()
    rows = [{"text_a": texts[at], "text_b": texts[60 + at]} for at in (int(id[1:]) for id in kept["id"])]
    code, out, errors = asked(root, task, "tfidf-cosine", "--json", given="\n".join(map(json.dumps, rows)))
    assert code == 0, errors
    assert [json.loads(line)["answer"] for line in out.splitlines()] == pytest.approx(kept["prediction"])
    for given, words, says in (
        ("fix it", (), "class_usage asks text_a and text_b: give a CSV or JSON lines"),
        ('{"text_a": "fix it"}', ("--json",), "row 1 has no 'text_b': the task asks text_a and text_b"),
        (json.dumps(rows[0]), ("--json", "--probabilities"), "class_usage has no labels of whole texts"),
    ):
        code, _, errors = asked(root, task, "tfidf-cosine", *words, given=given)
        assert (code, says in errors) == (2, True), errors
