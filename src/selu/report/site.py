"""The static site: turns the written records into pages that open from disk and ask no host for anything."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from selu import __version__
from selu.benchmarks.page import Home, Section
from selu.report import (
    site_claims,
    site_other,
    site_prompted,
    site_reruns,
    site_systems,
    site_tables,
    site_words,
)
from selu.report.site_assets import assets, library_versions
from selu.report.site_notebooks import convert, pygments_css
from selu.vocabulary import SeluError

_HERE = Path(__file__).parent
# Pages of the head: address, label, and with what the addresses begin that belong to it.
_NAV = (
    ("index.html", "Leaderboard", ("index.html",)),
    ("cells.html", "Cells", ("cells.html",)),
    ("posterior.html", "Posterior", ("posterior", "pairs/")),
    ("claims.html", "Claims", ("claims.html",)),
    ("index.html#notebooks", "Notebooks", ("notebooks/",)),
)
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def build_site(benchmarks: Sequence[Home | Section]) -> dict[str, bytes]:
    """Every file of the site; the same records give the same bytes.

    Args:
        benchmarks: one with a leaderboard, whose pages stand at the root, and others, each with a folder.

    Returns:
        relative path, with forward slashes, to content.

    Raises:
        SeluError: none or several of them have a leaderboard, an id can't name a page, a notebook can't be read
            or would load something from outside, or the installed itables doesn't hold the DataTables bundle in
            the shape expected.
    """
    homes = [one for one in benchmarks if isinstance(one, Home)]
    if len(homes) != 1:
        raise SeluError(f"the site begins with one benchmark that has a leaderboard, not with {len(homes)}.")
    return _pages(homes[0], [one for one in benchmarks if not isinstance(one, Home)])


def _pages(home: Home, others: Sequence[Section]) -> dict[str, bytes]:
    statistics, notebooks = home.statistics, home.notebooks
    named = [name for other in others for name in (other.id, *other.notebooks, *other.figures)]
    for name in (*(system["id"] for system in statistics["systems"]), *notebooks, *named):
        _checked_name(name)
    converted = {name: convert(name, path) for name, path in sorted(notebooks.items())}
    earned, rerun = site_reruns.merged(statistics, home.cells), site_reruns.of_claims(home.claims_rerun)
    everywhere = {"version": __version__, "libraries": library_versions()}
    shared = {
        **everywhere,
        "brand": f"{home.name} checked",
        "home": "index.html",
        "nav": _NAV,
        "others": others,
        "summary": site_tables.summary(earned, home.claims),
        "knobs": statistics["knobs"],
        "notebooks": converted,
        "systems": {system["id"]: system for system in statistics["systems"]},
        "tasks": {task["id"]: task for task in statistics["tasks"]},
    }
    render = _Renderer(shared)
    pages = {
        "index.html": render("index", board=site_tables.leaderboard(statistics)),
        "cells.html": render(
            "cells",
            heat=site_tables.heat_map(earned),
            reruns=site_reruns.view(statistics, home.cells),
            extra=site_reruns.extra(home.extra),
            prompted=site_prompted.view(home.prompted),
        ),
        "claims.html": render(
            "claims",
            claims=[{**site_claims.view(claim), "rerun": rerun.get(claim["id"])} for claim in home.claims],
        ),
    }
    for rope in site_systems.ROPES:
        view = site_systems.matrix(statistics, rope)
        pages[view["page"]] = render("posterior", page=view["page"], matrix=view, ropes=site_systems.ROPES)
    for view in site_systems.pair_pages(statistics, home.sensitivity):
        page = f"pairs/{view['id']}.html"
        pages[page] = render("pairs", page=page, view=view)
    for name, notebook in converted.items():
        page = f"notebooks/{name}.html"
        pages[page] = render("notebook", page=page, notebook=notebook)
    files: dict[str, bytes] = {}
    for other in others:
        pages |= site_other.pages(other, home.name, lambda values: _Renderer(everywhere | values))
        files |= site_other.files(other)
    files |= {name: text.encode("utf-8") for name, text in pages.items()} | assets(_HERE / "static")
    files["assets/notebook.css"] = pygments_css().encode("utf-8")
    return dict(sorted(files.items()))


def _checked_name(name: str) -> None:
    if not name or set(name) - _PLAIN or name.startswith("."):
        raise SeluError(f"{name!r} can't name a page of the site: use letters, digits, '.', '_' and '-' only.")


class _Renderer:
    """Renders a template with the shared values and the way back to the site's root."""

    def __init__(self, shared: dict[str, Any]) -> None:
        self._shared = shared
        self._environment = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters |= site_words.FILTERS
        self._environment.globals |= site_words.SYMBOLS | {"earned_title": site_reruns.title}

    def __call__(self, template: str, page: str | None = None, **values: Any) -> str:
        page = page or f"{template}.html"
        root = "../" * page.count("/")
        source = self._environment.get_template(f"{template}.html.j2")
        return source.render(page=page, root=root, **self._shared, **values)
