"""``selu plan --profile``: the cost of fine-tuning any cells on a kind of machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from selu import registry
from selu.cost import assumptions, sums
from selu.cost.pace import find_pace, load_on, shape_for, shapes_of, work
from selu.cost.schedule import Load, hours_on
from selu.cost.texts import CONTEXT, OWN, Texts, count_texts, count_tokens, find_width, pad_batches, scale
from selu.execution.planned import PROTOCOLS
from selu.execution.plans import Wanted
from selu.names import check
from selu.papers.costs import CellCost, OnNodes, Scope, TrainingCost
from selu.project import SHARED, read_settings
from selu.registry import tasks_of
from selu.systems.finetune.cost.profiles import Machine, ProfileSettings, speed
from selu.systems.finetune.cost.shape import Shape
from selu.systems.finetune.settings import FinetuneSettings, Numbers
from selu.vocabulary import Approach, Kind, SeluError, System, Task

if TYPE_CHECKING:
    from selu.papers.costs import Assumptions, Profile

NOTE = (
    "All epochs are counted, and early stopping ends trainings sooner (the authors record 4 to "
    "10 epochs of 10). Speed, lengths in sub-words and prices are assumptions of params.yaml (shared.profiles)."
)


Lesson = tuple[Shape, Texts[int], Numbers, float]


@dataclass(frozen=True, slots=True)
class _Basis:
    """What the cost of all cells rests on; what was read of a task's texts is kept for the next cell."""

    root: Path
    training: FinetuneSettings
    profiles: ProfileSettings
    name: str
    shapes: Mapping[str, Shape]
    tasks: Mapping[str, Task]
    systems: Mapping[str, System]
    _lessons: dict[tuple[str, str, str], Lesson] = field(default_factory=dict)
    _texts: dict[tuple[str, str], Texts[float]] = field(default_factory=dict)
    _counted: dict[tuple[str, str, int], Texts[int]] = field(default_factory=dict)

    @property
    def machine(self) -> Machine:
        return self.profiles.machines[self.name]

    def context(self, task: Task, system: System, protocol: str) -> int:
        return self.training.find_context(task.id, system.id, protocol, system.context or CONTEXT)

    def lesson(self, task: Task, system: System, protocol: str) -> Lesson:
        """Return what is trained on what, its settings, and the operations a second of the device."""
        key = task.id, system.id, protocol
        if key not in self._lessons:
            params = self.training.resolved(str(task.kind), task.instances, system.id, protocol)
            texts = self._tokens(task, protocol, self.context(task, system, protocol))
            rate = speed(self.name, self.machine, params["precision"], self.shapes)
            self._lessons[key] = shape_for(task, self.shapes[system.id]), texts, params, rate
        return self._lessons[key]

    def _tokens(self, task: Task, protocol: str, context: int) -> Texts[int]:
        """Count a task's texts, with lengths in tokens; systems of the same context share them."""
        key, assumed = (task.id, protocol), self.profiles.assumed
        if key not in self._texts:
            self._texts[key] = count_texts(self.root, task, protocol, assumed)
        if (*key, context) not in self._counted:
            self._counted[*key, context] = count_tokens(self._texts[key], task, assumed.subwords, context)
        return self._counted[*key, context]


def cost(
    root: Path,
    wanted: Wanted,
    profile: str,
    padded_tokens: int | None = None,
    benchmark: str = registry.DEFAULT,
) -> TrainingCost:
    """Calculate the cost of the wanted cells, a row per cell and protocol for all seeds, and sums.

    Args:
        padded_tokens: that texts are padded to in the authors' manner, instead of params.yaml's.
        benchmark: of the paper.

    Raises:
        SeluError: an unknown profile or name in a filter, a task of one's own that is not prepared, or a filter
            that no cell passes.
    """
    from selu.execution.finetune.plan import known

    profiles = read_settings(root, SHARED, "profiles", ProfileSettings)
    check([profile], profiles.machines, "profile")
    if padded_tokens:
        profiles = replace(profiles, assumed=replace(profiles.assumed, padded_tokens=padded_tokens))
    if wanted.environments:
        raise SeluError("--environment does not apply to a profile's machine: leave one of the two out.")
    tasks, sizes = {task.id: task for task in tasks_of(root, wanted.tasks)}, shapes_of(root, wanted.systems)
    papers = {name for name, (_, extra) in known(root).items() if extra is None}
    systems = {name: system for name, (system, _) in known(root).items() if name in sizes}
    training = read_settings(root, SHARED, "finetune", FinetuneSettings)
    check(wanted.tasks, tasks, "task")
    check(wanted.systems, systems, "fine-tuned system")
    check(wanted.protocols, PROTOCOLS, "protocol")
    for name in wanted.tasks:
        if not tasks[name].instances:  # of one's own, whose rows nobody has counted
            raise SeluError(f"how many rows {name} has is not known here: run 'selu prepare {name}'.")
    basis = _Basis(root, training, profiles, profile, sizes, tasks, systems)
    runs = sum(seed in (wanted.seeds or training.seeds) for seed in training.seeds)
    cells = [
        _cell(basis, task, system, protocol, runs)
        for system, task in product(systems.values(), tasks.values())
        if task.id in (wanted.tasks or tasks) and system.id in (wanted.systems or systems)
        if runs and registry.absence(system, task) is None
        for protocol in wanted.protocols or PROTOCOLS
    ]
    if not cells:
        raise SeluError("no score passes these filters: 'selu show TASK/SYSTEM' says why there is none.")
    once = [
        sums.take_one_seed(cell)
        for cell in cells
        if cell["protocol"] == "paper"
        and cell["system"] in papers
        and registry.benchmark_of(cell["task"]) == benchmark
    ]
    return {
        "profile": cast("Profile", {"name": profile, **asdict(basis.machine)}),
        "assumed": cast("Assumptions", asdict(profiles.assumed)),
        "assumptions": assumptions.list_sources(basis.machine, profiles.assumed, training, cells, benchmark),
        "note": NOTE,
        "scope": _scope(registry.tasks(benchmark), registry.systems(benchmark)),
        "cells": cells,
        **sums.sum_cells(cells),
        "once": sums.sum_cells(once) if once else None,
        "table": _on_nodes(basis, once),
        "rows_here": _on_nodes(basis, [cell for cell in once if cell["lengths"] in OWN]),
    }


