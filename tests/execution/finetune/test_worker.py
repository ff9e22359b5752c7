"""What the process that trains says of a model whose bytes are not whole, and of a GPU that others use."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
safetensors = pytest.importorskip("safetensors.torch")

from selu.execution.finetune import worker  # noqa: E402
from selu.execution.finetune.plan import training_source  # noqa: E402
from selu.runs import nvidia  # noqa: E402
from selu.systems.finetune import sources  # noqa: E402
from selu.systems.finetune.job import Job, Rows  # noqa: E402
from selu.vocabulary import MachineError  # noqa: E402

NOTHING = Rows([], [])
JOB = Job("task", "binary", ["no", "yes"], "bert-base", "of any", 512, 42, {}, NOTHING, NOTHING, [], {})


def load(job, scratch, say):
    return safetensors.load_file(Path(job.model["folder"]) / "model.safetensors")


def write(job, scratch, say):
    safetensors.save_file({"a": torch.ones(4)}, scratch / "missing" / "checkpoint.safetensors")


@pytest.fixture
def request_of(tmp_path, monkeypatch):
    folder = tmp_path / "models" / "bert-base"
    folder.mkdir(parents=True)
    safetensors.save_file({"a": torch.ones(4096)}, folder / "model.safetensors")
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_text("{}")
    monkeypatch.setenv(sources.MODELS, str(folder.parent))
    (tmp_path / "job.json").write_text(json.dumps(JOB.to_json()))
    wanted = sources.Wanted("bert-base", "google-bert/bert-base-uncased", "", "", "0" * 40)
    return {
        "job": str(tmp_path / "job.json"), "source": training_source(), "model": dataclasses.asdict(wanted),
        "scratch": str(tmp_path / "scratch"), "anew": False, "unit": str(tmp_path / "unit.json"), "key": "k",
    }  # fmt: skip


def served(fit, messages=None):
    return worker._Served(fit, lambda _: {}, (messages if messages is not None else []).append)


def test_half_written_weights_are_named_with_what_mends_them(request_of, tmp_path):
    path = tmp_path / "models" / "bert-base" / "model.safetensors"
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(MachineError) as caught:
        served(load).serve(request_of)
    assert str(caught.value).startswith(f"{path} is not whole (")
    assert str(caught.value).endswith(f"'rm -r {path.parent}' and get the model again.")


def test_a_disk_that_takes_no_weights_is_not_taken_for_a_bad_model(request_of, tmp_path):
    with pytest.raises(MachineError, match=rf"can't be written to {tmp_path / 'scratch'} .*make room there"):
        served(write).serve(request_of)


def test_a_gpu_that_another_process_computes_on_is_named_before_a_training(request_of, tmp_path, monkeypatch):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho '570.124.06, NVIDIA A100-SXM4-80GB, 81920, 20480, 8.0'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    messages: list[str] = []
    served(None, messages)._loaded(request_of["source"])
    assert any("GPU 0 (NVIDIA A100-SXM4-80GB) has 20.0 of 80.0 GiB free" in line for line in messages)


def test_a_gpu_that_torch_can_not_use_is_refused_and_no_cpu_trains_instead(request_of, tmp_path, monkeypatch):
    """Without a driver, or with one too old, torch finds no GPU and says nothing."""
    (tmp_path / "nvidia0").touch()
    monkeypatch.setattr(nvidia, "_DEVICES", tmp_path)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    with pytest.raises(MachineError, match=r"can't use the GPU of this machine: 'selu doctor' says why; "):
        worker._Served(None, lambda _: {}, print)._loaded(request_of["source"])
