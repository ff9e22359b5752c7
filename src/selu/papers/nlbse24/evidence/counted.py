"""Reader of what stages counted or scored, as tables with places like those of ``data/paper``."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from selu.papers.evidence import Tables
from selu.papers.nlbse24 import material
from selu.vocabulary import Published, SeluError

FACTS = ("row", "column", "value")
RERUNS = ("system", "task", "repository_or_category", "label", "metric", "value", "low", "high")
PLACE = Path("reports") / "nlbse24"
FACTS_FOLDER = "data/facts"
COUNTED, SCORED = PLACE / FACTS_FOLDER, PLACE / "reruns.csv"
Places = dict[tuple[str, str], Published]


def read_all(root: Path) -> Mapping[str, Places]:
    """Read the fact tables and the table of reruns of a clone; those that are not there are left out.

    Raises:
        SeluError: a file is damaged.
    """
    counted = read_facts(root / COUNTED, "selu prepare --paper nlbse24")
    return {**counted, **read_reruns(root / SCORED, "selu report reruns --paper nlbse24")}


def read_facts(folder: Path, made_by: str) -> Mapping[str, Places]:
    """Read every table (row, column, value) of a folder by its file name; none where there is no such folder.

    Args:
        made_by: the command that makes them, for the message.

    Raises:
        SeluError: a file has another header or a line of other than three filled fields, or a place
            twice.
    """
    found: dict[str, Places] = {}
    for path in sorted(folder.glob("*.csv")):
        lines = _lines(path, FACTS, made_by)
        if not all(map(all, lines)) or len({(row, column) for row, column, _ in lines}) < len(lines):
            raise _damaged(path, made_by)
        found[path.stem] = {
            (row, column): Published(path.stem, row, column, value) for row, column, value in lines
        }
    return found


def read_reruns(path: Path, made_by: str) -> Mapping[str, Places]:
    """The table ``reruns``: row SYSTEM/PLACE, where the place is the repository or category and, where there is
    one, the label; columns are metrics, and each metric's ``low`` and ``high``. None where there is no file.

    Raises:
        SeluError: the file has another header or a line of another length.
    """
    if not path.is_file():
        return {}
    found: Places = {}
    for system, _, place, label, metric, *numbers in _lines(path, RERUNS, made_by):
        row = "/".join(part for part in (system, place, label) if part)
        for column, number in zip((metric, f"{metric} low", f"{metric} high"), numbers, strict=True):
            if number:
                found[row, column] = Published("reruns", row, column, number)
    return {"reruns": found}


def _lines(path: Path, header: Sequence[str], made_by: str) -> list[list[str]]:
    try:
        text = path.read_text("utf-8")
        first, *lines = list(csv.reader(text.splitlines()))
    except (ValueError, csv.Error):
        raise _damaged(path, made_by) from None
    whole = text.endswith("\n") and tuple(first) == tuple(header)
    if not whole or any(len(line) != len(header) for line in lines):
        raise _damaged(path, made_by)
    return lines


def _damaged(path: Path, made_by: str) -> SeluError:
    return SeluError(f"{path} is damaged: run 'dvc checkout --force {path}', or '{made_by}' to make it anew.")


def load(root: Path, tables: Tables, _altered: bool) -> material.Material:
    """Read what claims are computed from: published tables, and beside them what is tracked in a clone."""
    return material.read({**read_all(root), **tables})
