"""Figures: what they show, and that their bytes hang on nothing but the records."""

from __future__ import annotations

from typing import Any

import matplotlib
import pytest

from selu.papers.drawing import images
from selu.papers.selu.analysis.results import statistics
from selu.papers.selu.figures import numbered as figures
from selu.papers.selu.material import Material


@pytest.fixture(scope="module")
def record(quick: Material) -> dict[str, Any]:
    return statistics(quick)


@pytest.mark.ci
def test_the_users_settings_change_nothing_and_come_back(record: dict[str, Any]) -> None:
    forms = ("svg", "png", "pdf")
    plain = images(figures.figure2(record), forms)
    with matplotlib.rc_context({"font.size": 20, "axes.grid": True, "svg.fonttype": "none", "pdf.fonttype": 3}):
        assert images(figures.figure2(record), forms) == plain
        assert matplotlib.rcParams["font.size"] == 20
    assert b"<dc:date>" not in plain["svg"]
    assert b"Software" not in plain["png"]
    assert b"/CreationDate" not in plain["pdf"]
