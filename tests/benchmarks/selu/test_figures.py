"""Figures: what they show, and that their bytes hang on nothing but the records."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest

from selu.benchmarks.drawing import images
from selu.benchmarks.selu import figures
from selu.benchmarks.selu.material import Material
from selu.benchmarks.selu.results import SensitivityKnobs, sensitivity_record, statistics
from selu.project import write_atomic

KNOBS = SensitivityKnobs(seeds=2, rounding=0.0005, roundings=2, seed=20)


@pytest.fixture(scope="module")
def record(quick: Material) -> dict[str, Any]:
    return statistics(quick)


def test_figure2_counts_every_task(record: dict[str, Any]) -> None:
    axes = figures.figure2(record).axes[0]
    assert sum(bar.get_width() for bar in axes.patches) == 22
    totals = [int(text.get_text()) for text in axes.texts if text.get_position()[0] and text.get_text()]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[::-1][1] == "Software design"
    assert sum(totals[-len(labels) :]) == 22


def test_figure5_has_four_matrices_in_rank_order(record: dict[str, Any]) -> None:
    figure = figures.figure5(record)
    panels = figure.axes[:4]
    assert [axes.get_title(loc="left")[:3] for axes in panels] == ["(a)", "(b)", "(c)", "(d)"]
    names = [system["name"] for system in record["systems"]]
    for axes in panels:
        assert [label.get_text() for label in axes.get_yticklabels()] == names
    better, worse, equal = (np.array(axes.collections[0].get_array()).reshape(28, 28) for axes in panels[:3])
    np.testing.assert_array_equal(better, worse.T)
    off = ~np.eye(28, dtype=bool)
    np.testing.assert_allclose((better + worse + equal)[off], 1, atol=1e-9)
    marks = len(panels[0].collections[1].get_offsets())
    assert marks == sum(line.count("better") for line in record["posteriors"]["autorank"]["decision"])


def test_figure5_names_what_is_drawn_and_the_rope(record: dict[str, Any]) -> None:
    printed, written = figures.figure5(record), figures.figure5(record, "paper")
    words = [{text.get_text() for text in figure.legends[0].texts} for figure in (printed, written)]
    assert "edge of a tier by our rule" in words[0] - words[1]
    equal = any("equal" in line for line in record["posteriors"]["paper"]["decision"])
    assert ("(d) practically equal" in words[1]) == equal
    assert [figure.get_suptitle() for figure in (printed, written)] == [
        "",
        "Rope of 0.1 d, as section IV-D writes it",
    ]


def test_forest_shows_every_system(record: dict[str, Any]) -> None:
    axes = figures.forest(record).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [s["name"] for s in record["systems"]]
    assert sum(text.get_text().startswith("tier") for text in axes.texts) == len(record["tiers"])


def test_drivers_has_four_panels(record: dict[str, Any]) -> None:
    panels = figures.drivers(record).axes
    assert len(panels) == 4
    assert panels[1].get_xscale() == "log"
    assert {text.get_text() for text in panels[1].texts} >= {"GPT-2", "BERT", "StarCoder2"}


def test_sensitivity_shows_each_part(quick: Material, record: dict[str, Any]) -> None:
    made = sensitivity_record(quick, KNOBS)
    panels = figures.sensitivity(made, record).axes
    assert len(panels[0].get_xticks()) == 5
    assert len(panels[1].get_yticklabels()) == 20
    assert "Unstable pairs" in panels[2].get_title(loc="left")


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


SCRIPT = """
import json, sys, hashlib
from selu.benchmarks.drawing import images
from selu.benchmarks.selu import figures
record = json.load(open(sys.argv[1], encoding="utf-8"))
for kind, content in images(figures.figure2(record)).items():
    print(kind, hashlib.sha256(content).hexdigest())
"""


def _elsewhere(folder: Path, record: Path, **surroundings: str) -> str:
    folder.mkdir()
    (folder / "matplotlibrc").write_text("font.size: 30\nfigure.dpi: 30\n", "utf-8")
    command = [sys.executable, "-c", SCRIPT, str(record)]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **surroundings}, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_same_bytes_in_two_places(tmp_path: Path, record: dict[str, Any]) -> None:
    """One figure; tests/report/test_notebooks.py draws them all."""
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record, default=float), "utf-8")
    odd = {"LC_ALL": "C.UTF-8", "TZ": "America/Lima", "PYTHONHASHSEED": "77", "MPLBACKEND": "svg"}
    first = _elsewhere(tmp_path / "a", path, LC_ALL="C", TZ="Asia/Tokyo", PYTHONHASHSEED="1")
    assert _elsewhere(tmp_path / "b ü", path, **odd) == first
    made = images(figures.figure2(record))
    assert hashlib.sha256(made["png"]).hexdigest() in first
