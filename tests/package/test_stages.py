from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from selu.package import stages
from selu.runs.pipeline import Stage
from selu.vocabulary import SeluError


def test_a_stage_that_just_begins_when_another_fails_is_ended_as_well(tmp_path: Path, monkeypatch):
    begin = subprocess.Popen

    def slow(command: str, **options: Any) -> subprocess.Popen[str]:
        process = begin(command, **options)
        if command == "sleep 60":
            time.sleep(2)  # until the other one has failed
        return process

    monkeypatch.setattr(subprocess, "Popen", slow)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    pair, began = [Stage("long", "sleep 60", {}, {}), Stage("wrong", "exit 3", {}, {})], time.monotonic()
    with pytest.raises(SeluError, match="stage wrong failed"):
        stages.run_all(pair, tmp_path, lambda _line: None, {})
    assert time.monotonic() - began < 30
