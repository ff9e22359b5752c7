"""Which runs there are under the current parameters, what each one is made of, and what is done of them."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selu.commands.preparation import CLEAN, SPLITS, tracked_record
from selu.project import read_knobs
from selu.runs import identity as identities
from selu.systems.baseline.knobs import BaselineKnobs
from selu.vocabulary import Approach, Kind, SeluError, Task

RESULTS = Path("results") / "selu"
PROTOCOLS = ("paper", "strict")
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
_METRIC = {Kind.REGRESSION: "smape"}


@dataclass(frozen=True, slots=True)
class Planned:
    """One run to be.

    ``fields`` is everything that its predictions depend on, ``grid`` its candidates, ``learner`` the name and
    ``source`` the hash of what fits them, ``local`` where files that they need lie on this machine.
    """

    task: Task
    system: str
    protocol: str
    seed: int
    environment: str
    standing: str
    folder: Path
    fields: Mapping[str, Any]
    grid: tuple[Mapping[str, Any], ...]
    learner: str
    source: str
    local: Mapping[str, str]

    @property
    def name(self) -> str:
        """The run as a path below the results."""
        return f"{self.task.id}/{self.system}/{self.folder.name}"

    @property
    def identity(self) -> str:
        """Hash of the fields."""
        return identities.identity(self.fields)


@dataclass(frozen=True, slots=True)
class _Basis:
    """What all planned runs share, read once: knobs, sources by learner, pins by environment and system."""

    knobs: BaselineKnobs
    picking: str
    learners: Mapping[str, str]
    vectors: Mapping[str, str]
    packages: Mapping[tuple[str, str], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters of ``selu plan`` and ``selu run``; an empty one keeps everything."""

    tasks: Sequence[str] = ()
    systems: Sequence[str] = ()
    protocols: Sequence[str] = ()
    seeds: Sequence[int] = ()
    environments: Sequence[str] = ()


def plan(root: Path, wanted: Wanted) -> list[Planned]:
    """The runs under the current parameters, in the order of the tasks.

    Without a filter these are the runs on real data; a task of synthetic rows is run when it is named.

    Raises:
        SeluError: an unknown name in a filter, a filter that nothing passes, or a damaged record of a task.
    """
    from selu.benchmarks import catalogue
    from selu.commands.listing import nearest

    tasks = {task.id: task for task in catalogue.tasks("selu")}
    systems = [s.id for s in catalogue.systems("selu") if s.approach is Approach.BASELINE]
    every = {e for names in ENVIRONMENTS.values() for e in names}
    for names, known, what in (
        (wanted.tasks, tasks, "task"),
        (wanted.systems, systems, "baseline"),
        (wanted.protocols, PROTOCOLS, "protocol"),
        (wanted.environments, every, "environment"),
    ):
        for name in names:
            if name not in known:
                raise nearest(name, list(known), what)
    knobs = read_knobs(root, "selu", "baselines", BaselineKnobs)
    for name in knobs.tfidf_xgboost.squared_error:
        if name not in tasks or tasks[name].kind is not Kind.BINARY:
            raise SeluError(
                f"params.yaml: selu.baselines.tfidf_xgboost.squared_error names {name}, no binary task."
            )
    basis = _Basis(
        knobs,
        _picking_source(),
        {learner: learner_source(learner) for learner in _MODULES},
        _vectors(root, knobs),
        {(e, system): _packages(root, e, system) for e in every for system in SYSTEMS},
    )
    runs = [
        run
        for task in tasks.values()
        if task.id in (wanted.tasks or tasks)
        for run in _of_task(root, task, basis, bool(wanted.tasks))
        if run.system in (wanted.systems or SYSTEMS)
        and run.protocol in (wanted.protocols or PROTOCOLS)
        and run.seed in (wanted.seeds or (run.seed,))
        and run.environment in (wanted.environments or every)
    ]
    if not runs:
        raise SeluError(
            "no run passes these filters: 'selu plan' lists all runs, and 'selu show TASK/SYSTEM' says why a "
            "cell is absent."
        )
    return runs


def _of_task(root: Path, task: Task, basis: _Basis, named: bool) -> Iterator[Planned]:
    if task.kind in (Kind.ENTITIES, Kind.MASKED):
        return  # no cell by design (SELU section IV-B)
    record = tracked_record(root, task.id)
    if record["standing"] == "synthetic" and not named:
        return
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
    basis: _Basis,
) -> Planned:
    name = f"{protocol}-s{seed}"
    if environment != ENVIRONMENTS[protocol][0]:
        name += f"-{environment}"
    grid = tuple(_grid(system, task.kind, basis))
    squared = system == "tfidf-xgboost" and task.id in basis.knobs.tfidf_xgboost.squared_error
    learner = "tfidf-squared-error" if squared else system
    metric = _METRIC.get(task.kind, "f1_macro")
    # The authors' script sorts by score, highest first, for an error too, and so keeps the worst SMAPE.
    lowest = metric == "smape" and protocol == "strict"
    fields = {
        "benchmark": "selu",
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
            "parts": _parts_hash(root / SPLITS / task.id / "split.csv", protocol),
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
    folder = root / RESULTS / task.id / system / name
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


def _grid(system: str, kind: Kind, basis: _Basis) -> Iterator[dict[str, Any]]:
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
        raise SeluError(f"params.yaml: selu.baselines.fasttext.vectors names {path}, which is no file.")
    with path.open("rb") as stream:
        return {"path": str(path), "sha256": hashlib.file_digest(stream, "sha256").hexdigest()}


def _parts_hash(path: Path, protocol: str) -> str:
    header, *lines = path.read_text("utf-8").splitlines()
    column = header.split(",").index(protocol)
    parts = [[fields[0], fields[column]] for fields in (line.split(",") for line in lines)]
    return hashlib.sha256(identities.canonical(parts)).hexdigest()


def _picking_source() -> str:
    """Hash of what makes lessons of rows and picks among candidates."""
    import selu

    here = Path(selu.__file__).parent
    metrics = (here / "metrics" / f"{name}.py" for name in _PICKING)
    return identities.source([here / "commands" / "protocols.py", *metrics])


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


def has_data(root: Path, task: str) -> bool:
    """Whether the prepared rows of a task are at hand."""
    return (root / CLEAN / f"{task}.parquet").is_file()


def plan_again(root: Path, run: Planned) -> Planned:
    """The same run, planned anew: its identity differs when a source, a lock or a parameter changed."""
    names = Wanted((run.task.id,), (run.system,), (run.protocol,), (run.seed,), (run.environment,))
    return plan(root, names)[0]
