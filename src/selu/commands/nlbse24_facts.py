"""What the data files of NLBSE'24 say, counted into ``reports/nlbse24/data/facts``: they decide claims."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from selu.commands.nlbse24_frames import frames
from selu.project import FACTS, read_tables, write_atomic


def facts(root: Path, mirror: Path | None, progress: Callable[[str], None]) -> list[Path]:
    """Count the data files and write a CSV (row, column, value) per fact table; returns what was written.

    Every departure from what the paper says of the data is told to ``progress`` and is a row of
    ``data_mismatches.csv``.

    Raises:
        SeluError: a data file is missing, or so damaged that it can't be counted.
    """
    from selu.benchmarks.nlbse24 import facts as counting
    from selu.benchmarks.nlbse24.material import read

    material = read(read_tables(root, "nlbse24"))  # not ``load``: damaged facts must not stand in their own way
    progress("facts: counting the data files of NLBSE'24")
    tables = counting.tables(frames(root, mirror, progress), material)
    for _, _, sentence in tables[counting.MISMATCHES]:
        progress(sentence)
    folder = root / FACTS
    for name, table in tables.items():
        write_atomic(folder / f"{name}.csv", counting.to_csv(table))
    for stale in folder.glob("*.csv"):
        if stale.stem not in tables:
            stale.unlink()
    return [folder / f"{name}.csv" for name in tables]
