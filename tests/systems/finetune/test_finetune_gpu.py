"""The script for a lent GPU, tried on tiny models: every model's architecture and every way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")


def measured(root: Path, *words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, str(root / "benchmarks" / "finetune_gpu.py"), *words],
        capture_output=True,
        text=True,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
    )
    return done.returncode, done.stdout, done.stderr


def test_every_model_is_measured_in_every_way(root, tmp_path):
    path = tmp_path / "found.json"
    code, out, errors = measured(root, "--tiny", "--texts", "comments", "--out", str(path))
    assert code == 0, errors
    record: dict[str, Any] = json.loads(path.read_text())
    assert (record["device"], record["peak_flops"], record["tiny"]) == ("cpu", None, True)
    assert record["versions"]["torch"]
    rows = record["rows"]
    models = ("bert-base", "gpt2-xl", "llama3.2-1b", "codellama-7b")
    assert [(row["model"], row["way"]) for row in rows] == [
        (model, way) for model in models for way in ("packed", "dynamic", "full")
    ]
    for row in rows:
        assert row["tokens_per_second"] > 0
        assert row["flops"] > 0
        assert row["utilisation"] is None
        assert row["useful_share"] == (1 if row["way"] == "packed" else pytest.approx(row["useful_share"]))
    shares = {row["way"]: row["useful_share"] for row in rows if row["model"] == "bert-base"}
    assert shares["full"] < shares["dynamic"] < shares["packed"] == 1
    assert len({(row["useful_tokens"], row["flops"]) for row in rows if row["model"] == "bert-base"}) == 1
    assert len(out.splitlines()) == 2 + len(rows) + 1
    again = ("--tiny", "--texts", "comments", "--models", "bert-base", "--ways", "packed", "--out", str(path))
    assert measured(root, *again)[0] == 0
    merged = json.loads(path.read_text())["rows"]
    assert len(merged) == len(rows)
    assert merged[-1]["model"] == "bert-base"
    assert merged[:-1] == rows[1:]


@pytest.mark.slow
def test_several_models_are_measured_under_zero(root, tmp_path):
    pytest.importorskip("deepspeed")
    path = tmp_path / "found.json"
    models = ("bert-base", "llama3.2-1b")
    words = ("--tiny", "--texts", "comments", "--models", *models, "--ways", "packed", "zero2")
    code, _, errors = measured(root, *words, "--out", str(path))
    assert code == 0, errors
    rows = json.loads(path.read_text())["rows"]
    assert [(row["model"], row["way"]) for row in rows] == [(m, w) for m in models for w in ("packed", "zero2")]
    assert not [row for row in rows if "error" in row]
    assert {row["useful_share"] for row in rows} == {1.0}
    assert rows[0]["useful_tokens"] == rows[1]["useful_tokens"]  # the same updates


def test_without_a_gpu_it_says_so(root):
    code, _, errors = measured(root)
    assert code == 1
    assert errors == "No GPU is at hand: --tiny tries the script on the processor.\n"
