from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from selu.runs.workers import SETTINGS, Workers
from selu.vocabulary import MachineError, SeluError

# What a worker of these tests does for each request; it imports nothing that takes time.
OBEDIENT = """
import json, os, signal, sys, time
for line in sys.stdin:
    request = json.loads(line)
    if "touch" in request: open(request["touch"], "w").close()
    time.sleep(request.get("sleep", 0))
    if request.get("die"): os.kill(os.getpid(), request["die"])
    if "child" in request:
        from subprocess import DEVNULL, Popen
        with open(request["child"], "w") as stream:
            stream.write(str(Popen(["sleep", "60"], stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL).pid))
    if "exit" in request:
        if "late" in request: os.close(1); time.sleep(request["late"])
        sys.exit(request["exit"])
    if "say" in request: print(request["say"], file=sys.stderr, flush=True)
    for number in range(request.get("steps", 0)): print(json.dumps({"say": f"step {number}"}), flush=True)
    if "garbage" in request: print(request["garbage"], flush=True); continue
    answer = {"pid": os.getpid(), "session": os.getsid(0), "got": request}
    if "show" in request: answer["value"] = os.environ.get(request["show"])
    answer.update(request.get("answer", {}))
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "obedient.py").write_text(OBEDIENT)
    return tmp_path


@pytest.fixture
def workers(folder: Path) -> Iterator[Workers]:
    with pool(folder) as found:
        yield found


def pool(folder: Path, size: int = 2, interpreter: str = sys.executable) -> Workers:
    return Workers(Path(interpreter), "obedient", folder, size, folder / "logs" / "workers.log")


def ended(pid: int) -> bool:
    """Gone, or waiting for whoever inherits it to take note."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not done() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert done()


def test_every_request_is_answered_once_by_two_side_by_side(workers):
    found = dict(workers.each([{"text": f"é\u2028{number}", "sleep": 0.05} for number in range(20)]))
    assert {i: answer["got"]["text"] for i, answer in found.items()} == {i: f"é\u2028{i}" for i in range(20)}
    assert len({answer["pid"] for answer in found.values()}) == 2


def test_one_thread_and_the_source_stand_above_the_environment_of_the_caller(folder, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "16")
    with pool(folder, 1) as workers:
        for name, value in {**SETTINGS, "PYTHONPATH": str(folder)}.items():
            assert workers.ask({"show": name})["value"] == value


def test_a_worker_is_a_session_of_its_own(workers):
    """Ctrl-C in a terminal goes to the caller alone."""
    answer = workers.ask({})
    assert answer["session"] == answer["pid"] != os.getsid(0)


def test_a_cells_fault_and_the_machines_are_told_apart(workers):
    with pytest.raises(SeluError, match=r"^one class$") as caught:
        workers.ask({"answer": {"error": "one class"}})
    assert not isinstance(caught.value, MachineError)
    with pytest.raises(MachineError, match=r"^no disk$"):
        workers.ask({"answer": {"error": "no disk", "machine": True}})
    assert workers.ask({"a": 1})["got"] == {"a": 1}


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({"die": signal.SIGKILL}, "was ended by SIGKILL; the machine may be out of memory: try --jobs 1"),
        ({"die": signal.SIGTERM}, "was ended by SIGTERM; what it printed"),
        ({"exit": 3}, "ended with code 3"),
        ({"exit": 0}, "ended with code 0"),
    ],
)
def test_a_worker_that_dies_is_said_in_a_sentence_and_replaced(workers, folder, request_, says):
    with pytest.raises(MachineError) as caught:
        workers.ask(request_)
    words = str(caught.value)
    assert says in words
    assert words.endswith(f"{folder / 'logs' / 'workers.log'}.")
    assert "\n" not in words
    assert workers._started[0]._process.poll() is not None
    assert [workers.ask({"n": n})["got"]["n"] for n in range(4)] == [*range(4)]


def test_the_group_of_a_worker_that_died_is_killed_then_and_never_again(folder, monkeypatch):
    """Its number may be another group's by then."""
    child = folder / "child"
    killed: list[tuple[int, int]] = []
    with pool(folder, 1) as workers:
        with pytest.raises(MachineError, match="ended with code 3"):
            workers.ask({"child": str(child), "exit": 3})
        until(lambda: ended(int(child.read_text())))
        monkeypatch.setattr(os, "killpg", lambda *group: killed.append(group))
        workers.stop()
    assert killed == []


