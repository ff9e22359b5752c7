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
    for name in ("data/paper", "data/pins"):
        shutil.copytree(root / name, tmp_path / name)
    text = (root / "params.yaml").read_text().replace("seeds: 20 ", "seeds: 900")
    assert "seeds: 900" in text
    (tmp_path / "params.yaml").write_text(text)
    return tmp_path


def start(clone: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "selu", "report", "sensitivity"],
        cwd=clone,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("sensitivity: seeds")
    time.sleep(0.5)
    return process


def test_ctrl_c_is_answered_in_one_sentence(clone):
    process = start(clone)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip().splitlines()[-1].startswith("selu: interrupted")
    assert "Traceback" not in errors
    assert not (clone / "reports").exists()


def test_kill_leaves_the_old_result(clone):
    old = clone / "reports" / "selu" / "sensitivity.json"
    old.parent.mkdir(parents=True)
    old.write_text('{"old": true}\n')
    process = start(clone)
    process.kill()
    process.communicate(timeout=60)
    assert old.read_text() == '{"old": true}\n'
    assert [path.name for path in old.parent.iterdir()] == ["sensitivity.json"]
