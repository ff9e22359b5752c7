"""The start page's entry of each paper, and the menu of every paper's pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from selu.papers.page import Section
from selu.report.site_front import front
from selu.report.verdicts import conclusions
from selu.vocabulary import Verdict

Nav = list[tuple[str, str, tuple[str, ...]]]


class Card(NamedTuple):
    """A paper on the start page.

    Attributes:
        paper: title and year; empty where the package names no paper.
        home: address of its overview.
        nav: its menu: address, label, and how the addresses below it begin.
        found: as in ``site_front.front``.
        rankings: address, title and finding of each ranking.
        failing: address and statement of each conclusion that fails.
        choosing: address of the page where tasks are chosen and scores of one's own placed, and its presets
            (name, address); empty where it has none.
        rerun: address of the scores that were run again; empty where no page has them.
    """

    id: str
    name: str
    about: str
    paper: str
    home: str
    nav: Nav
    found: Mapping[str, Any]
    rankings: list[tuple[str, str, str]]
    failing: list[tuple[str, str]]
    choosing: str
    presets: list[tuple[str, str]]
    rerun: str

    @property
    def menu(self) -> Mapping[str, str]:
        """Address by label."""
        return {label: address for address, label, _ in self.nav}


def folder_of(section: Section) -> str:
    """Return the folder of a paper's pages; empty if they are at the site's root."""
    return "" if section.first else f"{section.id}/"


def home_of(section: Section) -> str:
    """Name the address of a paper's overview; the site's own start page is ``index.html``."""
    return f"{section.id}.html" if section.first else f"{section.id}/index.html"


def nav_of(section: Section) -> Nav:
    """List the menu of a paper's pages, with the same labels in the same order for every paper."""
    folder, home = folder_of(section), home_of(section)
    own = [
        (f"{folder}{at}", label, tuple(f"{folder}{prefix}" for prefix in begins))
        for at, label, begins in section.nav
    ]
    has_tasks = any(page.template in ("task", "ranking") for page in section.pages.values())
    return [
        (home, section.name, (home,)),
        *own,
        *([(f"{home}#tasks", "Tasks", (f"{folder}tasks/",))] if has_tasks else []),
        (f"{folder}claims.html", "Claims", (f"{folder}claims.html", f"{folder}claims/")),
        *([(f"{home}#notebooks", "Notebooks", (f"{folder}notebooks/",))] if section.notebooks else []),
    ]


def card_of(section: Section) -> Card:
    """Return what the start page shows of a paper."""
    folder, nav = folder_of(section), nav_of(section)
    ranked = [
        (f"{folder}{address}", page.values["board_title"], page.values["found"]["sentence"])
        for address, page in section.pages.items()
        if page.template == "ranking"
    ]
    if section.ranking and not ranked:
        ranked = [(nav[1][0], "", " ".join(section.answer))]
    failing = [
        (f"{folder}claims/{claim['id']}.html", claim["statement"])
        for claim in conclusions(section.claims)
        if claim["verdict"] == Verdict.FAILS
    ]
    compare = section.pages.get("compare.html")
    return Card(
        id=section.id,
        name=section.name,
        about=section.about,
        paper=f"{section.paper.title}. {section.paper.year}" if section.paper else "",
        home=home_of(section),
        nav=nav,
        found=front(section),
        rankings=ranked,
        failing=failing,
        choosing=f"{folder}compare.html" if compare else "",
        presets=[
            (preset["name"], f"{folder}compare.html#tasks={','.join(preset['tasks'])}")
            for preset in (compare.values["bench"]["presets"] if compare else ())
        ],
        rerun=f"{folder}cells.html#only=re-run" if "cells.html" in section.pages else "",
    )