def test_a_worker_that_ends_after_its_pipe_keeps_its_exit_code(workers):
    with pytest.raises(MachineError, match=r"ended with code 3; what"):
        workers.ask({"exit": 3, "late": 0.5})


def test_a_worker_that_cant_be_replaced_is_the_machines_each_time(folder):
    with pool(folder, 1) as workers:
        with pytest.raises(MachineError, match="ended with code 1"):
            workers.ask({"exit": 1})
        workers._command = [str(folder / "none")]
        for _ in range(2):
            with pytest.raises(MachineError, match="can't be started"):
                workers.ask({})


def test_a_worker_that_was_replaced_is_kept_no_longer(workers):
    for _ in range(3):
        with pytest.raises(MachineError):
            workers.ask({"exit": 1})
    assert len(workers._started) == 1


@pytest.mark.parametrize("fault", ["SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL"])
def test_a_fault_in_a_library_is_the_cells_and_its_signal_is_named(workers, fault):
    """No machine is at fault: whoever runs it again on another one would wait in vain."""
    with pytest.raises(SeluError) as caught:
        workers.ask({"die": signal.Signals[fault]})
    assert not isinstance(caught.value, MachineError)
    assert str(caught.value) == (
        f"a worker process was ended by {fault}, a fault in a library; what it printed is in logs/workers.log, "
        "'selu run --only failed' tries again."
    )
    assert workers.ask({"n": 1})["got"]["n"] == 1


def test_what_is_no_answer_is_shown(workers):
    with pytest.raises(MachineError, match="answers 'Segmentation"):
        workers.ask({"garbage": "Segmentation fault"})


def test_an_interpreter_that_cant_be_started(folder):
    wrong = folder / "python"
    wrong.write_bytes(b"\x7fELF nothing")
    for path in (folder / "none", wrong):
        with pool(folder, 1, str(path)) as workers, pytest.raises(MachineError) as caught:
            workers.ask({})
        assert str(caught.value).startswith(f"{path} can't be started (")
    wrong.chmod(0o755)
    with (
        pool(folder, 1, str(wrong)) as workers,
        pytest.raises(MachineError, match=r"can't be started|ended with"),
    ):
        workers.ask({})


def test_none_is_started_after_a_stop(folder):
    with pool(folder) as workers:
        workers.ask({})
    with pytest.raises(MachineError, match="were stopped"):
        workers.ask({})
    assert all(process._process.poll() is not None for process in workers._started)


def test_a_fault_keeps_what_was_not_begun_from_being_begun(folder, tmp_path):
    marks = [tmp_path / f"mark{number}" for number in range(8)]
    requests = [{"touch": str(mark), "sleep": 0.3} for mark in marks]
    requests[0] = {"answer": {"error": "one class"}}
    with pool(folder, 1) as workers, pytest.raises(SeluError, match="one class"):
        list(workers.each(requests))
    assert sum(mark.exists() for mark in marks) <= 2


def test_an_interruption_waits_for_no_unit(folder, tmp_path):
    """Whatever ends the caller's loop, a unit of minutes is ended with it."""
    mark, started = tmp_path / "mark", time.monotonic()
    with pool(folder) as workers:
        found = workers.each([{}, {"touch": str(mark), "sleep": 60}])
        next(found)
        until(mark.exists)
        pids = [process._process.pid for process in workers._started]
        with pytest.raises(KeyboardInterrupt):
            found.throw(KeyboardInterrupt)
    assert time.monotonic() - started < 20
    assert all(map(ended, pids))


def test_a_worker_ends_when_its_caller_is_killed(folder):
    code = (
        "import sys; from pathlib import Path; from selu.runs.workers import Workers; "
        f"folder = Path({str(folder)!r}); "
        "w = Workers(Path(sys.executable), 'obedient', folder, 1, folder / 'log'); "
        "print(w.ask({})['pid'], flush=True); import time; time.sleep(60)"
    )
    caller = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert caller.stdout is not None
    worker = int(caller.stdout.readline())
    caller.kill()
    caller.wait()
    until(lambda: ended(worker))


def test_what_a_worker_says_before_its_answer_is_heard_and_what_it_prints_is_logged(workers, folder):
    heard: list[str] = []
    assert workers.ask({"steps": 3}, heard.append)["got"] == {"steps": 3}
    assert workers.ask({"steps": 3})["got"] == {"steps": 3}
    assert heard == ["step 0", "step 1", "step 2"]
    workers.ask({"say": "a library's warning"})
    assert "a library's warning" in (folder / "logs" / "workers.log").read_text()
