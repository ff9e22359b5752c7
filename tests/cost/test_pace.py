"""The pace of a training, held to the tracked runs that a GPU made."""

from __future__ import annotations

import json

import numpy as np
import pytest

from helpers.small_project import ROOT
from selu.cost import pace
from selu.project import read_settings
from selu.systems.finetune.cost.profiles import ProfileSettings, stepped

KERNELS = "torch_flash"  # MPNet's runs had attention by groups, which waited for the GPU in each layer


def test_the_least_time_of_an_update_is_what_tracked_runs_took():
    """A guess that is half of it has a reader rent a node for half of the hours."""
    steps, seconds = [], []
    for path in (ROOT / "results" / "selu").glob("*/minilm-l6/*/run.json"):
        run = json.loads(path.read_text("utf-8"))
        used = run.get("used") or {}
        if used.get("device", "cpu") != "cpu" and used["attention"] == KERNELS:
            steps.append(run["steps"])
            seconds.append(run["cost"]["unit_seconds"])
    assert len(steps) >= 20
    slope, start = np.polyfit(steps, seconds, 1)
    settings = read_settings(ROOT, "shared", "profiles", ProfileSettings)
    shape = pace.shapes()["minilm-l6"]
    waits = settings.assumed.host_seconds + stepped(shape, "bf16", 1, settings.machines["h100"])
    assert shape.layers * settings.assumed.layer_seconds + waits == pytest.approx(slope, rel=0.05)
    assert 0 < start < settings.assumed.run_seconds
