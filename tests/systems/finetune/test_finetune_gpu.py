"""The script for a lent GPU, tried on a tiny model: each way to lay texts in batches, and ZeRO."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")


@pytest.mark.slow
def test_a_model_is_measured_in_every_way(root, tmp_path):
    pytest.importorskip("deepspeed")
    path, ways = tmp_path / "found.json", ("packed", "dynamic", "full", "zero2")
    command = [sys.executable, str(root / "benchmarks" / "finetune_gpu.py"), "--tiny", "--texts", "comments"]
    command += ["--models", "bert-base", "--out", str(path), "--ways", *ways]
    subprocess.run(command, check=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"})
    record = json.loads(path.read_text())
    assert (record["device"], record["peak_flops"], record["tiny"]) == ("cpu", None, True)
    rows = {row["way"]: row for row in record["rows"]}
    assert tuple(rows) == ways
    assert all(row["tokens_per_second"] > 0 and row["utilisation"] is None for row in rows.values())
    shares = {way: row["useful_share"] for way, row in rows.items()}
    assert shares["full"] < shares["dynamic"] < shares["packed"] == shares["zero2"] == 1
    assert len({(row["useful_tokens"], row["flops"]) for row in rows.values()}) == 1  # the same updates
