"""The inputs of a task's preparation: rows of pinned sets or of the clone, their split, text cleaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu import registry
from selu.papers.api import Benchmark, TaskRows
from selu.project import PINS, RAW
from selu.vocabulary import SeluError, Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.sources.pins import Origin, Pin
    from selu.splits.published import PublishedSplit
    from selu.splits.settings import DataSettings

SYNTHETIC = Path("data") / "synthetic"
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a task is prepared from.

    Attributes:
        table: its rows as read, in the form of ``sources.rows``.
        availability: equal, partial, synthetic, stand-in where rows are made of another source than the paper's
            (an installed package), or package where only the authors' own file was available, whose
            rows nobody could compare yet; the benchmark's id for tasks that are declared in the clone.
        sha256: of the rows.
        published: the authors' split, where there is one.
        pin: of the set that it is cut out of, where that is one.
    """

    table: pd.DataFrame
    availability: str
    sha256: str
    published: PublishedSplit | None
    deviations: list[str]
    pin: Pin | None = None


def read_inputs(
    root: Path,
    task: Task,
    settings: DataSettings,
    mirror: Path | None,
    progress: Progress,
    package: str | None = None,
) -> Inputs:
    """Read what one task is prepared from.

    Args:
        package: import name of the one that rows are made of, where the task is such a one.

    Raises:
        SeluError: the bytes of a set are not available, or the rows are not the pinned ones.
    """
    from selu.sources import rows

    benchmark = registry.benchmark(task.benchmark)
    if benchmark.make and task.id in benchmark.made_of:
        made = benchmark.make(task, package or benchmark.made_of[task.id])
        table = rows.check(made.rows.table, task)
        return Inputs(table, "stand-in", rows.canonical(table), None, [made.says])
    if package is not None:
        raise SeluError(f"the rows of {task.id} are not made from a package: leave --package out.")
    if benchmark.local:
        table = rows.check(benchmark.local.rows(root, task.id).table, task)
        return Inputs(table, benchmark.id, rows.canonical(table), None, [])
    if task.id in settings.synthetic:
        return _stand_in(root, task, benchmark)
    assert benchmark.rows is not None
    found = {name: _read_set(root, name, benchmark, mirror, progress) for name in task.sets}
    cut = benchmark.rows(task, {name: whole for name, (_, whole, _) in found.items()})
    table = rows.check(cut.table, task)
    availabilities = {availability for _, _, availability in found.values()}
    first = found[task.sets[0]][0]
    return Inputs(
        table,
        availabilities.pop() if len(availabilities) == 1 else "partial",
        rows.canonical(table),
        _published(root, task, table, cut, first, settings),
        [line for pin, whole, _ in found.values() for line in _deviations(pin, whole)],
        pin=first if len(task.sets) == 1 else None,
    )


def _deviations(pin: Pin, whole: pd.DataFrame) -> list[str]:
    """Return the deviations that the pin states, and how many of its rows are here if clones are missing."""
    if pin.availability.value != "partial" or pin.rows is None or len(whole) >= pin.rows:
        return list(pin.deviations)
    return [
        f"Only {len(whole):,} of the {pin.rows:,} available rows: clones are missing here.",
        *pin.deviations,
    ]


def why_no_rows(root: Path, task: Task) -> str | None:
    """Return why a published task has no rows: the pin knows no source of them; None if it does."""
    from selu.sources.pins import read_pin

    pins = () if task.id in registry.benchmark(task.benchmark).made_of else task.sets
    found = [read_pin(root / pin_of(name)) for name in pins]
    return next((pin.by_hand for pin in found if not pin.origins), None)


def _stand_in(root: Path, task: Task, benchmark: Benchmark) -> Inputs:
    from selu.sources import rows
    from selu.sources.pins import read_pin

    if benchmark.stand_in is None:
        raise SeluError(
            f"params.yaml: shared.data.synthetic names {task.id}, for which no rows were written: leave it out."
        )
    pin = read_pin(root / pin_of(task.id))
    table = rows.check(benchmark.stand_in(task, root / SYNTHETIC / benchmark.id), task)
    note = f"stand-in rows written for this project; to get the original data: {pin.by_hand}"
    return Inputs(table, "synthetic", rows.canonical(table), None, [note], pin=pin)


