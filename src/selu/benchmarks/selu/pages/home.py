"""SELU's pages of the site, put together: what each is given, and the template that shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from selu.benchmarks.page import Home, Page
from selu.benchmarks.selu.choosing import make_bench
from selu.benchmarks.selu.pages import boards, posterior, prompted, reruns
from selu.benchmarks.selu.pages.records import Records
from selu.report.site import check_names
from selu.vocabulary import CellState, CellVerdict, Evidence

_TEMPLATES = Path(__file__).parent / "templates"
_NAV = (
    ("index.html", "Leaderboard", ("index.html",)),
    ("cells.html", "Cells", ("cells.html",)),
    ("compare.html", "Compare", ("compare.html",)),
    ("posterior.html", "Posterior", ("posterior", "pairs/")),
    ("claims.html", "Claims", ("claims.html",)),
    ("index.html#notebooks", "Notebooks", ("notebooks/",)),
)
SYMBOLS: dict[str, Any] = {
    "decision_symbols": {"better": "▲", "worse": "▼", "equal": "≈", "inconclusive": "", "": ""},
    "state_symbols": {CellState.ABSENT_BY_DESIGN: "–", CellState.FAILED: "✗", CellState.INVALID: "!"},
    "cell_verdict_marks": {
        CellVerdict.REPRODUCED.value: "",
        CellVerdict.WITHIN_NOISE.value: "≈",
        CellVerdict.DEVIATES.value: "≠",
    },
    "evidence_marks": {
        Evidence.PRINTED.value: "",
        Evidence.RE_SCORED.value: "′",
        Evidence.RE_EARNED.value: "″",
    },
}


def make_home(records: Records) -> Home:
    """Make of SELU's records what the site shows of it.

    Raises:
        SeluError: the id of a system can't name a page.
    """
    statistics = records.statistics
    check_names(system["id"] for system in statistics["systems"])
    earned = reruns.merged(statistics, records.cells)
    rerun = reruns.of_claims(records.claims_rerun)
    pages = {
        "index.html": Page("index", {"board": boards.leaderboard(statistics)}),
        "cells.html": Page(
            "cells",
            {
                "heat": boards.heat_map(earned),
                "reruns": reruns.view(statistics, records.cells),
                "extra": reruns.extra(records.extra),
                "prompted": prompted.view(records.prompted),
                "earned_title": reruns.title,
            },
        ),
    }
    bench = make_bench(statistics, records.cells, records.scale, records.profile, records.prices)
    pages["compare.html"] = Page("compare", {"bench": bench.record()})
    for rope in posterior.ROPES:
        view = posterior.matrix(statistics, rope)
        pages[view["page"]] = Page("posterior", {"matrix": view, "ropes": posterior.ROPES})
    for view in posterior.pair_pages(statistics, records.sensitivity):
        pages[f"pairs/{view['id']}.html"] = Page("pairs", {"view": view})
    return Home(
        name="SELU",
        claims=[{**claim, "rerun": rerun.get(claim["id"])} for claim in records.claims],
        notebooks=records.notebooks,
        nav=_NAV,
        templates=_TEMPLATES,
        pages=pages,
        shared={
            **SYMBOLS,
            "summary": boards.summary(earned),
            "knobs": statistics["knobs"],
            "systems": {system["id"]: system for system in statistics["systems"]},
            "tasks": {task["id"]: task for task in statistics["tasks"]},
        },
    )
