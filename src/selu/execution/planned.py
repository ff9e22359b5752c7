"""Planned runs, the filters that select them, and the options under which they are made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from selu import registry
from selu.metrics import kinds
from selu.runs import identity as identities
from selu.systems.prompt.budget import Budget
from selu.vocabulary import SeluError, Task

if TYPE_CHECKING:
    from selu.splits.record import DataRecord

Progress = Callable[[str], None]
REFUSALS = (SeluError, ValueError, OSError)  # of a run, which end no other one
PROTOCOLS = ("paper", "strict")
FINETUNE = "finetune"  # the lock of tracked runs that use torch
FINETUNE_LOCKS = (FINETUNE, "cuda")  # those that it may run in: that one, and the CUDA image's
NOTHING = "nothing"  # what a run is picked on that has one candidate


@dataclass(frozen=True, slots=True)
class Given:
    """An encoder that the user gives, and no benchmark declares.

    Its id is of its files; ``weights`` and ``files`` are the sha256 of its weights and of all that decides its
    vectors.
    """

    id: str
    folder: str
    weights: str
    files: str


@dataclass(frozen=True, slots=True)
class Planned:
    """A planned run.

    ``fields`` is everything that its predictions depend on, ``family`` the name of its system's family
    (``plans.FAMILIES``), ``grid`` its candidates (of a fine-tuned system one: the numbers of its training),
    ``learner`` the name and ``source`` the hash of what fits them, ``local`` where files that they need lie on
    this machine or come from, ``parameters`` how large a fine-tuned model is, ``encoder`` what was given,
    ``learns`` the tasks whose rows are learnt from, where these are not its own.
    """

    task: Task
    system: str
    protocol: str
    seed: int
    environment: str
    availability: str
    folder: Path
    fields: Mapping[str, Any]
    family: str
    grid: tuple[Mapping[str, Any], ...]
    source: str
    learner: str = ""
    local: Mapping[str, str] = field(default_factory=dict)
    parameters: int | None = None
    encoder: Given | None = None
    learns: tuple[Task, ...] = ()

    @property
    def name(self) -> str:
        """The run as a path below the results."""
        return f"{self.task.id}/{self.system}/{self.folder.name}"

    @property
    def identity(self) -> str:
        """Hash of the fields."""
        return identities.identity(self.fields)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters of ``selu plan`` and ``selu run``; an empty one keeps everything.

    Where an ``encoder`` is given, its runs are planned and no others.
    """

    tasks: Sequence[str] = ()
    systems: Sequence[str] = ()
    protocols: Sequence[str] = ()
    seeds: Sequence[int] = ()
    environments: Sequence[str] = ()
    encoder: Given | None = field(default=None, kw_only=True)

    def allows(self, run: Planned) -> bool:
        """Return whether a run passes the filters."""
        return (
            run.system in (self.systems or (run.system,))
            and run.protocol in (self.protocols or (run.protocol,))
            and run.seed in (self.seeds or (run.seed,))
            and run.environment in (self.environments or (run.environment,))
        )


@dataclass(frozen=True, slots=True)
class Orders:
    """The options by which runs are made.

    Attributes:
        again: plans a run again, as sources and parameters are now.
        ended: called with each run's scores, or why there are none.
        anew: whether nothing counts that was found before.
        jobs: runs or candidates at once; by default what the machine can do.
        budget: what prompted systems may cost from now on.
    """

    root: Path
    again: Callable[[Planned], Planned]
    progress: Progress
    ended: Callable[[Planned, Path | Exception], None] = lambda _run, _result: None
    anew: bool = False
    jobs: int | None = None
    budget: Budget = field(default_factory=Budget)


@dataclass(frozen=True, slots=True)
class Asked:
    """A system with planned runs: the tasks that it takes, and its runs on one, by the task's record."""

    takes: Callable[[Task], bool]
    runs: Callable[[Task, DataRecord], Iterator[Planned]]


class Place(NamedTuple):
    """The place of a run of a task: ``run`` is the name of its folder; ``environment`` is its lock."""

    system: str
    run: str
    protocol: str
    seed: int
    environment: str


def plan_run(
    root: Path,
    task: Task,
    record: DataRecord,
    place: Place,
    data: Mapping[str, object],
    fields: Mapping[str, object],
    **attributes: Any,
) -> Planned:
    """Plan one run of any family.

    Args:
        record: the tracked one of the task's data.
        data: which text is read, and what else of the rows matters.
        fields: what else its predictions depend on: pick, source, packages, and what is learnt by.
        attributes: ``family``, ``grid`` and so on of ``Planned``.
    """
    common = {
        "benchmark": registry.benchmark_of(task.id),
        "task": task.id,
        "kind": str(task.kind),
        "labels": [label.name for label in task.labels],
        "system": place.system,
        "run": place.run,
        "protocol": place.protocol,
        "seed": place.seed,
        "data": {**rows_hashes(root, task, record, place.protocol), **data},
    }
    folder = registry.results_of(root, task.id) / place.system / place.run
    return Planned(
        task,
        place.system,
        place.protocol,
        place.seed,
        place.environment,
        record["standing"],
        folder,
        {**common, **fields},
        **attributes,
    )


def rows_hashes(root: Path, task: Task, record: DataRecord, protocol: str) -> Mapping[str, str]:
    """Hash which rows a task has, by its tracked record, and in which part the protocol has each."""
    split = (registry.splits_of(root, task.id) / "split.csv").read_text("utf-8")
    return {"rows": record["hashes"]["clean"], "parts": _parts_hash(split, protocol)}


def run_name(protocol: str, seed: int, lock: str) -> str:
    """Name the folder of a fine-tuned run: a run under another lock has a folder of its own."""
    return f"{protocol}-s{seed}" + ("" if lock == FINETUNE else f"-{lock}")


def locks_of(cell: Path, asked: Sequence[str]) -> tuple[str, ...]:
    """Find the locks under which the fine-tuned runs of a cell are planned, whose results are in this folder.

    Args:
        asked: locks that were asked for; none: the one lock that the runs available were made under, so
            that a report says the same wherever it is made. Runs under the tracked runs' lock come first.
    """
    from selu.runs import record

    if asked:
        return tuple(lock for lock in FINETUNE_LOCKS if lock in asked)
    names = [path.parent.name for path in cell.glob(f"*/{record.RUN}")]
    others = {name: lock for name in names for lock in FINETUNE_LOCKS[1:] if name.endswith(f"-{lock}")}
    return (min(others.values()),) if names and len(others) == len(names) else (FINETUNE,)


def runs_unnamed(task: Task) -> bool:
    """Return whether systems that the benchmark does not declare are run on a task without being named."""
    return not registry.benchmark(task.benchmark).asked


def pick_of(kind: str, on: str, metric: str | None = None) -> Mapping[str, str]:
    """Return how the best of several is picked: by its score (or ``metric``), on these rows."""
    primary, lower = kinds.metric(kind)
    name = metric or primary
    best = "lowest" if name == "loss" or (lower and name == primary) else "highest"
    return {"metric": name, "best": best, "on": on}


@lru_cache(maxsize=64)  # a task's runs share their split
def _parts_hash(text: str, protocol: str) -> str:
    """Hash the ids of a split and the part in which the protocol has each, by sha256."""
    header, *lines = text.splitlines()
    column = header.split(",").index(protocol)
    parts = [[fields[0], fields[column]] for fields in (line.split(",") for line in lines)]
    return hashlib.sha256(identities.canonical(parts)).hexdigest()
