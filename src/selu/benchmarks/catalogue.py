"""Reads the declared tasks and systems of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import ClassVar, Protocol, TypeVar

from selu.vocabulary import System, Task


@dataclass(frozen=True, slots=True)
class Extra:
    """A system that is not in the paper.

    Its weights lie in ``folder`` of an installed ``package``, or on the hub where there is none. ``revision``
    is a commit of the hub or the sha256 of the weights; None: not pinned.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    id: str
    system: System
    package: str
    folder: str
    revision: str | None


class _Record(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=_Record)
BENCHMARKS = ("selu", "nlbse24")  # whose tasks can be prepared and run


def records(benchmark: str, file: str, kind: type[T]) -> tuple[T, ...]:
    """The declared records of one file of a benchmark, each with an id of its own; errors as for ``tasks``."""
    import yaml
    from pydantic import TypeAdapter

    text = (resources.files("selu.benchmarks") / benchmark / file).read_text("utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    parsed: list[T] = TypeAdapter(list[kind]).validate_python(  # type: ignore[valid-type]
        yaml.load(text, loader)
    )
    ids = [record.id for record in parsed]
    duplicates = sorted({name for name in ids if ids.count(name) > 1})
    if duplicates:
        raise ValueError(f"{benchmark}/{file}: duplicate id {duplicates[0]!r}")
    return tuple(parsed)


@cache
def tasks(benchmark: str) -> tuple[Task, ...]:
    """Tasks of a benchmark in the paper's order.

    Raises:
        pydantic.ValidationError: a record has an unknown field, a missing one or one of a wrong type.
    """
    return records(benchmark, "tasks.yaml", Task)


@cache
def declared() -> dict[str, str]:
    """The benchmark of every declared task."""
    return {task.id: benchmark for benchmark in BENCHMARKS for task in tasks(benchmark)}


def benchmark_of(task: str) -> str:
    """The benchmark of a declared task, ``own`` of all others (``benchmarks.own``)."""
    return declared().get(task, "own")


def at(place: Path, task: str) -> Path:
    """The folder of a task in one of SELU's places; the tasks of other benchmarks have theirs beside it.

    Stages of dvc.yaml depend on whole folders of one benchmark's tasks, which no other's may alter.
    """
    return beside(place, benchmark_of(task)) / task


def set_of(task: str) -> str:
    """The pinned set of rows that a declared task is part of: SELU's its own, others what precedes ``_``."""
    return task if benchmark_of(task) == "selu" else task.partition("_")[0]


def sets() -> dict[str, str]:
    """The benchmark of every pinned set."""
    return {set_of(task): benchmark for task, benchmark in declared().items()}


def beside(place: Path, benchmark: str) -> Path:
    """What one of SELU's places is of another benchmark."""
    return Path(*(benchmark if part == "selu" else part for part in place.parts))


@cache
def systems(benchmark: str) -> tuple[System, ...]:
    """Systems of a benchmark in the paper's column order; errors as for ``tasks``."""
    return records(benchmark, "systems.yaml", System)


@cache
def extra_systems(benchmark: str) -> tuple[Extra, ...]:
    """Systems that are run beside those of the paper and are in none of its tables; errors as for ``tasks``."""
    return records(benchmark, "systems_extra.yaml", Extra)


def cleaning(benchmark: str) -> dict[str, tuple[str, ...]]:
    """Cleaning steps of each task, in the authors' order; none for tasks that are read as they are."""
    import yaml

    text = (resources.files("selu.benchmarks") / benchmark / "cleaning.yaml").read_text("utf-8")
    return {task: tuple(steps or ()) for task, steps in yaml.safe_load(text).items()}
