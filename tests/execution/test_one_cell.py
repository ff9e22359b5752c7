"""What one small run takes of the program: its own family of systems alone, and params.yaml once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import selu
from helpers import small_project as small

# Modules whose functions the command's own process enters; its worker process enters others.
_TRACED = """
import json, sys, threading

entered, opened = set(), []

def enter(frame, event, _argument):
    code = frame.f_code
    if event == "call" and code.co_flags & 1 and not code.co_qualname.startswith("<"):  # functions alone
        entered.add(code.co_filename)

def hear(event, arguments):
    if event == "open" and str(arguments[0]).endswith("params.yaml"):
        opened.append(str(arguments[0]))

from selu.cli import main

sys.addaudithook(hear)
threading.setprofile(enter)
sys.setprofile(enter)
try:
    main()
finally:
    sys.setprofile(None)
    with open(sys.argv[0], "w") as file:
        json.dump({"entered": sorted(entered), "opened": opened}, file)
"""


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("traced")
    root = small.make(folder / "project")
    os.utime(root / "params.yaml", (1e9, 1e9))  # not just changed
    words = ("run", "--task", small.BINARY, "--system", "tfidf-xgboost", "--protocol", "strict", "--jobs", "1")
    program = f"import sys; sys.argv = {[str(folder / 'traced.json'), '--root', str(root), *words]}\n{_TRACED}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads((folder / "traced.json").read_text("utf-8"))
    return found


@pytest.mark.ci
def test_a_run_of_one_baseline_cell_asks_no_other_family(traced):
    here = Path(selu.__file__).parent
    ours = [Path(name) for name in traced["entered"] if Path(name).is_relative_to(here)]
    assert here / "execution" / "runner.py" in ours
    families = {path.parent.name for path in ours if path.parent.parent == here / "execution"}
    assert families == {"grids"}  # nothing is asked of the others


@pytest.mark.ci
def test_params_yaml_is_opened_once(traced):
    assert len(traced["opened"]) == 1
