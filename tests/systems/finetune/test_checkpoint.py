from __future__ import annotations

import errno
import hashlib
import itertools
import json
import os
import signal
import sys

import pytest
import safetensors.torch
import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from selu.systems.finetune import checkpoint
from selu.vocabulary import SeluError

EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")


def content(step):
    draw = torch.Generator().manual_seed(step)
    some = {f"w{i}": torch.randn(7, i + 1, generator=draw) for i in range(3)}
    return {"step": step, "history": [{"step": step, "score": 0.1 + 0.2}]}, {
        "weights": {**some, "half": some["w0"].bfloat16(), "empty": torch.empty(0, 3)},
        "optimizer": {"step:0": torch.tensor(float(step)), "exp_avg:0": some["w1"] * 1e-30},
    }


def save(folder, step, key="job"):
    checkpoint.save(folder, key, *content(step))


def availability(folder, key="job"):
    """The step that stands, all of it checked to the bit; None where there is none."""
    found = checkpoint.load(folder, key)
    if found is None:
        return None
    state, tensors = found
    wanted, each = content(state["step"])
    assert state == wanted
    assert {name: set(group) for name, group in tensors.items()} == {
        name: set(group) for name, group in each.items()
    }
    for name, group in each.items():
        for tensor in group:
            assert tensors[name][tensor].dtype == group[tensor].dtype
            assert torch.equal(tensors[name][tensor], group[tensor])
    return state["step"]


def test_the_last_one_stands_alone(tmp_path):
    for step in (1, 2, 5):
        save(tmp_path, step)
        assert availability(tmp_path) == step
    assert len(list(tmp_path.iterdir())) == 2


def test_files_are_those_of_the_library_with_the_hash_of_what_was_written(tmp_path):
    save(tmp_path, 2)
    record = json.loads((tmp_path / checkpoint.NAME).read_text())
    for name, tensors in content(2)[1].items():
        save_file(tensors, tmp_path / "wanted")
        found = tmp_path / record["folder"] / f"{name}.safetensors"
        assert found.read_bytes() == (tmp_path / "wanted").read_bytes()
        assert record["files"][found.name] == hashlib.sha256(found.read_bytes()).hexdigest()


def test_what_a_killed_writer_left_goes_with_the_next(tmp_path):
    save(tmp_path, 1)
    (tmp_path / "state-9-1").mkdir()
    (tmp_path / "state-9-1/weights.safetensors").write_bytes(b"half")
    save(tmp_path, 2)
    assert availability(tmp_path) == 2
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("harm", ["bit", "missing", "json", "key"])
def test_damaged(tmp_path, harm):
    save(tmp_path, 3)
    record = tmp_path / checkpoint.NAME
    (file,) = tmp_path.glob("state-*/weights.safetensors")
    if harm == "bit":
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.write_bytes(data)
    elif harm == "missing":
        file.unlink()
    else:
        text = record.read_text()
        record.write_text(text[:40] if harm == "json" else text.replace('"key"', '"other"'))
    with pytest.raises(SeluError, match=f"damaged: delete {tmp_path} to train from the beginning"):
        checkpoint.load(tmp_path, "job")


class Killer:
    """Ends its process just before the n-th operation on the disk, or half-way through a library's writing."""

    def __init__(self, after):
        self.left = after

    def count(self):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(self, event, arguments):
        if event in EVENTS:
            self.count()

    def fsync(self, handle, real=os.fsync):
        self.count()
        real(handle)

    def put(self, tensors, path, real=save_file):
        self.count()
        real(tensors, path)
        if self.left == 1:  # half of it is written, and then it ends
            os.truncate(path, path.stat().st_size // 2)
            self.count()


def killed(work, after):
    """Whether a process that does this work was killed before the end."""
    child = os.fork()
    if child == 0:
        try:
            killer = Killer(after)
            os.fsync, safetensors.torch.save_file = killer.fsync, killer.put
            sys.addaudithook(killer.hook)
            work()
            os._exit(0)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code != 0


def until_killed_no_more(prepare, work):
    """For every operation in turn, of at least nine: prepare, and have the work killed there."""
    for after in itertools.count(1):
        folder = prepare(after)
        ended = not killed(lambda folder=folder: work(folder), after)
        yield folder
        if ended:
            assert after > 8
            return


class TestKills:
    """SIGKILL at every operation of a writer: the old checkpoint or the new one stands."""

    @pytest.mark.ci
    @pytest.mark.parametrize("before", [None, 1])
    def test_the_old_one_or_the_new_one_stands(self, tmp_path, before):
        def prepare(n):
            if before:
                save(tmp_path / str(n), before)
            return tmp_path / str(n)

        found = []
        for folder in until_killed_no_more(prepare, lambda folder: save(folder, 2)):
            found.append(availability(folder))
            save(folder, 3)
            assert availability(folder) == 3
            assert len(list(folder.glob("state-*"))) == 1
        assert (found[0], found[-1]) == (before, 2)
        assert set(found) == {before, 2}
        assert found == sorted(found, key=lambda step: step or 0)


@pytest.mark.parametrize("at", range(1, 4))
def test_a_disk_that_is_full_loses_nothing(tmp_path, monkeypatch, at):
    save(tmp_path, 1)
    calls = 0

    def full(*arguments, real=os.fsync):
        nonlocal calls
        calls += 1
        if calls == at:
            raise OSError(28, "No space left on device")
        return real(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(Exception, match="No space left"):
            save(tmp_path, 2)
    assert availability(tmp_path) in (1, 2)
    save(tmp_path, 3)
    assert availability(tmp_path) == 3
    assert len(list(tmp_path.glob("state-*"))) == 1


def test_a_disk_that_is_full_in_the_middle_leaves_the_state_before_and_says_where(tmp_path, monkeypatch):
    save(tmp_path, 1)
    monkeypatch.setattr(safetensors.torch, "save_file", full)
    with pytest.raises(SeluError, match=r"state-2-\d+/weights\.safetensors can't be written \(.*No space left"):
        save(tmp_path, 2)
    assert availability(tmp_path) == 1
    assert len(list(tmp_path.glob("state-*"))) == 1  # what was half-written takes no room


def full(tensors, path):
    path.write_bytes(b"half")
    raise SafetensorError(f"Error while serializing: I/O error: {os.strerror(errno.ENOSPC)} (os error 28)")
