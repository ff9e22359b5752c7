"""Scores that somebody edited, and sealed again: no report takes them, as long as the rows are here."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers import made_runs, small_clone
from helpers import small_project as small
from helpers.places import RESULTS
from selu import registry
from selu.evidence import recomputing
from selu.registry import rows_of
from selu.runs import record, store

REAL = (small.CLASSES, small.LABELS)  # no reason is declared for a cell of theirs
RUN = RESULTS / small.CLASSES / "fasttext" / "paper-s42"
CELLS = Path("reports") / "selu" / "cells.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks with every run of the baselines; the other tasks are synthetic."""
    root = small.make(tmp_path_factory.mktemp("made") / "project", REAL)
    small.add_paper(root, REAL, of_tokens=False)
    made_runs.fill(root, lambda planned: 0.2)
    return root


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "project"))


def forge(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Edit a run's scores, and seal them again."""
    scores = record.read_scores(folder)
    change(scores)
    record.write_scores(folder, scores)
    record.read_scores(folder)  # the seal holds


FORGED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "value": lambda scores: scores.update(value=0.987),
    "scores.accuracy": lambda scores: scores["scores"].update(accuracy=1.0),
    "scores.mcc": lambda scores: scores["scores"].update(mcc=1.0),
    "scores.confusion_matrix": lambda scores: scores["scores"]["confusion_matrix"][0].reverse(),
    "grouped.value": lambda scores: scores["grouped"].update(value=0.987),
    "rows": lambda scores: scores.update(rows=4000),
    "low": lambda scores: scores["intervals"]["f1_macro"].update(low=-9.0),
    "error": lambda scores: scores["intervals"]["f1_macro"].update(error=9.0),
}


@pytest.mark.ci
@pytest.mark.parametrize("name", sorted(FORGED))
def test_a_forged_score_enters_no_report(name: str, project: Path) -> None:
    forge(project / RUN, FORGED[name])
    code, out, errors = small.done(project, "report", "cells")
    assert (code, out) == (2, "")
    (sentence,) = [line for line in errors if line.startswith("selu: ")]
    assert sentence.startswith(f"selu: {project / RUN / record.SCORES} says {name} ")
    assert ", but the predictions give " in sentence
    assert f"'selu score --task {small.CLASSES} --system fasttext'" in sentence
    assert not (project / CELLS).exists()


@pytest.mark.ci
def test_scores_of_before_a_metric_came_hold_without_it(project: Path) -> None:
    """A run that nobody has scored again since must not be taken for a forged one."""
    forge(project / RUN, lambda scores: [scores[part].pop("mcc") for part in ("scores", "intervals")])
    assert "mcc" not in recomputing.Scores(project).read(project / RUN)["scores"]


def test_a_forged_score_is_not_shown_and_the_command_that_the_refusal_names_mends_it(project: Path) -> None:
    forge(project / RUN, FORGED["value"])
    shown = ("show", f"{small.CLASSES}/fasttext")
    code, out, errors = small.done(project, *shown)
    assert (code, out) == (2, "")
    assert f"{RUN / record.SCORES} says value 0.987, but the predictions give 0." in errors[-1]
    code, _, errors = small.done(project, "score", "--task", small.CLASSES, "--system", "fasttext")
    assert code == 0, errors
    assert small.done(project, "report", "cells")[0] == small.done(project, *shown)[0] == 0


def test_scores_whose_rows_are_not_here_are_counted_and_the_bytes_are_the_same(project: Path) -> None:
    """``selu reproduce`` compares bytes where nobody has the rows."""
    code, _, errors = small.done(project, "report", "cells")
    assert code == 0, errors
    assert not any("recomputed" in line for line in errors)
    before = (project / CELLS).read_bytes()
    rows_of(project, small.CLASSES).unlink()
    code, _, errors = small.done(project, "report", "cells")
    assert code == 0, errors
    half, every = (len(list((project / RESULTS).glob(f"{name}/*/*"))) for name in (small.CLASSES, "*"))
    assert errors[-1] == (
        f"{half} of {every} scores could not be recomputed from their predictions: their rows are not here, "
        f"'make data' fetches and prepares them ({small.CLASSES})."
    )
    assert (project / CELLS).read_bytes() == before


def test_rows_of_another_preparation_decide_nothing(project: Path) -> None:
    """They would fail scores that are right."""
    rows_of(project, small.CLASSES).write_bytes(rows_of(project, small.LABELS).read_bytes())
    code, _, errors = small.done(project, "report", "cells")
    assert code == 0, errors
    assert (
        "the rows here are not the recorded ones, 'selu prepare' with the task makes them again" in errors[-1]
    )


def test_what_is_shown_after_scoring_is_what_stands_now(project: Path) -> None:
    """A report from before would otherwise be read as the outcome of what was just scored."""
    name = f"{small.CLASSES}/fasttext"
    assert small.done(project, "report", "cells")[0] == 0
    before = json.loads(small.done(project, "show", name, "--json")[1])
    assert "report" not in before
    small.alter(project, lambda settings: settings["bootstrap"].update(level=0.5))
    shown = json.loads(small.done(project, "show", name, "--json")[1])
    assert shown["rerun"] == "not scored: 1 of 1 runs: paper-s42 not scored"
    code, _, errors = small.done(project, "score", "--task", small.CLASSES, "--system", "fasttext")
    assert code == 0, errors
    after = json.loads(small.done(project, "show", name, "--json")[1])
    assert after["interval"] != before["interval"]
    assert after["report"].startswith(
        f"cells.json is older and says {before['value']:.4f}: 'selu report cells'"
    )


