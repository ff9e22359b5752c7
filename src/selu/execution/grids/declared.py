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

from selu import registry
from selu.execution.grids.baselines import picking_source
from selu.execution.planned import FINETUNE, Planned, locks_of, metric_of, parts_hash, run_name
from selu.project import has_section, params_of, read_knobs
from selu.registry import splits_of
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
    """The declared systems by id; none where the benchmark declares none.

    Raises:
        SeluError: a declaration is wrong, or names a learner or a set that there is not.
    """
    if not has_section(root, benchmark, SECTION):
        return {}
    found = read_knobs(root, benchmark, SECTION, dict[str, Declared])
    sets = [name for name, of in registry.sets().items() if of == benchmark]
    place = f"{params_of(benchmark).as_posix()}: {SECTION}"
    for name, system in found.items():
        if not learners.known(system.learner):
            _check(f"{place}.{name}.learner", [system.learner], list(learners.LEARNERS))
        _check(f"{place}.{name}.sets", system.sets, sets)
    return found


def every(root: Path) -> dict[str, Declared]:
    """The declared systems of all benchmarks by id; errors as of ``known``."""
    return {name: system for of in registry.published() for name, system in known(root, of).items()}


def basis(root: Path, tasks: Sequence[Task], systems: Sequence[str]) -> Basis | None:
    """What is read once, for the systems of a filter (without one, those that run without being named).

    Returns:
        None where no task or system is asked for.

    Raises:
        SeluError: a declaration is wrong.
    """
    benchmarks = {registry.benchmark_of(task.id) for task in tasks}
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
        if set(task.sets) & set(system.sets):
            for lock in _locks(registry.results_of(root, task.id) / name, system.learner, environments):
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
        "benchmark": registry.benchmark_of(task.id),
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
        folder=registry.results_of(root, task.id) / name / run,
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
    packaged = {extra.id: extra for extra in registry.other_systems()}
    if system.encoder in packaged:
        return packaged[system.encoder].revision, ""
    from selu.systems.finetune import sources

    folder = Path(os.environ.get(sources.MODELS, sources.MODELS)) / system.encoder
    return (sources.weights_hash(folder) if folder.is_dir() else None), str(folder)


def _check(place: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise SeluError(f"{place}: {name} is none of {', '.join(known)}.")
