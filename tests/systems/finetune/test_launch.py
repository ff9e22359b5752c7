from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tiny
import torch

from selu.systems.finetune import cost, fit, launch, models, settings
from selu.systems.finetune.cost import memory
from selu.systems.finetune.engines import engine, zero
from selu.vocabulary import MachineError, SeluError

LONG = {"epochs": 500, "evaluations": 1000, "patience": 10**6}  # longer than any test waits


@pytest.fixture(autouse=True)
def _nothing_asked(monkeypatch):
    for name in (settings.PROCESSES, settings.SHARDING, settings.TOKENS_AT_ONCE, settings.RECOMPUTE):
        monkeypatch.delenv(name, raising=False)


def _ranks(scratch):
    """Process id by rank of those that train in this folder."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes().decode()
            environment = (entry / "environ").read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            continue
        ranks = [item[5:] for item in environment.split("\0") if item.startswith("RANK=")]
        if str(scratch / "job.json") in line and ranks:
            found[int(ranks[0])] = int(entry.name)
    return found


def _gone(scratch):
    for _ in range(100):
        if not _ranks(scratch):
            return True
        time.sleep(0.2)
    return False


class TestProcessesHere:
    @pytest.mark.parametrize(
        ("gpus", "asked", "found"),
        [
            (0, {}, (1, "none")),
            (1, {}, (1, "none")),
            (4, {}, (4, "zero2")),
            (4, {"SELU_PROCESSES": "2"}, (2, "zero2")),
            (4, {"SELU_PROCESSES": "1"}, (1, "none")),
            (0, {"SELU_PROCESSES": "2"}, (2, "zero2")),
            (0, {"SELU_PROCESSES": "1", "SELU_SHARDING": "zero2"}, (1, "zero2")),
        ],
    )
    def test_all_gpus_work_together(self, gpus, asked, found, monkeypatch):
        pytest.importorskip("deepspeed")
        monkeypatch.setattr(torch.cuda, "is_available", lambda: gpus > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
        for name, value in asked.items():
            monkeypatch.setenv(name, value)
        assert launch.processes_here() == found

    def test_several_processes_without_deepspeed_are_refused(self, monkeypatch):
        monkeypatch.setattr(launch, "find_spec", lambda _: None)
        assert launch.processes_here() == (1, "none")
        monkeypatch.setenv("SELU_PROCESSES", "2")
        with pytest.raises(MachineError, match=r"'make finetune-env.* installs it, or set SELU_PROCESSES=1\.$"):
            launch.processes_here()

    @pytest.mark.parametrize(
        ("asked", "sentence"),
        [
            ({"SELU_PROCESSES": "two"}, r"^SELU_PROCESSES is 'two': give a number of processes, such as 2\.$"),
            ({"SELU_PROCESSES": "0"}, r"^SELU_PROCESSES is '0': give a number"),
            ({"SELU_PROCESSES": "3"}, r"^SELU_PROCESSES is 3, but there are 2 GPUs here: give at most 2\.$"),
            ({"SELU_SHARDING": "zero3"}, r"^SELU_SHARDING is 'zero3': give zero2\.$"),
            ({"SELU_SHARDING": "none"}, r"^SELU_SHARDING is none, which is one process, but SELU_.* is 2\.$"),
        ],
    )  # fmt: skip
    def test_what_cannot_be_is_refused(self, asked, sentence, monkeypatch):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
        for name, value in {"SELU_PROCESSES": "2", **asked}.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(MachineError, match=sentence):
            launch.processes_here()


class TestFailures:
    OTHER = {"plain": False, "machine": True, "error": "RuntimeError: Connection closed by peer"}  # noqa: RUF012

    def refusal(self, failures, published=""):
        with pytest.raises(SeluError) as caught:
            launch._smaller(failures, published, 2, {}, print)
        return type(caught.value), str(caught.value)

    def test_a_plain_failure_comes_before_those_that_it_causes(self):
        plain = {"plain": True, "machine": False, "error": "the loss is not a number at step 3 of 9."}
        assert self.refusal([self.OTHER, plain]) == (SeluError, plain["error"])

    def test_a_process_that_a_signal_ended_is_named(self):
        published = "  rank      : 0 (local_rank: 0)\n  exitcode  : -15 (pid: 1)\n"
        published += "  rank      : 1 (local_rank: 1)\n  exitcode  : -9 (pid: 2)\n"
        kind, sentence = self.refusal([self.OTHER], published)
        assert kind is MachineError
        assert sentence == (
            "process 2 of 2 was killed, as for want of memory; the checkpoint stands: run it again."
        )

    def test_anything_else_is_told_by_what_the_first_one_says(self):
        assert (
            "failed (RuntimeError: Connection closed by peer); the checkpoint" in self.refusal([self.OTHER])[1]
        )
        assert "failed (no module named torch); the" in self.refusal([], "no module named torch\n\n")[1]

    def test_out_of_memory_starts_all_again_with_half_the_tokens(self):
        messages = []
        failure = launch._failure(zero.TooLargeError(512))
        found = launch._smaller([self.OTHER, failure], "", 2, {}, messages.append)
        assert found == {"SELU_MICRO_BATCH_TOKENS": "512"}
        assert messages == ["out of memory: 512 tokens at once, from the last checkpoint on"]

    def test_where_fewer_tokens_do_not_help_layers_are_computed_again(self):
        failure, messages = launch._failure(zero.TooLargeError(32, 8192)), []
        assert launch._smaller([failure], "", 2, {}, messages.append) == {"SELU_RECOMPUTE": "6144"}
        assert "layers are computed twice for texts of more than 6144 tokens" in messages[0]
        failure = launch._failure(zero.TooLargeError(32, 4000))
        found = launch._smaller([failure], "", 2, {"SELU_RECOMPUTE": "6144"}, print)
        assert found == {"SELU_RECOMPUTE": "3000"}
        failure = launch._failure(engine.MemoryShortError("too small"))
        with pytest.raises(engine.MemoryShortError, match="too small"):
            launch._smaller([failure], "", 2, found, print)


def full(*_):
    raise torch.OutOfMemoryError("made up")


class TestMoreGpus:
    @pytest.mark.ci
    def test_are_taken_where_memory_is_too_small_for_one_text(self, model, tmp_path, monkeypatch):
        """The allocator is made up: one process never has memory for a layer's activations."""
        pytest.importorskip("deepspeed")
        job, messages, tried = tiny.job(model("llama"), "binary"), [], []

        def together(job, scratch, say, processes, sharding, pause, real=launch.attempt):
            tried.append((processes, sharding))
            if processes == 1:
                return real(job, scratch, say, processes, sharding, pause)
            if processes < 4:
                raise engine.MemoryShortError("made up")
            return "an outcome"

        monkeypatch.setattr(models.Network, "forward", full)
        monkeypatch.setattr(launch, "attempt", together)
        monkeypatch.setattr(launch, "_gpus", lambda: 4)
        assert launch.run(job, tmp_path, messages.append, 1, "none") == "an outcome"
        assert tried == [(1, "none"), (2, "zero2"), (4, "zero2")]
        assert messages[-3].startswith("out of memory: layers are computed twice for texts of more than ")
        assert messages[-2:] == [f"out of memory: {n} GPUs from the last checkpoint on" for n in (2, 4)]
        monkeypatch.setattr(launch, "_gpus", lambda: 2)
        with pytest.raises(MachineError, match="made up"):
            launch.run(job, tmp_path, messages.append, 2, "zero2")

    def test_weights_that_do_not_fit_are_told_in_words(self, model, tmp_path, monkeypatch):
        monkeypatch.setattr(engine.Engine, "__init__", full)
        with pytest.raises(MachineError, match="weights and the optimizer's state need more memory"):
            launch.run(tiny.job(model("llama"), "binary"), tmp_path, print, 1, "none")

    @pytest.mark.parametrize("precision", ["fp32", "bf16"])
    def test_memory_that_the_optimizer_lacks_halves_no_micro_batch_and_names_the_gpus(
        self, model, tmp_path, monkeypatch, precision
    ):
        """Fewer tokens at once leave its state as large as it is: eleven attempts would fail alike."""
        steps, messages = [], []

        def full(self, closure=None):
            steps.append(closure)
            raise torch.OutOfMemoryError("made up")

        job = tiny.job(model("llama"), "binary", precision=precision)
        shape = cost.shape_of(json.loads((Path(job.model["folder"]) / "config.json").read_text()))
        each = memory.training(shape, precision, 0, processes=4)
        monkeypatch.setattr(torch.optim.AdamW, "step", full)
        monkeypatch.setattr(launch, "_gpu_memory", lambda: each + 1)
        with pytest.raises(
            engine.MemoryShortError, match=r"^weights and .* than there is: 4 GPUs of 0 GiB hold"
        ):
            launch.run(job, tmp_path, messages.append, 1, "none")
        assert len(steps) == 1
        assert not any("out of memory" in line for line in messages)