@pytest.mark.ci
def test_a_score_that_is_not_the_tracked_one_is_said_to_be_so(project: Path) -> None:
    """Without the rows nobody can recompute it: it would be read as this project's."""
    shown, line = ("show", f"{small.CLASSES}/fasttext"), "not the tracked score: "
    assert small.done(project, "report", "cells")[0] == 0
    assert line not in small.done(project, *shown)[1]  # no lock, so nothing is tracked
    track(project, [CELLS.as_posix(), "results/selu"])
    rows_of(project, small.CLASSES).unlink()
    assert line not in small.done(project, *shown)[1]
    own = (project / RUN).with_name("paper-s99")
    shutil.copytree(project / RUN, own)
    assert f"{line}paper-s99: made here, and not tracked\n" in small.done(project, *shown)[1]
    shutil.rmtree(own)
    forge(project / RUN, FORGED["value"])
    code, out, _ = small.done(project, *shown)
    output = " ".join(out.split())
    assert code == 0
    assert f"{line}{RUN} changed here: 'dvc checkout --force {RUN}' brings it back" in output
    shutil.rmtree(project / RESULTS / small.CLASSES / "fasttext")
    (project / CELLS).write_text((project / CELLS).read_text().replace("0.", "0.9", 1))
    assert f"{line}{CELLS} changed here" in " ".join(small.done(project, *shown)[1].split())


def test_every_run_is_looked_at_and_each_forged_one_is_named(project: Path) -> None:
    wrong, summary = recomputing.check(project, "selu")
    every = len(list((project / RESULTS).glob("*/*/*")))
    assert (wrong, summary) == ([], f"{every} of {every} scores of runs match their predictions.")
    forge(project / RUN, FORGED["value"])
    other = project / RESULTS / small.LABELS / "tfidf-xgboost" / "strict-s42"
    (other / record.SCORES).write_text("{}")
    wrong, summary = recomputing.check(project, "selu")
    assert [line.partition(record.SCORES)[0] for line in wrong] == [f"{other}/", f"{project / RUN}/"]
    assert summary == f"{every - 2} of {every} scores of runs match their predictions."
    assert recomputing.check(project, "nlbse24") == ([], None)


def track(root: Path, outputs: list[str]) -> None:
    """Lock these outputs as one stage wrote them, with their objects in the store."""
    stage = {
        "cmd": "make",
        "outs": [
            {"path": path, "hash": "md5", "md5": small_clone.digest(root, path, keep=True)} for path in outputs
        ],
    }
    (root / "dvc.lock").write_text(yaml.safe_dump({"schema": "2.0", "stages": {"all": stage}}))
    (root / "dvc.yaml").write_text(yaml.safe_dump({"stages": {"all": {"cmd": "make", "outs": outputs}}}))
    config = "[core]\n    analytics = false\n    no_scm = true\n[cache]\n    dir = ../store\n"
    small_clone.write(root / ".dvc" / "config", config)


def test_verify_names_a_forged_score_though_it_is_tracked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release could be made with it: bytes that are the tracked ones say nothing of the score."""
    few = registry.claims("selu")[:3]  # all of them take a while
    monkeypatch.setattr(registry, "claims", lambda _: few)
    cells = sorted(path.relative_to(project).as_posix() for path in (project / RESULTS).glob("*/*"))
    code, _, errors = small.done(project, "report", "claims")
    assert code == 0, errors
    track(project, ["reports/selu/claims.json", *cells])
    every = len(list((project / RESULTS).glob("*/*/*")))
    forge(project / RUN, FORGED["value"])
    code, _, errors = small.done(project, "verify")
    assert code == 2
    assert f"{RUN / record.SCORES}: its bytes differ from the tracked ones" in errors[0]
    track(project, ["reports/selu/claims.json", *cells])
    code, out, errors = small.done(project, "verify")
    assert code == 1
    assert [line.partition(", but")[0] for line in errors] == [
        f"{project / RUN / record.SCORES} says value 0.987"
    ]
    rows_of(project, small.CLASSES).unlink()
    code, out, errors = small.done(project, "verify")
    assert (code, errors) == (0, [])  # nobody can tell here, and it says so
    output = " ".join(out.split())
    assert (
        f" of {every} scores could not be recomputed from their predictions: their rows are not here" in output
    )


@pytest.mark.ci
def test_a_run_in_place_of_a_tracked_one_says_the_way_back(tmp_path: Path) -> None:
    """A newcomer runs a tracked cell again, and ``verify`` refuses: the way back must be one command."""
    root = small.make(tmp_path / "project")
    cell = f"results/selu/{small.BINARY}/fasttext"
    words = ("run", "--task", small.BINARY, "--system", "fasttext")
    assert small.done(root, *words)[0] == 0
    track(root, ["results/selu"])
    before = store.fingerprints(root / cell)
    code, out, errors = small.done(root, *words)
    assert (code, out, errors) == (0, "", ["nothing to do: 2 results are up to date"])
    code, _, errors = small.done(root, *words, "--only", "all")
    assert code == 0
    back = f"dvc checkout --force {cell}/paper-s42 {cell}/strict-s42"
    assert errors[-1].startswith("the new results replace tracked ones")
    assert errors[-1].endswith(f"copy yours elsewhere and run '{back}'")
    for verb in ("verify", "reproduce"):
        code, out, errors = small.done(root, verb)
        assert (code, out) == (2, "")
        assert f"2 files differ, of {cell}/paper-s42, {cell}/strict-s42" in errors[-1]
        assert f"'{back}' brings the tracked results back" in errors[-1]
    done = subprocess.run(
        [sys.executable, "-m", *back.split()], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert store.fingerprints(root / cell) == before
