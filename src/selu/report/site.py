"""The static site: turns the written records into pages that open from disk and ask no host for anything."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from selu import __version__
from selu.benchmarks.page import Page, Section
from selu.files import to_json
from selu.names import DASH
from selu.report import site_words
from selu.report.site_assets import assets
from selu.report.site_claims import by_question
from selu.report.site_front import front
from selu.report.site_notebooks import convert, pygments_css
from selu.report.verdicts import headline, verdicts_told
from selu.vocabulary import SeluError

_HERE = Path(__file__).parent
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def build_site(sections: Sequence[Section]) -> dict[str, bytes]:
    """Build every file of the site; the same records give the same bytes.

    Args:
        sections: the one that the site begins with, which stands at the root, and others, each with a folder.

    Returns:
        relative path, with forward slashes, to content.

    Raises:
        SeluError: none or several of them are the first, an id can't name a page, or a notebook can't be read
            or would load something from outside.
    """
    homes = [one for one in sections if one.first]
    if len(homes) != 1:
        raise SeluError(f"the site begins with one benchmark, not with {len(homes)}.")
    ordered = [*homes, *(one for one in sections if not one.first)]
    check_names(
        name
        for one in ordered
        for name in (one.id, *one.notebooks, *one.figures, *one.drawn, *(claim["id"] for claim in one.claims))
    )
    cards = [
        {"id": one.id, "name": one.name, "about": one.about, "folder": _folder(one), **front(one)}
        for one in ordered
    ]
    files: dict[str, bytes] = {}
    for one, card in zip(ordered, cards, strict=True):
        files |= _pages(one, card, cards)
        figures = {**one.drawn, **{name: of.content for name, of in one.figures.items()}}
        files |= {f"{_folder(one)}figures/{name}": content for name, content in figures.items()}
        files |= {f"{_folder(one)}{name}": content for name, content in one.files.items()}
    files |= assets(_HERE / "static") | {"assets/notebook.css": pygments_css().encode("utf-8")}
    return dict(sorted(files.items()))


def check_names(names: Iterable[str]) -> None:
    """Refuse ids that can't name a page."""
    for name in names:
        if not name or set(name) - _PLAIN or name.startswith("."):
            raise SeluError(
                f"{name!r} can't name a page of the site: use letters, digits, '.', '_' and '-' only."
            )


def _folder(of: Section) -> str:
    return "" if of.first else f"{of.id}/"


def _nav(of: Section) -> list[tuple[str, str, tuple[str, ...]]]:
    """List what leads to the pages of a benchmark: address, label, and how the addresses below it begin."""
    folder = _folder(of)
    home = f"{folder}index.html"
    return [
        (home, of.name, (home,)),
        *((f"{folder}{at}", label, tuple(f"{folder}{one}" for one in begins)) for at, label, begins in of.nav),
        *([(f"{home}#tasks", "Tasks", (f"{folder}tasks/",))] if any(map(_of_task, of.pages)) else []),
        (f"{folder}claims.html", "Claims", (f"{folder}claims.html", f"{folder}claims/")),
        (f"{home}#notebooks", "Notebooks", (f"{folder}notebooks/",)),
    ]


def _of_task(address: str) -> bool:
    return address.startswith("tasks/")


def _pages(of: Section, card: Mapping[str, Any], cards: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
    """Build the pages of a benchmark by their address: its own, its start page, claims and notebooks."""
    converted = {name: convert(name, path, of.drawn) for name, path in sorted(of.notebooks.items())}
    folder = _folder(of)
    shared = {
        "version": __version__,
        "brand": f"{of.name} checked",
        "home": f"{folder}index.html",
        "folder": folder,
        "nav": _nav(of),
        "notebooks": converted,
        "benchmark": of,
        "front": card,
        "cards": cards,
        "hashes": {name: _sha256(figure.content) for name, figure in of.figures.items()},
        **of.shared,
    }
    questions = by_question(of.claims)
    pages = {
        "index.html": Page("benchmark", {"record": _sha256(to_json(_as_tracked(of)).encode("utf-8"))}),
        "claims.html": Page("claims", {"questions": questions}),
        **{
            f"claims/{claim['id']}.html": Page("claim", {"claim": claim})
            for _, claims in questions
            for claim in claims
        },
        **of.pages,
    }
    for name, each in converted.items():
        pages[f"notebooks/{name}.html"] = Page(
            "notebook", {"notebook": each, "sha256": _sha256(of.notebooks[name].read_bytes())}
        )
    environment = _environment(*([of.templates] if of.templates else []))
    found = {}
    for address, page in pages.items():
        place = f"{folder}{address}"
        given = {**shared, **page.values, "page": place, "root": "../" * place.count("/")}
        found[place] = environment.get_template(f"{page.template}.html.j2").render(given).encode("utf-8")
    return found


def _as_tracked(of: Section) -> list[dict[str, Any]]:
    """Claims as ``claims.json`` has them."""
    return [{name: value for name, value in claim.items() if name != "rerun"} for claim in of.claims]


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _environment(*templates: Path) -> Environment:
    environment = Environment(
        loader=FileSystemLoader([_HERE / "templates", *templates]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= site_words.FILTERS
    environment.globals |= {
        "verdict_symbols": site_words.VERDICT_SYMBOLS,
        "dash": DASH,
        "headline": headline,
        "verdicts_told": verdicts_told,
    }
    return environment
