"""``selu plan --profile``: what fine-tuning any cells would take on a kind of machine, before it starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any

from selu import registry
from selu.cost import assumptions, sums
from selu.cost import texts as costing_texts
from selu.execution.finetune import hub_models
from selu.execution.planned import Planned
from selu.execution.plans import Wanted
from selu.names import check
from selu.project import SHARED, read_knobs
from selu.registry import tasks_of
from selu.systems.finetune.cost.profiles import Assumed, Fit, Machine, ProfileKnobs, fit, sent, share_of, speed
from selu.systems.finetune.cost.shape import Shape
from selu.systems.finetune.knobs import FinetuneKnobs
from selu.vocabulary import Approach, Kind, SeluError, System, Task

PROTOCOLS = ("paper", "strict")
_PAUSE, _SELDOM = 60, 20  # seconds between checkpoints, and times as long as a copy took (finetune/training.py)
NODE = 8  # devices of the paper's machine (section IV-E)
_CONTEXT = 512  # of a model whose own is not known
NOTE = (
    "All epochs are counted, and early stopping ends trainings sooner (the authors record 4 to "
    "10 epochs of 10). Speed, lengths in sub-words and prices are assumptions of params.yaml (shared.profiles)."
)


@dataclass(frozen=True, slots=True)
class _Basis:
    root: Path
    training: FinetuneKnobs
    profiles: ProfileKnobs
    name: str
    shapes: Mapping[str, Shape]

    @property
    def machine(self) -> Machine:
        return self.profiles.machines[self.name]


@cache
def shapes() -> Mapping[str, Shape]:
    """Read the sizes that benchmarks declare of the systems that can be fine-tuned."""
    import yaml

    found = {}
    for name in registry.published():
        file = resources.files("selu.benchmarks") / name / "shapes.yaml"
        if file.is_file():
            sizes = yaml.safe_load(file.read_text("utf-8"))
            found.update({system: Shape(**of) for system, of in sizes.items()})
    return found


def shapes_of(root: Path, systems: Collection[str]) -> Mapping[str, Shape]:
    """Read the declared sizes, and those that configurations have of params.yaml's models by these names.

    Raises:
        SeluError: the configuration of such a model is not on this machine, or its architecture is not known.
    """
    models = hub_models.known(root)
    return {**shapes(), **{name: hub_models.shape_of(models[name]) for name in systems if name in models}}


def cost(
    root: Path,
    wanted: Wanted,
    profile: str,
    padded_tokens: int | None = None,
    benchmark: str = registry.DEFAULT,
) -> dict[str, Any]:
    """Reckon what the wanted cells take, by ``cells`` (one row per cell and protocol, all seeds) and in sums.

    ``systems``, ``tasks`` and ``total`` sum all of them; ``once`` is the paper's table run once, by its own
    systems under its protocol with one seed (None if no such cell is wanted), ``rows_here`` the part of it
    whose tasks have rows of their own here; ``scope`` counts the paper's cells by approach, ``disk`` says what
    is kept, and ``assumptions`` name each figure with its source.

    Args:
        padded_tokens: that texts are padded to in the authors' manner, instead of params.yaml's.
        benchmark: of the paper.

    Raises:
        SeluError: an unknown profile or name in a filter, a task of one's own that is not prepared, or a filter
            that no cell passes.
    """
    from selu.execution.finetune.plan import known

    profiles = read_knobs(root, SHARED, "profiles", ProfileKnobs)
    check([profile], profiles.machines, "profile")
    if padded_tokens:
        profiles = replace(profiles, assumed=replace(profiles.assumed, padded_tokens=padded_tokens))
    if wanted.environments:
        raise SeluError("--environment says nothing of a profile's machine: leave one of the two out.")
    tasks, sizes = {task.id: task for task in tasks_of(root, wanted.tasks)}, shapes_of(root, wanted.systems)
    papers = {name for name, (_, extra) in known(root).items() if extra is None}
    systems = {name: system for name, (system, _) in known(root).items() if name in sizes}
    training = read_knobs(root, SHARED, "finetune", FinetuneKnobs)
    check(wanted.tasks, tasks, "task")
    check(wanted.systems, systems, "fine-tuned system")
    check(wanted.protocols, PROTOCOLS, "protocol")
    for name in wanted.tasks:
        if not tasks[name].instances:  # of one's own, whose rows nobody has counted
            raise SeluError(f"how many rows {name} has is not known here: run 'selu prepare {name}'.")
    basis = _Basis(root, training, profiles, profile, sizes)
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
        "profile": {"name": profile, **asdict(basis.machine)},
        "assumed": asdict(profiles.assumed),
        "assumptions": assumptions.list_sources(basis.machine, profiles.assumed, training, cells, benchmark),
        "note": NOTE,
        "scope": _scope(registry.tasks(benchmark), registry.systems(benchmark)),
        "cells": cells,
        **sums.sum_cells(cells),
        "once": sums.sum_cells(once) if once else None,
        "rows_here": _rows_here(once),
    }


def _rows_here(once: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Sum the paper's cells whose tasks have rows of their own here, with the hours that a node takes."""
    cells = [cell for cell in once if cell["lengths"] in costing_texts.OWN]
    if not cells:
        return None
    total = sums.sum_cells(cells)["total"]
    return {
        "tasks": len({cell["task"] for cell in cells}),
        **{name: total[name] for name in ("cells", "device_hours", "least_device_hours", "usd")},
        "node": NODE,
        "node_hours": sums.node_hours(cells, NODE),
    }


