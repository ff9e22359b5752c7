"""Runs of the classical baselines: their grids, the environments in which they run, what their identity is."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selu import registry
from selu.execution.planned import PROTOCOLS, Planned, metric_of, parts_hash
from selu.project import SHARED, read_knobs
from selu.registry import splits_of
from selu.runs import identity as identities
from selu.systems.baseline.knobs import BaselineKnobs
from selu.vocabulary import Kind, SeluError, Task

# Protocol -> environments (names of locks) in which its cells are run; the first is the protocol's own.
ENVIRONMENTS = {"paper": ("authors", "baselines"), "strict": ("baselines",)}
SYSTEMS = ("tfidf-xgboost", "fasttext")
_MODULES = {
    "tfidf-xgboost": ("tfidf_xgboost.py",),
    "tfidf-squared-error": ("tfidf_xgboost.py", "tfidf_squared_error.py"),
    "fasttext": ("fasttext.py",),
}
# What picks among candidates; the other metrics score what is picked, and can be mended without a new run.
_PICKING = ("evaluate", "checks", "counts", "classification", "multi_label", "regression")


@dataclass(frozen=True, slots=True)
class Basis:
    """What all runs of baselines share, read once: knobs, hashes of sources, pins by environment and system."""

    knobs: BaselineKnobs
    picking: str
    learners: Mapping[str, str]
    vectors: Mapping[str, str]
    packages: Mapping[tuple[str, str], Mapping[str, str]]


def basis(root: Path, tasks: Sequence[Task]) -> Basis:
    """What is read once.

    Raises:
        SeluError: a lock is missing, or a knob of params.yaml is wrong.
    """
    knobs = read_knobs(root, SHARED, "baselines", BaselineKnobs)
    binary = {task.id for task in tasks if task.kind is Kind.BINARY}
    for name in knobs.tfidf_xgboost.squared_error:
        if name not in binary:
            raise SeluError(
                f"params.yaml: shared.baselines.tfidf_xgboost.squared_error names {name}, no binary task."
            )
    every = {e for names in ENVIRONMENTS.values() for e in names}
    return Basis(
        knobs,
        picking_source(),
        {learner: learner_source(learner) for learner in _MODULES},
        _vectors(root, knobs),
        {(e, system): _packages(root, e, system) for e in every for system in SYSTEMS},
    )


def of_task(root: Path, task: Task, record: Mapping[str, Any], basis: Basis) -> Iterator[Planned]:
    """The runs of a task, of both systems under both protocols; ``record`` is that of its data."""
    if task.kind in (Kind.ENTITIES, Kind.MASKED):
        return  # no cell by design (SELU section IV-B)
    for system, protocol in itertools.product(SYSTEMS, PROTOCOLS):
        knobs, own = basis.knobs, ENVIRONMENTS[protocol][0]
        seeds = (knobs.tfidf_xgboost.seed,) if system == "tfidf-xgboost" else knobs.fasttext.seeds
        for seed, environment in itertools.product(seeds, ENVIRONMENTS[protocol]):
            # where another environment pins what matters alike, its run would be the same one again
            same = basis.packages[environment, system] == basis.packages[own, system]
            if environment == own or not same:
                yield _planned(root, task, system, protocol, seed, environment, record, basis)


def _planned(
    root: Path,
    task: Task,
    system: str,
    protocol: str,
    seed: int,
    environment: str,
    record: Mapping[str, Any],
    basis: Basis,
) -> Planned:
    name = f"{protocol}-s{seed}"
    if environment != ENVIRONMENTS[protocol][0]:
        name += f"-{environment}"
    grid = tuple(_grid(system, task.kind, basis))
    squared = system == "tfidf-xgboost" and task.id in basis.knobs.tfidf_xgboost.squared_error
    learner = "tfidf-squared-error" if squared else system
    metric = metric_of(task.kind)
    # The authors' script sorts by score, highest first, for an error too, and so keeps the worst SMAPE.
    lowest = metric == "smape" and protocol == "strict"
    fields = {
        "benchmark": registry.benchmark_of(task.id),
        "task": task.id,
        "kind": str(task.kind),
        "labels": [label.name for label in task.labels],
        "system": system,
        "run": name,
        "protocol": protocol,
        "seed": seed,
        "data": {
            "rows": record["hashes"]["clean"],
            "text": "paper",
            "parts": parts_hash(splits_of(root, task.id) / "split.csv", protocol),
        },
        "grid": [dict(params) for params in grid],
        "pick": {
            "metric": metric,
            "best": "lowest" if lowest else "highest",
            "on": "test" if protocol == "paper" else "validation",
        },
        "source": {"learner": basis.learners[learner], "picking": basis.picking},
        "packages": basis.packages[environment, system],
    }
    folder = registry.results_of(root, task.id) / system / name
    local = {"path": str(basis.vectors["path"])} if "vectors" in grid[0] and basis.vectors else {}
    return Planned(
        task,
        system,
        protocol,
        seed,
        environment,
        record["standing"],
        folder,
        fields,
        grid,
        learner,
        basis.learners[learner],
        local,
    )


def _grid(system: str, kind: str, basis: Basis) -> Iterator[dict[str, Any]]:
    if system == "tfidf-xgboost":
        grid = basis.knobs.tfidf_xgboost
        for depth, weight in itertools.product(grid.max_depth, grid.min_child_weight):
            yield {"max_depth": depth, "min_child_weight": weight}
        return
    texts = basis.knobs.fasttext
    if kind is Kind.REGRESSION:
        if basis.vectors:
            yield {"vectors": basis.vectors["sha256"]}
        else:
            yield {"vectors": None, "dim": texts.vector_dim, "epoch": texts.vector_epoch}
        return
    for lr, epoch in itertools.product(texts.lr, texts.epoch):
        params: dict[str, Any] = {"lr": lr, "epoch": epoch, "quoted": texts.quoted, "threads": texts.threads}
        yield {**params, "threshold": texts.threshold} if kind is Kind.MULTI_LABEL else params


def _vectors(root: Path, knobs: BaselineKnobs) -> dict[str, str]:
    """Path and hash of the given word vectors; empty where vectors are to be learnt."""
    if not knobs.fasttext.vectors:
        return {}
    path = root / Path(knobs.fasttext.vectors).expanduser()
    if not path.is_file():
        raise SeluError(f"params.yaml: shared.baselines.fasttext.vectors names {path}, which is no file.")
    with path.open("rb") as stream:
        return {"path": str(path), "sha256": hashlib.file_digest(stream, "sha256").hexdigest()}


def picking_source() -> str:
    """Hash of what makes lessons of rows and picks among candidates."""
    import selu

    here = Path(selu.__file__).parent
    metrics = (here / "metrics" / f"{name}.py" for name in _PICKING)
    return identities.source([here / "execution" / "protocols.py", *metrics])


def learner_source(learner: str) -> str:
    """Hash of what a single fit depends on."""
    import selu

    baseline = Path(selu.__file__).parent / "systems" / "baseline"
    return identities.source([*(baseline / name for name in _MODULES[learner]), baseline / "learning.py"])


def packages_of(system: str) -> tuple[str, ...]:
    """Packages that a system's predictions depend on."""
    from selu.systems.baseline import fasttext, tfidf_xgboost

    return tfidf_xgboost.PACKAGES if system == "tfidf-xgboost" else fasttext.PACKAGES


def _packages(root: Path, environment: str, system: str) -> dict[str, str]:
    return identities.pinned(root / "locks" / f"{environment}.txt", packages_of(system))
