from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from helpers import small_project as small
from helpers.places import RECORDS
from selu.app import report
from selu.vocabulary import SeluError

FOLDER = Path("reports") / "selu" / "scale"
NAMES = ["cells.csv", "hours.md", "hours.png", "hours.svg", "scale.json", "scale.md"]


@pytest.fixture(scope="module")
def clone(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parameters and the tracked records of the data, where there are any; nothing else."""
    folder = small.make(tmp_path_factory.mktemp("scale") / "project", ())
    shutil.copy(root / "params.yaml", folder)
    if (root / RECORDS).is_dir():
        shutil.copytree(root / RECORDS, folder / RECORDS, dirs_exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def written(clone: Path) -> dict[str, bytes]:
    code, _, errors = small.done(clone, "report", "scale")
    assert code == 0, errors
    folder = clone / FOLDER
    assert sorted(path.name for path in folder.iterdir()) == NAMES
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.ci
def test_the_page_says_what_its_data_say(written):
    found, page = json.loads(written["scale.json"]), written["scale.md"].decode()
    total = found["once"]["total"]
    here, first = found["rows_here"], page.split("\n\n")[1]
    assert first.startswith(f"The {here['tasks']} tasks whose own rows are available here, trained once: ")
    assert f"{here['device_hours']:.0f} GPU hours on NVIDIA A100-SXM4-80GB, {here['usd']:.0f} USD" in first
    assert f"{total['cells']} fine-tuned scores: {total['device_hours']:,.0f} GPU hours (" in first
    assert written["hours.md"].decode().startswith(f"{first} ")  # README has the same sentences
    assert f"{total['padded_device_hours']:,.0f} (final scripts" in page
    other = found["padded_as_the_preprint"]["total"]["padded_device_hours"]
    assert total["device_hours"] < other < total["padded_device_hours"]
    assert page.count("\n| all | 460 | ") == 2
    assert all(f"| {row['what']} | " in page for row in found["assumptions"])


@pytest.mark.ci
def test_every_cell_of_the_paper_s_open_models_is_in_the_csv(written):
    rows = list(csv.DictReader(written["cells.csv"].decode().splitlines()))
    assert len(rows) == 2 * 460
    assert len({(row["task"], row["system"], row["protocol"]) for row in rows}) == 2 * 460
    found = json.loads(written["scale.json"])
    hours = sum(float(row["device_hours"]) for row in rows)
    assert hours == pytest.approx(found["total"]["device_hours"])
    assert "minilm-l6" not in {row["system"] for row in rows}


def test_a_wrong_setting_is_named_and_nothing_is_written(clone, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(clone, copy, ignore=shutil.ignore_patterns("scale"))
    text = (copy / "params.yaml").read_text()
    (copy / "params.yaml").write_text(text.replace("layer_seconds: 0.0084", "layer_seconds: -1"))
    with pytest.raises(SeluError, match=r"shared\.profiles\.assumed\.layer_seconds"):
        list(report.make(copy, ["scale"], lambda _: None))
    assert not (copy / FOLDER).exists()
