"""The records from which SELU's pages of the site are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selu.papers.costs import AskingCost, Profile
from selu.papers.evidence import Evidence, Record
from selu.papers.selu import choosing
from selu.papers.selu.claims._tiers import named_tiers
from selu.papers.selu.records.finetuned import FinetunedCell
from selu.papers.selu.records.prompted import PromptedCell
from selu.papers.selu.records.reruns import ClaimRerun, RecountedCell, RerunCell
from selu.papers.selu.records.statistics import Sensitivity, Statistics
from selu.papers.selu.reruns import cells
from selu.vocabulary import ClaimFound


@dataclass(frozen=True)
class Records:
    """What was written of SELU.

    Attributes:
        statistics: record of ``results.statistics``.
        sensitivity: record of ``results.sensitivity_record``.
        claims: record of ``papers.claims.claims_record``.
        notebooks: name of the page to an executed notebook.
        scale, profile, prices: what runs take, as ``choosing.make_bench`` has them, where they are available.
        cells, claims_rerun, extra, prompted, recounted: entries of cells.json, of claims_rerun.json, of
            finetuned.json, of prompted.json and of recounted.json, where they are here.
        unrounded: record of ``pages.unrounded``, where scores were recounted.
        tiers: ids of the systems in each tier of the paper, best first.
    """

    statistics: Statistics
    sensitivity: Sensitivity
    claims: list[ClaimFound]
    notebooks: Mapping[str, Path]
    cells: Sequence[RerunCell] = ()
    claims_rerun: Sequence[ClaimRerun] = ()
    extra: Sequence[FinetunedCell] = ()
    prompted: Sequence[PromptedCell] = ()
    recounted: Sequence[RecountedCell] = ()
    unrounded: Record | None = None
    tiers: Sequence[Sequence[str]] = ()
    scale: Sequence[Mapping[str, str]] = ()
    profile: Profile | None = None
    prices: AskingCost | None = None


def read_records(evidence: Evidence) -> Records:
    """Read what was written of SELU.

    Raises:
        SeluError: a record that the pages rest on is missing, or one is damaged.
    """

    def entries(file: str, part: str, *fields: str) -> Any:
        return evidence.read(file, f"report {part}", fields, needed=False) or []

    prompted = evidence.read("prompted.json", "report prompted", ("cells",), needed=False)
    scale, profile = choosing.read_scale(evidence)
    return Records(
        statistics=evidence.read("statistics.json", "report statistics", ("cells",)),
        sensitivity=evidence.read("sensitivity.json", "report sensitivity", ("parts",)),
        claims=evidence.claims(),
        notebooks=evidence.notebooks(),
        cells=entries("cells.json", "cells", *cells.CELL_FIELDS),
        claims_rerun=entries("claims_rerun.json", "claims-rerun", "id", "evidence", "of_print"),
        extra=entries("finetuned.json", "finetuned", "task", "system", "paper", "strict"),
        prompted=prompted["cells"] if prompted else [],
        recounted=entries("recounted.json", "recounted", "task", "system", "equal"),
        unrounded=evidence.read("unrounded/unrounded.json", "report unrounded", ("sources",), needed=False),
        tiers=named_tiers(evidence.published()),
        scale=scale,
        profile=profile,
        prices=choosing.read_prices(evidence),
    )
