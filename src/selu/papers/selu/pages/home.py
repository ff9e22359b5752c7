"""SELU's pages of the site: the data of each, and the template that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from selu.boards.readers import browser
from selu.papers.evidence import Evidence
from selu.papers.page import Page, Section
from selu.papers.pinned import read_pins
from selu.papers.selu import design
from selu.papers.selu.choosing import make_bench
from selu.papers.selu.evidence import frozen
from selu.papers.selu.pages import answer, boards, posterior, prompted, reruns, scores
from selu.papers.selu.pages.records import Records, read_records
from selu.papers.selu.prompts import authors
from selu.papers.task_pages import Link, task_files, task_pages
from selu.report.site import check_names
from selu.vocabulary import CellState, CellVerdict
from selu.vocabulary import Evidence as Depth

_TEMPLATES = Path(__file__).parent / "templates"
_NAV = (
    ("leaderboard.html", "Ranking", ("leaderboard.html", "systems/", "compare.html")),
    ("cells.html", "Scores", ("cells.html", "unrounded.html")),
    ("posterior.html", "Pairs", ("posterior", "pairs/")),
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
        Depth.PUBLISHED.value: "",
        Depth.RECOUNTED.value: "",
        Depth.RE_SCORED.value: "′",
        Depth.RE_RUN.value: "″",
    },
}


def read_home(evidence: Evidence) -> Section:
    """Read SELU's records, and make of them what the site shows of it, with a page for each task and system.

    Raises:
        SeluError: a record is missing or damaged.
    """
    records = read_records(evidence)
    home = make_home(records)
    checked = reruns.merged(records.statistics, records.cells, records.recounted)
    names = {extra.id: extra.system.name for extra in design.others()} | frozen.SYSTEMS
    recounts = evidence.read("recounts.json", "report recounts", ("task", "system", "matrix", "labels"), False)
    published = scores.published_scores(checked, scores.counts_of(design.tasks(), recounts or ()))
    tasks = task_pages(
        evidence, design.tasks(), published, scores.examples(), names, links=_authors_prompts(evidence)
    )
    pages = {**home.pages, **tasks, **scores.system_pages(checked)}
    files = task_files(evidence, design.tasks(), tasks)
    if "unrounded.html" in pages:
        files["unrounded.png"] = evidence.content("unrounded/figure5.png", "report unrounded")
    return replace(home, pages=pages, files=files)


def _authors_prompts(evidence: Evidence) -> Mapping[str, Sequence[Link]]:
    """Link each task to the authors' prompts, in the commit of their package that is pinned."""
    links: dict[str, list[Link]] = {}
    for pin in read_pins(evidence.pins() / authors.FILE):
        address = f"https://github.com/{pin.repository}/blob/{pin.commit}/{pin.path}"
        name = f"Authors’ prompt, {pin.system}"
        links.setdefault(pin.task, []).append(Link(name, pin.path.rpartition("/")[2], address))
    return links


def make_home(records: Records) -> Section:
    """Build SELU's part of the site from its records.

    Raises:
        SeluError: the id of a system can't name a page.
    """
    statistics = records.statistics
    check_names(system["id"] for system in statistics["systems"])
    checked = reruns.merged(statistics, records.cells, records.recounted)
    rerun = reruns.of_claims(records.claims_rerun)
    pages = {
        "leaderboard.html": Page("leaderboard", {"board": boards.leaderboard(checked)}),
        "cells.html": Page(
            "cells",
            {
                "heat": boards.heat_map(checked),
                "reruns": reruns.view(statistics, records.cells),
                "extra": reruns.extra(records.extra),
                "prompted": prompted.view(records.prompted),
            },
        ),
    }
    bench = make_bench(
        statistics, records.cells, records.scale, records.profile, records.prices, records.recounted
    )
    pages["compare.html"] = Page("compare", {"bench": {**bench.record(), "rules": browser.rules()}})
    for rope, entry in posterior.ROPES.items():
        view = posterior.matrix(statistics, rope)
        pages[entry["page"]] = Page("posterior", {"matrix": view, "ropes": posterior.ROPES})
    if records.unrounded and "tables" in records.unrounded:
        pages["unrounded.html"] = Page("unrounded", {"view": records.unrounded})
    for id, others in posterior.pair_pages(statistics, records.sensitivity):
        pages[f"pairs/{id}.html"] = Page("pairs", {"view": {"id": id, "others": others}})
    return Section(
        id="selu",
        name="SELU",
        about=f"{len(statistics['systems'])} systems are compared on {len(statistics['tasks'])} tasks on "
        "software engineering text, such as issues, reviews, requirements and comments.",
        claims=[{**claim, "rerun": rerun.get(claim["id"])} for claim in records.claims],
        notebooks=records.notebooks,
        answer=[answer.sentence(statistics, records.tiers)],
        checked=answer.checked(checked),
        ranking=answer.ranking(statistics, records.tiers),
        nav=_NAV,
        first=True,
        templates=_TEMPLATES,
        pages=pages,
        shared={
            **SYMBOLS,
            "summary": boards.summary(checked),
            "names": {system["id"]: system["name"] for system in statistics["systems"]},
            "settings": statistics["settings"],
            "systems": {system["id"]: system for system in statistics["systems"]},
            "tasks": {task["id"]: task for task in statistics["tasks"]},
        },
    )
