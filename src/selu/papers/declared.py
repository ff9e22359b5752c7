"""YAML files of a paper's package, read into records: tasks, systems, the paper and others that it declares."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any, TypeVar

from selu.boards.declared import Licence
from selu.names import Named
from selu.papers.paper import Paper
from selu.vocabulary import Kind, Metric, SeluError, Task

LICENCES = "licences.yaml"
T = TypeVar("T", bound=Named)
K = TypeVar("K")


def read_records(package: str, file: str, kind: type[T]) -> tuple[T, ...]:
    """Read the declared records of one YAML file of a package, each with an id of its own.

    Raises:
        SeluError: it is no YAML, or a record has an unknown field, a missing one or one of a wrong type.
        ValueError: an id is declared twice.
    """
    parsed: list[T] = _checked(package, file, list[kind])  # type: ignore[valid-type]
    ids = [record.id for record in parsed]
    duplicates = sorted({name for name in ids if ids.count(name) > 1})
    if duplicates:
        raise ValueError(f"{package.rpartition('.')[2]}/{file}: duplicate id {duplicates[0]!r}")
    return tuple(parsed)


@cache
def read_tasks(package: str, file: str = "tasks.yaml") -> tuple[Task, ...]:
    """Read the declared tasks of a benchmark's package; a task that names no set is one of its own name."""
    name = package.rpartition(".")[2]
    found = read_records(package, file, Task)
    return tuple(
        replace(
            task,
            benchmark=name,
            sets=task.sets or (task.id,),
            kind=_known(Kind, task.kind),
            metric=_known(Metric, task.metric),
        )
        for task in found
    )


def _known(names: type[StrEnum], name: str) -> str:
    """Return the shared name if there is one; else the name that the benchmark gives."""
    return names(name) if name in set(names) else name


def read_paper(package: str) -> Paper:
    """Read the paper's record from ``paper.yaml`` of its package, with the ``licences.yaml`` beside it.

    Raises:
        SeluError: as in ``read_records``.
        ValueError: two entries tell the licence of one system.
    """
    paper = _checked(package, "paper.yaml", Paper)
    if not (resources.files(package) / LICENCES).is_file():
        return paper
    licences = _checked(package, LICENCES, tuple[Licence, ...])
    systems = [name for licence in licences for name in licence.systems]
    if twice := sorted({name for name in systems if systems.count(name) > 1}):
        raise ValueError(f"{package.rpartition('.')[2]}/{LICENCES}: {twice[0]!r} has two licences")
    return replace(paper, licences=licences)


def read_mapping(package: str, file: str) -> dict[str, Any]:
    """Read a mapping from one YAML file of a package."""
    return _checked(package, file, dict[str, Any])


def _checked(package: str, file: str, form: type[K]) -> K:
    import yaml
    from pydantic import TypeAdapter

    path = resources.files(package) / file
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return TypeAdapter(form).validate_python(yaml.load(path.read_text("utf-8"), loader))
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split()).partition(" [type=")[0][:200]
        raise SeluError(f"{path} can't be read ({reason}): correct it there.") from error
