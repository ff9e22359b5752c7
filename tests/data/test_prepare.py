from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.places import CLEAN, RECORDS, SPLITS
from selu.data import prepared
from selu.data.prepare import prepare
from selu.data.prepared import tracked_record
from selu.runs.store import fingerprints
from selu.vocabulary import SeluError

SYNTHETIC, REAL = "review_type", "incivility"
MIRROR = Path(__file__).parents[3] / "shared" / "datasets"
needs_mirror = pytest.mark.skipif(
    not MIRROR.is_dir(), reason="the mirror of the data sets is not beside the project"
)


def silent(_: str) -> None:
    pass


@pytest.fixture
def project(root: Path, tmp_path: Path) -> Path:
    """What a clone holds of the data, nothing fetched or prepared."""
    for name in ("data/pins", "data/synthetic"):
        shutil.copytree(root / name, tmp_path / name)
    (tmp_path / "data" / "paper").mkdir()
    shutil.copy(root / "params.yaml", tmp_path)
    return tmp_path


def outputs(project: Path) -> dict[str, dict[str, str]]:
    return {str(place): fingerprints(project / place) for place in (CLEAN, SPLITS, RECORDS)}


def test_a_task_is_prepared_whole(project):
    written = prepare(project, [SYNTHETIC], False, None, silent)
    assert all(path.is_file() for path in written)
    record = tracked_record(project, SYNTHETIC)
    assert record["standing"] == "synthetic"
    assert record["deviations"][0].startswith("stand-in rows")
    table = prepared.read(project / CLEAN / f"{SYNTHETIC}.parquet", record["hashes"]["clean"], "selu prepare")
    assert list(table) == ["id", "text", "paper", "sound", "label", "group", "source"]
    assert len(table) == record["rows"] == sum(record["audit"]["parts"]["paper"].values())
    split = (project / SPLITS / SYNTHETIC / "split.csv").read_text("utf-8").splitlines()
    assert [line.split(",")[0] for line in split[1:]] == table["id"].tolist()
    shots = (project / SPLITS / SYNTHETIC / "shots.csv").read_text("utf-8").splitlines()
    assert len(shots) - 1 == record["audit"]["parts"]["paper"]["test"]


@pytest.mark.ci
def test_the_same_bytes_whatever_the_surroundings(project, tmp_path_factory):
    """The real task has enough rows for several processes, and a published split."""
    task, mirror = (REAL, MIRROR) if MIRROR.is_dir() else (SYNTHETIC, None)
    prepare(project, [task], False, mirror, silent)
    other = tmp_path_factory.mktemp("elsewhere") / "a folder with spaces é"
    shutil.copytree(project, other, ignore=shutil.ignore_patterns("clean", "raw", "splits", "reports"))
    pinned = "data/pins/selu/splits"
    shutil.copytree(project / pinned, other / pinned)
    surroundings = {"PYTHONHASHSEED": "77", "LC_ALL": "C", "TZ": "Pacific/Chatham", "OMP_NUM_THREADS": "3"}
    done = subprocess.run(
        [sys.executable, "-m", "selu", "--root", str(other), "prepare", task],
        env=os.environ | surroundings | ({"SELU_MIRROR": str(mirror)} if mirror else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert outputs(other) == outputs(project)


@needs_mirror
def test_a_missing_published_split_is_no_reason_to_draw_another(project):
    (project / "data" / "pins" / "selu" / "splits" / f"{REAL}.txt").unlink()
    with pytest.raises(SeluError, match=rf"{REAL}\.txt can't be read .* restore it"):
        prepare(project, [REAL], False, MIRROR, silent)
    assert not (project / SPLITS).exists()


def test_a_misspelt_synthetic_task_is_refused(project):
    params = project / "params.yaml"
    params.write_text(params.read_text("utf-8").replace("review_type", "review_typ"), "utf-8")
    with pytest.raises(SeluError, match="there is no task 'review_typ'; did you mean 'review_type'"):
        prepare(project, [SYNTHETIC], False, None, silent)


@pytest.mark.ci
@needs_mirror
def test_real_rows_come_from_the_mirror_and_then_from_the_disk(project):
    prepare(project, [REAL], False, MIRROR, silent)
    first = outputs(project)
    record = tracked_record(project, REAL)
    assert (record["standing"], record["rows"]) == ("equal", 1546)
    assert record["split"].startswith("published (")
    prepare(project, [REAL], False, None, silent)
    assert outputs(project) == first


@pytest.mark.ci
@needs_mirror
def test_a_damaged_mirror_is_refused_by_name_and_nothing_is_overwritten(project, tmp_path_factory):
    prepare(project, [REAL], False, MIRROR, silent)
    before = outputs(project)
    shutil.rmtree(project / "data" / "raw")
    mirror = tmp_path_factory.mktemp("mirror")
    shutil.copytree(MIRROR / "selu" / REAL, mirror / "selu" / REAL)
    path = mirror / "selu" / REAL / "gh_civil.csv.gz"
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[1234] ^= 4
    path.write_bytes(content)
    with pytest.raises(SeluError, match=r"gh_civil\.csv\.gz"):
        prepare(project, [REAL], False, mirror, silent)
    assert outputs(project) == before


@needs_mirror
def test_rows_other_than_pinned_are_refused(project):
    pin = project / "data" / "pins" / "selu" / f"{REAL}.yaml"
    text = pin.read_text("utf-8")
    pin.write_text(text.replace("rows: 1546", "rows: 1547"), "utf-8")
    with pytest.raises(SeluError, match="1546 rows were read where the pin says 1547"):
        prepare(project, [REAL], False, MIRROR, silent)
    digest = text.split("\ntable: ")[1].split("\n")[0].strip('"')
    pin.write_text(text.replace(digest, "f" * 64), "utf-8")
    with pytest.raises(SeluError, match="ffffffffff"):
        prepare(project, [REAL], False, MIRROR, silent)
    assert not (project / CLEAN).exists()


@pytest.mark.ci
def test_croissant_is_valid_and_its_records_can_be_read(project):
    import mlcroissant

    for task in (SYNTHETIC, "bug_issue"):
        prepare(project, [task], False, None, silent)
        path = project / RECORDS / task / "croissant.json"
        dataset = mlcroissant.Dataset(str(path))
        assert not dataset.metadata.ctx.issues.errors
        assert not dataset.metadata.ctx.issues.warnings
        rows = list(dataset.records("rows_records"))
        assert len(rows) == tracked_record(project, task)["rows"]
        assert rows[0]["rows_records/id"] == b"s000000"
        assert len(list(dataset.records("split_records"))) == len(rows)
        assert json.loads(path.read_text("utf-8"))["license"] == "Apache-2.0"
