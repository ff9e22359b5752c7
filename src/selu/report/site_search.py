"""The search page's index: claims, scores, tasks, systems, tables and notebooks of every paper."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from selu.papers.page import Page, Section
from selu.report.site_notebooks import NotebookPage
from selu.report.site_words import slug

Found = tuple[str, str, str]  # kind, text, address
PAGES: tuple[Found, ...] = (  # parts of the start page
    ("page", "How to cite this package; how to cite a paper is on its page", "index.html#cite"),
    ("page", "Licences of the package, of systems and of data sets", "index.html#lookup"),
    ("page", "Install and run the commands", "index.html#lookup"),
)


def entries(section: Section, folder: str, home: str, notebooks: Mapping[str, NotebookPage]) -> list[Found]:
    """List what can be found of a paper.

    Args:
        folder, home: of its pages.
        notebooks: as in ``site_notebooks.convert``, by name.
    """
    found = [
        ("claim", f"{claim['id']}: {claim['statement']}", f"{folder}claims/{claim['id']}.html")
        for claim in section.claims
    ]
    for address, page in section.pages.items():
        found += _of_page(f"{folder}{address}", page)
    found += [("table", table.heading, f"{home}#table-{slug(name)}") for name, table in section.tables.items()]
    found += [
        ("notebook", notebook["title"], f"{folder}notebooks/{name}.html")
        for name, notebook in notebooks.items()
    ]
    return found


def _of_page(address: str, page: Page) -> Iterator[Found]:
    values = page.values
    if page.template == "task":
        yield "task", f"{values['title']}: {values['asks']}" if values["asks"] else values["title"], address
        for published in (ranked.published for ranked in values["ranking"]):
            if published.score is not None:
                score = f"{float(published.score):.{published.digits}f}"
                text = f"{score}, {published.name}, {values['title']}, {published.place}"
                yield "score", text, f"{address}#score-{published.system}"
    elif page.template == "system":
        yield "system", values["name"], address
    elif page.template == "ranking":
        yield "ranking", f"{values['board_title']}: {values['found']['sentence']}", address


def script(papers: Sequence[tuple[str, Sequence[Found]]]) -> bytes:
    """Write the entries of each paper, by its name, as a script that a page opened from disk can load."""
    lines = [json.dumps([name, *entry], ensure_ascii=False) for name, found in papers for entry in found]
    return ("const entries = [\n" + ",\n".join(lines) + "\n];\n").encode("utf-8")
