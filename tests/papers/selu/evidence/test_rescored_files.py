"""``selu rescore``: the authors' answers against labels from the source, in a clone of its own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers import command, small_project
from helpers.places import CLEAN
from selu import registry
from selu.data.prepare import prepare
from selu.evidence.rescoring import Predictions
from selu.metrics.evaluate import evaluate
from selu.papers.selu.evidence import rescored_files
from selu.papers.selu.evidence.rescored_files import failed, shown, summary
from selu.vocabulary import SeluError

SHARED = Path(__file__).parents[5] / "shared"
PINS = Path("data") / "pins" / "selu" / "predictions"
REPORT = Path("reports") / "selu" / "rescored.json"
MIRROR, PUBLISHED = SHARED / "datasets", SHARED / "published" / "selu" / "predictions"
TASKS = {task.id: task for task in registry.tasks("selu")}
MADE_UP = "security_requirement"
# score, and whether it equals the authors' report to 12 digits
REAL = {
    ("security_requirement", "bert-base"): (0.9356060606060606, "equal"),
    ("security_requirement", "roberta-large"): (0.38922155688622756, "equal"),
    ("security_requirement", "gpt2-xl"): (0.9347547974413646, "equal"),
    ("security_requirement", "llama3.2-3b"): (0.9478474281623888, "equal"),
    ("smell_doc", "bert-base"): (0.5825658966575775, "equal"),
    ("smell_doc", "roberta-large"): (0.5174082203766981, "equal"),
    ("smell_doc", "gpt2-xl"): (0.7028984235617559, "equal"),
    ("smell_doc", "llama3.2-3b"): (0.6176854666877418, "differs"),
}


@pytest.fixture
def clone(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a clone holds before any data is prepared, with no way to the network and few draws."""
    for variable in ("SELU_PREDICTIONS", "SELU_MIRROR", "SELU_GITHUB_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("SELU_RAW_HOST", "http://127.0.0.1:9")  # nobody listens there
    project = tmp_path / "clone"
    for name in ("data/pins", "data/paper", "data/params", "data/synthetic"):
        shutil.copytree(root / name, project / name)
    params = (root / "params.yaml").read_text("utf-8")
    (project / "params.yaml").write_text(params.replace("draws: 10000", "draws: 200"), "utf-8")
    return project


def rescore(
    root: Path,
    tasks: Sequence[str] = (),
    systems: Sequence[str] = (),
    predictions_dir: Path | None = None,
    mirror: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """The entries of the cells asked for, and the tracked file where it was written."""
    path = root / REPORT
    before = path.read_bytes() if path.is_file() else None
    published = Predictions(root, "selu", tasks, systems, predictions_dir, mirror, progress)
    found = rescored_files.rescore(published, progress)
    assert found.rows == shown(found.record)
    assert found.says == summary(found.record)
    assert found.failed == failed(found.record, bool(tasks or systems))
    written = path.is_file() and path.read_bytes() != before
    return {"cells": found.record, "written": path if written else None}


def make(
    project: Path, task: str = MADE_UP, rows: int | None = None, availability: str = "equal"
) -> np.ndarray:
    """Prepared rows of a task, made up; returns the labels of its test rows."""
    made = small_project.table(TASKS[task], rows or TASKS[task].instances)
    small_project.put(project, task, made, availability)
    return np.array(made["label"].tolist()[::5])


def publish(folder: Path, task: str, system: str, answers: np.ndarray, report: dict | None = None) -> Path:
    """A published file that gives these answers, with the columns turned round."""
    kind, count = str(TASKS[task].kind), len(TASKS[task].labels)
    order = [0] if kind == "regression" else list(range(count))[::-1]
    if kind == "regression":
        scores = answers[:, None]
    elif kind == "multi_label":
        scores = np.where(answers == 1, 0.75, 0.25)
    else:
        scores = np.where(np.arange(count) == answers[:, None], 0.75, 0.25 / (count - 1))
    lines = [",".join(map(str, order)), *(",".join(repr(float(row[c])) for c in order) for row in scores)]
    place = folder / task / system
    place.mkdir(parents=True, exist_ok=True)
    (place / "test_predictions.csv").write_text("\n".join(lines) + "\n")
    if report is not None:
        (place / "test_results.json").write_text(json.dumps(report))
    return folder


def tracked(project: Path) -> dict:
    record = json.loads((project / REPORT).read_text("utf-8"))
    cells = {f"{cell['task']}/{cell['system']}": cell for cell in record["cells"]}
    for group in record["not_scored"]:
        cells |= {f"{group['task']}/{system}": group for system in group["systems"]}
    return cells


@pytest.mark.ci
@pytest.mark.parametrize("task", [MADE_UP, "sentiment", "smell_doc", "story_points"])
def test_every_kind_is_scored_end_to_end_unpinned(clone, tmp_path, task):
    truth = make(clone, task)
    answers = truth.copy()
    answers[:3] = 2.5 if task == "story_points" else 1 - np.minimum(truth[:3], 1)
    scores = evaluate(str(TASKS[task].kind), truth, answers, len(TASKS[task].labels))
    report = (
        {"eval_mae": scores["mae"], "eval_smape": scores["smape"], "eval_rmse": scores["rmse"] ** 2}
        if (task == "story_points")
        else {"eval_f1_macro": scores["f1_macro"], "eval_recall_None": scores["recall_per_class"]}
    )
    folder = publish(tmp_path / "p", task, "t5-small", answers, report)
    record = rescore(clone, [f"{task}/t5-small"], predictions_dir=folder)
    (cell,) = record["cells"]
    expected = 1 - scores["smape"] if task == "story_points" else scores["f1_macro"]
    assert cell["state"] == "present"
    assert cell["evidence"] == "re-scored"
    assert cell["value"] == expected == cell["their_value"]
    assert cell["verdict"] == "equal"
    assert cell["apart"] == []
    assert cell["interval"]["low"] <= cell["value"] <= cell["interval"]["high"]
    assert cell["source"]["pinned"] is False
    assert len(cell["source"]["sha256"]) == 64
    assert "no pinned hash" in cell["finding"]
    assert cell["collapsed"] is None
    assert cell["rows"] == len(truth)
    assert tracked(clone)[f"{task}/t5-small"] == cell
    assert not failed(record["cells"], named=True)
    assert shown(record["cells"]) == [
        {"cell": f"{task}/t5-small", "state": "present", "score": expected, "reported": expected}
        | {"printed": cell["printed"], "verdict": "equal"}
    ]
    assert "1 of 1 cells are re-scored, 1 equal" in summary(record["cells"])


def test_a_difference_names_how_many_answers_and_which(clone, tmp_path):
    truth = make(clone)
    theirs = evaluate("binary", truth, truth, 2)
    answers = truth.copy()
    answers[4] ^= 1
    report = {f"eval_{name}": theirs[name] for name in ("f1_macro", "accuracy", "confusion_matrix")}
    folder = publish(tmp_path / "p", MADE_UP, "t5-small", answers, report)
    (cell,) = rescore(clone, [f"{MADE_UP}/t5-small"], predictions_dir=folder)["cells"]
    assert cell["verdict"] == "differs"
    assert cell["apart"] == ["accuracy", "confusion_matrix", "f1_macro"]
    assert cell["flips_settle"] is True
    (flip,) = cell["flips"]
    names = [label.name for label in TASKS[MADE_UP].labels]
    assert (flip["row"], flip["id"], flip["after"]) == (4, "p000020", names[truth[4]])
    assert "Changing 1 answer makes all scores equal" in cell["finding"]
    assert "bfloat16" not in cell["finding"]  # half a unit of probability is no rounding


def test_a_report_that_is_missing_or_of_other_labels_and_one_answer_for_all_rows_are_said(clone, tmp_path):
    truth = make(clone)
    folder = publish(tmp_path / "p", MADE_UP, "t5-small", truth)
    wrong = {"eval_f1_macro": 0.5, "eval_confusion_matrix": [[1, 0], [0, 1]]}
    publish(folder, MADE_UP, "t5-base", truth, wrong)
    publish(folder, MADE_UP, "roberta-base", np.zeros_like(truth))
    rescore(clone, [MADE_UP], ["t5-small"], folder)  # the paper's order is kept, whatever was asked first
    systems = ["t5-small", "T5 base", "roberta-base"]
    collapsed, without, other = rescore(clone, [MADE_UP], systems, folder)["cells"]
    assert collapsed["collapsed"] == TASKS[MADE_UP].labels[0].name
    assert "Every row gets the same answer" in collapsed["finding"]
    assert list(tracked(clone)) == [f"{MADE_UP}/{name}" for name in ("roberta-base", "t5-small", "t5-base")]
    assert (without["verdict"], without["their_value"]) == (None, None)
    assert "were not available here" in without["finding"]
    assert (other["verdict"], other["flips"]) == ("differs", [])
    assert "don't fit these labels" in other["finding"]


def test_a_cell_that_cannot_be_scored_is_listed_and_the_others_go_on(clone, tmp_path):
    truth = make(clone)
    make(clone, "commit_intention", rows=2495, availability="partial")
    make(clone, "review_type", rows=310, availability="synthetic")
    folder = publish(tmp_path / "p", MADE_UP, "t5-small", truth)
    publish(folder, MADE_UP, "t5-base", truth[:-1])  # a row short
    publish(folder, MADE_UP, "bert-base", truth)  # not the pinned bytes
    publish(folder, "commit_intention", "t5-base", truth)
    lines: list[str] = []
    record = rescore(clone, predictions_dir=folder, progress=lines.append)
    cells = {f"{cell['task']}/{cell['system']}": cell for cell in record["cells"]}
    assert len(cells) == 414
    assert [name for name, cell in cells.items() if cell["state"] == "present"] == [f"{MADE_UP}/t5-small"]
    invalid = {name: cell["finding"] for name, cell in cells.items() if cell["state"] == "invalid"}
    assert set(invalid) == {f"{MADE_UP}/t5-base", f"{MADE_UP}/bert-base"}
    assert "101 predictions where security_requirement has 102 test rows" in invalid[f"{MADE_UP}/t5-base"]
    assert "is not the pinned one" in invalid[f"{MADE_UP}/bert-base"]
    because = {name: cell["finding"] for name, cell in cells.items() if cell["state"] == "failed"}
    assert "Of 2533 rows of commit_intention, 2495 are here" in because["commit_intention/t5-base"]
    assert "stand-in rows" in because["review_type/t5-base"]
    assert "run 'selu prepare sentiment'" in because["sentiment/t5-base"]
    assert "were not available here" in because[f"{MADE_UP}/gpt2-small"]
    assert all(cell["evidence"] == "printed" for cell in cells.values() if cell["state"] != "present")
    assert failed(record["cells"], named=False)
    kept = json.loads((clone / REPORT).read_text("utf-8"))
    assert [cell["system"] for cell in kept["cells"]] == ["t5-small"]
    assert sum(len(group["systems"]) for group in kept["not_scored"]) == 413
    assert {name: cell["finding"] for name, cell in tracked(clone).items()} == {
        name: cell["finding"] for name, cell in cells.items()
    }
    assert "not available here: 19" in summary(record["cells"])
    assert (
        len(list((clone / "data" / "raw" / "selu" / "predictions").glob("*/[!.]*"))) == 1
    )  # only one is tried
    assert str(tmp_path) not in (clone / REPORT).read_text("utf-8")  # no machine in what is tracked
    assert sum("can't be reached from this machine" in line for line in lines) == 2  # a try and one more


@pytest.mark.ci
def test_a_scored_cell_is_never_replaced_by_nothing(clone, tmp_path):
    truth = make(clone)
    folder = publish(tmp_path / "p", MADE_UP, "t5-small", truth)
    name = f"{MADE_UP}/t5-small"
    assert rescore(clone, [name], predictions_dir=folder)["written"] == clone / REPORT
    before = (clone / REPORT).read_bytes()
    assert rescore(clone, [name], predictions_dir=folder)["written"] is None  # the same bytes again
    record = rescore(clone, [name])  # nothing available
    assert (record["cells"][0]["state"], record["written"]) == ("failed", None)
    (folder / MADE_UP / "t5-small" / "test_predictions.csv").write_text("0,1\n")
    assert rescore(clone, [name], predictions_dir=folder)["written"] is None
    assert (clone / REPORT).read_bytes() == before
    shutil.rmtree(clone / CLEAN)
    rescore(clone, [name], predictions_dir=folder)
    assert (clone / REPORT).read_bytes() == before


@pytest.mark.ci
def test_what_the_authors_report_said_stays_where_it_is_missing_now(clone, tmp_path):
    truth = make(clone)
    report = {"eval_f1_macro": evaluate("binary", truth, truth, 2)["f1_macro"]}
    folder = publish(tmp_path / "p", MADE_UP, "t5-small", truth, report)
    name = f"{MADE_UP}/t5-small"
    (known,) = rescore(clone, [name], predictions_dir=folder)["cells"]
    (folder / MADE_UP / "t5-small" / "test_results.json").unlink()
    done = command.selu("rescore", "--task", name, "--predictions", str(folder), "--json", cwd=clone)
    assert (done.returncode, json.loads(done.stdout)) == (0, [known])
    assert tracked(clone)[name] == known
    answers = truth.copy()
    answers[0] ^= 1
    publish(folder, MADE_UP, "t5-small", answers)  # their report was of other answers
    (other,) = rescore(clone, [name], predictions_dir=folder)["cells"]
    assert (other["verdict"], other["their_value"], other["source"]["results_sha256"]) == (None, None, None)


def test_what_lacks_is_said_once_where_nothing_can_be_scored(clone):
    make(clone, "review_type", rows=310, availability="synthetic")
    make(clone, "sentiment")
    registry.rows_of(clone, "sentiment").unlink()
    done = command.selu("rescore", *(f"--task={task}" for task in ("review_type", "sentiment")), cwd=clone)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "None of 44 cells is re-scored; rows not prepared: sentiment "
        "(run 'selu prepare TASK'); rows here that are not the authors' rows: review_type."
    ]
    assert command.selu("rescore", cwd=clone).returncode == 1


@pytest.mark.ci
def test_an_entry_of_other_labels_or_another_file_does_not_stay(clone, tmp_path):
    truth = make(clone)
    folder = publish(tmp_path / "p", MADE_UP, "t5-small", truth)
    name = f"{MADE_UP}/t5-small"
    rescore(clone, [name], predictions_dir=folder)
    report = clone / REPORT
    good = report.read_text("utf-8")
    report.write_text(
        good.replace(
            '"labels": {\n    "standing": "equal",\n    "sha256": "',
            '"labels": {\n    "standing": "equal",\n    "sha256": "0',
        )
    )
    assert report.read_text("utf-8") != good
    rescore(clone, [name])
    assert tracked(clone)[name]["state"] == "failed"
    report.write_text(good)
    pin = clone / PINS / f"{MADE_UP}.yaml"
    pin.write_text(pin.read_text("utf-8").replace("t5-small: {version: v3}", "t5-small: {version: v4}"))
    rescore(clone, [name])
    assert tracked(clone)[name]["state"] == "failed"


@pytest.mark.ci
@pytest.mark.parametrize(
    ("names", "systems", "message"),
    [
        (["securty_requirement"], [], "did you mean 'security_requirement'"),
        ([MADE_UP], ["bert-bse"], "did you mean 'bert-base'"),
        ([f"{MADE_UP}/bert-bse"], [], "did you mean 'bert-base'"),
        ([f"{MADE_UP}/fasttext"], [], "holds no predictions of security_requirement/fasttext"),
        (["story_points/t5-3b"], [], "holds no predictions of story_points/t5-3b"),
        (["se_entities/bert-base"], [], "only the scores"),
        (["se_entities"], [], "no published predictions"),
        ([MADE_UP], ["fasttext"], "no published predictions"),
    ],
)
def test_unknown_names_and_cells_without_predictions_are_refused(clone, names, systems, message):
    with pytest.raises(SeluError, match=message):
        rescore(clone, names, systems)


def test_a_damaged_tracked_file_and_a_missing_folder_are_refused(clone, tmp_path):
    with pytest.raises(SeluError, match="is not a folder"):
        rescore(clone, [MADE_UP], predictions_dir=tmp_path / "none")
    (clone / REPORT).parent.mkdir(parents=True)
    for content in ("{", '{"cells": [{"task": "x"}], "not_scored": []}', "[]", '{"cells": [], "other": 1}'):
        (clone / REPORT).write_text(content)
        with pytest.raises(SeluError, match=r"rescored.json is damaged: run 'dvc checkout --force"):
            rescore(clone, [MADE_UP])
        assert (clone / REPORT).read_text() == content


@pytest.mark.slow
@pytest.mark.skipif(
    not (MIRROR.is_dir() and PUBLISHED.is_dir()),
    reason="the real files (../shared/datasets and ../shared/published) are not here",
)
def test_the_eight_real_cells(clone, monkeypatch):
    tasks = sorted({task for task, _ in REAL})
    prepare(clone, tasks, False, MIRROR, lambda _: None)
    record = rescore(clone, [f"{task}/{system}" for task, system in REAL], predictions_dir=PUBLISHED)
    cells = {(cell["task"], cell["system"]): cell for cell in record["cells"]}
    assert {key: (cell["value"], cell["verdict"]) for key, cell in cells.items()} == {
        key: (pytest.approx(value, abs=1e-12), verdict) for key, (value, verdict) in REAL.items()
    }
    assert all(cell["source"]["pinned"] and cell["labels"]["standing"] == "equal" for cell in cells.values())
    collapsed = {key: cell["collapsed"] for key, cell in cells.items() if cell["collapsed"]}
    assert collapsed == {("security_requirement", "roberta-large"): "nonsec"}
    odd = cells["smell_doc", "llama3.2-3b"]
    assert odd["printed_equal"] is False
    assert odd["flips_settle"] is True  # with one answer changed, every score is theirs
    assert [(flip["row"], flip["label"], flip["after"]) for flip in odd["flips"]] == [(99, "fragmented", True)]
    assert odd["flips"][0]["score"] == pytest.approx(0.499959, abs=1e-6)
    assert odd["apart"] == ["f1_micro", "f1_macro", "f1_per_class", *odd["apart"][3:]]
    assert sum(cell["printed_equal"] for cell in cells.values()) == 7
