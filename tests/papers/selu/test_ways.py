from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from selu.app import report
from selu.papers.selu.pages import ways
from selu.vocabulary import SeluError

COST = {"unit_seconds": 3600.0, "peak_memory_bytes": 2**31}
MACHINE = {"processor": "AMD", "cores": 2, "memory_bytes": 2**34}


def test_the_hour_counts_runs_by_what_they_took_on_the_cores_that_made_them() -> None:
    hours = {"a": 0.5, "b": 1.0, "c": 2.0}
    runs = [
        {
            "name": name,
            "finetuned": name == "b",
            "machine": MACHINE,
            "cost": {**COST, "unit_seconds": 3600 * taken},
        }
        for name, taken in hours.items()
    ]
    measured = {"hour": {"prepare_seconds": 600, "disk_bytes": 3_000_000_000}}
    found = ways._second(measured, runs)
    assert found["Time"].startswith(
        "60 min on 2 cores for 2 of 3 runs, 1 of them trainings (all: 1.8 h); before it 10"
    )
    assert (found["Disk"], found["Memory"]) == ("3.0 GB", "2 x 2.0 GiB")


def test_a_gpu_that_made_runs_is_named_with_its_machine() -> None:
    lent = {"processor": "Xeon", "cores": 16, "memory_bytes": 2**37}
    runs = [{"machine": MACHINE, "used": {"device": "cpu"}}, {"machine": MACHINE}]
    runs.append({"machine": lent, "used": {"device": "NVIDIA H100"}})
    assert ways._machines(runs) == "AMD, 2 cores, 16 GiB; Xeon, 16 cores, 128 GiB, NVIDIA H100"
    assert [bool(ways._gpu(run)) for run in runs] == [False, False, True]


def test_every_part_that_is_named_can_be_made(root: Path) -> None:
    made = {f"notebook {path.stem}" for path in (root / "notebooks" / "selu").glob("*.ipynb")}
    assert {artefact.part for artefact in ways.ARTEFACTS} <= made | set(report.parts("selu"))


def test_a_measurement_that_is_missing_or_damaged_is_named(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "docs" / "measurements", tmp_path / "docs" / "measurements")
    shutil.copytree(root / "data" / "paper", tmp_path / "data" / "paper")
    place = tmp_path / "docs" / "measurements" / "ways.json"
    place.write_text(json.dumps({"minutes": {}}))
    with pytest.raises(SeluError, match=r"ways.json is damaged: .* 'python speed/ways.py'"):
        list(report.make(tmp_path, ["ways"], lambda _line: None))
    place.unlink()
    with pytest.raises(SeluError, match=r"ways.json is missing: .* 'python speed/ways.py'"):
        list(report.make(tmp_path, ["ways"], lambda _line: None))
    assert not (tmp_path / "reports").exists()
