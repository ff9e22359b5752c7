"""The static site: turns the written records into pages that open from disk and ask no host for anything."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path

from jinja2 import Environment

from selu import __version__
from selu.files import to_json
from selu.papers.page import Page, Section
from selu.report.site_assets import assets, templates
from selu.report.site_claims import by_question
from selu.report.site_notebooks import NotebookPage, convert, exporter, pygments_css
from selu.report.site_portal import Card, card_of, folder_of
from selu.report.site_search import PAGES, entries, script
from selu.report.site_words import VERDICT_SYMBOLS
from selu.report.verdicts import headline, verdicts_told
from selu.vocabulary import ClaimFound, SeluError

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def build_site(sections: Sequence[Section], repository: str = "") -> Mapping[str, bytes]:
    """Build every file of the site; the same records give the same bytes.

    Args:
        sections: papers; the pages of one are at the root, those of each other in a folder.
        repository: address of this package's repository; empty where none is known.

    Returns:
        relative path, with forward slashes, to content.

    Raises:
        SeluError: none or several of them are at the root, an id can't name a page, or a notebook can't be
            read or would load something from outside.
    """
    homes = [section for section in sections if section.first]
    if len(homes) != 1:
        raise SeluError(f"the pages of one benchmark are at the site's root, not those of {len(homes)}.")
    ordered = [*homes, *(section for section in sections if not section.first)]
    check_names(
        name
        for section in ordered
        for name in (
            section.id,
            *section.notebooks,
            *section.figures,
            *section.drawn,
            *(claim["id"] for claim in section.claims),
        )
    )
    common = {"version": __version__, "repository": repository}
    environment_of = cache(_environment)  # a template is compiled once for all papers
    cards = [card_of(section) for section in ordered]
    files = {f"{page}.html": _shared(page, cards, common, environment_of()) for page in ("index", "search")}
    found = []
    for section, card, notebooks in zip(ordered, cards, _converted(ordered), strict=True):
        own = [section.templates] if section.templates else []
        files |= _pages(section, card, notebooks, common, environment_of(*own))
        found.append((section.name, entries(section, folder_of(section), card.home, notebooks)))
        figures = {**section.drawn, **{name: figure.content for name, figure in section.figures.items()}}
        files |= {f"{folder_of(section)}figures/{name}": content for name, content in figures.items()}
        files |= {f"{folder_of(section)}{name}": content for name, content in section.files.items()}
    files["assets/index.js"] = script([*found, ("start page", PAGES)])
    files |= assets() | {"assets/notebook.css": pygments_css().encode("utf-8")}
    return dict(sorted(files.items()))


def _converted(sections: Sequence[Section]) -> list[Mapping[str, NotebookPage]]:
    """Convert the notebooks of each section to pages, one a processor at a time."""
    asked = [
        (name, path, section.drawn) for section in sections for name, path in sorted(section.notebooks.items())
    ]
    if not asked:
        return [{} for _ in sections]
    exporter()  # once, and not in each process
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("fork")) as pool:
        pages = pool.map(convert, *zip(*asked, strict=True))
        return [{name: next(pages) for name in sorted(section.notebooks)} for section in sections]


def check_names(names: Iterable[str]) -> None:
    """Refuse ids that can't name a page."""
    for name in names:
        if not name or set(name) - _PLAIN or name.startswith("."):
            raise SeluError(
                f"{name!r} can't name a page of the site: use letters, digits, '.', '_' and '-' only."
            )


def _shared(name: str, cards: Sequence[Card], common: Mapping[str, object], environment: Environment) -> bytes:
    """Build a page of all papers: the start page (``index``) or the search."""
    given = {
        **common,
        "brand": "",
        "nav": [(card.home, card.name, ()) for card in cards],
        "cite": "index.html#cite",
        "cards": cards,
        "page": f"{name}.html",
        "root": "",
    }
    return environment.get_template(f"{name}.html.j2").render(given).encode("utf-8")


def _pages(
    section: Section,
    card: Card,
    converted: Mapping[str, Mapping[str, object]],
    common: Mapping[str, object],
    environment: Environment,
) -> Mapping[str, bytes]:
    """Build the pages of a benchmark by their address: its own, its overview, claims and notebooks."""
    folder = folder_of(section)
    shared = {
        **common,
        "brand": f"{section.name} checked",
        "home": card.home,
        "folder": folder,
        "nav": card.nav,
        "cite": f"{card.home}#cite" if section.paper else "",
        "names": {},
        "notebooks": converted,
        "benchmark": section,
        "front": card.found,
        "rankings": [(at, page.values) for at, page in section.pages.items() if page.template == "ranking"],
        "hashes": {name: _sha256(figure.content) for name, figure in section.figures.items()},
        **section.shared,
    }
    questions = by_question(section.claims)
    pages = {
        card.home.removeprefix(folder): Page(
            "benchmark", {"record": _sha256(to_json(_as_tracked(section)).encode("utf-8"))}
        ),
        "claims.html": Page("claims", {"questions": questions}),
        **_claim_pages([claim for _, claims in questions for claim in claims]),
        **section.pages,
    }
    for name, each in converted.items():
        pages[f"notebooks/{name}.html"] = Page(
            "notebook", {"notebook": each, "sha256": _sha256(section.notebooks[name].read_bytes())}
        )
    found = {}
    for address, page in pages.items():
        place = f"{folder}{address}"
        given = {**shared, **page.values, "page": place, "root": "../" * place.count("/")}
        found[place] = environment.get_template(f"{page.template}.html.j2").render(given).encode("utf-8")
    return found


def _claim_pages(claims: Sequence[ClaimFound]) -> Mapping[str, Page]:
    """Render a page for each claim, with links to the claims before and after it."""
    around = zip([None, *claims], claims, [*claims[1:], None], strict=False)
    return {
        f"claims/{claim['id']}.html": Page("claim", {"claim": claim, "before": before, "after": after})
        for before, claim, after in around
    }


def _as_tracked(section: Section) -> list[Mapping[str, object]]:
    """Return claims as ``claims.json`` has them."""
    return [{name: value for name, value in claim.items() if name != "rerun"} for claim in section.claims]


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _environment(*folders: Path) -> Environment:
    environment = templates(*folders)
    environment.globals |= {
        "verdict_symbols": VERDICT_SYMBOLS,
        "headline": headline,
        "verdicts_told": verdicts_told,
    }
    return environment
