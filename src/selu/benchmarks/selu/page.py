"""The pages of SELU on the site: leaderboard, cells, posterior, claims and notebooks."""

from __future__ import annotations

from selu.benchmarks.evidence import Evidence, Record
from selu.benchmarks.page import Home
from selu.benchmarks.selu.reruns import cells


def page(evidence: Evidence) -> Home:
    """What was written of SELU, as the site takes it.

    Raises:
        SeluError: a record that the pages rest on is missing, or one is damaged.
    """

    def entries(file: str, part: str, *fields: str) -> list[Record]:
        found: list[Record] = evidence.read(file, f"report {part}", fields, needed=False) or []
        return found

    prompted = evidence.read("prompted.json", "report prompted", ("cells",), needed=False)
    return Home(
        name="SELU",
        statistics=evidence.read("statistics.json", "report statistics", ("cells",)),
        sensitivity=evidence.read("sensitivity.json", "report sensitivity", ("parts",)),
        claims=evidence.claims(),
        notebooks=evidence.notebooks(),
        cells=entries("cells.json", "cells", *cells.FIELDS),
        claims_rerun=entries("claims_rerun.json", "claims-rerun", "id", "evidence", "of_print"),
        extra=entries("finetuned.json", "finetuned", "task", "system", "paper", "strict"),
        prompted=prompted["cells"] if prompted else [],
    )
