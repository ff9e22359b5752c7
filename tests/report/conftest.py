"""What the tests of the site share: the tracked records with claims of our own, and a reader of pages."""

from __future__ import annotations

import json
import posixpath
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat as nbf
import pytest

from selu.benchmarks.page import Home
from selu.benchmarks.selu.pages.home import make_home
from selu.benchmarks.selu.pages.records import Records as SiteRecords
from selu.report.site import build_site

Records = tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]

HOSTILE = "<script>document.title='owned'</script>\"'><img src=data:,x onerror=\"document.title='owned'\">&amp;"


def claim(identity: str, verdict: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "section": "V-A",
        "statement": f"Statement of {identity}.",
        "verdict": verdict,
        "because": "28 of 28 means equal.",
        "numbers": {"equal": 28},
    } | fields


CLAIMS = [
    claim("C001", "holds", section="Table IV"),
    claim("C002", "holds with caveat", numbers={"p": 0.0412345678, "none": None, "all": True}),
    claim("C003", "fails", statement=f"A claim {HOSTILE}", because=HOSTILE, section=HOSTILE),
    claim("C004", "fails", numbers={HOSTILE: HOSTILE, "rows": [{"a": HOSTILE, "b": 1.5}, {"a": "x", "b": 2}]}),
    claim("C005", "not checkable", numbers={}, because="Nowhere does the paper print zyzzyva."),
    claim(
        "C006",
        "holds",
        numbers={
            "names": ["gpt2-xl", "t5-base"],
            "by": {"code_adjacent": {"mean": 0.5, "n": 9}, "core_non_code": {"mean": 0.25, "n": 6}},
            "deep": {
                "one": {"two": [[1, 2], [3, 4]], "empty": [], "wide": [list(range(60))] * 2},
                "mixed": [1, {"k": [2]}],
            },
        },
    ),
]


@pytest.fixture(scope="session")
def hostile() -> str:
    return HOSTILE


@pytest.fixture(scope="session")
def records(root: Path) -> Records:
    """Statistics and sensitivity as they are tracked, and made-up claims."""
    names = ("statistics.json", "sensitivity.json")
    made = (json.loads((root / "reports" / "selu" / name).read_text("utf-8")) for name in names)
    return (*made, CLAIMS)  # type: ignore[return-value]


@pytest.fixture(scope="session")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A heading, hostile markup in every place that markup can hide, a data frame, a script and a picture."""
    table = (
        "<table border='1' class='dataframe'><thead><tr><th>m</th></tr></thead><tbody><tr><td>0.75</td></tr>"
    )
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    cells = [
        nbf.v4.new_markdown_cell(f"# Means of `Table IV`\n\n{HOSTILE} and [a link](https://example.org/)."),
        nbf.v4.new_code_cell(
            "frame  # <b>",
            execution_count=1,
            outputs=[
                nbf.v4.new_output(
                    "display_data", {"text/html": f"<style>.x{{}}</style>{table}</tbody></table>{HOSTILE}"}
                ),
                nbf.v4.new_output("stream", name="stdout", text=HOSTILE),
                nbf.v4.new_output("display_data", {"application/javascript": "document.title='owned'"}),
                nbf.v4.new_output("display_data", {"image/png": pixel}),
            ],
        ),
    ]
    for place, cell in enumerate(cells):
        cell["id"] = f"cell{place}"
    path = tmp_path_factory.mktemp("notebooks") / "table4.ipynb"
    nbf.write(nbf.v4.new_notebook(cells=cells), path)
    return path


def made_home(*records: Any, **more: Any) -> Home:
    return make_home(SiteRecords(*records, **more))


@pytest.fixture(scope="session")
def site(records: Records, notebook: Path) -> dict[str, bytes]:
    return build_site([made_home(*records, {"table4": notebook})])


@pytest.fixture(scope="session")
def pages(site: dict[str, bytes]) -> dict[str, Page]:
    return {name: Page(name, content) for name, content in site.items() if name.endswith(".html")}


def lost_links(site: dict[str, bytes]) -> list[tuple[str, str]]:
    """Page and address of every link or loaded file that leads to no page or anchor of the site."""
    pages = {name: Page(name, content) for name, content in site.items() if name.endswith(".html")}
    ids, found = {name: set(page.ids) for name, page in pages.items()}, []
    for page in pages.values():
        loaded = [
            a.get("src") or a.get("href", "") for tag, a in page.elements if tag in {"script", "link", "img"}
        ]
        for href in [*page.links, *loaded]:
            name, anchor = page.target(href)
            here = re.match(r"(?:https?|data|mailto):", href) is None
            if here and (name not in site or (anchor and anchor not in ids[name])):
                found.append((page.name, href))
    return found


class Page(HTMLParser):
    """Elements of a page, in order, with their attributes; ids; links; what it loads; its visible text."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__()
        self.name = name
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(content.decode("utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def ids(self) -> list[str]:
        return [attrs["id"] for _, attrs in self.elements if "id" in attrs]

    @property
    def links(self) -> list[str]:
        return [attrs["href"] for tag, attrs in self.elements if tag == "a" and "href" in attrs]

    def target(self, href: str) -> tuple[str, str]:
        """The page and the anchor that a relative address leads to."""
        path, _, anchor = href.partition("#")
        here = posixpath.dirname(self.name)
        return (posixpath.normpath(posixpath.join(here, path)) if path else self.name), anchor
