"""Parts ``cells`` and ``comparisons`` of the report, over runs as ``selu run`` leaves them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers import made_runs, places
from helpers.small_project import BINARY, CLASSES, LABELS, NUMBER, add_paper, alter, make, put
from selu.evidence.evidence import Evidence
from selu.execution import plans
from selu.execution.plans import Planned, Wanted
from selu.papers.selu.evidence import baselines, differences
from selu.papers.selu.reruns import cells as cell_logic
from selu.runs import record
from selu.vocabulary import SeluError

REAL = (BINARY, CLASSES, LABELS, NUMBER)
FOREST, TEXTS = "tfidf-xgboost", "fasttext"


def wrong(planned: Planned) -> float:
    return {"paper": 0.1, "strict": 0.4}[planned.protocol]


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four tasks with real rows, one of them partial, the others synthetic; three seeds of FastText."""
    made = make(tmp_path_factory.mktemp("made") / "project", REAL)
    put(made, CLASSES, availability="partial")
    add_paper(made, REAL, of_tokens=False)
    alter(made, lambda settings: settings["baselines"]["fasttext"].update(seeds=[42, 43, 44]))
    return made


@pytest.fixture(scope="module")
def full(empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with every run."""
    made = Path(shutil.copytree(empty, tmp_path_factory.mktemp("filled") / "project"))
    made_runs.fill(made, wrong)
    return made


@pytest.fixture(autouse=True)
def no_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    """The project's own reasons are of its own cells."""
    monkeypatch.setattr(cell_logic, "declared_reasons", dict)


@pytest.fixture
def filled(full: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(full, tmp_path / "project"))


def cell(entries: list[dict[str, Any]], task: str, system: str) -> dict[str, Any]:
    return next(entry for entry in entries if (entry["task"], entry["system"]) == (task, system))


def folder(root: Path, task: str, system: str, run: str) -> Path:
    return root / places.RESULTS / task / system / run


def test_without_any_run_one_sentence_says_what_to_do(empty: Path) -> None:
    for part in (baselines.cell_entries, baselines.comparison_entries):
        with pytest.raises(SeluError, match=r"results/selu holds no run: run 'dvc pull' .* or 'selu run'"):
            part(Evidence(empty))
    assert not (empty / "reports" / "selu" / "cells.json").exists()


@pytest.mark.ci
def test_cells_hold_every_cell_of_the_baselines_once(full: Path) -> None:
    entries = baselines.cell_entries(Evidence(full))
    assert len(entries) == 44
    assert len({(entry["task"], entry["system"]) for entry in entries}) == 44
    states = {entry["task"]: entry["state"] for entry in entries}
    assert {states[task] for task in REAL} == {"present"}
    assert states["se_entities"] == "absent by design"
    assert states["bug_issue"] == "no data"
    assert all(entry["value"] is None for entry in entries if entry["standing"] == "synthetic")


@pytest.mark.ci
def test_a_cell_says_what_its_files_say(full: Path) -> None:
    found = cell(baselines.cell_entries(Evidence(full)), BINARY, FOREST)
    scores = json.loads((folder(full, BINARY, FOREST, "paper-s42") / "scores.json").read_text())
    current = json.loads((folder(full, BINARY, FOREST, "paper-s42-baselines") / "scores.json").read_text())
    assert found["value"] == scores["value"]
    assert (found["low"], found["high"]) == (
        scores["intervals"]["f1_macro"]["low"],
        scores["intervals"]["f1_macro"]["high"],
    )
    assert found["printed"] == "0.773"
    assert found["published"] == 0.7731653076352853
    assert found["current"]["value"] == current["value"]
    assert found["grouped"]["rows_left"] == scores["grouped"]["rows"] < scores["rows"]
    assert found["cost"]["fits"] == 4
    assert found["run"] == f"{BINARY}/{FOREST}/paper-s42"


def test_failed_and_missing_runs_leave_their_cell_without_a_value(filled: Path) -> None:
    plan = {run.name: run for run in plans.plan(filled, Wanted())}
    shutil.rmtree(folder(filled, BINARY, FOREST, "paper-s42"))
    made_runs.fail(plan[f"{BINARY}/{FOREST}/paper-s42"], "a fit needs more memory than there is")
    shutil.rmtree(folder(filled, LABELS, TEXTS, "paper-s43"))
    shutil.rmtree(folder(filled, BINARY, TEXTS, "strict-s43"))
    entries = baselines.cell_entries(Evidence(filled))
    failed = cell(entries, BINARY, FOREST)
    assert failed["state"] == "failed"
    assert "more memory" in failed["reason"]
    assert failed["value"] is None
    assert failed["states"]["strict"] == "present"
    assert cell(entries, LABELS, TEXTS)["reason"] == "1 of 3 runs: paper-s43 missing"
    assert cell(entries, BINARY, TEXTS)["state"] == "present"
    left = [e for e in baselines.comparison_entries(Evidence(filled)) if e["task"] == BINARY]
    assert [e["what"] for e in left if e["system"] == TEXTS] == [differences.DUPLICATES]


def damage(root: Path) -> None:
    path = folder(root, NUMBER, TEXTS, "paper-s44") / record.PREDICTIONS
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (damage, rf"1 runs can't be used, first {NUMBER}/{TEXTS}/paper-s44 \(damaged\): 'selu run' fixes"),
        (
            lambda root: alter(
                root, lambda settings: settings["baselines"]["tfidf_xgboost"].update(max_depth=[2])
            ),
            rf"first {BINARY}/{FOREST}/paper-s42 \(stale\)",
        ),
        (
            lambda root: alter(root, lambda settings: settings["bootstrap"].update(draws=300)),
            r"\(not scored\): 'selu run' fixes them",
        ),
    ],
)
def test_a_run_that_cant_be_taken_must_not_become_a_hole_in_what_is_tracked(
    filled: Path, harm: Callable[[Path], None], says: str
) -> None:
    harm(filled)
    with pytest.raises(SeluError, match=says):
        baselines.cell_entries(Evidence(filled))


