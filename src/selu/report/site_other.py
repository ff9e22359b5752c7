"""The pages of a benchmark beside the main one: a start page with tables and figures, claims, notebooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from selu.benchmarks.page import Section
from selu.report import site_claims, site_tables
from selu.report.site_notebooks import convert

Render = Callable[..., str]


def pages(benchmark: Section, main: str, renderer: Callable[[dict[str, Any]], Render]) -> dict[str, str]:
    """Every page, by its address in the site; errors as of ``site.build_site``.

    Args:
        main: name of the benchmark that the site begins with.
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
                ("index.html", main, ("index.html",)),
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


def files(benchmark: Section) -> dict[str, bytes]:
    """Its figures, by their address in the site."""
    return {f"{benchmark.id}/figures/{name}": figure.content for name, figure in benchmark.figures.items()}
