"""Finds the benchmarks; their tasks, systems and claims by name.

A package that is not whole is refused by its name; the others are there all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import selu.benchmarks
from selu.benchmarks.api import Benchmark, Extra, Local, Scored
from selu.files import read_json
from selu.metrics import kinds
from selu.names import nearest
from selu.project import CLEAN, PINS, RAW, REPORTS, RESULTS, SPLITS
from selu.vocabulary import Claim, Published, SeluError, System, Task

DEFAULT = __name__.partition(".")[0]  # the benchmark that the project is named after
PROMPT = "prompt"  # folder of the templates of a local task, beside its split


@dataclass(frozen=True, slots=True)
class Found:
    """The benchmarks by id, the default one first, and why other packages are refused, by their names."""

    benchmarks: dict[str, Benchmark]
    refused: dict[str, str]


@cache
def find() -> Found:
    """Find the packages below ``selu.benchmarks``, and hold them to what they have to export."""
    names = [module.name for module in iter_modules(selu.benchmarks.__path__) if module.ispkg]
    found: dict[str, Benchmark] = {}
    refused: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (name != DEFAULT, name)):
        try:
            found[name] = _checked(name, found)
        except Exception as error:  # whatever a package does when it is imported, the others go on
            said = (str(error).splitlines() or [""])[0]
            why = said if isinstance(error, SeluError) else f"{type(error).__name__}: {said}"
            refused[name] = f"the benchmark {name} is left out: {why.rstrip('.')}."
    return Found(found, refused)


def _checked(name: str, others: dict[str, Benchmark]) -> Benchmark:
    benchmark = getattr(import_module(f"{selu.benchmarks.__name__}.{name}"), "BENCHMARK", None)
    if not isinstance(benchmark, Benchmark):
        raise SeluError("its package exports no BENCHMARK (selu.benchmarks.api)")
    if benchmark.id != name:
        raise SeluError(f"its BENCHMARK is named {benchmark.id}, its package {name}")
    tasks = benchmark.tasks()
    if tasks and (benchmark.read is None or benchmark.rows is None):
        raise SeluError("it has tasks, but lacks read or rows, by which their data are read")
    if benchmark.claims is not tuple and benchmark.material is None:
        raise SeluError("it has claims, but lacks material, from which they are computed")
    if strange := [task.id for task in tasks if task.benchmark != name]:
        raise SeluError(f"its task {strange[0]} names another benchmark")
    for spec in benchmark.kinds:
        kinds.add(spec)
    for task in tasks:
        kinds.added(task.kind)
    ids = [task.id for task in tasks]
    for other in others.values():
        if benchmark.claim_prefix and benchmark.claim_prefix == other.claim_prefix:
            raise SeluError(f"claims of {other.id} begin with {benchmark.claim_prefix}, too")
        if both := sorted({task.id for task in other.tasks()} & set(ids)):
            raise SeluError(f"{other.id} has a task {both[0]}, too")
    return benchmark


def published() -> tuple[str, ...]:
    """Ids of the benchmarks of papers, the default one first."""
    return tuple(id for id, one in find().benchmarks.items() if one.local is None)


def benchmark(name: str) -> Benchmark:
    """Look up a benchmark.

    Raises:
        SeluError: there is none of that name, with the nearest one, or its package is refused, with the reason.
    """
    found = find()
    if name in found.refused:
        raise SeluError(found.refused[name])
    if name not in found.benchmarks:
        raise nearest(name, published(), "benchmark")
    return found.benchmarks[name]


def known(name: str) -> str:
    """Hold a name to those of the papers' benchmarks; errors as of ``benchmark``."""
    if benchmark(name).local is not None:
        raise nearest(name, published(), "benchmark")
    return name


# -- tasks, systems, claims ----------------------------------------------------------------------


def tasks(name: str) -> tuple[Task, ...]:
    """Tasks of a benchmark in the paper's order."""
    return benchmark(name).tasks()


def systems(name: str) -> tuple[System, ...]:
    """Systems of a benchmark in the paper's column order."""
    return benchmark(name).systems()


