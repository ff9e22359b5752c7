"""Tasks that share a set of rows: one pin, read once, several tasks (the issues or comments of NLBSE'24)."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from selu.benchmarks import catalogue
from selu.commands.given import Given, Progress, Rows
from selu.vocabulary import Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.sources.fetch import Fetched
    from selu.sources.pins import Origin, Pin
    from selu.splits.knobs import DataKnobs

PINS = Path("data") / "pins" / "selu"
RAW = Path("data") / "raw" / "selu"


def pin_of(name: str) -> Path:
    """The file of a set's pin, in a clone; ``name`` is of the set or of one of its tasks.

    Raises:
        KeyError: it is neither.
    """
    benchmark = catalogue.sets().get(name) or catalogue.declared()[name]
    return (
        catalogue.beside(PINS, benchmark)
        / f"{name if name in catalogue.sets() else catalogue.set_of(name)}.yaml"
    )


def raw_of(pin: Pin) -> Path:
    """The folder of a set's bytes, in a clone."""
    return catalogue.beside(RAW, catalogue.sets()[pin.task]) / pin.task


def given(root: Path, task: Task, knobs: DataKnobs, mirror: Path | None, progress: Progress) -> Given:
    """What one task of a set is prepared from.

    Raises:
        SeluError: the bytes can't be had, or the set is not the pinned one.
    """
    from selu.benchmarks.nlbse24 import readers
    from selu.sources import rows
    from selu.sources.fetch import fetch
    from selu.sources.pins import read_pin
    from selu.splits.given import split_of

    pin = read_pin(root / pin_of(task.id))
    fetched = fetch(pin, root / raw_of(pin), mirror, progress=progress)
    origin = pin.origin(fetched.origin)
    table, test = readers.rows_of(_whole(pin, fetched, origin), task)
    table = rows.check(table, task)
    source = next(one for one in pin.origins if one.repository)
    place = (source.repository or "", source.commit or "", source.files[-1].path)
    return Given(
        Rows(table, pin.standing.value, rows.canonical(table)),
        (),
        split_of(task, table["label"].tolist(), test, place, knobs.seed),
        [*pin.deviations],
        pin=pin,
        clean=partial(readers.clean, task=task),
    )


def _whole(pin: Pin, fetched: Fetched, origin: Origin) -> pd.DataFrame:
    files = tuple((file.name, fetched.files[file.name]) for file in origin.files)
    return _read(pin, origin, files)


@lru_cache(maxsize=1)  # the tasks of a set follow one another
def _read(pin: Pin, origin: Origin, files: tuple[tuple[str, Path], ...]) -> pd.DataFrame:
    """The rows of a set, held to their pin."""
    from selu.benchmarks.nlbse24 import readers
    from selu.commands.listing import nearest
    from selu.sources import rows, tables

    if origin.reader not in readers.READERS:
        raise nearest(origin.reader, readers.READERS, f"reader, named by the pin of {pin.task},")
    forms = {file.name: file.form for file in origin.files}
    whole = readers.READERS[origin.reader]({name: tables.read(path, forms[name]) for name, path in files})
    rows.rows_equal(pin, readers.hashed(whole), origin)
    return whole
