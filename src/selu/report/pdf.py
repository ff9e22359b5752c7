"""Text and tables as a PDF of A4 pages, by matplotlib's own writer: the same content gives the same bytes."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from functools import cache
from typing import Any

from matplotlib import rc_context
from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font, LoadFlags

from selu.report.console import broken

WIDTH, HEIGHT, MARGIN = 595.0, 842.0, 51.0  # of A4 in points
LEADING = 1.35  # distance of lines, in sizes of the font
_FAMILY, _CODE = "DejaVu Sans", "DejaVu Sans Mono"  # both come with matplotlib
# Text is kept as text, which a reader can search and copy.
_STYLE: dict[Any, Any] = {
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "text.usetex": False,
    "font.family": _FAMILY,
}


class Document:
    """Pages that fill from the top to the bottom; sizes and places are in points."""

    def __init__(self, title: str, foot: str) -> None:
        self._title, self._foot = title, foot
        self._pages: list[Figure] = []
        self._at = 0.0  # of the next line, from the bottom

    def heading(self, text: str, size: float = 13.0) -> None:
        """Write a heading, on a page that has room for some lines below it."""
        self._room(5 * size)
        self._at -= 0.6 * size
        self.text(text, size=size, bold=True)
        self._at -= 0.3 * size

    def text(
        self, text: str, size: float = 9.0, indent: float = 0.0, bold: bool = False, colour: str = "#1c2024"
    ) -> None:
        """Write a paragraph, broken where the line ends."""
        for line in lines(text, WIDTH - 2 * MARGIN - indent, size, bold):
            self._room(LEADING * size)
            self._at -= LEADING * size
            self._put(MARGIN + indent, line, size, bold, colour)

    def code(self, text: str, size: float = 7.5, indent: float = 0.0) -> None:
        """Write code in a fixed-width font."""
        for line in textwrap.wrap(text, int((WIDTH - 2 * MARGIN - indent) / (0.602 * size))):
            self._room(LEADING * size)
            self._at -= LEADING * size
            self._put(MARGIN + indent, line, size, False, "#1c2024", _CODE)

    def table(self, rows: Sequence[Sequence[str]], widths: Sequence[float], size: float = 8.5) -> None:
        """Write rows, the first one as heads; cells are broken in their columns, whose widths are shares."""
        inner = WIDTH - 2 * MARGIN
        for place, row in enumerate(rows):
            bold = place == 0
            cells = [
                lines(cell, inner * share - 6, size, bold) for cell, share in zip(row, widths, strict=True)
            ]
            self._room(LEADING * size * max(map(len, cells)) + 3)
            for down in range(max(map(len, cells))):
                self._at -= LEADING * size
                left = MARGIN
                for cell, share in zip(cells, widths, strict=True):
                    if down < len(cell):
                        self._put(left, cell[down], size, bold, "#1c2024")
                    left += inner * share
            self._at -= 3

    def space(self) -> None:
        """Leave blank space."""
        self._at -= 6

    def content(self) -> bytes:
        """Write all pages."""
        stream = io.BytesIO()
        named = {"Title": self._title, "Creator": "selu", "CreationDate": None, "Producer": None}
        with rc_context(_STYLE), PdfPages(stream, metadata=named) as pdf:
            for number, page in enumerate(self._pages, 1):
                foot = f"{self._foot}   {number} of {len(self._pages)}"
                page.text(MARGIN / WIDTH, 28 / HEIGHT, foot, fontsize=7, color="#596068", parse_math=False)
                pdf.savefig(page)
        return stream.getvalue()

    def _room(self, points: float) -> None:
        if not self._pages or self._at - points < MARGIN:
            page = Figure(figsize=(WIDTH / 72, HEIGHT / 72))
            FigureCanvasPdf(page)
            self._pages.append(page)
            self._at = HEIGHT - MARGIN

    def _put(self, left: float, text: str, size: float, bold: bool, colour: str, family: str = _FAMILY) -> None:
        weight = "bold" if bold else "normal"
        place = (left / WIDTH, self._at / HEIGHT)
        self._pages[-1].text(
            *place, text, fontsize=size, weight=weight, color=colour, family=family, parse_math=False
        )


def lines(text: str, width: float, size: float, bold: bool = False) -> list[str]:
    """Break a text at its spaces into lines of at most this many points; a longer word is cut."""
    return broken(text, width, lambda part: measure(part, size, bold))


def measure(text: str, size: float, bold: bool = False) -> float:
    """Measure a text's width in points."""
    return sum(_advance(letter, bold) for letter in text) * size


@cache
def _advance(letter: str, bold: bool) -> float:
    """Return the width of a letter, in font sizes."""
    return _font(bold).load_char(ord(letter), flags=LoadFlags.NO_HINTING).linearHoriAdvance / 65536 / 100


@cache
def _font(bold: bool) -> FT2Font:
    font = FT2Font(findfont(FontProperties(family=_FAMILY, weight="bold" if bold else "normal")))
    font.set_size(100.0, 72)
    return font
