"""The pages of a benchmark beside SELU: a start page with its tables and figures, its claims, its notebooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from selu.report import site_claims, site_tables
from selu.report.site_notebooks import convert

Render = Callable[..., str]


class Shown(NamedTuple):
    """A table of a notebook: what stands above it, its caption, its notebook, its columns and rows as texts."""

    heading: str
    caption: str
    notebook: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


class Figure(NamedTuple):
    """An image of a notebook: what stands above it, its notebook, what it shows in words, and its bytes."""

    heading: str
    notebook: str
    alt: str
    content: bytes


@dataclass(frozen=True)
class Benchmark:
    """What the site shows of a benchmark.

    Attributes:
        id: its folder in the site.
        name, about: what it is called, and what it is in a sentence.
        claims: record of ``benchmarks.claims.claims_record``.
        notebooks: name of the page to an executed notebook.
        tables, figures: of the start page, by name (a figure's is that of its file).
    """

    id: str
    name: str
    about: str
    claims: list[dict[str, Any]]
    notebooks: Mapping[str, Path]
    tables: Mapping[str, Shown]
    figures: Mapping[str, Figure]


def pages(benchmark: Benchmark, renderer: Callable[[dict[str, Any]], Render]) -> dict[str, str]:
    """Every page, by its address in the site; errors as of ``site.build_site``.

    Args:
        renderer: makes of what its pages share the function that renders them.
    """
    home = f"{benchmark.id}/index.html"
    converted = {name: convert(name, path) for name, path in sorted(benchmark.notebooks.items())}
    render = renderer(
        {
            "brand": f"{benchmark.name} checked",
            "home": home,
            "nav": (
                (home, benchmark.name, (home,)),
                (f"{benchmark.id}/claims.html", "Claims", (f"{benchmark.id}/claims.html",)),
                (f"{home}#notebooks", "Notebooks", (f"{benchmark.id}/notebooks/",)),
                ("index.html", "SELU", ("index.html",)),
            ),
            "summary": site_tables.counted(benchmark.claims),
            "notebooks": converted,
        }
    )
    claims = [{**site_claims.view(claim), "rerun": None} for claim in benchmark.claims]
    found = {
        home: render("benchmark", page=home, benchmark=benchmark),
        f"{benchmark.id}/claims.html": render("claims", page=f"{benchmark.id}/claims.html", claims=claims),
    }
    for name, notebook in converted.items():
        page = f"{benchmark.id}/notebooks/{name}.html"
        found[page] = render("notebook", page=page, notebook=notebook)
    return found


def files(benchmark: Benchmark) -> dict[str, bytes]:
    """Its figures, by their address in the site."""
    return {f"{benchmark.id}/figures/{name}": figure.content for name, figure in benchmark.figures.items()}
