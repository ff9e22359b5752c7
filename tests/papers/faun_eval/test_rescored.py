from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from papers.faun_eval.answering import DRAWS, lines, published
from selu.metrics.percentiles import Resampling
from selu.papers.faun_eval import answers, paired, rescored, rescored_files, scores
from selu.papers.faun_eval.answers import Outcomes
from selu.papers.faun_eval.validity import area, area_with_interval
from selu.papers.pinned import read_pins
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[3]
PINS = ROOT / "data" / "pins" / "faun_eval" / "predictions.csv"
GIVEN = ROOT.parent / "shared" / "datasets" / "faun_eval"
given = pytest.mark.skipif(not GIVEN.is_dir(), reason="the published answers (../shared) are not here")


def patch(path, line, created=False):
    old = "/dev/null" if created else f"a/{path}"
    hunk = f"@@ -0,0 +1 @@\n+{line}\n" if created else f"@@ -1 +1 @@\n-x = 1\n+{line}\n"
    return f"diff --git a/{path} b/{path}\n--- {old}\n+++ b/{path}\n{hunk}"


def task(name, path="a.py", line="x = 2"):
    return {"instance_id": name, "repo": "own/er", "patch": patch(path, line)}


@pytest.fixture
def tasks():
    return answers.read_tasks(lines(task(f"t{number}") for number in range(4)), "tasks.jsonl")


def test_an_unanswered_task_counts_as_wrong_and_is_shown(tasks):
    records = [
        {"instance_id": "t0", "model_patch": patch("a.py", "x = 2")},
        {"instance_id": "t1", "model_patch": patch("new.py", "x", created=True) + patch("a.py", "y = 3")},
        {"instance_id": "t2", "model_patch": "  \n"},
    ]
    found = answers.read_patches(lines(records), "p.jsonl", tasks)
    values = rescored.score_tasks(tasks, found, edited=True)
    assert values["answered"] == [1, 1, 0, 0]
    assert values["exact"] == [1, 0, 0, 0]
    assert values["exact_existing"] == values["hit_3"] == [1, 1, 0, 0]
    assert values["edit_patch"][0] == values["edit_lines"][0] == values["rouge_l_lines"][0] == 1
    assert 0 < values["edit_lines"][1] < 1
    assert values["bleu_lines"][2:] == [0, 0]
    row = rescored.summarise("one", values, found, Outcomes(frozenset({"t0"}), None), DRAWS)
    assert (row["tasks"], row["answered"], row["resolved"], row["applied"]) == (4, 2, 1, None)
    assert row["scores"]["exact"] == 0.25
    assert row["intervals"]["exact"]["low"] <= 0.25 <= row["intervals"]["exact"]["high"]


def test_records_that_answer_no_task_are_counted_by_reason(tasks):
    records = [
        {"instance_id": "t0", "found_files": ["b.py", "a.py"]},
        {"instance_id": "t0", "found_files": ["a.py"]},
    ]
    records += [{"instance_id": "t9", "found_files": ["a.py"]}, {"found_files": []}, 7]
    found = answers.read_files(lines([*records, {"instance_id": "t1", "found_files": None}]), "f.jsonl", tasks)
    assert found.left_out == {answers.NO_ID: 2, answers.DUPLICATE: 1, answers.UNKNOWN: 1}
    values = rescored.score_tasks(tasks, found, edited=False)
    assert (values["exact"], values["hit_3"]) == ([0, 0, 0, 0], [1, 0, 0, 0])
    listed = json.dumps([{"instance_id": "t0", "found_files": ["a.py"]}]).encode()
    assert set(answers.read_files(listed, "f.json", tasks).by_task) == {"t0"}


def test_a_patch_with_a_fault_is_counted_by_its_name(tasks):
    records = [
        {"instance_id": "t0", "model_patch": patch("../a.py", "x")},
        {"instance_id": "t1", "model_patch": "Done."},
    ]
    found = answers.read_patches(lines(records), "p.jsonl", tasks)
    row = rescored.summarise("one", rescored.score_tasks(tasks, found, edited=True), found, None, DRAWS)
    assert row["faults"] == {"no changed file": 1, "path outside the tree": 1}
    assert row["scores"]["well_formed"] == 0


