"""A table of a paper as it is shown: a readable frame, and the comparison of each entry with the paper."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from selu.files import neutral
from selu.names import word
from selu.vocabulary import CellState

if TYPE_CHECKING:
    import pandas as pd

    from selu.papers.published import PublishedTables

ROUNDING = "explained by rounding of the inputs"
NOT_ROUNDING = "not explained by rounding of the inputs"
LINE = 44  # characters of a text that a page sets on one line
_ID = re.compile(r"([a-z0-9]+(?:_[a-z0-9]+)+)( \(.*\))?")
NOTHING_COMPARED = "The paper has no such table, so nothing is compared."


@dataclass(frozen=True, slots=True)
class Compared:
    """One published entry beside what we compute or declare. ``why`` explains a mismatch, else it is empty.

    ``difference`` is computed minus published, None where one of them is not a number.
    """

    row: str
    column: str
    published: str
    computed: str
    equal: bool
    difference: float | None = None
    why: str = ""


def as_counts(row: str, column: str, published: int, found: int) -> Compared:
    """Compare whole numbers."""
    return Compared(row, column, str(published), str(found), found == published, float(found - published))


def as_texts(row: str, pairs: Iterable[tuple[str, str, str]], why: str) -> list[Compared]:
    """Compare texts; ``pairs`` are (column, printed, declared)."""
    return [
        Compared(
            row, column, published, declared, published == declared, None, "" if published == declared else why
        )
        for column, published, declared in pairs
    ]


def shown(cell: Compared) -> str:
    """Show our text, with the printed one where the two differ."""
    return cell.computed if cell.equal else f"{cell.computed} (published: {cell.published})"


@dataclass(frozen=True)
class Table:
    """A table ready to be shown: ``frame`` holds text only, ``compared`` every entry that the paper also has.

    ``note`` says what is compared, in the words that follow "N of M cells".
    """

    name: str
    caption: str
    frame: pd.DataFrame
    compared: tuple[Compared, ...] = ()
    note: str = "equal the published ones"

    @property
    def cells(self) -> int:
        """The number of compared entries."""
        return len(self.compared)

    @property
    def equal(self) -> int:
        """The number of entries that equal the published text."""
        return sum(cell.equal for cell in self.compared)

    @property
    def mismatches(self) -> tuple[Compared, ...]:
        """The entries that differ from the published ones, in reading order."""
        return tuple(cell for cell in self.compared if not cell.equal)

    @property
    def by_column(self) -> Mapping[str, tuple[int, int]]:
        """Column -> (equal, compared), in order of first appearance."""
        counts: dict[str, tuple[int, int]] = {}
        for cell in self.compared:
            equal, compared = counts.get(cell.column, (0, 0))
            counts[cell.column] = equal + cell.equal, compared + 1
        return counts


def as_published(paper: PublishedTables, name: str, first: str, caption: str) -> Table:
    """Tabulate a table of the paper as it is published, its rows in a column with this heading."""
    import pandas as pd

    places, columns = paper.tables[name], paper.column_names(name)
    rows = [
        [row, *(places[row, column].published if (row, column) in places else "" for column in columns)]
        for row in paper.row_names(name)
    ]
    return Table(name, caption, pd.DataFrame(rows, columns=[first, *columns]))


def statement(table: Table) -> str:
    """State how many entries equal the published ones, by column, and how many mismatches have which reason."""
    if not table.compared:
        return NOTHING_COMPARED
    text = f"**{table.equal} of {table.cells} entries {table.note}**"
    if len(table.by_column) <= 12:
        text += " (" + ", ".join(f"{name} {e} of {c}" for name, (e, c) in table.by_column.items()) + ")"
    if not table.mismatches:
        return text + "; mismatches: none."
    whys = [cell.why.partition(":")[0] or "differs" for cell in table.mismatches]
    reasons = "; ".join(f"{whys.count(why)} {why}" for why in dict.fromkeys(whys))
    return f"{text}; mismatches: {reasons}."


def mismatch_table(table: Table) -> Table:
    """Build a table of the mismatches of a table."""
    import pandas as pd

    rows = [
        {
            "Row": cell.row,
            "Column": cell.column,
            "Published": cell.published,
            "Ours": cell.computed,
            # Between whole numbers without decimals.
            "Difference": ""
            if cell.difference is None
            else signed(cell.difference, 4 if "." in cell.published + cell.computed else 0),
            "Why": cell.why,
        }
        for cell in table.mismatches
    ]
    columns = ["Row", "Column", "Published", "Ours", "Difference", "Why"]
    frame = pd.DataFrame(rows, columns=columns, dtype=object)
    return Table(f"{table.name}_mismatches", "Entries that differ from the published ones.", frame)


def columns_of(table: Table, columns: list[str], caption: str) -> Table:
    """Narrow a wide table to its first column and the named ones, nothing compared."""
    first = str(table.frame.columns[0])
    return Table(table.name, caption, table.frame[[first, *columns]])


def signed(value: float, digits: int = 4) -> str:
    """Write a difference with its sign; a typographic minus is left to the page."""
    if not math.isfinite(value):
        return "not a number"
    text = f"{value:+.{digits}f}"
    return text if float(text) else text.replace("-", "+")


def to_csv(table: Table) -> str:
    """Write the frame as CSV, the same bytes on every machine."""
    frame = table.frame.rename(columns=_neutral).map(_neutral)
    return str(frame.to_csv(index=False, lineterminator="\n"))


def _neutral(value: object) -> object:
    return neutral(value) if isinstance(value, str) else value


def to_markdown(table: Table) -> str:
    """Write caption, table, count of equal cells and mismatches, ready to paste into a review."""
    parts = [f"**{in_markdown(table.caption)}**", grid(table.frame), statement(table)]
    if table.mismatches:
        parts.append(grid(mismatch_table(table).frame))
    return "\n\n".join(parts) + "\n"


def caption_of(markdown: str) -> str:
    """Read the caption of a table from what ``to_markdown`` wrote, as it was before."""
    return html.unescape(
        re.sub(r"\\(.)", r"\1", markdown.partition("\n")[0].removeprefix("**").removesuffix("**"))
    )


def grid(frame: pd.DataFrame) -> str:
    """Write a frame of texts as a Markdown table."""
    lines = [list(frame.columns), [":--"] * frame.shape[1], *frame.to_numpy().tolist()]
    return "\n".join("| " + " | ".join(in_markdown(text) for text in line) + " |" for line in lines)


def in_markdown(text: object) -> str:
    """Format any text, also one by others, as one line of Markdown that shows its characters."""
    printable = "".join(sign for sign in str(text) if sign.isprintable() or sign.isspace())
    plain = html.escape(printable, quote=False)
    for mark in "\\`*_|[]":
        plain = plain.replace(mark, "\\" + mark)
    return " ".join(plain.replace(":\\-", ":-").split())


def to_html(table: Table) -> str:
    """Write the table as a fragment: no script, no style sheet, no outside resource, every text escaped.

    A text that is an id ("story_points") is written in words; files keep the ids.
    """
    kinds = [_kind(table.frame[column]) for column in table.frame.columns]
    head = _row(table.frame.columns, kinds, "th")
    body = "\n".join(_row(line, kinds, "td") for line in table.frame.itertuples(index=False))
    caption = f'<caption style="text-align: left">{html.escape(table.caption)}</caption>'
    return (
        f'<table class="selu-table">\n{caption}\n<thead>\n{head}\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>'
    )


def _row(line: Iterable[object], kinds: list[str], tag: str) -> str:
    cells = []
    for text, kind in zip(line, kinds, strict=True):
        side = "right" if kind == "number" else "left"
        content = html.escape(in_words(str(text)))
        cells.append(f'<{tag} class="{kind}" style="text-align: {side}">{content}</{tag}>')
    return f"<tr>{''.join(cells)}</tr>"


def in_words(text: str) -> str:
    """Format an id in words, with the text in brackets behind it; leave any other text as it is."""
    found = _ID.fullmatch(text)
    return word(found[1]) + (found[2] or "") if found else text


def _kind(column: pd.Series) -> str:
    """Return how a column is set: numbers aligned right, texts that fit a line, or longer ones that wrap."""
    if is_numeric(column):
        return "number"
    return "text long" if max((len(str(text)) for text in column), default=0) > LINE else "text"


def is_numeric(column: Iterable[object]) -> bool:
    """Return whether most texts of a column are numbers, intervals or dashes, to be aligned right."""
    texts = [str(text) for text in column if text not in ("", CellState.ABSENT_BY_DESIGN.value)]
    numbers = sum(len(text) < 24 and re.match(r"\W*(\d|$)", text) is not None for text in texts)
    return numbers * 2 > len(texts)
