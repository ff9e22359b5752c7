from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from selu.project import read_settings
from selu.splits.settings import DataSettings
from selu.vocabulary import SeluError


def test_the_project_s_own_settings(root: Path, settings: DataSettings):
    found = read_settings(root, "shared", "data", DataSettings)
    assert dataclasses.replace(found, synthetic=()) == settings
    assert len(found.synthetic) == 6


@pytest.mark.parametrize(
    "changed",
    [
        {"seed": -1}, {"seed": "42"}, {"test_share": 0}, {"test_share": 1}, {"shots": 0}, {"shots": True},
        {"shot_lengths": [0.9, 0.1]}, {"shot_lengths": [0.1, 1.1]}, {"near_duplicate": 0}, {"shingle": 0},
        {"near_duplicate": 1.5}, {"permutations": 8}, {"synthetic": [1]}, {"unknown": 1}, {"diff_sample": 0},
    ],
)  # fmt: skip
def test_a_setting_out_of_range_is_refused(changed: dict[str, Any], settings: DataSettings):
    with pytest.raises(ValidationError):
        TypeAdapter(DataSettings).validate_json(json.dumps(dataclasses.asdict(settings) | changed))


def test_the_message_names_the_setting(tmp_path: Path, root: Path):
    text = (root / "params.yaml").read_text().replace("shot_lengths: [0.1, 0.9]", "shot_lengths: [0.9, 0.1]")
    (tmp_path / "params.yaml").write_text(text)
    with pytest.raises(SeluError, match=r"shot_lengths must rise, found 0\.9 and 0\.1"):
        read_settings(tmp_path, "shared", "data", DataSettings)
