"""A command is interrupted or killed while it works: it says so, and no file is half-written."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """A clone whose sensitivity takes minutes."""
    for name in ("data/paper", "data/params", "data/pins"):
        shutil.copytree(root / name, tmp_path / name)
    shutil.copy(root / "params.yaml", tmp_path)
    settings = tmp_path / "data" / "params" / "selu.yaml"
    text = settings.read_text().replace("seeds: 20 ", "seeds: 900")
    assert "seeds: 900" in text
    settings.write_text(text)
    return tmp_path


@pytest.mark.ci
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_end_in_the_middle_leaves_the_old_result_and_ctrl_c_is_answered_in_one_sentence(clone, number):
    old = clone / "reports" / "selu" / "sensitivity.json"
    old.parent.mkdir(parents=True)
    old.write_text('{"old": true}\n')
    command = [sys.executable, "-m", "selu", "report", "sensitivity"]
    process = subprocess.Popen(command, cwd=clone, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("sensitivity: seeds")
    time.sleep(0.3)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    if number is signal.SIGINT:
        assert process.returncode == 130
        assert errors.strip().splitlines()[-1].startswith("selu: interrupted")
        assert "Traceback" not in errors
    assert old.read_text() == '{"old": true}\n'
    assert [path.name for path in old.parent.iterdir()] == ["sensitivity.json"]
