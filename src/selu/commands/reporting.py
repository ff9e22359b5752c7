"""``selu report``: one part of the report, from tracked files to files below ``reports/``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.commands.listing import nearest, tracked_cells, tracked_claims
from selu.project import load_selu, read_json, read_knobs, to_json, write_atomic
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    from selu.benchmarks.selu.material import Material

OUT = Path("reports") / "selu"
SITE = Path("reports") / "site"
Progress = Callable[[str], None]


def make(root: Path, what: str, name: str | None, progress: Progress) -> list[Path]:
    """Compute one part and write it; returns what was written.

    Raises:
        SeluError: an unknown part or notebook, or damaged input.
    """
    parts = {
        "statistics": _statistics,
        "sensitivity": _sensitivity,
        "claims": _claims,
        "cells": _cells,
        "comparisons": _comparisons,
        "claims-rerun": _claims_rerun,
        "summary": _summary,
        "notebook": _notebook,
        "site": _site,
    }
    if what not in parts:
        raise nearest(what, parts, "part of the report")
    if (what == "notebook") != (name is not None):
        raise SeluError("'selu report notebook NAME' takes the name of a notebook; the other parts take none.")
    return parts[what](root, name or "", progress)


def _statistics(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.benchmarks.selu import results

    progress("statistics: 378 pairs under two ropes")
    return [_write(root / OUT / "statistics.json", results.statistics(load_selu(root)))]


def _sensitivity(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.benchmarks.selu import results

    knobs = read_knobs(root, "selu", "sensitivity", results.SensitivityKnobs)
    record = results.sensitivity_record(load_selu(root), knobs, progress)
    return [_write(root / OUT / "sensitivity.json", record)]


def _claims(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.benchmarks.selu import results
    from selu.benchmarks.selu.claims import CLAIMS

    progress(f"claims: {len(CLAIMS)}")
    return [_write(root / OUT / "claims.json", results.claims_record(load_selu(root), CLAIMS))]


def _cells(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import comparing

    progress("cells: reruns and re-scored predictions beside the printed scores")
    path = root / OUT / comparing.CELLS
    write_atomic(path, comparing.to_text(comparing.cell_entries(root)))
    return [path]


def _comparisons(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import comparing

    path = root / OUT / comparing.COMPARISONS
    write_atomic(path, comparing.to_text(comparing.comparison_entries(root, progress)))
    return [path]


def _claims_rerun(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.benchmarks.selu.claims import CLAIMS
    from selu.benchmarks.selu.claims_rerun import claims_rerun
    from selu.commands import comparing

    cells = list(tracked_cells(root).values())
    if not cells:
        raise SeluError(f"{root / OUT / comparing.CELLS} is missing: run 'dvc pull', or 'selu report cells'.")
    record = claims_rerun(load_selu(root), CLAIMS, cells, progress)
    return [_write(root / OUT / "claims_rerun.json", record)]


def _summary(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.benchmarks.selu.summary import summary

    progress("summary")
    claims, sensitivity = tracked_claims(root), _record(root, "sensitivity", "parts")
    path = root / OUT / "summary.md"
    material, reruns = load_selu(root), list(tracked_cells(root).values())
    write_atomic(path, summary(material, claims, sensitivity, data_records(root, material), reruns))
    return [path]


def _notebook(root: Path, name: str, progress: Progress) -> list[Path]:
    from selu.report import notebooks

    known = notebooks.names(root)
    if name not in known:
        raise nearest(name, known, "notebook")
    progress(f"notebook: {name}")
    target = root / OUT / "notebooks" / f"{name}.ipynb"
    source = root / "notebooks" / "selu" / f"{name}.ipynb"
    write_atomic(target, notebooks.execute(source, root, root / OUT))
    return [target]


def _site(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.report import notebooks
    from selu.report.site import build_site

    progress("site")
    executed = {name: root / OUT / "notebooks" / f"{name}.ipynb" for name in notebooks.names(root)}
    for name, path in executed.items():
        if not path.is_file():
            raise SeluError(f"{path} is missing: run 'dvc pull', or 'selu report notebook {name}'.")
    statistics, sensitivity = _record(root, "statistics", "cells"), _record(root, "sensitivity", "parts")
    cells, rerun = list(tracked_cells(root).values()), _claims_on_reruns(root)
    pages = build_site(statistics, sensitivity, tracked_claims(root), executed, cells, rerun)
    for relative, content in pages.items():
        write_atomic(root / SITE / relative, content)
    for stale in sorted((root / SITE).rglob("*")):
        if stale.is_file() and stale.relative_to(root / SITE).as_posix() not in pages:
            stale.unlink()
    return [root / SITE / "index.html"]


def _claims_on_reruns(root: Path) -> list[dict[str, Any]]:
    """Entries of claims_rerun.json; none where no cell was run again yet."""
    path = root / OUT / "claims_rerun.json"
    if not path.is_file():
        return []
    found: list[dict[str, Any]] = read_json(path, "selu report claims-rerun", ("id", "evidence", "of_print"))
    return found


def data_records(root: Path, m: Material) -> dict[str, dict[str, Any]]:
    """The tracked record of each task's data, in the order of the tasks."""
    folder = root / OUT / "data"
    return {
        task.id: read_json(folder / task.id / "record.json", f"selu prepare {task.id}", ("standing", "audit"))
        for task in m.tasks
    }


def _record(root: Path, part: str, field: str) -> dict[str, Any]:
    found: dict[str, Any] = read_json(root / OUT / f"{part}.json", f"selu report {part}", (field,))
    return found


def _write(path: Path, record: object) -> Path:
    write_atomic(path, to_json(record))
    return path
