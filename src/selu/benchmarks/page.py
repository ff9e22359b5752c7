"""What the site shows of a benchmark."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from selu.benchmarks.evidence import Evidence, Record
from selu.benchmarks.table import caption_of


class Page(NamedTuple):
    """A page of a benchmark's own: its template, and what only this page is given."""

    template: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Home:
    """What the site shows of the benchmark that it begins with.

    Attributes:
        name: what it is called.
        claims: record of ``benchmarks.claims.claims_record``, each with its ``rerun`` where there is one.
        notebooks: name of the page to an executed notebook.
        nav: of its pages' head: address, label, and with what the addresses begin that belong to it.
        templates: folder of the templates of its own pages.
        pages: of its own, by their address; ``shared`` is what all its pages are given.
    """

    name: str
    claims: Sequence[Record]
    notebooks: Mapping[str, Path]
    nav: Sequence[tuple[str, str, tuple[str, ...]]]
    templates: Path
    pages: Mapping[str, Page]
    shared: Mapping[str, Any]


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
class Section:
    """What the site shows of a benchmark beside the one that it begins with.

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
    claims: list[Record]
    notebooks: Mapping[str, Path]
    tables: Mapping[str, Shown]
    figures: Mapping[str, Figure]


def read_section(
    evidence: Evidence,
    id: str,
    name: str,
    about: str,
    tables: Sequence[tuple[str, str, str]],
    figures: Sequence[tuple[str, str, str, str]],
) -> Section:
    """Read what a benchmark's stages wrote for its pages.

    Args:
        tables: of the start page: heading, the notebook that makes it, and its name.
        figures: likewise, of its file, and what it shows in words.

    Raises:
        SeluError: a file is missing or damaged; says what makes it.
    """

    def table(heading: str, notebook: str, name: str) -> Shown:
        frame, text = (
            evidence.content(f"tables/{name}.{kind}", f"report notebook {notebook}").decode("utf-8")
            for kind in ("csv", "md")
        )
        columns, *rows = csv.reader(frame.splitlines())
        return Shown(heading, caption_of(text), notebook, columns, rows)

    def figure(heading: str, notebook: str, name: str, alt: str) -> Figure:
        return Figure(
            heading, notebook, alt, evidence.content(f"figures/{name}", f"report notebook {notebook}")
        )

    return Section(
        id=id,
        name=name,
        about=about,
        claims=evidence.claims(),
        notebooks=evidence.notebooks(),
        tables={of[2]: table(*of) for of in tables},
        figures={of[2]: figure(*of) for of in figures},
    )
