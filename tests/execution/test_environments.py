from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from helpers import small_project as small
from selu.execution.environments import Environments
from selu.execution.planned import Wanted
from selu.execution.plans import plan
from selu.vocabulary import MachineError

# A worker that dies of its first request after a while.
SLOW = """
import sys, time
sys.stdin.readline()
open("asked", "w").close()
time.sleep(30)
"""


def test_a_stop_waits_for_no_worker_and_none_of_another_python_starts_after_it(tmp_path, monkeypatch):
    run = plan(small.make(tmp_path / "project"), Wanted((small.BINARY,), ("fasttext",)))[0]
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "python").symlink_to(sys.executable)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SELU_AUTHORS_PYTHON", str(tmp_path / "python"))
    environments, began = Environments(tmp_path, 1, "slow"), time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(environments.start_workers, replace(run, environment="prompt"))
        while not (tmp_path / "asked").exists() and not asked.done():
            time.sleep(0.02)
        environments.stop()
        with pytest.raises(MachineError, match="SIGKILL"):
            asked.result()
    with pytest.raises(MachineError, match=r"^the worker processes were stopped\.$"):
        environments.start_workers(replace(run, environment="authors"))
    assert time.monotonic() - began < 30
