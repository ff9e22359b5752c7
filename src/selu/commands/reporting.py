"""``selu report``: one part of the report, from tracked files to files below ``reports/``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.commands.listing import known, nearest, pulled_cells, tracked_cells, tracked_claims
from selu.project import load, load_selu, read_json, read_knobs, to_json, write_atomic
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    from selu.benchmarks.selu.material import Material

OUT = Path("reports") / "selu"
SITE = Path("reports") / "site"
Progress = Callable[[str], None]
Part = Callable[[Path, str, Progress], list[Path]]


def make(root: Path, what: str, name: str | None, progress: Progress, benchmark: str = "selu") -> list[Path]:
    """Compute one part and write it; returns what was written.

    Raises:
        SeluError: an unknown benchmark, part or notebook, or damaged input.
    """
    of_any: dict[str, Part] = {
        "claims": partial(_claims, benchmark=known(benchmark)),
        "notebook": partial(_notebook, benchmark=benchmark),
    }
    parts = (
        of_any | {"comparisons": _nlbse24_comparisons, "reruns": _nlbse24_reruns}
        if benchmark != "selu"
        else of_any
        | {
            "statistics": _statistics,
            "sensitivity": _sensitivity,
            "cells": _cells,
            "comparisons": _comparisons,
            "comparisons-finetuned": _comparisons_finetuned,
            "finetuned": _finetuned,
            "prompted": _prompted,
            "heads": _heads,
            "claims-rerun": _claims_rerun,
            "summary": _summary,
            "scale": _scale,
            "prices": _prices,
            "doors": _doors,
            "rules": _rules,
            "site": _site,
        }
    )
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


def _claims(root: Path, _: str, progress: Progress, benchmark: str) -> list[Path]:
    from selu.benchmarks.claims import claims_of, claims_record

    claims = claims_of(benchmark)
    progress(f"claims: {len(claims)}")
    return [_write(root / "reports" / benchmark / "claims.json", claims_record(load(root, benchmark), claims))]


def _cells(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import comparing

    progress("cells: reruns and re-scored predictions beside the printed scores")
    path = root / OUT / comparing.CELLS
    write_atomic(path, comparing.to_text(comparing.cell_entries(root, progress)))
    return [path]


def _comparisons(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import comparing

    path = root / OUT / comparing.COMPARISONS
    write_atomic(path, comparing.to_text(comparing.comparison_entries(root, progress)))
    return [path]


def _nlbse24_comparisons(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import nlbse24_comparing

    return nlbse24_comparing.compare(root, progress)


def _nlbse24_reruns(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import nlbse24_comparing

    progress("reruns: the scores of results.json as a table")
    return nlbse24_comparing.tabulate(root)


def _finetuned(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import comparing, comparing_finetune

    progress("finetuned: runs of systems that are not in the paper")
    path = root / OUT / comparing_finetune.FINETUNED
    write_atomic(path, comparing.to_text(comparing_finetune.entries(root, progress)))
    return [path]


def _prompted(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import comparing_prompt

    progress("prompted: runs of prompted systems, and what the print alone says of them")
    return [_write(root / OUT / comparing_prompt.PROMPTED, comparing_prompt.collect(root, progress))]


def _comparisons_finetuned(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import comparing, comparing_finetune

    path = root / OUT / comparing_finetune.COMPARISONS
    write_atomic(path, comparing.to_text(comparing_finetune.comparison_entries(root, progress)))
    return [path]


def _heads(root: Path, _: str, progress: Progress) -> list[Path]:
    """Needs the libraries of fine-tuning; what it finds is tracked, so that nobody else does."""
    from selu.systems.finetune.knobs import FinetuneKnobs

    knobs = read_knobs(root, "selu", "finetune", FinetuneKnobs)
    try:
        from selu.systems.finetune import anatomy
    except ModuleNotFoundError as error:
        raise SeluError(
            f"heads are built with {error.name}, which is not here: 'make finetune-environment' installs it; "
            "'dvc pull' brings the tracked record."
        ) from None
    progress("heads: every architecture, kind of task and head, built small")
    return [_write(root / OUT / "heads.json", anatomy.record(knobs.dropout))]


def _claims_rerun(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.benchmarks.selu.claims import CLAIMS
    from selu.benchmarks.selu.claims_rerun import claims_rerun

    record = claims_rerun(load_selu(root), CLAIMS, list(pulled_cells(root).values()), progress)
    return [_write(root / OUT / "claims_rerun.json", record)]


def _summary(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.benchmarks.claims import counts
    from selu.benchmarks.drawing import images
    from selu.benchmarks.selu.figures_overview import overview
    from selu.benchmarks.selu.summary import depth, depths, summary

    progress("summary")
    claims, sensitivity = tracked_claims(root), _record(root, "sensitivity", "parts")
    path = root / OUT / "summary.md"
    material, reruns, outside = load_selu(root), list(tracked_cells(root).values()), tracked_extra(root)
    text = summary(material, claims, sensitivity, data_records(root, material), reruns, outside)
    ran: dict[str, Counter[str]] = {}
    for cell in outside:
        if cell["strict"]["value"] is not None:
            ran.setdefault(cell["name"], Counter())[depth(cell)] += 1
    statistics = _record(root, "statistics", "systems")
    figure = overview(statistics, counts(claims), depths(material, reruns), ran)
    write_atomic(path, text)
    picture = root / OUT / "figures" / "overview.png"
    write_atomic(picture, images(figure)["png"])
    return [path, picture]


def _scale(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import costing_page

    progress("scale: what the paper's fine-tuned cells take")
    return costing_page.make(root)


def _prices(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import pricing

    progress("prices: what prompted systems are asked on all real rows")
    return [_write(root / OUT / "prices.json", pricing.whole(root))]


def _doors(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import doors

    progress("doors")
    pages = doors.pages(root)
    for name, text in pages.items():
        write_atomic(root / OUT / name, text)
    return [root / OUT / name for name in pages]


def _rules(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.benchmarks.rules import page

    progress("rules: what decides each claim")
    path = root / "docs" / "CLAIMS.md"
    write_atomic(path, page({"SELU": tracked_claims(root), "NLBSE'24": tracked_claims(root, "nlbse24")}))
    return [path]


def _notebook(root: Path, name: str, progress: Progress, benchmark: str) -> list[Path]:
    from selu.report import notebooks

    every = notebooks.names(root, benchmark)
    if name not in every:
        raise nearest(name, every, "notebook")
    progress(f"notebook: {name}")
    out = root / "reports" / benchmark
    target = out / "notebooks" / f"{name}.ipynb"
    source = root / "notebooks" / benchmark / f"{name}.ipynb"
    write_atomic(target, notebooks.execute(source, root, out))
    return [target]


def _site(root: Path, _: str, progress: Progress) -> list[Path]:
    from selu.commands import nlbse24_site
    from selu.report import notebooks
    from selu.report.site import build_site

    progress("site")
    executed = {name: root / OUT / "notebooks" / f"{name}.ipynb" for name in notebooks.names(root)}
    for name, path in executed.items():
        if not path.is_file():
            raise SeluError(f"{path} is missing: run 'dvc pull', or 'selu report notebook {name}'.")
    statistics, sensitivity = _record(root, "statistics", "cells"), _record(root, "sensitivity", "parts")
    cells, rerun = list(tracked_cells(root).values()), _claims_on_reruns(root)
    others = tracked_extra(root), tracked_prompted(root), [nlbse24_site.benchmark(root)]
    pages = build_site(statistics, sensitivity, tracked_claims(root), executed, cells, rerun, *others)
    for relative, content in pages.items():
        write_atomic(root / SITE / relative, content)
    for stale in sorted((root / SITE).rglob("*")):
        if stale.is_file() and stale.relative_to(root / SITE).as_posix() not in pages:
            stale.unlink()
    return [root / SITE / "index.html"]


def tracked_extra(root: Path) -> list[dict[str, Any]]:
    """Entries of finetuned.json, of systems that are not in the paper; none where nothing was run yet."""
    path = root / OUT / "finetuned.json"
    if not path.is_file():
        return []
    found: list[dict[str, Any]] = read_json(
        path, "selu report finetuned", ("task", "system", "paper", "strict")
    )
    return found


def tracked_prompted(root: Path) -> list[dict[str, Any]]:
    """Cells of prompted.json; none where it is not here."""
    path = root / OUT / "prompted.json"
    if not path.is_file():
        return []
    found: list[dict[str, Any]] = read_json(path, "selu report prompted", ("cells",))["cells"]
    return found


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
