"""The content of reports, from their tracked files below ``reports/``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from selu.files import read_json
from selu.papers.claims import FIELDS
from selu.papers.records import CELL_FIELDS
from selu.project import REPORTS
from selu.registry import DEFAULT, record_of
from selu.vocabulary import ClaimFound

Row = dict[str, Any]


def read_report(
    root: Path, benchmark: str, file: str, made_by: str, fields: Collection[str] = (), needed: bool = True
) -> Any:
    """Read a record that a part of a report wrote; None where it is neither needed nor here.

    Args:
        made_by: the verb that makes it, with its words.
        fields: that each entry has.

    Raises:
        SeluError: it is missing, or damaged.
    """
    path = root / REPORTS / benchmark / file
    if not needed and not path.is_file():
        return None
    return read_json(path, command_of(made_by, benchmark), fields)


def command_of(made_by: str, benchmark: str) -> str:
    """Write the command that makes a record of a benchmark's report."""
    return f"selu {made_by}" + ("" if benchmark == DEFAULT else f" --paper {benchmark}")


def tracked_claims(root: Path, benchmark: str = DEFAULT) -> list[ClaimFound]:
    """Read the findings of all claims of a benchmark; errors as ``read_report``."""
    found: list[ClaimFound] = read_report(root, benchmark, "claims.json", "report claims", FIELDS)
    return found


def tracked_cells(root: Path, benchmark: str = DEFAULT, needed: bool = False) -> Mapping[tuple[str, str], Row]:
    """Read the entries of cells.json by (task, system), and what was recounted of cells without a value there.

    Errors as ``read_report``.

    Args:
        needed: a cell without its evidence would say something wrong.
    """
    cells = read_report(root, benchmark, "cells.json", "report cells", CELL_FIELDS, needed)
    recounted = read_report(root, benchmark, "recounted.json", "report recounted", CELL_FIELDS, needed=False)
    found = {(cell["task"], cell["system"]): cell for cell in cells or ()}
    return found | {
        key: cell
        for cell in recounted or ()
        if (key := (cell["task"], cell["system"])) not in found or found[key]["value"] is None
    }


def tracked_extra(root: Path) -> list[Row]:
    """Read finetuned.json, of systems that are not in the paper; nothing where it is not here."""
    fields = ("task", "system", "paper", "strict")
    return read_report(root, DEFAULT, "finetuned.json", "report finetuned", fields, needed=False) or []


def tracked_frozen(root: Path) -> list[Row]:
    """Read frozen.json, of encoders that are not trained; nothing where it is not here."""
    fields = ("task", "system", "name", "value", "standing")
    return read_report(root, DEFAULT, "frozen.json", "report frozen", fields, needed=False) or []


def availability_of(root: Path, task: str) -> str | None:
    """Read the availability of a task's rows; None before they are prepared.

    Raises:
        SeluError: the record of its data is damaged.
    """
    path = record_of(root, task)
    return str(read_json(path, f"selu prepare {task}", ("standing",))["standing"]) if path.is_file() else None


def interval_of(cell: Row) -> str | None:
    """Write the interval of a cell's value; None where it has no value."""
    return None if cell.get("low") is None else f"{cell['low']:.3f} to {cell['high']:.3f}"
