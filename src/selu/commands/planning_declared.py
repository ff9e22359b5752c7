"""Runs of the systems that a benchmark declares in params.yaml: one fit each, nothing is picked.

They run under protocol ``paper``: they learn from all rows that are not for testing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from selu.benchmarks import catalogue
from selu.commands.planned import FINETUNE, RESULTS, Planned, locks_of, metric_of, parts_hash, run_name
from selu.commands.planning_baselines import picking_source
from selu.commands.tasks import splits_of
from selu.project import read_knobs
from selu.runs import identity as identities
from selu.systems import learners
from selu.systems.knobs import Declared
from selu.vocabulary import SeluError, Task

PROTOCOL = "paper"
SECTION = "systems"
NOTHING = "nothing"  # what a run is picked on


@dataclass(frozen=True, slots=True)
class Basis:
    """What all planned runs share, read once: systems by id, hashes of sources, pins by learner and lock."""

    systems: Mapping[str, Declared]
    picking: str
    sources: Mapping[str, str]
    packages: Callable[[str, str], Mapping[str, str]]


def known(root: Path, benchmark: str) -> dict[str, Declared]:
    """The declared systems by id; SELU's are not declared so.

    Raises:
        SeluError: params.yaml is wrong, or names a learner or a set that there is not.
    """
    if benchmark not in catalogue.BENCHMARKS[1:]:
        return {}
    found = read_knobs(root, benchmark, SECTION, dict[str, Declared])
    sets = [name for name, of in catalogue.sets().items() if of == benchmark]
    for name, system in found.items():
        _check(f"{benchmark}.{SECTION}.{name}.learner", [system.learner], list(learners.LEARNERS))
        _check(f"{benchmark}.{SECTION}.{name}.sets", system.sets, sets)
    return found


def every(root: Path) -> dict[str, Declared]:
    """The declared systems of all benchmarks by id; errors as of ``known``."""
    return {name: system for of in catalogue.BENCHMARKS[1:] for name, system in known(root, of).items()}


def basis(root: Path, tasks: Sequence[Task], systems: Sequence[str]) -> Basis | None:
    """What is read once, for the systems of a filter (without one, those that run without being named).

    Returns:
        None where no task or system is asked for.

    Raises:
        SeluError: params.yaml is wrong.
    """
    benchmarks = {catalogue.benchmark_of(task.id) for task in tasks}
    declared = {name: system for of in sorted(benchmarks) for name, system in known(root, of).items()}
    asked = {
        name: system for name, system in declared.items() if (name in systems if systems else not system.named)
    }
    if not asked:
        return None
    names = {system.learner for system in asked.values()}
    return Basis(
        asked,
        picking_source(),
        {name: identities.source(learners.files(name)) for name in names},
        cache(lambda name, lock: identities.pinned(root / "locks" / f"{lock}.txt", learners.packages(name))),
    )


def of_task(
    root: Path, task: Task, record: Mapping[str, Any], basis: Basis, environments: Sequence[str] = ()
) -> Iterator[Planned]:
    """The runs of a task; ``record`` is that of its data, ``environments`` as of ``locks_of``.

    Raises:
        SeluError: a lock is missing, or pins a package not once.
    """
    for name, system in basis.systems.items():
        if catalogue.set_of(task.id) in system.sets:
            for lock in _locks(root / catalogue.at(RESULTS, task.id) / name, system.learner, environments):
                for seed in system.seeds:
                    yield _planned(root, task, name, system, seed, lock, record, basis)


def _locks(cell: Path, learner: str, environments: Sequence[str]) -> tuple[str, ...]:
    """The locks in which a learner runs."""
    return locks_of(cell, environments) if "torch" in learners.packages(learner) else ("baselines",)


def _planned(
    root: Path,
    task: Task,
    name: str,
    system: Declared,
    seed: int,
    lock: str,
    record: Mapping[str, Any],
    basis: Basis,
) -> Planned:
    run = run_name(PROTOCOL, seed, FINETUNE if lock == "baselines" else lock)
    weights, path = _weights(system)
    params = {**system.params, **({"weights": weights} if system.encoder else {})}
    fields = {
        "benchmark": catalogue.benchmark_of(task.id),
        "task": task.id,
        "kind": str(task.kind),
        "labels": [label.name for label in task.labels],
        "system": name,
        "run": run,
        "protocol": PROTOCOL,
        "seed": seed,
        "data": {
            "rows": record["hashes"]["clean"],
            "text": system.text,
            "parts": parts_hash(splits_of(root, task.id) / "split.csv", PROTOCOL),
        },
        "grid": [params],
        "pick": {"metric": metric_of(task.kind), "best": "highest", "on": NOTHING},
        "source": {"learner": basis.sources[system.learner], "picking": basis.picking},
        "packages": basis.packages(system.learner, lock),
    }
    return Planned(
        task=task,
        system=name,
        protocol=PROTOCOL,
        seed=seed,
        environment=lock,
        standing=record["standing"],
        folder=root / catalogue.at(RESULTS, task.id) / name / run,
        fields=fields,
        grid=(params,),
        learner=system.learner,
        source=basis.sources[system.learner],
        local={"path": path} if path else {},
    )


def _weights(system: Declared) -> tuple[str | None, str]:
    """The sha256 of an encoder's weights, and the folder that holds them; no folder where a package does."""
    if system.encoder is None:
        return None, ""
    packaged = {extra.id: extra for extra in catalogue.extra_systems("selu")}
    if system.encoder in packaged:
        return packaged[system.encoder].revision, ""
    from selu.systems.finetune import sources

    folder = Path(os.environ.get(sources.MODELS, sources.MODELS)) / system.encoder
    return (sources.weights_hash(folder) if folder.is_dir() else None), str(folder)


def _check(place: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise SeluError(f"params.yaml: {place}: {name} is none of {', '.join(known)}.")