def test_files_that_cannot_be_read_are_named():
    with pytest.raises(SeluError, match=r"p\.jsonl is neither a JSON list nor JSON by line"):
        answers.read_patches(b"{", "p.jsonl", [])
    with pytest.raises(SeluError, match=r"t\.jsonl, record 1: no task with a patch of one file"):
        answers.read_tasks(lines([{"instance_id": "t", "repo": "r", "patch": "none"}]), "t.jsonl")
    with pytest.raises(SeluError, match=r"a\.csv is not a table of annotated tasks"):
        answers.read_annotations(b"a,b\n1,2\n", "a.csv")
    for content in (b"[]", b"{}", b"\xff", b'{"resolved": 1}'):
        with pytest.raises(SeluError, match="is not a report with a list of resolved tasks"):
            answers.read_outcomes(content, "o.json")


def test_the_area_is_the_statistic_of_mann_and_whitney():
    random = np.random.default_rng(3)
    for _ in range(20):
        values = random.integers(0, 6, 40) / 5
        passed = random.random(40) < 0.3
        weights = random.integers(0, 3, (1, 40)).astype(float)
        repeated = np.repeat(np.arange(40), weights[0].astype(int))
        good, bad = (values[repeated][passed[repeated] == kind] for kind in (True, False))
        expected = stats.mannwhitneyu(good, bad).statistic / (len(good) * len(bad))
        assert area(values, passed, weights) == pytest.approx(expected)


def test_tasks_are_resampled_with_all_their_patches():
    """Patches that are copies of each other say no more than one of them."""
    random = np.random.default_rng(5)
    values, passed = random.random(60), random.random(60) < 0.4
    names = [f"t{number}" for number in range(60)]
    once = area_with_interval(values, passed, names, Resampling(400, 1, 0.95))
    copied = area_with_interval(np.tile(values, 5), np.tile(passed, 5), names * 5, Resampling(400, 1, 0.95))
    assert copied == pytest.approx(once)
    assert once["low"] < once["auc"] < once["high"]
    with pytest.raises(ValueError, match="resolved and other"):
        area_with_interval(values, np.ones(60, dtype=bool), names, DRAWS)


def test_a_paired_difference_is_the_mean_of_differences_and_surer_than_two_means():
    random = np.random.default_rng(2)
    hard = random.random(200)
    first, second = ((random.random(200) < 0.15 + 0.7 * hard).astype(float) for _ in "ab")
    found = paired.difference(first, second, Resampling(2_000, 3, 0.95))
    assert found["difference"] == pytest.approx(first.mean() - second.mean())
    error = (first - second).std() / 200**0.5
    assert found["high"] - found["low"] == pytest.approx(2 * 1.96 * error, rel=0.1)
    with pytest.raises(ValueError, match="same tasks"):
        paired.difference([1.0], [1.0, 0.0], DRAWS)


