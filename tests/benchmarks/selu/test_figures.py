"""Figures: what they show, and that their bytes hang on nothing but the records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import pytest

from selu.benchmarks.drawing import images
from selu.benchmarks.selu import figures
from selu.benchmarks.selu.analysis.results import statistics
from selu.benchmarks.selu.material import Material
from selu.files import write_atomic


@pytest.fixture(scope="module")
def record(quick: Material) -> dict[str, Any]:
    return statistics(quick)


def test_the_users_settings_change_nothing_and_come_back(record: dict[str, Any]) -> None:
    plain = images(figures.figure2(record))
    with matplotlib.rc_context({"font.size": 20, "axes.grid": True, "svg.fonttype": "none"}):
        assert images(figures.figure2(record)) == plain
        assert matplotlib.rcParams["font.size"] == 20
    assert b"<dc:date>" not in plain["svg"]
    assert b"Software" not in plain["png"]


def test_save_writes_both_kinds(tmp_path: Path, record: dict[str, Any]) -> None:
    png = figures.save(figures.figure2(record), tmp_path / "v1.2 figure", write_atomic)
    assert {path.name for path in tmp_path.iterdir()} == {"v1.2 figure.png", "v1.2 figure.svg"}
    assert (tmp_path / "v1.2 figure.png").read_bytes() == png
