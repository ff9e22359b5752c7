"""What a planned run is, and the filters by which runs are chosen."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from selu.metrics import kinds
from selu.runs import identity as identities
from selu.vocabulary import Task

PROTOCOLS = ("paper", "strict")
FINETUNE = "finetune"  # the learner and the environment (name of a lock) of all fine-tuned systems
FINETUNE_LOCKS = (FINETUNE, "cuda")  # what they may run in: that of the tracked runs, and the CUDA image's
PROMPT = "prompt"  # likewise of all prompted systems


@dataclass(frozen=True, slots=True)
class Planned:
    """One run to be.

    ``fields`` is everything that its predictions depend on, ``grid`` its candidates (of a fine-tuned system
    one: the numbers of its training), ``learner`` the name and ``source`` the hash of what fits them, ``local``
    where files that they need lie on this machine or come from, ``parameters`` how large a fine-tuned model is.
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
    parameters: int | None = None

    @property
    def name(self) -> str:
        """The run as a path below the results."""
        return f"{self.task.id}/{self.system}/{self.folder.name}"

    @property
    def identity(self) -> str:
        """Hash of the fields."""
        return identities.identity(self.fields)

    @property
    def finetuned(self) -> bool:
        """Whether it is one training of a model, not a grid of a baseline."""
        return self.learner == FINETUNE

    @property
    def prompted(self) -> bool:
        """Whether a model behind an API is asked."""
        return self.learner == PROMPT


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters of ``selu plan`` and ``selu run``; an empty one keeps everything."""

    tasks: Sequence[str] = ()
    systems: Sequence[str] = ()
    protocols: Sequence[str] = ()
    seeds: Sequence[int] = ()
    environments: Sequence[str] = ()


def run_name(protocol: str, seed: int, lock: str) -> str:
    """The folder of a fine-tuned run: one under another lock than the tracked runs' lies beside them."""
    return f"{protocol}-s{seed}" + ("" if lock == FINETUNE else f"-{lock}")


def locks_of(cell: Path, asked: Sequence[str]) -> tuple[str, ...]:
    """Under which locks the fine-tuned runs of a cell are planned, whose results are in this folder.

    Args:
        asked: environments that were asked for; none: the one lock that the runs at hand were made under, so
            that a report says the same wherever it is made. Runs under the tracked runs' lock come first.
    """
    from selu.runs import record

    if asked:
        return tuple(lock for lock in FINETUNE_LOCKS if lock in asked)
    names = [path.parent.name for path in cell.glob(f"*/{record.RUN}")]
    others = {name: lock for name in names for lock in FINETUNE_LOCKS[1:] if name.endswith(f"-{lock}")}
    return (min(others.values()),) if names and len(others) == len(names) else (FINETUNE,)


def metric_of(kind: str) -> str:
    """The score that stands for a run on a task of this kind."""
    return kinds.metric(kind)[0]


def parts_hash(path: Path, protocol: str) -> str:
    """sha256 over the ids of a split and the part in which the protocol has each."""
    return _parts_hash(path.read_text("utf-8"), protocol)


@lru_cache(maxsize=64)  # a task's runs share their split
def _parts_hash(text: str, protocol: str) -> str:
    header, *lines = text.splitlines()
    column = header.split(",").index(protocol)
    parts = [[fields[0], fields[column]] for fields in (line.split(",") for line in lines)]
    return hashlib.sha256(identities.canonical(parts)).hexdigest()
