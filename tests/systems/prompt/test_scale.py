"""Many rows in several batches: each answered once, and no more memory than planning takes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import small_project as small
from selu.data import prepared
from selu.execution import plans

BENCHMARK = Path(__file__).parents[3] / "speed" / "prompt.py"
ROWS, REQUESTS = 20_000, 9_000


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_twenty_thousand_rows(tmp_path, provider):
    limits = ["--rows", str(ROWS), "--requests", str(REQUESTS), "--megabytes", "15", "--provider", provider]
    command = [sys.executable, str(BENCHMARK), *limits, "--json", str(tmp_path / "found.json")]
    subprocess.run(command, check=True, capture_output=True)  # it fails where a row is not answered once
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))[provider]
    assert found["rows"] == found["answered"] == found["server"]["paid"] == found["server"]["once"] == ROWS
    assert found["twice"] == found["failed"] == 0
    assert found["batches"] == found["server"]["batches"] >= 3
    assert found["prompts.txt"] > 30  # MB, which are on the disk alone
    assert max(found["memory"].values()) - found["memory"]["start"] < 250
    for phase in ("send", "collect", "parse"):
        assert found["memory"][phase] - found["memory"]["plan"] < 50


@pytest.mark.parametrize("task", [small.BINARY, small.LABELS, small.NUMBER])
@pytest.mark.parametrize("protocol", ["paper", "strict"])
def test_the_truth_without_texts_is_that_with_them(tmp_path, task, protocol):
    root = small.make(tmp_path, (task,))
    (run,) = plans.plan(root, plans.Wanted((task,), ("gpt-4o-zero-shot",), (protocol,)))
    found, rows = (
        prepared.truth_of(root, run.task, run.protocol),
        prepared.rows_of(root, run.task, "paper", run.protocol),
    )
    wanted = rows[rows["part"] == "test"].drop(columns="text")
    assert 0 < len(wanted) < len(rows)
    assert found.to_dict("list") == wanted.to_dict("list")
