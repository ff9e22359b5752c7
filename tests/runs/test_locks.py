from __future__ import annotations

import errno
import fcntl
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from selu.runs import locks
from selu.vocabulary import MachineError

HOLD = "import sys, time; from pathlib import Path; from selu.runs import locks\n"
HOLD += "print(locks.take(Path(sys.argv[1])) is not None, flush=True); time.sleep(600)"


def hold(path: Path) -> subprocess.Popen[str]:
    """Another process that takes a lock and keeps it."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    return process


def test_one_holds_it_and_it_leaves_no_file(tmp_path):
    path = tmp_path / "new" / "folders" / "lock"
    first = locks.take(path)
    assert first is not None
    with first:
        assert locks.take(path) is None
    assert not path.exists()
    again = locks.take(path)
    assert again is not None
    again.release()


def test_a_killed_process_holds_nothing(tmp_path):
    path = tmp_path / "lock"
    process = hold(path)
    assert locks.take(path) is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    found = locks.take(path)
    assert found is not None
    found.release()


def _count(path: str, log: str, rounds: int) -> None:
    for _ in range(rounds):
        while (lock := locks.take(Path(path))) is None:
            time.sleep(0.0005)
        number = os.open(log, os.O_RDWR)
        value = int(os.read(number, 20) or b"0")
        os.lseek(number, 0, os.SEEK_SET)
        os.write(number, str(value + 1).encode())
        os.close(number)
        lock.release()


def test_nobody_else_is_inside_while_it_is_held(tmp_path):
    """Taken, given up and taken again by three processes: an update of a counter is never lost."""
    log = tmp_path / "log"
    log.write_text("0")
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_count, args=(str(tmp_path / "lock"), str(log), 150)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert log.read_text() == "450"


def test_a_file_system_without_locks(tmp_path, monkeypatch):
    def refuse(*_arguments: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(MachineError) as caught:
        locks.take(tmp_path / "lock")
    assert str(caught.value) == (
        f"{tmp_path} can't hold locks (No locks available): put the project on another file system."
    )