class TestRun:
    def test_one_process_is_this_one(self, model, tmp_path):
        job = tiny.job(model("llama"), "binary", dropout=0.0)
        assert launch.fit(job, tmp_path / "a", print).answers == fit.fit(job, tmp_path / "b", print).answers
        assert not (tmp_path / "a" / "job.json").exists()

    @pytest.mark.ci
    def test_what_the_user_did_wrong_is_told_as_one_process_tells_it(self, model, tmp_path):
        job = tiny.job(model("llama"), "binary", learning_rate=1e30, warmup=0.0)
        with pytest.raises(SeluError, match=r"^the (loss|evaluation) .* no number"):
            launch.run(job, tmp_path, print, 2, "zero2")
        assert [path.name for path in tmp_path.iterdir()] == []

    @pytest.mark.slow
    def test_a_killed_process_ends_all_and_the_checkpoint_goes_on(self, model, tmp_path):
        pytest.importorskip("deepspeed")
        job, messages = tiny.job(model("llama"), "binary", **LONG), []

        def hear(line):
            messages.append(line)
            if len(messages) == 2:
                os.kill(_ranks(tmp_path)[1], signal.SIGKILL)

        with pytest.raises(MachineError, match=r"^process 2 of 2 was killed, as for want of memory; the check"):
            launch.run(job, tmp_path, hear, 2, "zero2", pause=0)
        assert _gone(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} > {"checkpoint.json"}

        def stop(line):
            messages.append(line)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            launch.run(job, tmp_path, stop, 2, "zero2", pause=0)
        assert _gone(tmp_path)
        assert messages[-1].startswith("goes on after step ")
        assert not (tmp_path / "job.json").exists()

    @pytest.mark.slow
    def test_they_end_with_whoever_started_them(self, model, tmp_path):
        job = tiny.job(model("llama"), "binary", **LONG)
        (tmp_path / "given.json").write_text(json.dumps(job.to_json()))
        script = (
            "import json, sys; from pathlib import Path; from selu.systems.finetune import launch\n"
            "from selu.systems.finetune.job import Job; base = Path(sys.argv[1])\n"
            "job = Job.from_json(json.loads((base / 'given.json').read_text()))\n"
            "launch.run(job, base, lambda line: print(line, flush=True), 2, 'zero2')\n"
        )
        caller = subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert caller.stdout is not None
        assert caller.stdout.readline().startswith("step ")
        assert len(_ranks(tmp_path)) == 2
        caller.kill()
        caller.wait()
        assert _gone(tmp_path)


@pytest.mark.parametrize(("share", "fractions"), [("0.2250", [0.225]), (None, [])])
def test_a_training_that_shares_a_gpu_may_take_its_share_of_the_memory(tmp_path, monkeypatch, share, fractions):
    """Else the first one takes all, and those beside it fail."""
    given = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "set_per_process_memory_fraction", given.append)
    monkeypatch.setattr(fit, "fit", lambda *_: "outcome")
    if share:
        monkeypatch.setenv(settings.GPU_SHARE, share)
    job = tiny.job(tmp_path, "binary")
    assert launch.attempt(job, tmp_path, print, 1, "none") == "outcome"
    assert given == fractions
