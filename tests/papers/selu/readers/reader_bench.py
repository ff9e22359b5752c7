"""Writes small files of our own under the names of a pin's origin and reads them as the project does."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from selu import registry
from selu.papers.selu.readers import READERS
from selu.sources import rows, tables
from selu.sources.pins import Pin, read_pins
from selu.vocabulary import SeluError

TASKS = {task.id: task for task in registry.tasks("selu")}
PINS = read_pins(Path(__file__).parents[4] / "data" / "pins" / "selu")
Contents = dict[str, str | bytes]


class Bench:
    """A folder for the files of one test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, task: str, contents: Contents, origin: str = "mirror") -> pd.DataFrame:
        pin: Pin = PINS[task]
        chosen = pin.origin(origin)
        raw: dict[str, Any] = {}
        for file in chosen.files:
            content = contents.get(file.name.removesuffix(".gz"), "")
            data = content if isinstance(content, bytes) else content.encode()
            path = self.folder / file.name
            path.write_bytes(gzip.compress(data) if file.name.endswith(".gz") else data)
            raw[file.name] = tables.read(path, file.form)
        return rows.check(READERS[chosen.reader](raw, TASKS[task]), TASKS[task])

    def refusal(self, task: str, contents: Contents, origin: str = "mirror") -> str:
        with pytest.raises(SeluError) as error:
            self.read(task, contents, origin)
        assert "\n" not in str(error.value)
        return str(error.value)


def listed(table: pd.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    return list(table[list(columns)].itertuples(index=False, name=None))