def paper_systems() -> tuple[System, ...]:
    """Systems of all papers that can be run on any task."""
    return tuple(system for name in published() for system in systems(name))


def other_systems() -> tuple[Extra, ...]:
    """Systems that are in no paper and are run beside theirs."""
    return tuple(extra for name in published() for extra in benchmark(name).others())


@cache
def declared() -> dict[str, str]:
    """The benchmark of every declared task."""
    return {task.id: name for name in published() for task in tasks(name)}


def benchmark_of(task: str) -> str:
    """The benchmark of a declared task; of all others the one whose tasks are declared in the clone."""
    return declared().get(task) or local().id


def local() -> Benchmark:
    """The benchmark whose tasks are declared in the clone."""
    return next(one for one in find().benchmarks.values() if one.local is not None)


def local_tasks(name: str) -> Local | None:
    """How a task is read that is declared in the clone; None for the papers'."""
    return benchmark(benchmark_of(name)).local


def sets() -> dict[str, str]:
    """The benchmark of every pinned set of rows."""
    return {name: one for one in published() for task in tasks(one) for name in task.sets}


def claims(name: str) -> tuple[Claim, ...]:
    """Every claim of a benchmark, in order of id.

    Raises:
        SeluError: there is no such benchmark, or a claim's id does not begin as its claims' ids do.
    """
    found = benchmark(name)
    every = found.claims()
    if wrong := [claim.id for claim in every if not claim.id.startswith(found.claim_prefix)]:
        raise SeluError(f"the benchmark {name}: its claim {wrong[0]} does not begin with {found.claim_prefix}.")
    return every


def claim(name: str, id: str) -> Claim:
    """Find a claim of a benchmark by its id, whatever its case.

    Raises:
        SeluError: as of ``claims``, or there is none, with the nearest one.
    """
    one, id = benchmark(name).claim, id.upper()
    if found := one(id) if one else None:
        return found
    every = {claim.id: claim for claim in claims(name)}
    if id not in every:
        raise nearest(id, every, "claim")
    return every[id]


def benchmark_of_claim(id: str) -> str | None:
    """The benchmark whose claims' ids begin as this one."""
    prefixes = {find().benchmarks[name].claim_prefix: name for name in published()}
    letters = id.rstrip("0123456789").upper()
    return prefixes.get(letters) if letters else None


def tasks_of(root: Path, names: Sequence[str] | None = None) -> tuple[Task, ...]:
    """The default benchmark's tasks, and after them those of others and of the clone: of these names, or all.

    Raises:
        SeluError: the declaration of a task in the clone is wrong.
    """
    others = (task for name in published() if name != DEFAULT for task in tasks(name))
    return (
        *tasks(DEFAULT),
        *(task for task in others if names is None or task.id in names),
        *_local_tasks(root, names),
    )


def _local_tasks(root: Path, names: Sequence[str] | None) -> Iterator[Task]:
    place = local().local
    assert place is not None
    every = place.names(root)
    for name in every if names is None else [name for name in dict.fromkeys(names) if name in every]:
        if name in declared():
            raise SeluError(f"{name}, declared in this clone, is a task of the paper: name its file otherwise.")
        yield place.task(root, name, _instances(root, name))


def local_names(root: Path) -> list[str]:
    """Ids of the tasks that are declared in the clone."""
    place = local().local
    return place.names(root) if place else []


def of_benchmark(names: Sequence[str], name: str) -> Sequence[str]:
    """These names; without any, the tasks of the benchmark (of the default one: none, which stands for all).

    Raises:
        SeluError: no such benchmark, or a named task is of another one.
    """
    if known(name) == DEFAULT:
        return names
    ids = [task.id for task in tasks(name)]
    for one in names:
        if one not in ids:
            raise nearest(one, ids, f"task of {name}")
    return names or ids


def task_of(root: Path, name: str) -> Task:
    """The task of this id, whatever its case.

    Raises:
        SeluError: there is none, with the nearest one, or its record is wrong.
    """
    return chosen(root, [name.lower()], every=False)[0]


