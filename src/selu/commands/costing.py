"""``selu plan --profile``: what fine-tuning any cells would take on a kind of machine, before it starts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from selu.commands import costing_texts
from selu.commands.planned import Planned
from selu.commands.planning import Wanted
from selu.project import read_knobs
from selu.systems.finetune.cost_memory import training
from selu.systems.finetune.cost_profiles import Assumed, Fit, Machine, ProfileKnobs, fit, speed
from selu.systems.finetune.cost_shape import Shape
from selu.systems.finetune.knobs import FinetuneKnobs
from selu.vocabulary import Kind, SeluError, System, Task

PROTOCOLS = ("paper", "strict")
NOTE = (
    "An upper bound: all epochs are counted, and early stopping ends trainings sooner (the authors record 4 to "
    "10 epochs of 10). Speed, lengths in sub-words and prices are assumptions of params.yaml (selu.profiles)."
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
    """Declared sizes of the systems that can be fine-tuned."""
    import yaml

    text = (resources.files("selu.benchmarks") / "selu" / "shapes.yaml").read_text("utf-8")
    return {system: Shape(**sizes) for system, sizes in yaml.safe_load(text).items()}


def cost(root: Path, wanted: Wanted, profile: str) -> dict[str, Any]:
    """What the wanted cells take: ``cells`` (one row per cell and protocol, all seeds), ``systems``, ``total``.

    Raises:
        SeluError: an unknown profile or name in a filter, or a filter that no cell passes.
    """
    from selu.benchmarks import catalogue
    from selu.commands.planning_finetune import known

    profiles = read_knobs(root, "selu", "profiles", ProfileKnobs)
    _check([profile], profiles.machines, "profile")
    if wanted.environments:
        raise SeluError("--environment says nothing of a profile's machine: leave one of the two out.")
    tasks = {task.id: task for task in catalogue.tasks("selu")}
    systems = {name: system for name, (system, _) in known().items() if name in shapes()}
    training = read_knobs(root, "selu", "finetune", FinetuneKnobs)
    _check(wanted.tasks, tasks, "task")
    _check(wanted.systems, systems, "fine-tuned system")
    _check(wanted.protocols, PROTOCOLS, "protocol")
    basis = _Basis(root, training, profiles, profile, shapes())
    cells = list(_cells(basis, wanted, tasks.values(), systems.values()))
    if not cells:
        raise SeluError("no cell passes these filters: 'selu show TASK/SYSTEM' says why a cell is absent.")
    return {
        "profile": {"name": profile, **asdict(basis.machine)},
        "assumed": asdict(profiles.assumed),
        "note": NOTE,
        "cells": cells,
        "systems": [
            {"system": name, **_sum([cell for cell in cells if cell["system"] == name])}
            for name in dict.fromkeys(cell["system"] for cell in cells)
        ],
        "total": _sum(cells),
    }


def _check(names: Sequence[str], known: Collection[str], what: str) -> None:
    from selu.commands.listing import nearest

    for name in names:
        if name not in known:
            raise nearest(name, known, what)


def tables(record: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """The tables to be shown: cells, then systems with the total as their last row."""
    sums = [*record["systems"], {"system": "total", **record["total"]}]
    cells = [{name: value for name, value in cell.items() if name != "system"} for cell in record["cells"]]
    return [[_shown(row) for row in rows] for rows in (cells, sums)]


def summary(record: Mapping[str, Any]) -> str:
    """The total in a few sentences, with what it rests on."""
    total, profile, assumed = record["total"], record["profile"], record["assumed"]
    rate = (
        f"{100 * profile['utilisation']:.0f} % of its peak"
        if profile["utilisation"]
        else f"{profile['tokens_per_second']:g} tokens a second on {profile['measured_on']}"
    )
    text = (
        f"{total['runs']} runs on {profile['device']} ({rate}): at most {total['hours']:.1f} hours one after "
        f"another, {total['device_hours']:.1f} device hours, {total['usd']:.0f} USD at "
        f"{profile['usd_per_hour']:g} an hour (an assumption of {assumed['priced']}). {NOTE}"
    )
    if total["too_large"]:
        text += f" {total['too_large']} of the runs do not fit, not even on {profile['devices'][-1]} at once."
    guessed = sum(cell["lengths"] != costing_texts.TRACKED for cell in record["cells"])
    if guessed:
        text += f" In {guessed} of {len(record['cells'])} rows the lengths are not of all the paper's own rows."
    return text


def _cells(
    basis: _Basis, wanted: Wanted, tasks: Collection[Task], systems: Collection[System]
) -> Iterator[dict[str, Any]]:
    runs = sum(seed in (wanted.seeds or (seed,)) for seed in basis.training.seeds)
    for system in systems:
        for task in tasks:
            if (
                not runs
                or task.id not in (wanted.tasks or (task.id,))
                or system.id not in (wanted.systems or (system.id,))
                or system.absence(task) is not None
            ):
                continue
            for protocol in wanted.protocols or PROTOCOLS:
                yield _cell(basis, task, system, protocol, runs)


def _cell(basis: _Basis, task: Task, system: System, protocol: str, runs: int) -> dict[str, Any]:
    """One cell under one protocol; time and money are of all its seeds, one after another."""
    assumed, machine = basis.profiles.assumed, basis.machine
    params = basis.training.resolved(str(task.kind), task.instances, system.id, protocol)
    shape, rows, lengths = _load(basis.root, task, system, protocol, assumed)
    learnt, read = rows.train * params["epochs"], rows.held * params["evaluations"] + rows.asked
    steps = -(-rows.train // params["batch"]) * params["epochs"]
    forward, mean = shape.flops(lengths) / len(lengths), sum(lengths) / len(lengths)
    update = round(params["batch"] * mean)
    fitting = fit(shape, params["precision"], max(lengths), update, assumed, machine)
    hours = None
    if fitting:
        working = (3 * learnt + read) * forward
        working /= fitting.devices * speed(basis.name, machine, params["precision"], basis.shapes)
        hours = runs * (assumed.run_seconds + max(working, steps * assumed.step_seconds)) / 3600
    return {
        "cell": f"{task.id}/{system.id}",
        "system": system.id,
        "protocol": protocol,
        "runs": runs,
        "steps": steps,
        "tokens": round(runs * (learnt + read) * mean),
        "hours": hours,
        "devices": fitting.devices if fitting else None,
        "memory_gib": round(fitting.memory / 2**30, 1) if fitting else None,
        "usd": hours * fitting.devices * machine.usd_per_hour if fitting and hours else None,
        "lengths": rows.basis,
    }


def _load(
    root: Path, task: Task, system: System, protocol: str, assumed: Assumed
) -> tuple[Shape, costing_texts.Texts, tuple[int, ...]]:
    """What is trained, on which rows, and lengths of some of them in tokens."""
    shape = shapes()[system.id]
    if task.kind is Kind.ENTITIES:
        shape = shape.without_decoder()
    texts = costing_texts.texts(root, task, protocol, assumed)
    return shape, *costing_texts.in_tokens(texts, task, assumed.subwords, system.context or 512)


def fit_of(root: Path, run: Planned, machine: Machine, assumed: Assumed) -> Fit | None:
    """The fewest devices of this kind that hold a planned training, and memory on each; None: too many.

    Weights in bf16 are trained under ZeRO-2 by one device, too, which holds fp32 masters and moments alone.

    Raises:
        SeluError: the tracked record of the task's data is damaged.
    """
    from selu.commands.planning_finetune import known

    system, params = known()[run.system][0], run.grid[0]
    shape, _, lengths = _load(root, run.task, system, run.protocol, assumed)
    longest, update = max(lengths), round(params["batch"] * sum(lengths) / len(lengths))
    found = fit(shape, params["precision"], longest, update, assumed, machine)
    if found and found.devices == 1 and params["precision"] == "bf16":
        alone = training(shape, "bf16", longest, processes=1, stage=2).total
        if alone > assumed.memory_share * machine.memory_gib * 2**30:
            several = tuple(devices for devices in machine.devices if devices > 1)
            machine = replace(machine, devices=several)
            return fit(shape, "bf16", longest, update, assumed, machine) if several else None
    return found


def _sum(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Sums over cells that fit, and the most devices and memory that one of them takes."""
    fitting = [cell for cell in cells if cell["devices"]]
    return {
        "runs": sum(cell["runs"] for cell in cells),
        "steps": sum(cell["runs"] * cell["steps"] for cell in cells),
        "tokens": sum(cell["tokens"] for cell in cells),
        "hours": sum(cell["hours"] for cell in fitting),
        "device_hours": sum(cell["hours"] * cell["devices"] for cell in fitting),
        "devices": max((cell["devices"] for cell in fitting), default=None),
        "memory_gib": max((cell["memory_gib"] for cell in fitting), default=None),
        "usd": sum(cell["usd"] for cell in fitting),
        "too_large": sum(cell["runs"] for cell in cells if not cell["devices"]),
    }


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with millions of tokens, and hundredths where the machine-readable one has all digits."""
    short = {name: round(value, 2) if isinstance(value, float) else value for name, value in row.items()}
    return {**short, "tokens": f"{row['tokens'] / 1e6:.1f} M"}
