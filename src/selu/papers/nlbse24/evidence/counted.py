"""Reader of what stages counted or scored, as tables with places like those of ``data/paper``.

These files are tracked, and ``selu verify`` holds them to their hashes before it reads them.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from selu.papers.evidence import Tables
from selu.papers.nlbse24 import material
from selu.vocabulary import Published

PLACE = Path("reports") / "nlbse24"
FACTS_FOLDER = "data/facts"
COUNTED, SCORED = PLACE / FACTS_FOLDER, PLACE / "reruns.csv"
Places = dict[tuple[str, str], Published]


def read_facts(folder: Path) -> Mapping[str, Places]:
    """Read every table (row, column, value) of a folder by its file name; none where there is no folder."""
    return {
        path.stem: {
            (line["row"], line["column"]): Published(path.stem, line["row"], line["column"], line["value"])
            for line in _lines(path)
        }
        for path in sorted(folder.glob("*.csv"))
    }


def read_reruns(path: Path) -> Mapping[str, Places]:
    """Read the table ``reruns``; empty if there is no file.

    A row is SYSTEM/PLACE, where the place is the repository or category and, if there is one, the label.
    Columns are metrics, and each metric's ``low`` and ``high``.
    """
    if not path.is_file():
        return {}
    found: Places = {}
    for line in _lines(path):
        parts = (line["system"], line["repository_or_category"], line["label"])
        row, metric = "/".join(part for part in parts if part), line["metric"]
        for column, name in ((metric, "value"), (f"{metric} low", "low"), (f"{metric} high", "high")):
            if line[name]:
                found[row, column] = Published("reruns", row, column, line[name])
    return {"reruns": found}


def _lines(path: Path) -> list[Mapping[str, str]]:
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def load(root: Path, tables: Tables, _altered: bool) -> material.Material:
    """Read the material of claims: published tables, and the tracked files of a clone beside them."""
    return material.read({**read_facts(root / COUNTED), **read_reruns(root / SCORED), **tables})
