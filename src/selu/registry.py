"""Finds the benchmarks; their tasks, systems and claims by name.

A package that is not whole is refused by its name; the others are there all the same.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module, resources
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

import selu.papers
from selu.files import read_json
from selu.metrics import kinds
from selu.names import check, nearest
from selu.papers.api import Benchmark, Extra, Local, Scored, check_whole
from selu.project import CLEAN, REPORTS, RESULTS, SPLITS
from selu.vocabulary import Claim, SeluError, System, Task

DEFAULT = __name__.partition(".")[0]  # the benchmark that the project is named after
PROMPT = "prompt"  # folder of the templates of a local task, beside its split


class Found(NamedTuple):
    """The benchmarks by id, the default one first, and why other packages are refused, by their names."""

    benchmarks: dict[str, Benchmark]
    refused: dict[str, str]


@cache
def find() -> Found:
    """Find the packages below ``selu.papers``, and hold them to what they have to export.

    Those that ``built_in.txt`` names come first: of two that clash, the one that somebody added is refused.
    """
    names = [module.name for module in iter_modules(selu.papers.__path__) if module.ispkg]
    first = (resources.files(selu.papers) / "built_in.txt").read_text("utf-8").split()
    found: dict[str, Benchmark] = {}
    refused: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (first.index(name) if name in first else len(first), name)):
        try:
            found[name] = _checked(name, found)
        except Exception as error:  # any error of a package at import must not affect the others
            message = (str(error).splitlines() or [""])[0]
            why = message if isinstance(error, SeluError) else f"{type(error).__name__}: {message}"
            refused[name] = f"the paper {name} is left out: {why.rstrip('.')}."
    return Found(found, refused)


def _checked(name: str, others: Mapping[str, Benchmark]) -> Benchmark:
    package = import_module(f"{selu.papers.__name__}.{name}")
    benchmark = check_whole(getattr(package, "BENCHMARK", None), name)
    tasks = {task.id for task in benchmark.tasks()}
    systems = {system.id for system in benchmark.systems()}
    for other in others.values():
        if benchmark.claim_prefix and benchmark.claim_prefix == other.claim_prefix:
            raise SeluError(f"claims of {other.id} begin with {benchmark.claim_prefix}, too")
        if shared := sorted({task.id for task in other.tasks()} & tasks):
            raise SeluError(f"{other.id} has a task {shared[0]}, too: call it {name}_{shared[0]}")
        if shared := sorted({system.id for system in other.systems()} & systems):
            raise SeluError(f"{other.id} has a system {shared[0]}, too: call it {name}-{shared[0]}")
    for spec in benchmark.kinds:
        kinds.add(spec)
    for task in benchmark.tasks():
        kinds.added(task.kind)
    return benchmark


def check_none_refused() -> None:
    """Refuse to make output of all benchmarks while one of them is left out."""
    if refused := find().refused:
        raise SeluError(next(iter(refused.values())))


def published() -> tuple[str, ...]:
    """List the ids of the benchmarks of papers, the default one first."""
    return tuple(id for id, benchmark in find().benchmarks.items() if benchmark.local is None)


def benchmark(name: str) -> Benchmark:
    """Look up a benchmark.

    Raises:
        SeluError: no record has that name; names the nearest one, or its package is refused, with the reason.
    """
    found = find()
    if name in found.refused:
        raise SeluError(found.refused[name])
    if name not in found.benchmarks:
        raise nearest(name, published(), "paper")
    return found.benchmarks[name]


def known(name: str) -> str:
    """Check that a name is one of the papers' benchmarks; raises the errors of ``benchmark``."""
    if benchmark(name).local is not None:
        raise nearest(name, published(), "paper")
    return name


# -- tasks, systems, claims ----------------------------------------------------------------------


def tasks(name: str) -> tuple[Task, ...]:
    """Read the tasks of a benchmark, in the paper's order."""
    return benchmark(name).tasks()


def systems(name: str) -> tuple[System, ...]:
    """Read the systems of a benchmark, in the paper's column order."""
    return benchmark(name).systems()


def paper_systems() -> tuple[System, ...]:
    """Return the systems of all papers that can be run on any task."""
    return tuple(system for name in published() for system in systems(name))


def other_systems() -> tuple[Extra, ...]:
    """Return the systems outside all papers that are run beside theirs."""
    return tuple(extra for name in published() for extra in benchmark(name).others())


@cache
def declared() -> Mapping[str, str]:
    """Map every declared task to its benchmark."""
    return {task.id: name for name in published() for task in tasks(name)}


def benchmark_of(task: str) -> str:
    """Find the benchmark of a declared task; of all others, that whose tasks are declared in the clone."""
    return declared().get(task) or local().id


def local() -> Benchmark:
    """Find the benchmark whose tasks are declared in the clone."""
    return next(benchmark for benchmark in find().benchmarks.values() if benchmark.local is not None)


def local_tasks(name: str) -> Local | None:
    """Find how a task is read that is declared in the clone; None for the papers'."""
    return benchmark(benchmark_of(name)).local


def sets() -> Mapping[str, str]:
    """Map every pinned set of rows to its benchmark."""
    return {name: paper for paper in published() for task in tasks(paper) for name in task.sets}


def claims(name: str) -> tuple[Claim, ...]:
    """Return every claim of a benchmark, in order of id.

    Raises:
        SeluError: there is no such benchmark, or a claim's id does not begin as its claims' ids do.
    """
    found = benchmark(name)
    every = found.claims()
    if wrong := [claim.id for claim in every if not claim.id.startswith(found.claim_prefix)]:
        raise SeluError(f"the paper {name}: its claim {wrong[0]} does not begin with {found.claim_prefix}.")
    return every


