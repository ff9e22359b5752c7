from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

EARNED: dict[str, Any] = {
    "task": "sentiment",
    "system": "fasttext",
    "evidence": "re-run",
    "standing": "equal",
    "state": "present",
    "value": 0.58812,
    "low": 0.56,
    "high": 0.61,
    "rows": 2629,
    "verdict": "reproduced",
    "reason": None,
    "run": "sentiment/fasttext/paper-s42",
    "chosen": {"lr": 0.1},
    "seeds": [{"seed": 42, "state": "present", "value": 0.58812}],
    "strict": {"value": 0.5},
    "current": None,
}


@pytest.fixture
def checked(root: Path, tmp_path: Path) -> Path:
    """A clone with one cell re-run, one that deviates, one that failed."""
    for name in ("data/paper/selu", "data/params", "data/pins/selu"):
        shutil.copytree(root / name, tmp_path / name)
    shutil.copy(root / "params.yaml", tmp_path)
    deviating = EARNED | {"task": "smell_doc", "verdict": "deviates", "reason": "Measured so."}
    hole = {"task": "incivility", "evidence": "printed", "state": "failed", "reason": "1 of 5 runs: no memory"}
    hole |= dict.fromkeys(("value", "low", "high", "verdict"))
    (tmp_path / "reports" / "selu").mkdir(parents=True)
    (tmp_path / "reports" / "selu" / "cells.json").write_text(json.dumps([EARNED, deviating, EARNED | hole]))
    return tmp_path
