from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from selu.project import read_knobs
from selu.splits.knobs import DataKnobs
from selu.vocabulary import SeluError


def test_the_project_s_own_knobs(root: Path, knobs: DataKnobs):
    found = read_knobs(root, "shared", "data", DataKnobs)
    assert dataclasses.replace(found, synthetic=()) == knobs
    assert len(found.synthetic) == 6


@pytest.mark.parametrize(
    "changed",
    [
        {"seed": -1}, {"seed": "42"}, {"test_share": 0}, {"test_share": 1}, {"shots": 0}, {"shots": True},
        {"shot_lengths": [0.9, 0.1]}, {"shot_lengths": [0.1, 1.1]}, {"near_duplicate": 0}, {"shingle": 0},
        {"near_duplicate": 1.5}, {"permutations": 8}, {"synthetic": [1]}, {"unknown": 1}, {"diff_sample": 0},
    ],
)  # fmt: skip
def test_a_knob_out_of_range_is_refused(changed: dict[str, Any], knobs: DataKnobs):
    with pytest.raises(ValidationError):
        TypeAdapter(DataKnobs).validate_json(json.dumps(dataclasses.asdict(knobs) | changed))


def test_the_message_names_the_knob(tmp_path: Path, root: Path):
    text = (root / "params.yaml").read_text().replace("shot_lengths: [0.1, 0.9]", "shot_lengths: [0.9, 0.1]")
    (tmp_path / "params.yaml").write_text(text)
    with pytest.raises(SeluError, match=r"shot_lengths must rise, found 0\.9 and 0\.1"):
        read_knobs(tmp_path, "shared", "data", DataKnobs)
