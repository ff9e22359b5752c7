"""Reads the declared tasks and systems of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import ClassVar, TypeVar

from selu.vocabulary import System, Task


@dataclass(frozen=True, slots=True)
class Extra:
    """A system that is not in the paper: its weights lie in ``folder`` of an installed ``package``.

    ``revision`` is the sha256 of these weights.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    id: str
    system: System
    package: str
    folder: str
    revision: str


T = TypeVar("T", Task, System, Extra)


def _records(benchmark: str, file: str, kind: type[T]) -> tuple[T, ...]:
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
    return _records(benchmark, "tasks.yaml", Task)


@cache
def systems(benchmark: str) -> tuple[System, ...]:
    """Systems of a benchmark in the paper's column order; errors as for ``tasks``."""
    return _records(benchmark, "systems.yaml", System)


@cache
def extra_systems(benchmark: str) -> tuple[Extra, ...]:
    """Systems that are run beside those of the paper and are in none of its tables; errors as for ``tasks``."""
    return _records(benchmark, "systems_extra.yaml", Extra)


def cleaning(benchmark: str) -> dict[str, tuple[str, ...]]:
    """Cleaning steps of each task, in the authors' order; none for tasks that are read as they are."""
    import yaml

    text = (resources.files("selu.benchmarks") / benchmark / "cleaning.yaml").read_text("utf-8")
    return {task: tuple(steps or ()) for task, steps in yaml.safe_load(text).items()}
