from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import tiny
import torch
from fit_together import SMALL
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from selu.systems.finetune import batches, fit, settings
from selu.systems.finetune.engines import chosen as engines
from selu.systems.finetune.engines import engine, zero
from selu.systems.finetune.job import Job
from selu.systems.finetune.job_examples import Prepared
from selu.systems.finetune.models import build, load_tokenizer, shape_of
from selu.vocabulary import MachineError, SeluError

ROUNDING = (2e-7, 1e-5)  # what ``apart`` may find between two orders of the same sums in fp32

CPU = torch.device("cpu")


def whole(family, folder):
    """A tiny model that drops nothing, so that shares of a batch learn what the whole batch does.

    Of 13 rows in batches of 4 the last update of an epoch has one row, and one of two processes none.
    """
    tiny.make(family, folder)
    path = folder / "config.json"
    config = json.loads(path.read_text())
    names = [name for name in config if "dropout" in name and isinstance(config[name], float)]
    path.write_text(json.dumps({**config, **dict.fromkeys(names, 0.0)}))
    return folder


def made(folder, kind, **params):
    return tiny.job(folder, kind, **{"dropout": 0.0, "criterion": "loss", **params})


def weights(scratch):
    return load_file(scratch / "model" / "model.safetensors")


def apart(first, second):
    """What all but a thousandth of two trainings' weights differ by at most, and what the farthest differ by.

    AdamW divides a gradient by its size: where it is next to nothing, rounding decides on a whole step. So it
    is with the biases of keys, of which a softmax takes no notice and which are left out, and now and then with
    a weight among thousands, another on another processor.
    """
    assert first.keys() == second.keys()
    names = [name for name in first if not name.endswith("key.bias")]
    distances = torch.cat([(first[name].double() - second[name].double()).abs().flatten() for name in names])
    return float(distances.quantile(0.999)), float(distances.max())


def equal(first, second):
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return {family: whole(family, folder / family) for family in ("bert", "llama", "t5")}


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setitem(engine.BUDGET, "cpu", SMALL)


@pytest.fixture
def alone(monkeypatch):
    """Has this process train by an engine of several, as the only one of them."""
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    return lambda sharding: monkeypatch.setenv(settings.SHARDING, sharding)


class TestShares:
    @given(st.lists(st.integers(1, 500), max_size=80), st.integers(1, 9))
    def test_every_row_is_in_one_share_and_no_share_is_longer_than_another_by_more_than_a_row(
        self, lengths, processes
    ):
        parts = zero.shares(range(len(lengths)), lengths, processes)
        held = [sum(lengths[row] for row in part) for part in parts]
        assert sorted(row for part in parts for row in part) == list(range(len(lengths)))
        assert max(held) - min(held) <= max(lengths, default=0)


class TestZeRO:
    def test_zero_without_deepspeed_is_refused(self, alone, monkeypatch, models, tmp_path):
        monkeypatch.setitem(sys.modules, "deepspeed", None)
        alone("zero2")
        with pytest.raises(MachineError, match=r"^DeepSpeed is not installed.* set SELU_PROCESSES=1\.$"):
            fit.fit(made(models["llama"], "binary"), tmp_path, print)

    @pytest.mark.parametrize("given", ["none", "-1", "0"])
    def test_tokens_at_once_are_a_number(self, given, monkeypatch):
        monkeypatch.setenv(settings.TOKENS_AT_ONCE, given)
        with pytest.raises(SeluError, match=r"^SELU_MICRO_BATCH_TOKENS is .*: give a number of tokens\.$"):
            zero._cap()


class TestOneProcess:
    @pytest.mark.ci
    def test_learns_what_the_plain_engine_learns(self, alone, models, small, tmp_path):
        pytest.importorskip("deepspeed")
        job = made(models["bert"], "multi_class")
        plain = fit.fit(job, tmp_path / "plain", print)
        alone("zero2")
        outcome = fit.fit(job, tmp_path / "shared", print)
        most, farthest = apart(weights(tmp_path / "plain"), weights(tmp_path / "shared"))
        assert most < ROUNDING[0]
        assert farthest < ROUNDING[1]
        assert outcome.answers == plain.answers
        assert (outcome.used["processes"], outcome.used["sharding"]) == (1, "zero2")

    @pytest.mark.parametrize("sharding", ["none", "zero2"])
    def test_weights_in_bf16_have_masters_and_moments_in_fp32(self, sharding, alone, models):
        pytest.importorskip("deepspeed")
        job, folder = made(models["bert"], "multi_class", precision="bf16"), models["bert"]
        tokenizer = load_tokenizer(folder)
        network = build(folder, tokenizer, shape_of(job), job.seed, torch.bfloat16)
        alone(sharding)
        machine, examples = (
            engines.make(network, job.params, CPU),
            Prepared(job, tokenizer, len(tokenizer)).lesson.train(0),
        )
        before = machine.weights()
        batch = batches.collate(examples, [1, 0], network.form(CPU), False)
        for _ in range(2):
            machine.backward(machine.network(batch).float().square().sum())
            machine.update(1e-7)
        state, after = machine.state(), machine.weights()
        kinds = {name.partition(":")[0] for name in state}
        assert kinds == {"master", "exp_avg", "exp_avg_sq", "step"}
        assert {tensor.dtype for tensor in state.values()} == {torch.float32}
        assert {tensor.dtype for tensor in after.values()} == {torch.bfloat16}
        name = "model.embeddings.word_embeddings.weight"  # updates of 1e-7 are lost in its own precision
        assert torch.equal(before[name], after[name])
        assert any(tensor.shape == after[name].shape and not torch.equal(tensor, tensor.bfloat16().float())
                   for kind, tensor in state.items() if kind.startswith("master"))  # fmt: skip

    def test_out_of_memory_under_zero_names_half_the_tokens(self, alone, models, monkeypatch, tmp_path):
        pytest.importorskip("deepspeed")
        alone("zero2")
        monkeypatch.setenv(settings.TOKENS_AT_ONCE, "400")

        def full(_self, loss):
            raise torch.OutOfMemoryError

        monkeypatch.setattr(zero.ZeRO2, "backward", full)
        with pytest.raises(
            zero.TooLargeError, match=r"set SELU_MICRO_BATCH_TOKENS=200 and run it again"
        ) as caught:
            fit.fit(made(models["llama"], "binary"), tmp_path, print)
        assert caught.value.budget == 200