def claim(name: str, id: str) -> Claim:
    """Find a claim of a benchmark by its id, ignoring case.

    Raises:
        SeluError: as in ``claims``, or there is none, with the nearest one.
    """
    id = id.upper()
    if found := benchmark(name).claim(id):
        return found
    every = {claim.id: claim for claim in claims(name)}
    if id not in every:
        raise nearest(id, every, "claim")
    return every[id]


def of_claim(id: str) -> str | None:
    """Find the benchmark whose claims have ids of this form; None where no benchmark has."""
    letters = id.rstrip("0123456789").upper()
    found = [name for name in published() if letters and benchmark(name).claim_prefix == letters]
    return found[0] if found and letters != id.upper() else None


def tasks_of(root: Path, names: Sequence[str] | None = None) -> tuple[Task, ...]:
    """List the default benchmark's tasks, then those of others and of the clone: of these names, or all.

    Raises:
        SeluError: the declaration of a task in the clone is wrong.
    """
    others = (task for name in published()[1:] for task in tasks(name) if names is None or task.id in names)
    return (*tasks(DEFAULT), *others, *_local_tasks(root, names))


def _local_tasks(root: Path, names: Sequence[str] | None) -> Iterator[Task]:
    place, every = local().local, local_names(root)
    assert place is not None
    for name in every if names is None else [name for name in dict.fromkeys(names) if name in every]:
        try:
            if name in declared():
                raise SeluError(
                    f"{name}, declared in this clone, is a task of the paper: name its file otherwise."
                )
            yield place.task(root, name, _instances(root, name))
        except SeluError as error:
            if names is not None:
                raise
            _leave_out(str(error))


@cache  # reported once, however often all tasks are listed
def _leave_out(why: str) -> None:
    print(f"selu: left out: {why}", file=sys.stderr)


def local_names(root: Path) -> list[str]:
    """List the ids of the tasks that are declared in the clone."""
    place = local().local
    return place.names(root) if place else []


def unknown_task(root: Path, name: str) -> SeluError:
    """Return the error for an unknown task, with the nearest one."""
    return nearest(name, [*declared(), *local_names(root)], "task")


def of_benchmark(names: Sequence[str], name: str) -> Sequence[str]:
    """Return these names; without any, the benchmark's tasks (for the default one: none, which means all).

    Raises:
        SeluError: no such benchmark, one without tasks, or a named task is of another one.
    """
    if known(name) == DEFAULT:
        return names
    ids = [task.id for task in tasks(name)]
    if not ids:
        raise SeluError(f"{benchmark(name).name} has no tasks that can be prepared or run here.")
    check(names, ids, f"task of {name}")
    return names or ids


def task_of(root: Path, name: str) -> Task:
    """Find the task of this id, ignoring case.

    Raises:
        SeluError: it does not exist; names the nearest one, or its record is wrong.
    """
    return chosen(root, [name.lower()], every=False)[0]


def _instances(root: Path, name: str) -> int:
    """Count the rows of a local task; 0 before they are prepared, or where their record is damaged.

    Whoever needs the record refuses a damaged one; ``selu prepare``, which makes it again, has to get past it.
    """
    try:
        return int(read_json(record_of(root, name), f"selu prepare {name}", ("rows",))["rows"])
    except (OverflowError, SeluError, TypeError, ValueError):
        return 0


def chosen(root: Path, names: Sequence[str], every: bool) -> list[Task]:
    """Find the tasks of these names, or all of the default benchmark; refuses as ``task_of``, and no name."""
    found = {task.id: task for task in tasks_of(root, names)}
    if every and names:
        raise SeluError("name tasks or give --all, not both.")
    if not every and not names:
        raise SeluError("name at least one task, or give --all; 'selu list tasks' shows them.")
    for name in names:
        if name not in found:
            raise unknown_task(root, name)
    return list(tasks(DEFAULT)) if every else [found[name] for name in dict.fromkeys(names)]


def absence(system: System, task: Task) -> str | None:
    """Return why a system has no score on the task by the design of its benchmark, or None."""
    return benchmark(task.benchmark).absence(system, task)


# -- where a task's files are ----------------------------------------------------------------------


def rows_of(root: Path, name: str) -> Path:
    """Name the file of a task's prepared rows."""
    return root / CLEAN / benchmark_of(name) / f"{name}.parquet"


def splits_of(root: Path, name: str) -> Path:
    """Name the folder of a task's split and shots."""
    return root / SPLITS / benchmark_of(name) / name


def record_of(root: Path, name: str) -> Path:
    """Name the file of the record that vouches for them."""
    return root / REPORTS / benchmark_of(name) / "data" / name / "record.json"


def results_of(root: Path, name: str) -> Path:
    """Name the folder of a task's runs."""
    return root / RESULTS / benchmark_of(name) / name


# -- what a paper publishes ----------------------------------------------------------------------------


def load(root: Path, name: str, what_if: Path | None = None) -> Any:
    """Read what a benchmark's claims, tables and figures are computed from: its ``Benchmark.material``.

    Tables, altered ones too, are read as by ``sources.published.read_tables``.

    Raises:
        SeluError: no such benchmark, a table is damaged, differs from its pin unless it is altered, or a
            setting is wrong.
    """
    from selu.sources.published import read_tables

    material = benchmark(name).material
    if material is None:
        raise SeluError(f"{name} has no published tables.")
    return material(root, read_tables(root, name, what_if), what_if is not None)


def scored(root: Path, name: str) -> Scored | None:
    """Load the same where the paper prints one score per task and system; None where it does not."""
    paper = benchmark(name)
    material = load(root, name) if paper.material and paper.systems() else None
    return material if isinstance(material, Scored) else None
