"""Real cells run again: rows from the data sets beside the checkout against the tracked answers and scores."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from helpers import places
from selu import registry
from selu.data import prepare
from selu.execution import plans, protocols, results
from selu.execution.environments import interpreter
from selu.execution.plans import Planned, Wanted
from selu.files import read_json
from selu.runs import record, seals
from selu.runs.workers import Workers

ROOT = Path(__file__).parents[3]
DATASETS = ROOT.parent / "shared" / "datasets"
SMALL = ("security_requirement", "functional_requirement")

pytestmark = pytest.mark.skipif(
    not DATASETS.is_dir(), reason="the folder with the data sets is not beside the checkout"
)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rows of the tasks, read, cleaned and split again in another folder."""
    root = tmp_path_factory.mktemp("prepared")
    for name in ("data/pins", "data/paper", "data/params", "locks"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copy(ROOT / "params.yaml", root)
    for task in registry.tasks("selu"):
        if task.id in SMALL:
            prepare.prepare_task(root, task, DATASETS, print)
    return root


def planned(root: Path, task: str, system: str, environment: str) -> Planned:
    """The run of seed 42 under protocol paper, which its folder's name ends with."""
    wanted = Wanted((task,), (system,), ("paper",), (42,), (environment,))
    return plans.plan(root, wanted)[0]


def tracked(planned_run: Planned) -> tuple[record.RunContent, record.ScoresContent, list[str], list[Any]]:
    """Record, scores, ids and answers of the run that is tracked."""
    folder = ROOT / places.RESULTS / planned_run.name
    if not (folder / record.RUN).is_file():
        pytest.skip(
            f"{planned_run.name} is not among the results: 'dvc pull' brings them, 'selu run' makes them"
        )
    table = pq.read_table(folder / record.PREDICTIONS).to_pydict()
    return record.read_run(folder), record.read_scores(folder), table["id"], table["prediction"]


def compare(planned_run: Planned, root: Path, folder: Path, python: Path) -> None:
    """Fit the chosen candidate once and compare its answers, their bytes' hash and all scores."""
    run, scores, ids, answers = tracked(planned_run)
    assert run["state"] == "present"
    assert run["fields"]["data"] == planned_run.fields["data"], "the prepared rows are not those of the run"
    rows = results.read_rows(root, planned_run)
    fit, test = protocols.candidates(rows, planned_run.protocol)
    labels = len(planned_run.task.labels)
    lesson = {
        "kind": str(planned_run.task.kind),
        "labels": labels,
        "texts": fit["text"].tolist(),
        "answers": fit["label"].tolist(),
        "questions": test["text"].tolist(),
        "seed": planned_run.seed,
    }
    path, unit = folder / "lesson.json", folder / "unit.json"
    path.write_text(json.dumps(lesson), "utf-8")
    request = {
        "lesson": str(path),
        "learner": planned_run.learner,
        "source": planned_run.source,
        "local": dict(planned_run.local),
    }
    request |= {"unit": str(unit), "key": "rerun", "params": run["chosen"]}
    with Workers(python, "selu.execution.grids.worker", ROOT / "src", 1, folder / "log") as workers:
        workers.ask(request)
    found = seals.read_sealed(unit, "a unit")["answers"]
    assert test["id"].tolist() == ids
    assert found == answers
    assert results.compute_scores(run, rows, found)["scores"] == scores["scores"]
    assert scores["value"] == scores["scores"][scores["metric"]]
    assert max(entry["score"] for entry in run["grid"]) == scores["value"]


@pytest.mark.ci
@pytest.mark.parametrize(
    ("task", "system", "environment"),
    [
        *((task, "tfidf-xgboost", "baselines") for task in SMALL),
        (SMALL[0], "fasttext", "authors"),  # whose wheel is the same in both locks
    ],
)
def test_baselines_give_the_tracked_answers_and_scores(task, system, environment, prepared, tmp_path):
    compare(planned(prepared, task, system, environment), prepared, tmp_path, Path(sys.executable))


@pytest.mark.slow
def test_trees_of_the_authors_versions_too(prepared, tmp_path):
    python = Path(os.environ.get("SELU_AUTHORS_PYTHON") or ROOT / ".venv-authors" / "bin" / "python")
    if not python.is_file():
        pytest.skip("the authors' environment is not built: 'make environments' builds it")
    assert interpreter(ROOT, "authors") == python
    compare(planned(prepared, SMALL[0], "tfidf-xgboost", "authors"), prepared, tmp_path, python)


def test_the_prepared_rows_are_those_that_the_tracked_records_vouch_for(prepared):
    for task in SMALL:
        path = places.RECORDS / task / "record.json"
        new, old = (read_json(root / path, "selu prepare", ("hashes",))["hashes"] for root in (prepared, ROOT))
        assert new == old
