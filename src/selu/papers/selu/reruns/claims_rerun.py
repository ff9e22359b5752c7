"""Claims on rerun numbers: which claims read the baselines' cells, how deep these stand, and what the verdict
is when rerun values stand in Table VI in place of the printed ones.

A claim reads a cell when its finding follows an alteration of it. That is told from outside, so a claim need
not say what it reads, and one whose finding no alteration moves is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from selu.papers.claims import BrokenClaimError, claims_record
from selu.papers.selu.material import Material
from selu.papers.selu.records.reruns import CellsRead, ClaimRerun, RerunCell, VerdictAnew
from selu.papers.selu.reruns.cells import DIGITS
from selu.stats.rounding import to_digits
from selu.vocabulary import WHOLE, Approach, Claim, ClaimFound, Evidence

# Claims that published numbers follow from published scores; re-run values can't decide them.
OF_PRINT = ("C013", "C024", "C028", "C030", "C031", "C032", "C033", "C077")
PARTIAL = f"{Evidence.RE_RUN} on part of the rows"
RERUN, STRICT = "rerun", "strict"
_DRAWS = 200  # of posteriors that only show whether something changes
Scores = dict[tuple[str, str], str]


def claims_rerun(
    paper: Material,
    claims: Sequence[Claim],
    cells: Sequence[RerunCell],
    progress: Callable[[str], None] = lambda _: None,
) -> list[ClaimRerun]:
    """Return every claim that reads a score of a baseline, on rerun numbers.

    Args:
        cells: entries of cells.json.

    Returns:
        per claim ``id``; ``verdict`` on the print; ``systems`` and ``tasks`` of the cells that it reads;
        ``evidence``, how many of these cells stand how deep; ``of_print``, whether it is about the
        print alone (``OF_PRINT``); ``with_rerun`` and ``with_strict``: ``verdict``, ``because``, ``cells`` (how
        many of its cells hold a rerun value) and ``changes`` (whether a number behind it is another), None
        for claims of print and where none of its cells has a rerun value.
    """
    progress("claims on re-run numbers: which claims read the baselines")
    read = _readers(paper, claims)
    chosen = [claim for claim in claims if claim.id in read]
    published = {entry["id"]: entry for entry in claims_record(paper, tuple(chosen))}
    anew: dict[str, dict[str, ClaimFound]] = {}
    counts: dict[str, Scores] = {}
    for part in (RERUN, STRICT):
        counts[part] = replacements(paper, cells, part)
        progress(f"claims on {part} numbers: {len(counts[part])} cells")
        if counts[part]:
            found = claims_record(paper.with_scores(counts[part]), tuple(chosen))
            anew[part] = {entry["id"]: entry for entry in found}
    return [
        {
            "id": claim.id,
            "verdict": published[claim.id]["verdict"],
            **read[claim.id],
            "evidence": _evidence(cells, read[claim.id]),
            "with_rerun": _with(published[claim.id], anew.get(RERUN), counts[RERUN], read[claim.id]),
            "with_strict": _with(published[claim.id], anew.get(STRICT), counts[STRICT], read[claim.id]),
        }
        for claim in chosen
    ]


def replacements(paper: Material, cells: Sequence[RerunCell], part: str) -> Scores:
    """Return re-run values of baselines on the paper's own rows by (task, system), as Table VI shows them.

    Args:
        part: rerun (protocol paper in its own environment) or strict.
    """
    baselines = paper.names(approach=Approach.BASELINE)
    found = {}
    for cell in cells:
        entry = cell if part == RERUN else cell["strict"]
        if cell["system"] in baselines and cell["standing"] in WHOLE and entry and entry["value"] is not None:
            found[cell["task"], cell["system"]] = to_digits(entry["value"], DIGITS)
    return found


def _readers(paper: Material, claims: Sequence[Claim]) -> Mapping[str, CellsRead]:
    """Map each claim to the baselines and tasks whose scores change its finding, and whether it's of print."""
    quick = replace(paper, settings=replace(paper.settings, draws=_DRAWS))
    systems, tasks = quick.names(approach=Approach.BASELINE), quick.task_ids(ranked=True)
    base = {claim.id: _text(claim, quick) for claim in claims}
    moved: dict[str, CellsRead] = {}
    for system in systems:
        altered = _mirrored(quick, [(task, system) for task in tasks])
        for claim in claims:
            if _text(claim, altered) != base[claim.id]:
                entry: CellsRead = {"systems": [], "tasks": [], "of_print": claim.id in OF_PRINT}
                moved.setdefault(claim.id, entry)["systems"].append(system)
    for task in tasks:
        altered = _mirrored(quick, [(task, system) for system in systems])
        for claim in claims:
            if claim.id in moved and _text(claim, altered) != base[claim.id]:
                moved[claim.id]["tasks"].append(task)
    return moved


def _mirrored(paper: Material, places: Sequence[tuple[str, str]]) -> Material:
    """Return a copy with mirrored scores: good ones are bad, and bad ones good; .5 becomes .25."""
    scores = {}
    for task, system in places:
        value = Decimal(paper.published("table6", task, paper.system(system).name))
        scores[task, system] = str(1 - value if value != Decimal("0.5") else value / 2)
    return paper.with_scores(scores)


def _text(claim: Claim, paper: Material) -> str:
    """Return the finding as text; it also changes if the check fails on the altered scores."""
    try:
        return _plain(claims_record(paper, (claim,)))
    except BrokenClaimError as error:
        if not isinstance(error.__cause__, (ArithmeticError, ValueError, LookupError)):
            raise
        return type(error.__cause__).__name__


def _plain(found: object) -> str:
    """Return numbers at ten digits as text: the last bits are meaningless."""
    text = json.dumps(found, default=lambda value: value.tolist() if hasattr(value, "tolist") else str(value))
    return json.dumps(json.loads(text, parse_float=lambda number: float(f"{float(number):.10g}")))


def _evidence(cells: Sequence[RerunCell], read: CellsRead) -> Mapping[str, int]:
    """Count the baselines' scores that a claim reads by how they were checked."""
    known = {(cell["task"], cell["system"]): cell for cell in cells}
    depths = (Evidence.RE_RUN, PARTIAL, Evidence.RE_SCORED, Evidence.PUBLISHED)
    counts = dict.fromkeys(map(str, depths), 0)
    for task in read["tasks"]:
        for system in read["systems"]:
            cell = known.get((task, system))
            depth = str(cell["evidence"] if cell else Evidence.PUBLISHED)
            partial = cell and depth == Evidence.RE_RUN and cell["standing"] not in WHOLE
            counts[PARTIAL if partial else depth] += 1
    return {word: number for word, number in counts.items() if number}


def _with(
    published: ClaimFound, found: Mapping[str, ClaimFound] | None, scores: Scores, read: CellsRead
) -> VerdictAnew | None:
    """Return the verdict on a claim by the values of a part."""
    if found is None or read["of_print"]:
        return None
    places = [key for key in scores if key[0] in read["tasks"] and key[1] in read["systems"]]
    if not places:
        return None
    anew = found[published["id"]]
    return {
        "verdict": anew["verdict"],
        "because": anew["because"],
        "cells": len(places),
        "changes": _plain(anew["numbers"]) != _plain(published["numbers"]),
    }
