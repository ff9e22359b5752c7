"""How long the paper's trainings take on several GPUs, by the plan's hours, whichever command begins them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush
from pathlib import Path
from typing import Any, Self

import pytest

from helpers import small_project as small
from helpers import stand_in
from selu.app.running import in_force, run
from selu.cost import pace, profiles
from selu.cost.schedule import Needs
from selu.execution import plans, results
from selu.execution.planned import Planned, Wanted
from selu.project import SHARED, read_settings
from selu.registry import tasks_of
from selu.runs import nvidia
from selu.sweep import sweep as sweeping
from selu.sweep.messages import Answer, Event, Node, Nodes
from selu.systems.finetune.cost.profiles import ProfileSettings, speed
from selu.vocabulary import SeluError

GIB = 2**30
A100 = ("NVIDIA A100-SXM4-80GB", 79 * GIB)
SYSTEMS = (
    "codellama-7b",
    "starcoder2-7b",
    "llama3.2-3b",
    "t5-3b",
    "gpt2-xl",
    "bert-large",
    "gpt2-small",
    "minilm-l6",
)
TASKS = ("story_points", "sentiment", "review_aspect", "smell_doc", "commit_intention", "incivility")


class Simulated:
    """A node of A100s on which a training takes the hours that the plan says, and then fails."""

    def __init__(self, root: Path, gpus: int, planned: Iterable[Planned]) -> None:
        self.planned = {planned_run.identity: planned_run for planned_run in planned}
        self.root, self.gpus, self.now, self.least = root, gpus, 0.0, float(gpus)
        self._away: list[tuple[float, str, Needs]] = []
        self._events: list[Event] = []

    def __call__(self, *_arguments: object) -> Self:
        self._events = [Nodes((Node("id", "box", 16.0 * self.gpus, self.gpus, 4096 * GIB),))]
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        assert not self._away

    def submit(self, task: str, call: str, request: Mapping[str, Any], needs: Needs, node: str) -> None:
        if call.endswith(":describe_node"):
            description = {
                "gpus": [A100] * self.gpus,
                "lacks": [],
                "shared": True,
                "refusal": None,
                "own_weights": True,
            }
            self._events.append(Answer(task, description, node))
            return
        planned = self.planned[request["run"].identity]
        heappush(self._away, (self.now + hours(self.root, planned, int(needs.gpus)), task, needs))
        results.write_failure(planned, "it was simulated.")
        self.least = min(self.least, self.gpus - sum(taken.gpus for _, _, taken in self._away))

    def next(self, _seconds: float) -> Event | None:
        if self._events:
            return self._events.pop(0)
        self.now, task, _ = heappop(self._away)
        outcome = {"state": "failed", "why": "it was simulated.", "shared": True, "files": None, "seconds": 0.0}
        return Answer(task, outcome, "id")


def hours(root: Path, planned: Any, gpus: int) -> float:
    settings = read_settings(root, SHARED, "profiles", ProfileSettings)
    machine = settings.machines["a100"]
    rate = speed("a100", machine, planned.grid[0]["precision"], pace.shapes())
    found = pace.load_of(root, planned, machine, settings.assumed, rate)
    assert found is not None
    return found[1].hours(gpus)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a plan reads of this project, with one seed; eight devices, and no torch for CPUs."""
    for name in ("data/splits/selu", "data/pins/selu", "data/params", "reports/selu/data", "locks"):
        shutil.copytree(small.ROOT / name, tmp_path / "project" / name)
    shutil.copy(small.ROOT / "params.yaml", tmp_path / "project")
    (tmp_path / "marks").mkdir()
    monkeypatch.setenv("SELU_FINETUNE_PYTHON", str(stand_in.interpreter(tmp_path / "marks")))
    for number in range(8):
        (tmp_path / f"nvidia{number}").touch()
    monkeypatch.setattr(nvidia, "_DEVICES", tmp_path)
    monkeypatch.setattr(os, "fsync", lambda _file: None)  # hundreds of failures are written
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    small.alter(tmp_path / "project", lambda shared: shared["finetune"].update(seeds=[42]))
    return tmp_path / "project"


def simulated(
    root: Path, gpus: int, wanted: Wanted, work: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> Simulated:
    """All that one command does, on a node of so many GPUs."""
    node = Simulated(root, gpus, plans.plan(root, plans.here(root, wanted)))
    monkeypatch.setattr(sweeping, "Cluster", node)
    shutil.rmtree(root / "results", ignore_errors=True)
    with pytest.raises(SeluError, match="runs failed"):
        work()
    return node


@pytest.mark.ci
def test_each_command_takes_a_node_of_eight_as_long(root, monkeypatch):
    """A model after the other, each on all GPUs, would take half as long again."""
    profile = {"systems": list(SYSTEMS), "tasks": list(TASKS)}
    small.alter(root, lambda shared: shared["sweep"]["profiles"]["a100"].update(profile))
    profiles.set_profile(root, "a100")

    def repro() -> None:
        """Every stage, as DVC does with --keep-going; the first one tells of all failures."""
        with pytest.raises(SeluError) as failed:
            in_force.make(root, [SYSTEMS[0]], None, lambda _line: None)
        for system in SYSTEMS[1:]:
            in_force.make(root, [system], None, lambda _line: None)
        raise failed.value

    wanted = Wanted(TASKS, SYSTEMS)
    ways: dict[str, Callable[[], object]] = {
        "selu sweep": lambda: sweeping.sweep(root, Wanted(), "missing", lambda _line: None),
        "selu run": lambda: run.run(root, wanted, "missing", None, lambda _line: None),
        "dvc repro": repro,
    }
    took = {name: simulated(root, 8, wanted, way, monkeypatch) for name, way in ways.items()}
    times = [node.now for node in took.values()]
    assert max(times) <= 1.1 * min(times), dict(zip(took, times, strict=True))
    assert all(node.least >= 0 for node in took.values())
    alone = sum(hours(root, planned_run, 8) for planned_run in plans.plan(root, wanted))
    assert alone > 1.5 * max(times)


@pytest.mark.ci
def test_the_paper_s_table_once_takes_sixteen_gpus_at_most_sixty_hours(root, monkeypatch):
    """No model may leave most GPUs idle in the end: the longest alone takes one GPU 48 hours."""
    tasks = tuple(task.id for task in tasks_of(root, ()))
    tuned = tuple(name for name in profiles.settings_of(root).profiles["a100"].systems if name in pace.shapes())
    profiles.set_profile(root, "a100")
    wanted = Wanted(tasks, tuned, ("paper",), (42,))

    def swept() -> None:
        sweeping.sweep(root, wanted, "missing", lambda _line: None)

    node = simulated(root, 16, wanted, swept, monkeypatch)
    assert 30 < node.now < 60
    assert node.least >= 0