ORDERS = [
    (sharding, family, kind, precision, stops)
    for sharding, family, kind, precision in (
        ("zero2", "bert", "multi_class", "fp32"),
        ("zero2", "llama", "multi_label", "fp32"),
        ("zero2", "t5", "entities", "fp32"),
        ("zero2", "bert", "masked", "mixed"),
        ("zero2", "llama", "binary", "bf16"),
    )
    for stops in ((), (1, 5))
]
LEFT = (("zero2", "bert", "multi_class", "fp32", (7,)), ("zero2", "llama", "binary", "bf16", (7,)))


@pytest.fixture(scope="module")
def together(models, tmp_path_factory):
    """Folder of each training that two processes did, all of them in one start."""
    pytest.importorskip("deepspeed")
    base = tmp_path_factory.mktemp("together")
    folders = {order: base / str(i) for i, order in enumerate([*ORDERS, *LEFT])}
    orders = [
        {
            "job": made(models[family], kind, precision=precision).to_json(), "scratch": str(folders[order]),
            "sharding": sharding, "stops": stops, "finish": order not in LEFT,
        }
        for order in folders
        for sharding, family, kind, precision, stops in [order]
    ]  # fmt: skip
    (base / "orders.json").write_text(json.dumps(orders))
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--local-addr=127.0.0.1"]
    command += [
        "--nproc-per-node=2",
        str(Path(__file__).parents[1] / "fit_together.py"),
        str(base / "orders.json"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return folders


@pytest.mark.slow
class TestTwoProcesses:
    @pytest.mark.parametrize(
        "order", [order for order in ORDERS if not order[-1]], ids=lambda o: "-".join(o[:4])
    )
    def test_learn_and_answer_what_one_does(self, order, together, models, small, tmp_path):
        sharding, family, kind, precision, _ = order
        plain = fit.fit(made(models[family], kind, precision=precision), tmp_path, print)
        shared = json.loads((together[order] / "outcome.json").read_text())
        assert shared["used"]["processes"] == 2
        assert shared["used"]["sharding"] == sharding
        assert shared["steps"] == plain.steps
        assert [entry["step"] for entry in shared["history"]] == [entry["step"] for entry in plain.history]
        most, farthest = apart(weights(tmp_path), weights(together[order]))
        if precision == "fp32":
            assert most < ROUNDING[0]
            assert farthest < ROUNDING[1]
            assert shared["answers"] == plain.answers
            assert shared["picked_step"] == plain.picked_step
            assert shared["cost"]["useful_tokens"] == plain.cost["useful_tokens"]
        else:  # sums of bf16 gradients in another order
            assert most < 1e-3
            assert farthest < 0.05

    @pytest.mark.parametrize("order", [order for order in ORDERS if order[-1]], ids=lambda o: "-".join(o[:4]))
    def test_interrupted_they_end_with_the_same_bits(self, order, together):
        outcomes = [
            json.loads((together[each] / "outcome.json").read_text()) for each in ((*order[:4], ()), order)
        ]
        assert equal(weights(together[*order[:4], ()]), weights(together[order]))
        for name in ("answers", "history", "picked_step", "steps"):
            assert outcomes[0][name] == outcomes[1][name]
        assert outcomes[0]["cost"]["computed_tokens"] == outcomes[1]["cost"]["computed_tokens"]

    @pytest.mark.parametrize("order", LEFT, ids=lambda o: o[3])
    def test_one_goes_on_from_what_two_left_under_zero(self, order, together, models, small, tmp_path):
        _, family, kind, precision, _ = order
        job, messages = made(models[family], kind, precision=precision), []
        fit.fit(job, tmp_path, print)
        fit.fit(Job.from_json(json.loads(json.dumps(job.to_json()))), together[order], messages.append)
        assert messages[0] == "goes on after step 7 of 12"
        most, farthest = apart(weights(tmp_path), weights(together[order]))
        bounds = ROUNDING if precision == "fp32" else (1e-3, 0.05)
        assert most < bounds[0]
        assert farthest < bounds[1]
