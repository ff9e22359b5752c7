"""Tasks by their names, of the papers and one's own, and where what is prepared of them lies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from selu.benchmarks import catalogue, own
from selu.project import read_json
from selu.vocabulary import SeluError, Task

CLEAN = Path("data") / "clean" / "selu"
SPLITS = Path("data") / "splits" / "selu"
RECORDS = Path("reports") / "selu" / "data"
PROMPT = "prompt"  # folder of the templates of one's own task, beside its split


def is_own(name: str) -> bool:
    """Whether a task is none of the papers'."""
    return catalogue.benchmark_of(name) == "own"


def rows_of(root: Path, name: str) -> Path:
    """The file of a task's prepared rows."""
    return root / catalogue.at(CLEAN, name).with_suffix(".parquet")


def splits_of(root: Path, name: str) -> Path:
    """The folder of a task's split and shots."""
    return root / catalogue.at(SPLITS, name)


def record_of(root: Path, name: str) -> Path:
    """The file of the record that vouches for them."""
    return root / catalogue.at(RECORDS, name) / "record.json"


def tasks_of(root: Path, names: Sequence[str] | None = None) -> tuple[Task, ...]:
    """SELU's tasks, and after them those of other benchmarks and of one's own: of these names, or all.

    Raises:
        SeluError: the declaration of one's own task is wrong.
    """
    every = own.names(root)
    named = every if names is None else [name for name in dict.fromkeys(names) if name in every]
    others = (task for benchmark in catalogue.BENCHMARKS[1:] for task in catalogue.tasks(benchmark))
    return (
        *catalogue.tasks("selu"),
        *(task for task in others if names is None or task.id in names),
        *(own.read(root, name, _instances(root, name)).task for name in named),
    )


def of_benchmark(names: Sequence[str], benchmark: str) -> Sequence[str]:
    """These names; where there are none, the tasks of the benchmark (of SELU: none, which stands for all).

    Raises:
        SeluError: no such benchmark, or a named task is of another one.
    """
    from selu.commands.listing import nearest

    if benchmark not in catalogue.BENCHMARKS:
        raise nearest(benchmark, catalogue.BENCHMARKS, "benchmark")
    if benchmark == "selu":
        return names
    ids = [task.id for task in catalogue.tasks(benchmark)]
    for name in names:
        if name not in ids:
            raise nearest(name, ids, f"task of {benchmark}")
    return names or ids


def task_of(root: Path, name: str) -> Task:
    """The task of this id, whatever its case.

    Raises:
        SeluError: there is none, with the nearest one, or its record is wrong.
    """
    return chosen(root, [name.lower()], every=False)[0]


def _instances(root: Path, name: str) -> int:
    """Rows of one's own task; 0 before they are prepared, or where their record is damaged.

    Whoever needs the record refuses a damaged one; ``selu prepare``, which makes it anew, has to get past it.
    """
    try:
        return int(read_json(record_of(root, name), f"selu prepare {name}", ("rows",))["rows"])
    except (OverflowError, SeluError, TypeError, ValueError):
        return 0


def chosen(root: Path, names: Sequence[str], every: bool) -> list[Task]:
    """The tasks of these names, or SELU's; errors as of ``task_of``, and where nothing is named."""
    from selu.commands.listing import nearest

    known = {task.id: task for task in tasks_of(root, names)}
    if every and names:
        raise SeluError("name tasks or give --all, not both.")
    if not every and not names:
        raise SeluError("name at least one task, or give --all; 'selu list tasks' shows them.")
    for name in names:
        if name not in known:
            raise nearest(name, [*catalogue.declared(), *own.names(root)], "task")
    return list(catalogue.tasks("selu")) if every else [known[name] for name in dict.fromkeys(names)]
