"""The static site: turns the written records into pages that open from disk and ask no host for anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from selu import __version__
from selu.benchmarks.page import Home, Page, Section
from selu.report import site_words
from selu.report.site_assets import assets
from selu.report.site_claims import shape
from selu.report.site_notebooks import convert, pygments_css
from selu.vocabulary import SeluError, Verdict

_HERE = Path(__file__).parent
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def build_site(benchmarks: Sequence[Home | Section]) -> dict[str, bytes]:
    """Build every file of the site; the same records give the same bytes.

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
    home, others = homes[0], [one for one in benchmarks if not isinstance(one, Home)]
    named = [name for other in others for name in (other.id, *other.notebooks, *other.figures)]
    check_names([*home.notebooks, *named])
    shared = {"home": "index.html", "nav": home.nav, "others": others, **home.shared}
    files = _pages("", home, home.pages, shared, home.templates)
    for other in others:
        files |= _of_section(other, home.name)
    files |= assets(_HERE / "static") | {"assets/notebook.css": pygments_css().encode("utf-8")}
    return dict(sorted(files.items()))


def check_names(names: Iterable[str]) -> None:
    """Refuse ids that can't name a page."""
    for name in names:
        if not name or set(name) - _PLAIN or name.startswith("."):
            raise SeluError(
                f"{name!r} can't name a page of the site: use letters, digits, '.', '_' and '-' only."
            )


def _of_section(section: Section, main: str) -> dict[str, bytes]:
    """Build the files of a benchmark beside the one that the site begins with, which is called ``main``."""
    home = f"{section.id}/index.html"
    nav = (
        (home, section.name, (home,)),
        (f"{section.id}/claims.html", "Claims", (f"{section.id}/claims.html",)),
        (f"{home}#notebooks", "Notebooks", (f"{section.id}/notebooks/",)),
        ("index.html", main, ("index.html",)),
    )
    start = {"index.html": Page("benchmark", {"benchmark": section})}
    files = _pages(f"{section.id}/", section, start, {"home": home, "nav": nav})
    return files | {f"{section.id}/figures/{name}": of.content for name, of in section.figures.items()}


def _pages(
    folder: str, of: Home | Section, own: Mapping[str, Page], shared: Mapping[str, Any], *templates: Path
) -> dict[str, bytes]:
    """Build the pages of a benchmark by their address: its own, and those of its claims and notebooks."""
    converted = {name: convert(name, path) for name, path in sorted(of.notebooks.items())}
    verdicts = Counter(str(claim["verdict"]) for claim in of.claims)
    counted = {"claims": len(of.claims), "verdicts": {each.value: verdicts[each] for each in Verdict}}
    shared = {
        "version": __version__,
        "libraries": {"itables": version("itables")},
        "brand": f"{of.name} checked",
        "notebooks": converted,
        **shared,
        "summary": {**shared.get("summary", {}), **counted},
    }
    claims = [
        {"rerun": None, **claim, "numbers": shape(claim["numbers"]) if claim["numbers"] else None}
        for claim in of.claims
    ]
    pages = {
        **own,
        "claims.html": Page("claims", {"claims": claims}),
        **{f"notebooks/{name}.html": Page("notebook", {"notebook": each}) for name, each in converted.items()},
    }
    environment = _environment(*templates)
    found = {}
    for address, page in pages.items():
        place = f"{folder}{address}"
        given = {**shared, **page.values, "page": place, "root": "../" * place.count("/")}
        found[place] = environment.get_template(f"{page.template}.html.j2").render(given).encode("utf-8")
    return found


def _environment(*templates: Path) -> Environment:
    environment = Environment(
        loader=FileSystemLoader([_HERE / "templates", *templates]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= site_words.FILTERS
    environment.globals |= {"verdict_symbols": site_words.VERDICT_SYMBOLS, "dash": site_words.DASH}
    return environment
