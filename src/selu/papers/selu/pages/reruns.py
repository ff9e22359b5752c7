"""Re-runs on the site: beside each score, in a table of their own, and beside claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from selu.names import word
from selu.papers.selu.pages.absences import absences
from selu.papers.selu.records.finetuned import FinetunedCell
from selu.papers.selu.records.reruns import PARTS, ClaimRerun, RecountedCell, RerunCell, VerdictAnew
from selu.papers.selu.records.statistics import CheckedScore, CheckedStatistics, Statistics
from selu.vocabulary import WHOLE, CellState, CellVerdict, Evidence


def merged(
    statistics: Statistics, cells: Sequence[RerunCell], recounted: Sequence[RecountedCell]
) -> CheckedStatistics:
    """Return the statistics, each cell with the evidence of its deepest check and its finding (``check``)."""
    known: dict[tuple[str, str], RerunCell | RecountedCell] = {
        (cell["task"], cell["system"]): cell for cell in recounted
    }
    known |= {(cell["task"], cell["system"]): cell for cell in cells if cell["value"] is not None}
    shown: list[CheckedScore] = []
    for cell in statistics["cells"]:
        checked = known.get((cell["task"], cell["system"]))
        evidence = checked["evidence"] if checked else cell["evidence"]
        availability = checked.get("standing") if checked else None  # a recounted score is of all rows
        differs = (
            checked is not None
            and checked["verdict"] == CellVerdict.DEVIATES
            and availability in (None, *WHOLE)
        )
        shown.append({**cell, "evidence": evidence, "check": checked, "differs": differs})
    return {**statistics, "cells": shown}


def view(statistics: Statistics, cells: Sequence[RerunCell]) -> Mapping[str, object]:
    """Return re-run cells, deepest evidence first, and those that were not, by state and reason."""
    order = [Evidence.RE_RUN, Evidence.RE_SCORED]
    names = {system["id"]: system["name"] for system in statistics["systems"]}
    there = sorted(
        (cell for cell in cells if cell["value"] is not None),
        key=lambda cell: order.index(Evidence(str(cell["evidence"]))),
    )
    gone = (c for c in cells if c["value"] is None and c["state"] != CellState.ABSENT_BY_DESIGN)
    return {
        "rows": [{**cell, "partial": cell["standing"] not in WHOLE} for cell in there],
        "absent": absences(gone, names),
    }


def extra(cells: Sequence[FinetunedCell]) -> Mapping[str, object]:
    """Return systems outside the paper: scores, and missing ones by reason."""
    shown = [cell for cell in cells if any(cell[part]["value"] is not None for part in PARTS)]
    return {
        "names": list(dict.fromkeys(cell["name"] for cell in cells)),
        "rows": [
            {
                **cell,
                "partial": cell["standing"] not in WHOLE,
                "collapsed": [
                    str(run["name"]).rpartition("/")[2]
                    for part in PARTS
                    for run in cell[part]["runs"]
                    if run.get("collapsed")
                ],
            }
            for cell in shown
        ],
        "absent": absences(
            (cell for cell in cells if cell["state"] != CellState.PRESENT),
            {cell["system"]: cell["name"] for cell in cells},
        ),
    }


def of_claims(entries: Iterable[ClaimRerun]) -> Mapping[str, Mapping[str, object]]:
    """Map each claim to a sentence on the scores it reads, and to its verdicts by re-run and strict values."""
    found = {}
    for entry in entries:
        depths = ", ".join(f"{number} {_depth(name)}" for name, number in entry["evidence"].items())
        verdicts = [
            {"what": what, "verdict": anew["verdict"], "because": _because(entry, anew)}
            for anew, what in (
                (entry["with_rerun"], "our re-run scores"),
                (entry["with_strict"], "our validation-selected scores"),
            )
            if anew is not None
        ]
        found[entry["id"]] = {
            "cells": f"It depends on scores of the baselines: {depths}.",
            "href": "cells.html#only=checked" if len(entry["evidence"]) > 1 else "cells.html",
            "verdicts": verdicts,
            "of_print": entry["of_print"],
            "differs": any(each["verdict"] != entry["verdict"] for each in verdicts),
        }
    return found


def _depth(name: str) -> str:
    if name == Evidence.PUBLISHED:
        return "published only"
    return name.replace(str(Evidence.RE_RUN), word(Evidence.RE_RUN))


def _because(entry: ClaimRerun, anew: VerdictAnew) -> str | None:
    """Return the reason for a verdict if it is not the verdict by the published scores."""
    return anew["because"] if anew["verdict"] != entry["verdict"] else None
