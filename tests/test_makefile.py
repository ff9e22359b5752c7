"""What make says to a person before anything is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.mark.parametrize("target", ["reproduce", "environments"])
def test_another_python_is_refused_in_one_sentence_and_nothing_is_installed(
    root: Path, tmp_path: Path, target: str
) -> None:
    shutil.copy(root / "Makefile", tmp_path)
    shutil.copy(root / "pyproject.toml", tmp_path)
    shutil.copytree(root / "locks", tmp_path / "locks")
    other = tmp_path / "python3.10"  # as a Python of another version answers the question for its version
    other.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    other.chmod(0o755)
    done = subprocess.run(
        ["make", target, f"PYTHON={other}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    first, *rest = done.stderr.splitlines()
    assert first == (
        f"selu needs Python 3.11; '{other}' is none: name one, as in 'make reproduce PYTHON=python3.11'."
    )
    assert all(line.startswith("make") for line in rest)
    assert not (tmp_path / ".venv").exists()


def test_help_names_each_goal_with_what_it_does(root: Path) -> None:
    done = subprocess.run(["make", "help"], cwd=root, capture_output=True, text=True, check=True)
    shown = {line.split()[0]: line.split(maxsplit=1)[1] for line in done.stdout.splitlines()}
    assert {"reproduce", "test", "paper", "help"} <= shown.keys()
    assert all(len(does) > 10 for does in shown.values())