def _read_set(
    root: Path, name: str, benchmark: Benchmark, mirror: Path | None, progress: Progress
) -> tuple[Pin, pd.DataFrame, str]:
    """Fetch and read one set of rows, checked against its pin; return both, and the rows' availability."""
    pin, origin, files = _fetched(root, name, mirror, progress)
    table, sha256 = _read(benchmark.id, name, pin, origin, files)
    known = (pin.table is not None and sha256 == pin.table) or origin.rows is not None or bool(origin.histories)
    return pin, table, pin.availability.value if known else "package"


def _fetched(
    root: Path, name: str, mirror: Path | None, progress: Progress
) -> tuple[Pin, Origin, tuple[tuple[str, Path], ...]]:
    """Return the pin of a data set, the origin whose files are here, and these files."""
    from selu.sources.fetch import fetch
    from selu.sources.pins import read_pin

    pin = read_pin(root / pin_of(name))
    fetched = fetch(pin, root / raw_of(name), mirror, progress=progress)
    origin = pin.origin(fetched.origin)
    return pin, origin, tuple((file.name, fetched.files[file.name]) for file in origin.files)


def read_raw(root: Path, name: str, mirror: Path | None, progress: Progress) -> dict[str, Any]:
    """Read the pinned files of a set by their names, as they are.

    Raises:
        SeluError: the bytes are not available, are not the pinned ones, or are not a table.
    """
    _, origin, files = _fetched(root, name, mirror, progress)
    return _as_tables(origin, files)


def _as_tables(origin: Origin, files: tuple[tuple[str, Path], ...]) -> dict[str, pd.DataFrame | list[str]]:
    from selu.sources import tables

    forms = {file.name: file.form for file in origin.files}
    return {file: tables.read(path, forms[file]) for file, path in files}


@lru_cache(maxsize=1)  # the tasks of a set follow one another
def _read(
    benchmark: str, name: str, pin: Pin, origin: Origin, files: tuple[tuple[str, Path], ...]
) -> tuple[pd.DataFrame, str]:
    from selu.sources import rows

    read = registry.benchmark(benchmark).read
    assert read is not None
    whole = read(origin.reader, _as_tables(origin, files), name)
    tasks = [task for task in registry.tasks(benchmark) if name in task.sets]
    return whole, rows.rows_equal(pin, whole, origin, whole=tasks[0].instances if len(tasks) == 1 else None)


def _published(
    root: Path, task: Task, table: pd.DataFrame, cut: TaskRows, pin: Pin, settings: DataSettings
) -> PublishedSplit | None:
    """Return the authors' split if there is one; a missing file raises, so that no other split is used."""
    from selu.splits import published

    if cut.test is not None:
        source = next(origin.files[-1] for origin in pin.origins if origin.files[-1].repository)
        place = (source.repository or "", source.commit or "", source.path)
        return published.split_of(task, table["label"].tolist(), cut.test, place, settings.seed)
    if not pin.published_split:
        return None
    return published.read(root / PINS / task.benchmark / "splits" / f"{task.id}.txt")


def pin_of(name: str) -> Path:
    """Name the file of a set's pin, in a clone; ``name`` is of the set or of a task with one set.

    Raises:
        KeyError: it is neither.
    """
    every = registry.sets()
    if name not in every:
        (task,) = (task for task in registry.tasks(registry.declared()[name]) if task.id == name)
        name = task.sets[0]
    return PINS / every[name] / f"{name}.yaml"


def raw_of(set_: str) -> Path:
    """Name the folder of a set's bytes, in a clone."""
    return RAW / registry.sets()[set_] / set_


def cleaning_of(root: Path, task: Task) -> tuple[Sequence[str], Callable[[str], str] | None]:
    """Find how a task's texts are cleaned: by steps of ``selu.text``, or by a function of its benchmark.

    Raises:
        SeluError: the record of a task that is declared in the clone is wrong.
    """
    benchmark = registry.benchmark(task.benchmark)
    if benchmark.local:
        return benchmark.local.steps(root, task.id), None
    if benchmark.clean:
        clean = benchmark.clean
        return (), lambda text: clean(text, task)
    return (benchmark.steps(task) if benchmark.steps else ()), None


def clean_texts(root: Path, task: Task, texts: Sequence[str]) -> list[str]:
    """Clean texts as in the column ``paper`` of the task's rows; raises the errors of ``cleaning_of``."""
    from selu.text.pipelines import cleaner

    steps, own = cleaning_of(root, task)
    clean = own or cleaner(steps, "paper")
    return [clean(text) for text in texts]