def _instances(root: Path, name: str) -> int:
    """Rows of a local task; 0 before they are prepared, or where their record is damaged.

    Whoever needs the record refuses a damaged one; ``selu prepare``, which makes it anew, has to get past it.
    """
    try:
        return int(read_json(record_of(root, name), f"selu prepare {name}", ("rows",))["rows"])
    except (OverflowError, SeluError, TypeError, ValueError):
        return 0


def chosen(root: Path, names: Sequence[str], every: bool) -> list[Task]:
    """The tasks of these names, or the default benchmark's; refuses as ``task_of``, and where none is named."""
    found = {task.id: task for task in tasks_of(root, names)}
    if every and names:
        raise SeluError("name tasks or give --all, not both.")
    if not every and not names:
        raise SeluError("name at least one task, or give --all; 'selu list tasks' shows them.")
    for name in names:
        if name not in found:
            raise nearest(name, [*declared(), *local_names(root)], "task")
    return list(tasks(DEFAULT)) if every else [found[name] for name in dict.fromkeys(names)]


def absence(system: System, task: Task) -> str | None:
    """Say why a system has no score on the task by the design of its benchmark, or None."""
    return benchmark(task.benchmark).absence(system, task)


# -- where a task's files lie ----------------------------------------------------------------------


def rows_of(root: Path, name: str) -> Path:
    """The file of a task's prepared rows."""
    return root / CLEAN / benchmark_of(name) / f"{name}.parquet"


def splits_of(root: Path, name: str) -> Path:
    """The folder of a task's split and shots."""
    return root / SPLITS / benchmark_of(name) / name


def record_of(root: Path, name: str) -> Path:
    """The file of the record that vouches for them."""
    return root / REPORTS / benchmark_of(name) / "data" / name / "record.json"


def results_of(root: Path, name: str) -> Path:
    """The folder of a task's runs."""
    return root / RESULTS / benchmark_of(name) / name


def pin_of(name: str) -> Path:
    """The file of a set's pin, in a clone; ``name`` is of the set or of a task with one set.

    Raises:
        KeyError: it is neither.
    """
    every = sets()
    if name not in every:
        (task,) = (task for task in tasks(declared()[name]) if task.id == name)
        name = task.sets[0]
    return PINS / every[name] / f"{name}.yaml"


def raw_of(set_: str) -> Path:
    """The folder of a set's bytes, in a clone."""
    return RAW / sets()[set_] / set_


# -- what a paper prints ----------------------------------------------------------------------------


def read_tables(
    root: Path, name: str, what_if: Path | None = None
) -> dict[str, dict[tuple[str, str], Published]]:
    """Published tables of a benchmark, checked against the pins; arguments and errors as ``load``."""
    from selu.sources import published as printed

    folder = what_if or root / "data" / "paper" / name
    found = printed.read_all(folder)
    pins = printed.read_pins(root / PINS / name / "paper.csv")
    if what_if is None:
        printed.check_pins(found, pins, folder)
    for table in pins:
        if table not in found:
            raise SeluError(f"{folder} has no {table}.csv: copy it from data/paper/{name}.")
    return found


def load(root: Path, name: str, what_if: Path | None = None) -> Any:
    """Read what a benchmark's claims, tables and figures are computed from.

    Args:
        what_if: folder with altered tables, read instead of data/paper and not held to the pins.

    Returns:
        the benchmark's own kind of ``Printed``.

    Raises:
        SeluError: no such benchmark, a table is damaged, differs from its pin unless it is altered, or a knob
            is wrong.
    """
    material = benchmark(name).material
    if material is None:
        raise SeluError(f"{name} has no published tables.")
    return material(root, read_tables(root, name, what_if), what_if is not None)


def scored(root: Path, name: str) -> Scored | None:
    """The same where the paper prints one score per task and system; None where it does not."""
    of = benchmark(name)
    material = load(root, name) if of.material and of.systems() else None
    return material if isinstance(material, Scored) else None