def _scope(tasks: Collection[Task], systems: Collection[System]) -> list[dict[str, Any]]:
    """Count the cells of the paper by approach, and those that are absent by design, with the reasons."""
    rows = []
    for approach in Approach:
        asked = [(system, task) for system in systems for task in tasks if system.approach is approach]
        absent = Counter(filter(None, (registry.absence(system, task) for system, task in asked)))
        present = len(asked) - absent.total()
        why = "; ".join(f"{count}: {reason}" for reason, count in absent.items())
        row = {"approach": str(approach), "cells": present, "absent_by_design": absent.total(), "why": why}
        rows.append(row)
    return rows


def _cell(basis: _Basis, task: Task, system: System, protocol: str, runs: int) -> dict[str, Any]:
    """Reckon one cell under one protocol.

    Time, money, tokens and what is kept on disk are of all its seeds together. ``least_device_hours`` are those
    of trainings that patience ends as soon as it may, with guessed texts at their shortest; whole trainings
    take ``short_device_hours`` with these, and ``most_device_hours`` with guessed texts at their longest.
    ``shared_device_hours`` are those of several on a device, which wait for each other's arithmetic alone.

    A cell that does not fit has no ``devices``; its hours are those of the most of them, had they more memory.
    """
    assumed, machine = basis.profiles.assumed, basis.machine
    params = basis.training.resolved(str(task.kind), task.instances, system.id, protocol)
    context = basis.training.find_context(task.id, system.id, protocol, system.context or _CONTEXT)
    shape, rows, lengths, longest = _load(basis.root, task, system, protocol, assumed, context)
    steps = -(-rows.train // params["batch"]) * params["epochs"]
    mean = sum(lengths) / len(lengths)
    fitting = fit(shape, params["precision"], longest, round(params["batch"] * mean), assumed, machine)
    devices = fitting.devices if fitting else machine.devices[-1]
    twice = _twice(lengths, fitting)
    possible = devices * speed(basis.name, machine, params["precision"], basis.shapes)
    least = steps * (shape.layers + shape.decoder_layers) * assumed.layer_seconds
    waits = steps * assumed.host_seconds
    if fitting and machine.link_gb_per_second:
        update = params["batch"] * mean
        waits += steps * sent(shape, params["precision"], update, fitting) / machine.link_gb_per_second
    saving = _saving(shape.parameters, params["precision"], assumed)
    width = costing_texts.find_width(task, system, assumed)
    (tokens, packed), (padded_tokens, padded) = _work(shape, rows, lengths, width, params)
    in_batches, by_length = mean, mean
    if width is not None:  # else the library takes padding out
        in_batches, by_length = costing_texts.pad_batches(lengths, params["batch"], rows.train)
    read = rows.train * params["epochs"] + rows.held * params["evaluations"]
    packed *= 1 + twice / 3  # a fourth pass over layers, which takes three without

    def hours(operations: float) -> float:
        training = (1 + saving) * (max(operations / possible, least) + waits)
        return float(runs * (assumed.run_seconds + training) / 3600)

    took = hours(packed)
    low, high = (1.0, 1.0) if rows.known else assumed.guessed
    soonest = min(1.0, (params["patience"] + 1) / params["evaluations"])

    def scaled(share: float) -> float:
        shared = tuple(min(context, max(1, round(share * length))) for length in lengths)
        return hours(_work(shape, rows, shared, width, params)[0][1] * (1 + twice / 3))

    answers = rows.asked * (mean if task.kind in (Kind.ENTITIES, Kind.MASKED) else 1)
    return {
        "cell": f"{task.id}/{system.id}",
        "task": task.id,
        "system": system.id,
        "protocol": protocol,
        "runs": runs,
        "steps": steps,
        "tokens": round(runs * tokens),
        "grouped_tokens": round(runs * (tokens + read * (by_length - mean))),
        "batch_tokens": round(runs * (tokens + read * (in_batches - mean))),
        "padded_tokens": round(runs * padded_tokens),
        "hours": took,
        "padded_hours": hours(padded),
        "device_hours": took * devices,
        "padded_device_hours": hours(padded) * devices,
        "least_device_hours": soonest * scaled(low) * devices,
        "short_device_hours": scaled(low) * devices,
        "most_device_hours": scaled(high) * devices,
        "shared_device_hours": max(took / _together(fitting, basis), runs * packed / possible / 3600) * devices,
        "bound": "updates" if packed / possible < least else "arithmetic",
        "devices": fitting.devices if fitting else None,
        "computed_twice": twice,
        "memory_gib": round(fitting.memory / 2**30, 1) if fitting else None,
        "usd": took * devices * machine.usd_per_hour,
        **sums.disk_of(shape.parameters, params["precision"], runs, answers, assumed),
        "lengths": rows.basis,
    }


def _saving(parameters: int, precision: str, assumed: Assumed) -> float:
    """Return the share of a training's time that checkpoints take: they are copied, and written beside it."""
    copied = sums.copied_gb(parameters, precision) / assumed.copy_gb_per_second
    return copied / max(_PAUSE, _SELDOM * copied)


def _together(fitting: Fit | None, basis: _Basis) -> int:
    """Return how many such trainings share a device, as many as its memory holds; one that takes several: 1."""
    assumed = basis.profiles.assumed
    if fitting is None or fitting.devices > 1:
        return 1
    return share_of(assumed.trainings_a_device, fitting.memory, basis.machine.memory_gib, assumed)


def _twice(lengths: Sequence[int], fitting: Fit | None) -> float:
    """Return the share of tokens whose layers are computed twice, of the texts that do not fit otherwise."""
    plain = 0 if fitting is None else fitting.plain
    return 0.0 if plain is None else sum(n for n in lengths if n > plain) / sum(lengths)


def _work(
    shape: Shape,
    rows: costing_texts.Texts,
    lengths: Sequence[int],
    width: int | None,
    params: Mapping[str, Any],
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Reckon tokens and operations of one training and its evaluations: without padding, and padded.

    Padded to ``width`` tokens is all that the authors' trainer learns or evaluates.

    The pipeline that answers the test rows at the end, once, pads little, and is the same in both.
    """
    mean, forward = sum(lengths) / len(lengths), shape.flops(lengths) / len(lengths)
    learnt, held = rows.train * params["epochs"], rows.held * params["evaluations"]

    def work(tokens: float, operations: float) -> tuple[float, float]:
        return (
            (learnt + held) * tokens + rows.asked * mean,
            (3 * learnt + held) * operations + rows.asked * forward,
        )

    return work(mean, forward), work(mean, forward) if width is None else work(width, shape.flops([width]))


def _load(
    root: Path, task: Task, system: System, protocol: str, assumed: Assumed, context: int
) -> tuple[Shape, costing_texts.Texts, tuple[int, ...], int]:
    """Read what is trained, on which rows, lengths of some of them in tokens, and that of the longest."""
    shape = shapes_of(root, [system.id])[system.id]
    if task.kind is Kind.ENTITIES:
        shape = shape.without_decoder()
    texts = costing_texts.count_texts(root, task, protocol, assumed)
    return shape, *costing_texts.count_tokens(texts, task, assumed.subwords, context)


def fit_of(root: Path, run: Planned, machine: Machine, assumed: Assumed) -> Fit | None:
    """Find the fewest devices of this kind that hold a planned training, and memory on each; None: too many.

    Raises:
        SeluError: the tracked record of the task's data is damaged.
    """
    from selu.execution.finetune.plan import known

    system, params = known(root)[run.system][0], run.grid[0]
    context = run.fields["model"]["context"]
    shape, _, lengths, longest = _load(root, run.task, system, run.protocol, assumed, context)
    update = round(params["batch"] * sum(lengths) / len(lengths))
    return fit(shape, params["precision"], longest, update, assumed, machine)