def test_sets_are_scored_from_pinned_files_and_the_study_gives_an_answer(tmp_path):
    """The whole way, from made files: two sets of patches with outcomes and one of files."""
    names = [f"t{number}" for number in range(12)]
    good = [{"instance_id": name, "model_patch": patch("a.py", "x = 2")} for name in names[:6]]
    bad = [{"instance_id": name, "model_patch": patch("a.py", "return None")} for name in names[6:10]]
    wrong = [{"instance_id": name, "model_patch": patch("b.py", "return None")} for name in names[10:]]
    quality = "instance_id,description quality\n" + "".join(f"{name},good\n" for name in names[:8])
    quality += "t8,none\nt9,none\n"
    files = {
        ("tasks", "Lite"): lines(task(name) for name in names),
        ("patches", "one"): json.dumps(good + bad).encode(),
        ("outcomes", "one"): json.dumps({"resolved": names[:5], "applied": names[:9]}).encode(),
        ("first outcomes", "one"): json.dumps({"resolved": names[:4]}).encode(),
        ("patches", "two"): lines(good + bad + wrong),
        ("outcomes", "two"): json.dumps({"resolved": names[:6]}).encode(),
        ("annotations", "Agentless"): quality.encode(),
        ("files", "three"): lines({"instance_id": name, "found_files": ["b.py", "a.py"]} for name in names),
    }
    found = rescored_files.rescore(published(tmp_path, files))
    assert [(row["system"], row["answered"], row["resolved"]) for row in found.rows] == [
        ("one", 10, 5),
        ("two", 12, 6),
        ("three", 12, None),
    ]
    first, second, third = found.record["sets"]
    assert (first["applied"], first["resolved first"], second["applied"], third["kind"]) == (
        9,
        4,
        None,
        "files",
    )
    areas = {(row["system"], row["metric"]): row for row in found.record["study"]}
    assert areas["two", "edit_lines"]["auc"] == 1
    assert areas["one", "edit_lines"]["auc"] == pytest.approx(0.9)  # one of six equal patches fails its tests
    assert areas["all sets", "exact"]["patches"] == 22
    assert areas["all sets, right file", "edit_lines"]["patches"] == 20
    assert {(row["system"], row["patches"], row["tasks"]) for row in found.record["strata"]} == {
        ("good", 16, 8)
    }
    assert "12 of 12 tasks of SWE-bench Lite" in found.says
    assert json.loads((tmp_path / "rescored.json").read_text()) == found.record
    kept = scores.read(tmp_path / "scores.csv", names)
    assert kept["one"]["resolved"] == [1.0] * 5 + [0.0] * 7
    assert set(kept["three"]) == {"answered", *rescored.LOCATED}
    pairs = {(row["one"], row["other"]): row for row in found.record["paired"] if row["metric"] == "resolved"}
    assert list(pairs) == [("two", "one")]
    assert pairs["two", "one"]["difference"] == pytest.approx(1 / 12)
    assert {row["tasks"] for row in found.record["paired_strata"]} == {"good", "none"}
    with pytest.raises(SeluError, match="is missing or damaged, or of other tasks"):
        scores.read(tmp_path / "scores.csv", [*names, "t99"])
    tables = rescored_files.tabulate(found.record)
    assert tables["study"]["exact", "patches"].published == "22"
    assert tables["study"]["edit_lines", "auc"].published == f"{areas['all sets', 'edit_lines']['auc']:.4f}"
    (repository,) = {place[1] for place in tables["resolved"]}
    assert {system: tables["resolved"][system, repository].published for system in ("Tasks", "one", "two")} == {
        "Tasks": "12",
        "one": "0.417",
        "two": "0.500",
    }
    assert ("three", repository) in tables["right_file"]
    assert ("three", repository) not in tables["resolved"]  # nobody ran its answers
    with pytest.raises(SeluError, match="leave --task and --system out"):
        rescored_files.rescore(SimpleNamespace(tasks=("t",), systems=()))


@given
@pytest.mark.slow
def test_the_published_sets_are_the_pinned_ones(tmp_path, monkeypatch):
    kept = [pin for pin in read_pins(PINS) if pin.system in ("SWE-bench Lite", "SWE-agent run 3", "LocAgent")]
    monkeypatch.setattr(rescored_files, "read_pins", lambda _: kept)
    made = published(tmp_path, pins=PINS.parent)
    made.folders = [GIVEN]
    found = rescored_files.rescore(made)
    assert found.record["lite"] == {"tasks": 300, "of one file": 300, "repositories": 12}
    agent, locator = found.record["sets"]
    assert (agent["answered"], agent["resolved"], agent["faults"]) == (238, 28, {"binary file": 1})
    assert round(agent["scores"]["exact"] * 300) == 69
    assert (locator["answered"], round(locator["scores"]["hit_5"] * 300)) == (300, 281)
