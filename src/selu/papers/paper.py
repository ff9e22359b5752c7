"""Which paper a benchmark is about: what a reader needs to find and to cite it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from selu.boards.declared import Declared, Licence
from selu.vocabulary import KnownFields

_TEX = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"}


@dataclass(frozen=True, slots=True)
class Paper(KnownFields):
    """The paper whose numbers are checked, as a reader finds and cites it (``paper.yaml`` of the package).

    Attributes:
        key: of its entry in BibTeX.
        authors: in the paper's order, given names first; they and the venue are empty, and the year is 0, while
            nobody has said them.
        doi: as ``10.1145/1234``, or empty.
        url: where it is read, or empty where the DOI leads there.
        code: address of the authors' package, and ``commit`` of it, of which data and predictions are.
        boards: which published tables rank its systems.
        licences: of its systems, from a file of their own.
    """

    key: str
    title: str
    authors: tuple[str, ...]
    venue: str
    year: int
    doi: str = ""
    url: str = ""
    code: str = ""
    commit: str = ""
    boards: tuple[Declared, ...] = ()
    licences: tuple[Licence, ...] = ()

    def licence(self, system: str) -> Licence | None:
        """Find what is known of the licence of a system, by its name or id; None where nothing is."""
        return next((found for found in self.licences if system in found.systems), None)

    def weights(self, system: str) -> str:
        """Find the address of a system's weights or repository; empty where none is known."""
        known = self.licence(system)
        links = [board.link(system) for board in self.boards]
        return next((link for link in (*links, known.weights if known else "") if link), "")

    @property
    def link(self) -> str:
        """The address at which it can be read."""
        return self.url or (f"https://doi.org/{self.doi}" if self.doi else "")

    @property
    def bibtex(self) -> str:
        """The BibTeX entry."""
        fields = {
            "title": f"{{{_in_tex(self.title)}}}",
            "author": " and ".join(map(_in_tex, self.authors)),
            "year": str(self.year or ""),
            "howpublished": _in_tex(self.venue),
            "doi": self.doi,
            "url": self.link,
        }
        lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
        return f"@misc{{{self.key},\n" + ",\n".join(lines) + "\n}"


def _in_tex(text: str) -> str:
    """Escape what TeX would take for a command, a comment or a group."""
    return re.sub(r"[\\~^&%$#_{}]", lambda mark: _TEX.get(mark[0], f"\\{mark[0]}"), text)
