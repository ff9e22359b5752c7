"""From rows to a trained model to its answers: the bundled encoder, really trained on few rows, by shell."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from helpers import command
from helpers import small_project as small
from selu.execution import results
from selu.execution.planned import Wanted
from selu.execution.plans import plan
from selu.runs import record

SYSTEM = "minilm-l6"
TASKS = (small.LABELS, small.TAGS, small.VERBS)  # each other kind is asked in test_predict.py
pytestmark = pytest.mark.slow


def selu(root: Path, *words: str, given: str = "") -> str:
    here = {"SELU_FINETUNE_PYTHON": sys.executable, "HF_HUB_OFFLINE": "1"}
    done = command.python("-m", "selu", "--root", str(root), *words, given=given, environment=here)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = small.make(tmp_path_factory.mktemp("trained") / "project", TASKS)
    small.alter(root, lambda p: p["finetune"].update(seeds=[42]))
    tasks = [word for task in TASKS for word in ("--task", task)]
    selu(root, "run", "--system", SYSTEM, "--protocol", "strict", "--jobs", "1", *tasks)
    return root


def recorded(root: Path, task: str) -> tuple[list[Any], pd.DataFrame]:
    """What the run answered to its test rows, and these."""
    (run,) = plan(root, Wanted((task,), (SYSTEM,), ("strict",)))
    found = pq.read_table(run.folder / record.PREDICTIONS).to_pydict()["prediction"]
    rows = results.read_rows(root, run)
    return found, rows[rows["part"] == "test"]


def predicted(root: Path, task: str, lines: list[dict[str, Any]]) -> list[Any]:
    output = selu(
        root,
        *("predict", "--system", SYSTEM, "--task", task, "--json"),
        given="\n".join(map(json.dumps, lines)),
    )
    return [json.loads(line)["answer"] for line in output.splitlines()]


def test_texts_are_answered_as_in_the_run(trained):
    found, rows = recorded(trained, small.LABELS)
    answers = predicted(trained, small.LABELS, [{"text": text} for text in rows["text"]])
    names = [label.name for label in small.task(small.LABELS).labels]
    assert len(answers) == 12
    assert answers == [[n for n, yes in zip(names, row, strict=True) if yes] for row in found]


def test_words_are_tagged_as_in_the_run(trained):
    found, rows = recorded(trained, small.TAGS)
    answers = predicted(trained, small.TAGS, [{"words": list(words)} for words in rows["text"]])
    assert [[tag for _, tag in row] for row in answers] == found


def test_every_verb_is_filled(trained):
    """A run masks half of them, so that its answers are others."""
    _, rows = recorded(trained, small.VERBS)
    each = [(list(words), list(tags)) for words, tags in zip(rows["text"], rows["label"], strict=True)]
    answers = predicted(trained, small.VERBS, [{"words": words, "tags": tags} for words, tags in each])
    assert [[verb for verb, _ in row] for row in answers] == [
        [word for word, tag in zip(words, tags, strict=True) if tag == "VERB"] for words, tags in each
    ]
    assert all(filling for row in answers for _, filling in row)
