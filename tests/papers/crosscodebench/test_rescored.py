"""Published outputs as a reader has them: lines of two files, some damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers import pinned
from selu.evidence.rescoring import Predictions
from selu.files import read_json
from selu.papers.crosscodebench import rescored_files, tables
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[3]
GOLD, GIVEN = "public int f ( ) { return 1 ; }\n" * 40, "public int f ( ) { return 2 ; }\n" * 30


@pytest.fixture
def project(tmp_path):
    """A clone with the tables of the paper and two pinned files of forty lines."""
    for name in ("params.yaml", "data/params", "data/paper/crosscodebench", "data/pins/crosscodebench"):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(ROOT / name)
    pins = tmp_path / "data" / "pins" / "crosscodebench"
    pins.unlink()
    pins.mkdir()
    (pins / "paper.csv").symlink_to(ROOT / "data" / "pins" / "crosscodebench" / "paper.csv")
    write(tmp_path, GOLD, GIVEN + GOLD[: len(GOLD) // 4])
    return tmp_path


def write(root, gold, given):
    texts = {("bug fixing, small", "reference"): gold, ("bug fixing, small", "CodeBERT"): given}
    contents = {place: text.encode() for place, text in texts.items()}
    pinned.write(root / "data" / "pins" / "crosscodebench" / "predictions.csv", contents, root)


def test_outputs_are_scored_and_compared_at_the_published_digits(project):
    found = rescored_files.rescore(Predictions(project, "crosscodebench", folder=project))
    (row,) = found.record["rows"]
    exact = row["scores"]["exact match"]
    assert exact["value"] == 25.0
    assert 5 < exact["low"] < 25 < exact["high"] < 45
    assert [(entry["metric"], entry["published"], entry["equal"]) for entry in row["published"]] == [
        ("BLEU over all rows", "77.42", False),
        ("exact match", "16.4", False),
    ]
    assert found.says.startswith(
        "0 of 2 published scores equal ours at the published digits. Three versions of BLEU lie "
    )
    assert json.loads((project / "reports/crosscodebench/rescored.json").read_text()) == found.record


def test_other_bytes_and_a_lost_line_are_refused_and_nothing_is_written(project):
    (project / "1").write_text("x\n")
    with pytest.raises(SeluError, match="does not have the pinned bytes"):
        rescored_files.rescore(Predictions(project, "crosscodebench", folder=project))
    write(project, GOLD, GIVEN)
    with pytest.raises(SeluError, match="has 30 lines where the references have 40"):
        rescored_files.rescore(Predictions(project, "crosscodebench", folder=project))
    assert not (project / "reports").exists()


def test_the_tracked_outputs_meet_every_published_score():
    record = read_json(ROOT / "reports" / "crosscodebench" / "rescored.json", "dvc pull", ("finding", "rows"))
    table = tables.rescored(record)
    assert (table.equal, table.cells) == (5, 5)
    assert record["finding"].startswith("5 of 5 published scores equal ours")
