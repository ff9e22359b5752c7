"""What the site shows of a benchmark."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from selu.papers.evidence import Evidence
from selu.papers.table import (
    NOTHING_COMPARED,
    Table,
    caption_of,
    in_markdown,
    in_words,
    is_numeric,
    to_csv,
    to_html,
    to_markdown,
)

if TYPE_CHECKING:
    from selu.boards.rows import Check
    from selu.papers.asked import Forms
    from selu.papers.paper import Paper
    from selu.vocabulary import ClaimFound


class Page(NamedTuple):
    """A benchmark's own page: its template, and the data that only this page gets."""

    template: str
    values: Mapping[str, Any]


class Shown(NamedTuple):
    """A table of a notebook: the text above it, its caption, its notebook, its columns and rows as texts.

    ``numbers`` are the places of columns that hold numbers.
    """

    heading: str
    caption: str
    notebook: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[int] = ()


class Figure(NamedTuple):
    """An image of a notebook, whose alternative text states its finding: the notebook, and its bytes."""

    notebook: str
    content: bytes


class Checked(NamedTuple):
    """How many published scores of a system are checked, each by its deepest check.

    Attributes:
        differ: how many of these differ.
        recounted: computed again from the authors' counts, and neither re-scored nor re-run.
    """

    name: str
    published: int
    rescored: int
    rerun: int
    differ: int = 0
    recounted: int = 0

    @property
    def checked(self) -> int:
        """The number of scores that are checked in any way."""
        return self.recounted + self.rescored + self.rerun


class Ranked(NamedTuple):
    """A system of the ranking: mean with its confidence interval, and its tier by each of the two readings."""

    id: str
    name: str
    mean: float
    low: float
    high: float
    kind: str
    tiers: tuple[int, ...]


class Ranking(NamedTuple):
    """The ranking as it is drawn: what it finds, what the interval is, and the headings of the tiers."""

    heading: str
    note: str
    tiers: tuple[str, ...]
    rows: Sequence[Ranked]
    notebook: str


@dataclass(frozen=True)
class Section:
    """What the site shows of a benchmark.

    Attributes:
        id: its folder in the site, but for the one whose pages are at the root.
        name, about: what it is called, and what it is in a sentence.
        claims: record of ``papers.claims.claims_record``, each with its ``rerun`` where there is one.
        notebooks: name of the page to an executed notebook.
        tables, figures: of the overview, by name (a figure's is that of its file).
        answer: what was found, beside what the counts of claims and scores say, a sentence each. The figures'
            headings follow it, and then what the notebooks in ``found`` say first.
        checked: how many published scores of each system are checked; where nothing is given, they are counted
            in the paper's rankings.
        ranking: to be drawn on the overview.
        paper: which one it is.
        code: id of a claim to the file and the function that decide it.
        first: whether its pages are at the site's root, and not in a folder.
        pages: of its own, by their address in its folder; ``templates`` is the folder of their templates,
            ``nav`` what leads to them (address, label, with what the addresses begin that belong to it),
            ``shared`` what all its pages are given.
        files: that its pages lead to, by their address in its folder.
        drawn: files of the figures of its notebooks, by name.
        checks: what was found when a score of a ranking was made again, by ranking, system and task.
        prompts: how a model is asked a task of a ranking that has no page of its own here, by its name.
    """

    id: str
    name: str
    about: str
    claims: Sequence[ClaimFound]
    notebooks: Mapping[str, Path]
    tables: Mapping[str, Shown] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    answer: Sequence[str] = ()
    found: Sequence[str] = ()
    checked: Sequence[Checked] = ()
    ranking: Ranking | None = None
    paper: Paper | None = None
    code: Mapping[str, str] = field(default_factory=dict)
    first: bool = False
    pages: Mapping[str, Page] = field(default_factory=dict)
    templates: Path | None = None
    nav: Sequence[tuple[str, str, tuple[str, ...]]] = ()
    shared: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    drawn: Mapping[str, bytes] = field(default_factory=dict)
    checks: Mapping[tuple[str, str, str], Check] = field(default_factory=dict)
    prompts: Mapping[str, Forms] = field(default_factory=dict)


def read_section(
    evidence: Evidence,
    about: str,
    tables: Sequence[tuple[str, str, str]],
    figures: Sequence[tuple[str, str]],
    found: Sequence[str] = (),
) -> Section:
    """Read what a benchmark's stages wrote for its pages.

    Args:
        tables: of the overview: heading, the notebook that makes it, and its name.
        figures: of the overview: the notebook that makes it, and the name of its file.
        found: as in ``Section``.

    Raises:
        SeluError: a file is missing or damaged; says what makes it.
    """

    def table(heading: str, notebook: str, name: str) -> Shown:
        frame, text = (
            evidence.content(f"tables/{name}.{kind}", f"report notebook {notebook}").decode("utf-8")
            for kind in ("csv", "md")
        )
        columns, *rows = csv.reader(frame.splitlines())
        numbers = [at for at, column in enumerate(zip(*rows, strict=True)) if at and is_numeric(column)]
        cells = [[in_words(text) for text in row] for row in rows]
        return Shown(heading, caption_of(text), notebook, columns, cells, numbers)

    def figure(notebook: str, name: str) -> Figure:
        return Figure(notebook, evidence.content(f"figures/{name}", f"report notebook {notebook}"))

    return Section(
        id=evidence.id,
        name=evidence.name,
        about=about,
        claims=evidence.claims(),
        notebooks=evidence.notebooks(),
        tables={entry[2]: table(*entry) for entry in tables},
        figures={entry[1]: figure(*entry) for entry in figures},
        found=found,
    )


def standalone(head: str, says: Sequence[str], tables: Sequence[tuple[str, Table]]) -> dict[str, str | bytes]:
    """Render a page that needs no site: for a browser, as Markdown, and each table as CSV.

    Args:
        says: a paragraph each.
        tables: below their headings, which may be empty.
    """
    parts = [f"<h1>{escape(head)}</h1>", *(f"<p>{escape(line)}</p>" for line in says)]
    text = [f"# {in_markdown(head)}", *map(in_markdown, says)]
    files: dict[str, str | bytes] = {}
    for heading, table in tables:
        files[f"{table.name}.csv"] = to_csv(table)
        if heading:
            parts.append(f"<h2>{escape(heading)}</h2>")
            text.append(f"## {heading}")
        parts.append(to_html(table))
        text.append(to_markdown(table).removesuffix(f"\n\n{NOTHING_COMPARED}\n"))
    title = f'<meta charset="utf-8"><title>{escape(head)}</title>'
    page = f'<!DOCTYPE html>\n<html lang="en"><head>{title}</head><body>\n'
    return files | {
        "index.html": page + "\n".join(parts) + "\n</body></html>\n",
        "index.md": "\n\n".join(text) + "\n",
    }
