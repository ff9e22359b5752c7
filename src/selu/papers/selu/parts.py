"""The parts of SELU's report, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from selu.files import to_json
from selu.papers.api import later
from selu.papers.evidence import Evidence, Need, Part, Progress
from selu.papers.selu.records.finetuned import FinetunedCell
from selu.papers.selu.records.reruns import RecountedCell, RerunCell

Files = Mapping[str, str | bytes]
_exactly = later(__package__, "evidence.runs:to_text")


def _made(place: str, file: str, to_text: Callable[[object], str] = to_json) -> Callable[..., Files]:
    """Return what makes a part of one file from the record that a function returns."""
    return lambda evidence, progress: {file: to_text(later(__package__, place)(evidence, progress))}


def _runs(place: str, file: str) -> Callable[..., Files]:
    return _made(place, file, _exactly)


def _statistics(evidence: Evidence, _progress: Progress) -> Files:
    from selu.papers.selu.analysis import results

    return {"statistics.json": to_json(results.statistics(evidence.published()))}


def _sensitivity(evidence: Evidence, progress: Progress) -> Files:
    from selu.papers.selu.analysis import results

    settings = evidence.settings("sensitivity", results.SensitivitySettings)
    return {"sensitivity.json": to_json(results.sensitivity_record(evidence.published(), settings, progress))}


def _recounted(evidence: Evidence, _progress: Progress) -> Files:
    from selu.papers.selu.recounts import entries

    files = evidence.read("recounts.json", "report recounts", (*entries.FIELDS, entries.EPOCH))
    material = evidence.published()
    records = {task.id: evidence.data(task.id) for task in material.tasks}
    found = entries.recounted(material, files, entries.test_labels(records), evidence.draws)
    return {"recounted.json": to_json(found)}


def _claims_rerun(evidence: Evidence, progress: Progress) -> Files:
    from selu.papers.claims import declared_in
    from selu.papers.selu import design
    from selu.papers.selu.reruns import cells
    from selu.papers.selu.reruns.claims_rerun import claims_rerun

    every = evidence.read("cells.json", "report cells", cells.CELL_FIELDS)
    claims = declared_in(f"{design.PACKAGE}.claims")
    return {"claims_rerun.json": to_json(claims_rerun(evidence.published(), claims, every, progress))}


def _summary(evidence: Evidence, _progress: Progress) -> Files:
    from selu.papers.drawing import images
    from selu.papers.selu.pages.figures_overview import overview
    from selu.papers.selu.pages.summary import depth, depths, details, summary
    from selu.papers.selu.reruns import cells
    from selu.report.verdicts import counts

    material, claims = evidence.published(), evidence.claims()
    sensitivity = evidence.read("sensitivity.json", "report sensitivity", ("parts",))
    statistics = evidence.read("statistics.json", "report statistics", ("systems",))
    reruns: list[RerunCell] = evidence.read("cells.json", "report cells", cells.CELL_FIELDS, needed=False) or []
    outside: list[FinetunedCell] = (
        evidence.read("finetuned.json", "report finetuned", ("task", "system", "strict"), needed=False) or []
    )
    recounted: list[RecountedCell] = evidence.read("recounted.json", "report recounted", needed=False) or []
    data = {task.id: evidence.data(task.id) for task in material.tasks}
    ran: dict[str, Counter[str]] = {}
    for cell in outside:
        if cell["strict"]["value"] is not None:
            ran.setdefault(cell["name"], Counter())[depth(cell)] += 1
    figure = overview(statistics, counts(claims), depths(material, reruns, recounted), ran)
    return {
        "summary.md": summary(material, claims, sensitivity, data, reruns, recounted),
        "tables/results.md": details(material, claims, sensitivity, reruns, outside, recounted),
        "figures/overview.png": images(figure)["png"],
    }


def _prices(evidence: Evidence, _progress: Progress) -> Files:
    from selu.papers.selu import design
    from selu.vocabulary import Approach

    papers = [system.id for system in design.systems() if system.approach is Approach.PROMPTED]
    return {"prices.json": to_json(evidence.asking_cost(papers))}


ROWS, MODELS, PUBLISHED = (frozenset({need}) for need in (Need.ROWS, Need.MODELS, Need.PUBLISHED))
PARTS = {
    "statistics": Part(_statistics, "statistics: 378 pairs under two equivalence thresholds"),
    "sensitivity": Part(_sensitivity),
    "cells": Part(
        _runs("evidence.baselines:cell_entries", "cells.json"),
        "cells: re-runs and re-scored predictions beside the published scores",
    ),
    "comparisons": Part(_runs("evidence.baselines:comparison_entries", "comparisons.json"), needs=ROWS),
    "recounts": Part(
        _made("recounts.entries:collect", "recounts.json"),
        "recounts: counts of the authors' result files",
        PUBLISHED,
    ),
    "recounted": Part(_recounted, "recounted: published scores from the authors' counts"),
    "finetuned": Part(
        _runs("evidence.finetuned:entries", "finetuned.json"),
        "finetuned: runs of systems that are not in the paper",
    ),
    "comparisons-finetuned": Part(
        _runs("evidence.finetuned:comparison_entries", "comparisons_finetuned.json"), needs=ROWS
    ),
    "frozen": Part(
        _runs("evidence.frozen:entries", "frozen.json"),
        "frozen: runs of sentence encoders that are not trained",
    ),
    # it reads answers, by the library that reads rows
    "prompted": Part(
        _made("evidence.prompted:collect", "prompted.json"),
        "prompted: runs of prompted systems, and their published scores",
        ROWS,
    ),
    "heads": Part(  # what it finds is tracked, so that nobody else needs its libraries
        lambda evidence, _: {"heads.json": to_json(evidence.heads())},
        "heads: every architecture, kind of task and head, built small",
        MODELS,
    ),
    "claims-rerun": Part(_claims_rerun),
    "summary": Part(_summary, "summary"),
    "scale": Part(later(__package__, "pages.scale:files"), "scale: the cost of the paper's fine-tuned scores"),
    "unrounded": Part(
        later(__package__, "pages.unrounded:files"), "unrounded: the statistic from scores before rounding"
    ),
    "prices": Part(_prices, "prices: requests to prompted systems on all original rows", ROWS),
    "ways": Part(later(__package__, "pages.ways:pages"), "ways"),
}
