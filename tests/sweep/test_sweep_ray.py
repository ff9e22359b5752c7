"""``selu sweep`` on real Ray nodes of this machine: one is killed, one sweep interrupted, another goes on."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import ray_nodes
from helpers import small_project as small
from helpers import stand_in
from selu.app.running.run import run as run_wanted
from selu.execution import plans
from selu.execution.planned import Planned, Wanted
from selu.runs import record
from selu.sweep import node

pytestmark = [pytest.mark.slow, pytest.mark.nodes]
TASKS = (small.BINARY, small.CLASSES, small.LABELS)
WANTED = Wanted(TASKS, ("minilm-l6",))  # 3 tasks, 2 protocols, 10 seeds
WORDS = ("sweep", "--system", "minilm-l6", *(word for task in TASKS for word in ("--task", task)))
SECONDS = 600  # of anything; on two idle cores all of it takes one minute


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project in ``fresh``, and the same after a sequential ``selu run`` in ``alone``."""
    folder, runs = tmp_path_factory.mktemp("ray"), lambda: run_wanted(alone, WANTED, "missing", 1, str)
    (folder / "marks").mkdir()
    fresh = project(folder / "fresh")
    alone = shutil.copytree(fresh, folder / "alone")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STAND_IN", str(folder / "marks"))
        patch.setenv("SELU_FINETUNE_PYTHON", str(stand_in.interpreter(folder / "marks")))
        runs()
        yield folder


@pytest.fixture
def marks(place: Path) -> Path:
    """Where trainings leave their marks, none of them yet."""
    (place / "marks" / "begun").unlink(missing_ok=True)
    return place / "marks"


@pytest.fixture
def nodes(marks: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ray_nodes.Nodes]:
    with ray_nodes.started(monkeypatch) as found:
        yield found


def project(folder: Path) -> Path:
    root = small.make(folder, TASKS)
    small.alter(root, lambda p: p["finetune"].update(seeds=list(range(42, 52))))
    for task in TASKS:
        small.put(root, task, small.table(small.task(task), rows=30))
    return root


class Sweep:
    """A ``selu sweep`` on its way, whose words are collected."""

    def __init__(self, root: Path, *words: str) -> None:
        self._process = small.selu(root, *WORDS, *words)
        self.messages: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.messages.append(line.rstrip())

    def until(self, count: int) -> None:
        """So many cells are over."""
        until = time.monotonic() + SECONDS
        while len(self.over()) < count and time.monotonic() < until:
            assert self._process.poll() is None, self.messages
            time.sleep(0.05)

    def over(self) -> dict[str, str]:
        """Cells that are over, and how."""
        found = (re.match(r"\[\d+/\d+\] (\S+): (.*)", line) for line in self.messages)
        return {match[1]: match[2] for match in found if match}

    def interrupt(self) -> int:
        self._process.send_signal(signal.SIGINT)
        return self.end()

    def end(self) -> int:
        code = self._process.wait(SECONDS)
        self._reader.join()
        return code


def contents(runs: list[Planned]) -> dict[str, bytes]:
    """Predictions and scores; run.json holds times."""
    return {
        f"{r.name}/{n}": (r.folder / n).read_bytes() for r in runs for n in (record.PREDICTIONS, record.SCORES)
    }


def processes(word: str) -> list[str]:
    """Commands of processes with this word in them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if word in command:
            found.append(command)
    return found


def test_sixty_cells_two_sweeps_one_interrupted_and_a_node_killed(tmp_path, place, marks, nodes):
    root, theirs = (shutil.copytree(place / "fresh", tmp_path / name) for name in ("root", "theirs"))
    second = nodes.add(**{node.NODE_ROOT: str(theirs)})
    first, other = (Sweep(root, "--address", nodes.address) for _ in range(2))
    first.until(4)
    assert first.interrupt() == 130
    assert first.messages[-1] == "selu: interrupted; no file is half-written: run it again."
    other.until(12)
    nodes.kill(second)
    nodes.add()
    assert other.end() == 0, other.messages

    runs = plans.plan(root, WANTED)
    assert len(runs) == 60
    assert {record.state(run.folder, run.identity) for run in runs} == {record.State.PRESENT}
    trained = stand_in.begun(marks)
    assert len(set(trained)) == 60
    cut = sum("lost (" in line for line in other.messages) + 4  # what the interrupted one had with the nodes
    assert len(trained) <= 60 + cut
    ran = [
        {name for name, how in each.over().items() if "done by others" not in how} for each in (first, other)
    ]
    assert not ran[0] & ran[1]
    assert any(line.endswith(" is gone") for line in other.messages)
    assert any(line.endswith("a clone of its own") for line in other.messages)
    assert "'rm -f results/.dvcignore && dvc commit -f runs@selu' has DVC track them" in other.messages
    assert not list((root / ".selu" / "sweep").glob("*.sweep"))
    assert contents(runs) == contents(plans.plan(place / "alone", WANTED))


def test_a_cluster_of_this_machine_takes_little_time_a_cell_and_leaves_nothing(tmp_path, place, monkeypatch):
    """A node that has all runs already is asked for each: what is left is to submit, carry, check and place."""
    root = shutil.copytree(place / "fresh", tmp_path / "root")
    monkeypatch.setenv(node.NODE_ROOT, str(place / "alone"))
    sweep = Sweep(root, "--jobs", "1")
    assert sweep.end() == 0, sweep.messages
    assert contents(plans.plan(root, WANTED)) == contents(plans.plan(place / "alone", WANTED))
    (seconds,) = re.findall(r"^60 run in (\d+) s \((\d+) s of work\)", "\n".join(sweep.messages), re.MULTILINE)
    each = (int(seconds[0]) - int(seconds[1])) / 60
    print(f"{each:.2f} s a cell")
    assert each < 0.5 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    until = time.monotonic() + 30
    while processes(str(root)) and time.monotonic() < until:
        time.sleep(0.1)
    assert processes(str(root)) == []
    assert not [command for command in processes("raylet") if "/selu-" in command]
