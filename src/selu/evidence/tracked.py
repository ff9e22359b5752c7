"""What reports say, as their tracked files below ``reports/`` have it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from selu.files import read_json
from selu.project import REPORTS
from selu.registry import DEFAULT, record_of
from selu.vocabulary import SeluError

CELL_FIELDS = ("task", "system", "evidence", "state", "value", "low", "high", "verdict", "reason")
CLAIM_FIELDS = ("id", "section", "statement", "verdict", "because", "numbers")
Row = dict[str, Any]


def tracked_claims(root: Path, benchmark: str = DEFAULT) -> list[Row]:
    """Read the findings of all claims of a benchmark.

    Raises:
        SeluError: there are none, or the file is damaged.
    """
    path = root / REPORTS / benchmark / "claims.json"
    found: list[Row] = read_json(path, _made_by("claims", benchmark), CLAIM_FIELDS)
    return found


def tracked_cells(root: Path, benchmark: str = DEFAULT) -> dict[tuple[str, str], Row]:
    """Read the entries of cells.json by (task, system); none where the file is not here.

    Raises:
        SeluError: it is damaged.
    """
    path = root / REPORTS / benchmark / "cells.json"
    if not path.is_file():
        return {}
    cells = read_json(path, _made_by("cells", benchmark), CELL_FIELDS)
    return {(cell["task"], cell["system"]): cell for cell in cells}


def pulled_cells(root: Path, benchmark: str = DEFAULT) -> dict[tuple[str, str], Row]:
    """Read the same, where a cell without its evidence would say something wrong.

    Raises:
        SeluError: there is none, or it is damaged.
    """
    if found := tracked_cells(root, benchmark):
        return found
    path = root / REPORTS / benchmark / "cells.json"
    raise SeluError(f"{path} is missing: run 'dvc pull', or '{_made_by('cells', benchmark)}'.")


def tracked_extra(root: Path, benchmark: str = DEFAULT) -> list[Row]:
    """Read finetuned.json, of systems that are not in the paper; nothing where it is not here.

    Raises:
        SeluError: it is damaged.
    """
    path = root / REPORTS / benchmark / "finetuned.json"
    if not path.is_file():
        return []
    fields = ("task", "system", "paper", "strict")
    found: list[Row] = read_json(path, _made_by("finetuned", benchmark), fields)
    return found


def standing_of(root: Path, task: str) -> str | None:
    """Read how a task's rows here stand to the paper's; None before they are prepared.

    Raises:
        SeluError: the record of its data is damaged.
    """
    path = record_of(root, task)
    return str(read_json(path, f"selu prepare {task}", ("standing",))["standing"]) if path.is_file() else None


def interval_of(cell: Row) -> str | None:
    """Write the interval of a cell's value; None where it has no value."""
    return None if cell.get("low") is None else f"{cell['low']:.3f} to {cell['high']:.3f}"


def _made_by(part: str, benchmark: str) -> str:
    """The command that makes a part of the report."""
    return f"selu report {part}" + ("" if benchmark == DEFAULT else f" --benchmark {benchmark}")
