"""The static site: turns the written records into pages that open from disk and ask no host for anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from selu import __version__
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


def build_site(
    statistics: dict[str, Any],
    sensitivity: dict[str, Any],
    claims: list[dict[str, Any]],
    notebooks: Mapping[str, Path],
    cells: Sequence[dict[str, Any]] = (),
    claims_rerun: Sequence[dict[str, Any]] = (),
    extra: Sequence[dict[str, Any]] = (),
    prompted: Sequence[dict[str, Any]] = (),
    others: Sequence[site_other.Benchmark] = (),
) -> dict[str, bytes]:
    """Every file of the site; the same records give the same bytes.

    Args:
        statistics: record of ``results.statistics``.
        sensitivity: record of ``results.sensitivity_record``.
        claims: record of ``benchmarks.claims.claims_record``.
        notebooks: name of the page to an executed notebook.
        cells, claims_rerun, extra, prompted: entries of cells.json, of claims_rerun.json, of finetuned.json and
            of prompted.json, where they are at hand.
        others: benchmarks beside SELU, each with pages of its own.

    Returns:
        relative path, with forward slashes, to content.

    Raises:
        SeluError: an id can't name a page, a notebook can't be read or would load something from outside, or
            the installed itables doesn't hold the DataTables bundle in the shape expected.
    """
    named = [name for other in others for name in (other.id, *other.notebooks, *other.figures)]
    for name in (*(system["id"] for system in statistics["systems"]), *notebooks, *named):
        _checked_name(name)
    converted = {name: convert(name, path) for name, path in sorted(notebooks.items())}
    earned, rerun = site_reruns.merged(statistics, cells), site_reruns.of_claims(claims_rerun)
    everywhere = {"version": __version__, "libraries": library_versions()}
    shared = {
        **everywhere,
        "brand": "SELU checked",
        "home": "index.html",
        "nav": _NAV,
        "others": others,
        "summary": site_tables.summary(earned, claims),
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
            reruns=site_reruns.view(statistics, cells),
            extra=site_reruns.extra(extra),
            prompted=site_prompted.view(prompted),
        ),
        "claims.html": render(
            "claims", claims=[{**site_claims.view(claim), "rerun": rerun.get(claim["id"])} for claim in claims]
        ),
    }
    for rope in site_systems.ROPES:
        view = site_systems.matrix(statistics, rope)
        pages[view["page"]] = render("posterior", page=view["page"], matrix=view, ropes=site_systems.ROPES)
    for view in site_systems.pair_pages(statistics, sensitivity):
        page = f"pairs/{view['id']}.html"
        pages[page] = render("pairs", page=page, view=view)
    for name, notebook in converted.items():
        page = f"notebooks/{name}.html"
        pages[page] = render("notebook", page=page, notebook=notebook)
    files: dict[str, bytes] = {}
    for other in others:
        pages |= site_other.pages(other, lambda values: _Renderer(everywhere | values))
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
