"""What the tests of the site share: the tracked records with claims of our own, and a reader of pages."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import nbformat as nbf
import pytest
from bs4 import BeautifulSoup

from selu.app.report import sections_of
from selu.papers.page import Section
from selu.papers.selu.pages.home import make_home
from selu.papers.selu.pages.records import Records as SiteRecords
from selu.report.site import build_site

from .browsers import CHROMEDRIVER, CHROMIUM, FIREFOX, Chromium, Firefox

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
    claim("C001", "holds", section="Table IV", weight="conclusion", kind="stated", quote="all are equal"),
    claim("C002", "holds with caveat", numbers={"p": 0.0412345678, "none": None, "all": True}),
    claim(
        "C003",
        "fails",
        statement=f"A claim {HOSTILE}",
        because=HOSTILE,
        section=HOSTILE,
        weight="detail",
        quote=HOSTILE,
        question=HOSTILE,
    ),
    claim(
        "C004",
        "fails",
        weight="conclusion",
        kind="implied",
        question="Does it hold?",
        numbers={HOSTILE: HOSTILE, "rows": [{"a": HOSTILE, "b": 1.5}, {"a": "x", "b": 2}]},
    ),
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


HOME = Section(id="second", name="The second", about="It asks.", claims=CLAIMS, notebooks={}, first=True)


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


def made_home(*records: Any, **fields: Any) -> Section:
    return make_home(SiteRecords(*records, **fields))


@pytest.fixture(scope="session")
def site(records: Records, notebook: Path) -> dict[str, bytes]:
    return build_site([made_home(*records, {"table4": notebook})])


def written(site: dict[str, bytes], root: Path) -> Path:
    """Write the files of a site below a folder."""
    for name, content in site.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


@pytest.fixture(scope="session")
def whole_site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the tracked records, on the disk."""
    return written(build_site(sections_of(root)), tmp_path_factory.mktemp("whole site"))


BROWSERS = [pytest.param(Chromium, id="chromium")] if CHROMIUM and CHROMEDRIVER else []
BROWSERS += [pytest.param(Firefox, id="firefox", marks=pytest.mark.slow)] if FIREFOX else []


@pytest.fixture(scope="module", params=BROWSERS)
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Each headless browser of this machine; without any the test is skipped."""
    started = request.param(tmp_path_factory.mktemp("profile"))
    yield started
    started.quit()


AUDIT = """
const done = arguments[0];
for (const one of document.querySelectorAll('details')) one.open = true;
axe.run({ resultTypes: ['violations'] }).then((found) => done(found.violations.map((one) =>
  `${one.id}: ${one.nodes[0].html.slice(0, 200)}`)), (error) => done([String(error)]));
"""


def shown(browser: Any, address: str) -> Iterator[int]:
    """Open a page in light at a desk, then in dark on a phone; yields the width of the window."""
    for width, scheme in ((1440, "light"), (390, "dark")):
        browser.resize(width, 900)
        browser.prefer(scheme)
        browser.get(address)
        yield width


def broken_rules(browser: Any, address: str) -> dict[int, list[str]]:
    """What axe, whose program a package brings, finds on a page, by the width of the window."""
    (folder,) = find_spec("axe_playwright_python").submodule_search_locations  # type: ignore[union-attr, misc]
    browser.set_script_timeout(300)
    found = {}
    for width in shown(browser, address):
        browser.execute_script((Path(folder) / "axe.min.js").read_text("utf-8"))
        if broken := browser.execute_async_script(AUDIT):
            found[width] = broken
    return found


def check_size(browser: Any, address: str) -> None:
    """A page is not wider than the window, not higher than eight screens, and its console is empty."""
    for width in shown(browser, address):
        taken, height = browser.execute_async_script(
            """const [done] = arguments, page = document.documentElement;
            const measured = () => done([page.scrollWidth, page.scrollHeight]);
            requestAnimationFrame(() => requestAnimationFrame(measured));"""
        )
        assert (taken <= width, height <= 8 * 900) == (True, True), (address, width, taken, height)
        assert (browser.complaints(), browser.requests()) == ([], [])


@pytest.fixture(scope="session")
def pages(site: dict[str, bytes]) -> dict[str, Page]:
    return {name: Page(name, content) for name, content in site.items() if name.endswith(".html")}


def searched(site: dict[str, bytes]) -> list[list[str]]:
    """What the search of a site looks through: paper, kind, text and address."""
    found: list[list[str]] = json.loads(site["assets/index.js"].decode().partition("=")[2].strip().rstrip(";"))
    return found


def lost_links(site: dict[str, bytes]) -> list[tuple[str, str]]:
    """Page and address of every link, loaded file or result of the search that leads to no page or anchor."""
    pages = {name: Page(name, content) for name, content in site.items() if name.endswith(".html")}
    ids, found = {name: set(page.ids) for name, page in pages.items()}, []
    results = [address for *_, address in searched(site)]
    for page in pages.values():
        loaded = [a.get("src") or a["href"] for a in page.attributes("script, link, img")]
        for href in [*page.links, *loaded, *(results if page.name == "search.html" else [])]:
            path, _, anchor = href.partition("#")
            name = posixpath.normpath(posixpath.join(posixpath.dirname(page.name), path)) if path else page.name
            here = re.match(r"(?:https?|data|mailto):", href) is None
            chosen = "=" in anchor or href == "#"  # filters and sorting, or none of them
            if here and (name not in site or (anchor and not chosen and anchor not in ids[name])):
                found.append((page.name, href))
    return found


class Page:
    """A page as a reader meets it: its ids, its links, its visible text, and attributes of its elements."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self._soup = BeautifulSoup(content, "html.parser", multi_valued_attributes=None)
        self.text = self._soup.get_text()
        self.ids = [attributes["id"] for attributes in self.attributes("[id]")]
        self.links = [attributes["href"] for attributes in self.attributes("a[href]")]

    def attributes(self, selector: str) -> list[dict[str, str]]:
        return [element.attrs for element in self._soup.select(selector)]