def test_a_reason_for_a_cell_that_does_not_deviate_is_refused(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = baselines.cell_entries(Evidence(filled))
    whole = [e for e in entries if e["verdict"] and e["standing"] == "equal"]
    verdicts = {f"{e['task']}/{e['system']}": e["verdict"] for e in whole}
    fine = next(name for name, verdict in verdicts.items() if verdict != "deviates")
    bad = next(name for name, verdict in verdicts.items() if verdict == "deviates")
    reasons = {tuple(bad.split("/")): "measured"}
    monkeypatch.setattr(cell_logic, "declared_reasons", lambda: reasons)
    assert cell(baselines.cell_entries(Evidence(filled)), *bad.split("/"))["reason"] == "measured"
    reasons[tuple(fine.split("/"))] = "no longer so"
    with pytest.raises(SeluError, match=f"a reason for {fine}, which does not deviate"):
        baselines.cell_entries(Evidence(filled))


def test_comparisons_are_paired_differences_of_the_runs(full: Path) -> None:
    entries = baselines.comparison_entries(Evidence(full))
    whats = {(e["task"], e["system"]): [] for e in entries}
    for entry in entries:
        whats[entry["task"], entry["system"]].append(entry["what"])
    assert whats[BINARY, FOREST] == [baselines.PICKING, baselines.LIBRARIES, differences.DUPLICATES]
    assert whats[BINARY, TEXTS] == [baselines.PICKING, differences.DUPLICATES]
    picking = next(e for e in entries if (e["task"], e["system"]) == (BINARY, FOREST))
    assert (picking["first"], picking["second"]) == (["paper-s42-baselines"], ["strict-s42"])
    values = [
        json.loads((folder(full, BINARY, FOREST, run) / "scores.json").read_text())["value"]
        for run in ("paper-s42-baselines", "strict-s42")
    ]
    assert picking["value"] == values[0] - values[1]
    assert picking["low"] < picking["value"] < picking["high"]
    assert all(e["error"] >= 0 and e["low"] <= e["high"] for e in entries)


def test_a_comparison_of_an_error_counts_up_for_the_better(full: Path) -> None:
    """The strict runs here are wrong more often, so paper minus strict is above 0 for SMAPE, too."""
    found = [e for e in baselines.comparison_entries(Evidence(full)) if e["what"] == baselines.PICKING]
    for entry in found:
        assert entry["value"] > 0, entry
    seeds = {(e["task"], e["system"]): e["seeds"] for e in found}
    assert seeds[NUMBER, TEXTS] == 3
    assert seeds[NUMBER, FOREST] == 1


def test_duplicates_are_the_same_answers_on_fewer_rows(full: Path) -> None:
    found = [e for e in baselines.comparison_entries(Evidence(full)) if e["what"] == differences.DUPLICATES]
    entry = next(e for e in found if (e["task"], e["system"]) == (LABELS, TEXTS))
    cells = baselines.cell_entries(Evidence(full))
    own = cell(cells, LABELS, TEXTS)
    assert (entry["rows"], entry["rows_left"]) == (12, 10)
    assert entry["value"] == pytest.approx(own["value"] - own["grouped"]["value"])
    assert entry["first"] == entry["second"] == ["paper-s42", "paper-s43", "paper-s44"]


def test_comparisons_need_the_rows(filled: Path) -> None:
    (filled / "data" / "clean" / "selu" / f"{BINARY}.parquet").unlink()
    with pytest.raises(SeluError, match=f"run 'selu prepare {BINARY}'"):
        baselines.comparison_entries(Evidence(filled))
    assert cell(baselines.cell_entries(Evidence(filled)), BINARY, FOREST)["state"] == "present"  # files alone
