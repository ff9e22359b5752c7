"""The script for a lent GPU, tried on a tiny model: each way to lay texts in batches, and ZeRO."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")


def measured(root: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(root / "benchmarks" / "finetune_gpu.py"), *words],
        capture_output=True,
        text=True,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
    )
    return done.returncode, done.stderr


@pytest.mark.slow
def test_a_model_is_measured_in_every_way_and_measured_again(root, tmp_path):
    pytest.importorskip("deepspeed")
    path = tmp_path / "found.json"
    given = ("--tiny", "--texts", "comments", "--models", "bert-base", "--out", str(path))
    ways = ("packed", "dynamic", "full", "zero2")
    code, errors = measured(root, *given, "--ways", *ways)
    assert code == 0, errors
    record = json.loads(path.read_text())
    assert (record["device"], record["peak_flops"], record["tiny"]) == ("cpu", None, True)
    rows = {row["way"]: row for row in record["rows"]}
    assert tuple(rows) == ways
    assert all(row["tokens_per_second"] > 0 and row["utilisation"] is None for row in rows.values())
    shares = {way: row["useful_share"] for way, row in rows.items()}
    assert shares["full"] < shares["dynamic"] < shares["packed"] == shares["zero2"] == 1
    assert len({(row["useful_tokens"], row["flops"]) for row in rows.values()}) == 1  # the same updates
    assert measured(root, *given, "--ways", "packed")[0] == 0
    merged = json.loads(path.read_text())["rows"]
    assert [row["way"] for row in merged] == ["dynamic", "full", "zero2", "packed"]
    assert merged[:-1] == [rows[way] for way in ways[1:]]


def test_without_a_gpu_it_says_so(root):
    assert measured(root) == (1, "No GPU is at hand: --tiny tries the script on the processor.\n")