def _on_nodes(basis: _Basis, cells: Sequence[CellCost]) -> OnNodes | None:
    """Sum the cost of cells for somebody who rents GPUs; None if there are no cells."""
    if not cells:
        return None
    machine, loads = basis.machine, dict[str, Load]()
    node = machine.devices[-1]
    for cell in cells:
        task, system = basis.tasks[cell["task"]], basis.systems[cell["system"]]
        shape, texts, params, rate = basis.lesson(task, system, cell["protocol"])
        least, assumed = cell["devices"] or node, basis.profiles.assumed
        loads[cell["cell"]] = load_on(shape, texts, params, assumed, machine, rate, least)
    total = cast("Mapping[str, Any]", sums.sum_cells(cells)["total"])
    shared = [cell for cell in cells if (cell["devices"] or node) > 1]
    found = {
        "tasks": len({cell["task"] for cell in cells}),
        **{name: total[name] for name in ("cells", "device_hours", *sums.RANGE, "usd")},
        "node": node,
        "node_hours": hours_on(loads, [node]),
        "two_nodes_hours": hours_on(loads, [node, node]),
        "shared": len(shared),
        "shared_device_hours": sum(cell["device_hours"] for cell in shared),
        "shared_systems": list(dict.fromkeys(cell["system"] for cell in shared)),
    }
    return cast("OnNodes", found)


def _scope(tasks: Collection[Task], systems: Collection[System]) -> list[Scope]:
    """Count the cells of the paper by approach, and those that are absent by design, with the reasons."""
    rows: list[Scope] = []
    for approach in Approach:
        asked = [(system, task) for system in systems for task in tasks if system.approach is approach]
        absent = Counter(filter(None, (registry.absence(system, task) for system, task in asked)))
        missing, why = absent.total(), "; ".join(f"{count}: {reason}" for reason, count in absent.items())
        cells = len(asked) - missing
        rows.append({"approach": str(approach), "cells": cells, "absent_by_design": missing, "why": why})
    return rows


def _cell(basis: _Basis, task: Task, system: System, protocol: str, runs: int) -> CellCost:
    """Calculate the cost of one cell under one protocol, of all its seeds together (``CellCost``)."""
    assumed, machine, context = basis.profiles.assumed, basis.machine, basis.context(task, system, protocol)
    shape, texts, params, rate = basis.lesson(task, system, protocol)
    found = find_pace(shape, texts, params, assumed, machine, rate)
    fitting, devices, mean = found.fitting, found.devices, texts.mean
    width = find_width(task, system, assumed)
    (tokens, packed), (padded_tokens, padded) = work(shape, texts, width, params)
    in_batches, by_length = mean, mean
    if width is not None:  # else the library takes padding out
        in_batches, by_length = pad_batches(texts.lengths, params["batch"], texts.train)
    read = texts.train * params["epochs"] + texts.held * params["evaluations"]
    took, padded_hours = runs * found.hours(packed * found.again), runs * found.hours(padded)
    low, high = (1.0, 1.0) if texts.basis in OWN else assumed.guessed
    soonest = min(1.0, (params["patience"] + 1) / params["evaluations"])

    def scaled(share: float) -> float:
        if share == 1.0:
            return took
        others = replace(texts, lengths=scale(texts.lengths, share, context))
        return runs * found.hours(work(shape, others, width, params)[0][1] * found.again)

    answers = texts.asked * (mean if task.kind in (Kind.ENTITIES, Kind.MASKED) else 1)
    return {
        "cell": f"{task.id}/{system.id}",
        "task": task.id,
        "system": system.id,
        "protocol": protocol,
        "runs": runs,
        "steps": found.steps,
        "tokens": round(runs * tokens),
        "grouped_tokens": round(runs * (tokens + read * (by_length - mean))),
        "batch_tokens": round(runs * (tokens + read * (in_batches - mean))),
        "padded_tokens": round(runs * padded_tokens),
        "hours": took,
        "padded_hours": padded_hours,
        "device_hours": took * devices,
        "padded_device_hours": padded_hours * devices,
        "least_device_hours": soonest * scaled(low) * devices,
        "short_device_hours": scaled(low) * devices,
        "most_device_hours": scaled(high) * devices,
        "bound": "updates" if packed * found.again / found.possible < found.least else "arithmetic",
        "devices": fitting.devices if fitting else None,
        "computed_twice": found.twice,
        "memory_gib": round(fitting.memory / 2**30, 1) if fitting else None,
        "usd": took * devices * machine.usd_per_hour,
        **sums.disk_of(shape.parameters, params["precision"], runs, answers, assumed),
        "lengths": texts.basis,
    }
