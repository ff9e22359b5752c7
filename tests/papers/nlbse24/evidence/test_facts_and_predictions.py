"""Facts and re-scored predictions of NLBSE'24, in a clone of its own."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
import released
import yaml

from selu.app.datasets import prepare
from selu.evidence.rescoring import Predictions
from selu.papers.evidence import Progress, Record
from selu.papers.nlbse24.evidence import rescored_files
from selu.papers.nlbse24.evidence.counted import COUNTED as FACTS
from selu.papers.nlbse24.evidence.counted import SCORED as RERUNS
from selu.papers.nlbse24.evidence.rescored_files import failed, shown
from selu.papers.nlbse24.material import read
from selu.registry import claims as every_claim
from selu.registry import load
from selu.sources.published import read_all
from selu.vocabulary import SeluError

CLAIMS = every_claim("nlbse24")
ROOT = Path(__file__).parents[4]
PINS = Path("data") / "pins" / "nlbse24" / "predictions.csv"
REPORT = Path("reports") / "nlbse24" / "rescored.json"
SHARED = ROOT.parent / "shared"
MIRROR, PUBLISHED = SHARED / "datasets", SHARED / "published" / "nlbse24"
real = pytest.mark.skipif(
    not (MIRROR.is_dir() and PUBLISHED.is_dir()),
    reason="the real files (../shared/datasets and ../shared/published) are not here",
)


def facts(root: Path, mirror: Path | None, progress: Progress) -> list[Path]:
    return prepare.count(root, "nlbse24", mirror, progress)


def rescore(root: Path, folder: Path | None, mirror: Path | None) -> Record:
    found = rescored_files.rescore(Predictions(root, "nlbse24", folder=folder, mirror=mirror))
    assert found.says == found.record["finding"]
    assert found.rows == shown(found.record)
    assert found.failed == failed(found.record)
    record: Record = found.record
    return record


@pytest.fixture
def clone(tmp_path, monkeypatch):
    for variable in ("SELU_PREDICTIONS", "SELU_MIRROR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("SELU_RAW_HOST", "http://127.0.0.1:9")  # nobody listens there
    project = tmp_path / "clone"
    for name in ("data/pins", "data/paper", "data/params"):
        shutil.copytree(ROOT / name, project / name)
    params = (ROOT / "params.yaml").read_text("utf-8")
    (project / "params.yaml").write_text(params.replace("draws: 10000", "draws: 200"), "utf-8")
    return project


@pytest.fixture
def mirror(clone, tmp_path):
    """A mirror of small files of our own words, and pins in the clone that hold them."""
    small = released.frames(read(read_all(ROOT / "data" / "paper" / "nlbse24")).categories)
    for place in sorted((clone / "data" / "pins" / "nlbse24").glob("*.yaml")):
        pin = yaml.safe_load(place.read_text("utf-8"))
        pin["origins"] = pin["origins"][:1]
        for file in pin["origins"][0]["files"]:
            path = tmp_path / "mirror" / file["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            small[file["name"].partition(".")[0]].to_csv(path, index=False)
            data = path.read_bytes()
            file |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        place.write_text(yaml.safe_dump(pin), "utf-8")
    return tmp_path / "mirror"


def publish(project, folder, mirror):
    """Predictions of the mirror's test rows, all right, and their pin."""
    test = released.issues()[1]
    data = released.predictions(test, test["label"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "p.csv").write_bytes(data)
    pin = project / PINS
    head = pin.read_text("utf-8").splitlines()[0]
    source = f"someone/somewhere,{'0' * 40},results.json"
    line = f"setfit_readme,p.csv,{hashlib.sha256(data).hexdigest()},{len(data)},{source}"
    pin.write_text(f"{head}\n{line}\n", "utf-8")


def test_facts_are_written_told_and_read_by_the_claims(clone, mirror):
    messages: list[str] = []
    stale = clone / FACTS / "stale.csv"
    stale.parent.mkdir(parents=True)
    stale.write_text("row,column,value\n")
    paths = facts(clone, mirror, messages.append)
    assert sorted(paths) == sorted((clone / FACTS).glob("*.csv"))
    assert not stale.exists()
    assert any("Issues, train: react, bug has 4 reports, not 100." in line for line in messages)
    paper = load(clone, "nlbse24")
    assert paper.number("issue_rows", "train/react/bug", "rows") == 4
    first = {path: path.read_bytes() for path in paths}
    paths[0].write_text("damaged")
    facts(clone, mirror, messages.append)
    assert first == {path: path.read_bytes() for path in paths}


def test_files_that_are_missing_or_not_the_pinned_ones_are_said(clone, mirror):
    with pytest.raises(SeluError, match="issue"):
        facts(clone, None, lambda _: None)
    (mirror / "nlbse24" / "code_comment" / "pharo.csv.gz").write_bytes(b"other")
    with pytest.raises(SeluError, match="pharo"):
        facts(clone, mirror, lambda _: None)
    assert not (clone / FACTS).exists()


def test_claims_read_facts_and_reruns(clone):
    for path, text in (
        (clone / FACTS / "issue_labels.csv", "row,column,value\nall,without one of the three,2\n"),
        (
            clone / RERUNS,
            "system,task,repository_or_category,label,metric,value,low,high\n"
            "fasttext-lines,issues,overall,average,f1,0.69,,\n",
        ),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = {claim.id: claim.check(load(clone, "nlbse24")).verdict for claim in CLAIMS}
    assert (found["N07"], found["N60"], found["N08"]) == ("fails", "fails", "not checkable")


@pytest.mark.parametrize("place", ["named", "below", "variable", "mirror"])
def test_predictions_are_found_and_scored(clone, mirror, tmp_path, monkeypatch, place):
    folders = {"below": tmp_path / "p" / "nlbse24", "mirror": mirror / "nlbse24" / "predictions"}
    publish(clone, folders.get(place, tmp_path / "p"), mirror)
    if place == "variable":
        monkeypatch.setenv("SELU_PREDICTIONS", str(tmp_path / "p"))
    given = tmp_path / "p" if place in ("named", "below") else None
    record = rescore(clone, given, mirror)
    assert record["runs"][0]["overall"]["scores"]["average"]["f1"] == 1.0
    assert json.loads((clone / REPORT).read_text("utf-8")) == record
    assert failed(record)  # perfect answers are not those of the result file
    assert [row["task"] for row in shown(record)][-1] == "overall"


def test_other_bytes_and_absent_predictions_leave_the_tracked_file(clone, mirror, tmp_path):
    publish(clone, tmp_path / "p", mirror)
    rescore(clone, tmp_path / "p", mirror)
    before = (clone / REPORT).read_bytes()
    with pytest.raises(SeluError, match=r"are not available here: give a folder with results\.json of someone"):
        rescore(clone, None, mirror)
    (tmp_path / "p" / "p.csv").write_text("changed")
    with pytest.raises(SeluError, match="does not have the pinned predictions"):
        rescore(clone, tmp_path / "p", mirror)
    with pytest.raises(SeluError, match="is not a folder"):
        rescore(clone, tmp_path / "none", mirror)
    (clone / PINS).write_text("run,file\n")
    with pytest.raises(SeluError, match=r"predictions\.csv is damaged"):
        rescore(clone, tmp_path / "p", mirror)
    assert (clone / REPORT).read_bytes() == before


def test_the_result_file_of_the_repository_serves_as_well(clone, mirror, tmp_path):
    publish(clone, tmp_path / "p", mirror)
    by_file = rescore(clone, tmp_path / "p", mirror)
    results = {"label_mapping": {"bug": 0, "feature": 1, "question": 2}}
    for repo, own in released.issues()[1].groupby("repo"):
        results[repo] = {"predictions": [results["label_mapping"][label] for label in own["label"]]}
    (tmp_path / "p" / "p.csv").unlink()
    path = tmp_path / "p" / "results.json"
    path.write_text(json.dumps(results), "utf-8")
    assert rescore(clone, tmp_path / "p", mirror) == by_file
    for damage, message in (
        ({**results, "facebook/react": {"predictions": [0]}}, "other than one prediction per test row"),
        ({"label_mapping": {}}, "is not a result file"),
        ([], "is not a result file"),
    ):
        path.write_text(json.dumps(damage), "utf-8")
        with pytest.raises(SeluError, match=message):
            rescore(clone, tmp_path / "p", mirror)
    results["facebook/react"]["predictions"][0] = 2
    path.write_text(json.dumps(results), "utf-8")
    with pytest.raises(SeluError, match="does not have the pinned predictions"):
        rescore(clone, tmp_path / "p", mirror)


@real
def test_the_real_predictions_are_those_of_the_result_file(clone):
    record = rescore(clone, PUBLISHED, MIRROR)
    assert not failed(record)
    (run,) = record["runs"]
    assert sum(part["compared"] for part in (*run["cells"], run["overall"])) == 72
    assert run["overall"]["scores"]["average"]["f1"] == pytest.approx(0.8270463747, abs=1e-10)
    off = [entry for entry in run["table1"] if not entry["equal"]]
    assert [(e["metric"], e["label"], e["printed"], round(e["value"], 3)) for e in off] == [
        ("Recall", "Average", "0.880", 0.827)
    ]
    tracked = json.loads((ROOT / REPORT).read_text("utf-8"))
    assert tracked["finding"] == record["finding"]
    assert tracked["runs"][0]["overall"] == run["overall"]
