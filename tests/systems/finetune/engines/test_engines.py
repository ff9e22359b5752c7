"""Which engine trains; and weights in bf16 in one process: what DeepSpeed computes, without it."""

from __future__ import annotations

import gc
import json

import pytest
import tiny
import torch
from safetensors.torch import load_file
from trial import StoppedError

from selu.systems.finetune import batches, fit, settings
from selu.systems.finetune.cost import memory
from selu.systems.finetune.cost.shape import from_config
from selu.systems.finetune.engines import chosen as engines
from selu.systems.finetune.engines import engine
from selu.systems.finetune.job_examples import Prepared
from selu.systems.finetune.models import build, load_tokenizer, shape_of
from selu.vocabulary import MachineError

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("sharding", "processes", "precision", "engine"),
    [
        ("", "1", "fp32", "Engine"),
        ("none", "1", "mixed", "Engine"),
        ("", "1", "bf16", "Masters"),
        ("none", "1", "bf16", "Masters"),
        ("", "2", "mixed", "ZeRO2"),
        ("zero2", "1", "bf16", "ZeRO2"),
        ("zero3", "1", "fp32", None),
        ("none", "2", "fp32", None),
    ],
)
def test_the_environment_says_which(sharding, processes, precision, engine, monkeypatch):
    for name in ("Engine", "Masters", "ZeRO2"):
        monkeypatch.setattr(engines, name, lambda *_, name=name: name)
    monkeypatch.setenv("SELU_SHARDING", sharding)
    monkeypatch.setenv("WORLD_SIZE", processes)
    if engine:
        assert engines.make(None, {"precision": precision}, CPU) == engine
    else:
        with pytest.raises(MachineError, match=f"^SELU_SHARDING is '{sharding}': give zero2, or n"):
            engines.make(None, {"precision": precision}, CPU)


@pytest.fixture
def sharding(monkeypatch):
    """Sets how one process trains; an update takes several micro-batches."""
    monkeypatch.setitem(engine.BUDGET, "cpu", 64)
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    return lambda name: monkeypatch.setenv(settings.SHARDING, name)


def trained(job, folder, say=print):
    outcome = fit.fit(job, folder, say, pause=0.0)
    return outcome, load_file(folder / "model" / "model.safetensors")


def same(first, second):
    assert (first[0].answers, first[0].history) == (second[0].answers, second[0].history)
    assert first[1].keys() == second[1].keys()
    assert [name for name in first[1] if not torch.equal(first[1][name], second[1][name])] == []


@pytest.mark.ci
@pytest.mark.parametrize(
    ("family", "kind", "head"),
    [("bert", "multi_class", "library"), ("gpt2", "regression", "figure3"), ("t5", "entities", "library")],
)
def test_they_learn_what_deepspeed_has_them_learn_to_the_bit(family, kind, head, model, sharding, tmp_path):
    pytest.importorskip("deepspeed")
    job = tiny.job(model(family), kind, precision="bf16", head=head)
    found = {}
    for name in ("none", "zero2"):
        sharding(name)
        found[name] = trained(job, tmp_path / name)
        assert found[name][0].used["sharding"] == name
    same(found["none"], found["zero2"])


@pytest.mark.ci
@pytest.mark.parametrize("way", [("zero2", "none"), ("none", "zero2"), ("none", "none")], ids="-".join)
def test_a_training_goes_from_one_gpu_to_several_and_back_to_the_bit(way, model, sharding, tmp_path):
    pytest.importorskip("deepspeed")
    job, messages = tiny.job(model("llama"), "multi_label", precision="bf16"), []

    def stop(line):
        if line.startswith("step 4"):
            raise StoppedError

    sharding("none")
    whole = trained(job, tmp_path / "whole")
    sharding(way[0])
    with pytest.raises(StoppedError):
        fit.fit(job, tmp_path / "broken", stop, pause=0.0)
    left = json.loads((tmp_path / "broken" / "checkpoint.json").read_text())
    state = load_file(tmp_path / "broken" / left["folder"] / "optimizer.safetensors")
    assert {name.partition(":")[0] for name in state} == {"exp_avg", "exp_avg_sq", "master", "step"}
    sharding(way[1])
    same(trained(job, tmp_path / "broken", messages.append), whole)
    assert messages[0].startswith("goes on after step")


def live() -> dict[int, int]:
    """Bytes by place of all memory that tensors of this process stand in."""
    gc.collect()
    found = [tensor for tensor in gc.get_objects() if type(tensor) in (torch.Tensor, torch.nn.Parameter)]
    found += [tensor.grad for tensor in found if tensor.is_leaf and tensor.grad is not None]
    storages = [tensor.untyped_storage() for tensor in found]
    return {storage.data_ptr(): storage.nbytes() for storage in storages}


@pytest.mark.ci
@pytest.mark.parametrize("precision", ["bf16", "fp32"])
def test_a_training_takes_the_memory_that_is_planned(precision, model, sharding):
    """Beside activations; planned too low, it dies hours after its start."""
    sharding("none")
    before = live()
    job = tiny.job(model("llama"), "binary", precision=precision, head="library")
    tokenizer = load_tokenizer(model("llama"))
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    network = build(model("llama"), tokenizer, shape_of(job), job.seed, dtype)
    machine = engines.make(network, job.params, CPU)
    examples = Prepared(job, tokenizer, len(tokenizer)).lesson.train(0)
    batch = batches.collate(examples, [1, 0], network.form(CPU), False)
    for _ in range(2):  # the second one over the moments that the first one made
        machine.backward(machine.network(batch).float().square().sum())
        peak = {place: size for place, size in live().items() if place not in before}
        machine.update(1e-3)
    if precision == "bf16":
        assert all(weight.grad is None for weight in network.parameters())
    planned = memory.training(from_config(network.model.config.to_dict()), precision, 0)
    assert sum(peak.values()) == pytest.approx(planned, rel=0.1)
