"""Prints records: for people as tables and lines that fit the terminal, for programs as CSV or Markdown."""

from __future__ import annotations

import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import Any

from selu.files import write_csv
from selu.report.words import MISSING, digits_of, shown, title

WIDTH = 100  # columns, where standard output is not a terminal
GAP = "  "
# Of a text with blanks: the columns that it takes at least, and the length from which it stands below its row.
_LEAST, _LONG = 24, 160
_NUMBER = re.compile(r"[-+−]?[\d,]*\.?\d+( ?%)?")
_MARKS = re.compile(r"[|\\`\[\]<]")  # of a table, code, a link and HTML in Markdown
Row = Mapping[str, Any]


class Form(StrEnum):
    """How a table is printed."""

    FITTED = "fitted"  # to the terminal, with the columns for which there is room
    WIDE = "wide"
    CSV = "csv"
    MARKDOWN = "md"


def render(record: Any, form: Form = Form.FITTED, order: Sequence[str] = (), below: str = "") -> None:
    """Print a list of flat records, or one record.

    Args:
        order: the columns of a list, the most important one first; by default in the order of the record.
        below: the column that is shown below its row where a table is fitted, however short it is.
    """
    if not isinstance(record, list):
        for key, value in record.items():
            _entry(str(key), value, 0)
    elif form is Form.CSV:
        _csv(record)
    elif not record:
        print("nothing matches")
    elif form is Form.MARKDOWN:
        _markdown(record)
    else:
        hint = " (--wide shows them; --csv and --json have them, too)"
        print(*table(record, order, form is Form.WIDE, hint, below), sep="\n")


def width() -> int:
    """Return the number of columns of the terminal; WIDTH if standard output is not a terminal."""
    return shutil.get_terminal_size((WIDTH, 24)).columns


def prose(text: str, indent: int = 0, first: str = "") -> list[str]:
    """Break a text into lines that fit the terminal, each indented; the first one begins with ``first``."""
    lines = wrapped(text, max(width() - indent, 20))
    return [(first if number == 0 else "").ljust(indent) + line for number, line in enumerate(lines)]


def print_prose(text: str, indent: int = 0, first: str = "") -> None:
    """Print a text as ``prose`` lays it out."""
    print(*prose(text, indent, first), sep="\n")


def wrapped(text: str, room: int) -> list[str]:
    """Break a text at blanks into lines of at most ``room`` columns, and a word only where it has no room."""
    return broken(_plain(text), room, measure)


def broken(text: str, room: float, extent: Callable[[str], float]) -> list[str]:
    """Break a text at blanks into lines of at most this extent, and a word only where it has no room."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if extent(longer) <= room:
            line = longer
            continue
        lines += [line] if line else []
        while extent(word) > room and len(word) > 1:
            cut = next(n for n in range(len(word) - 1, 0, -1) if n == 1 or extent(word[:n]) <= room)
            lines.append(word[:cut])
            word = word[cut:]
        line = word
    return [*lines, line] if line or not lines else lines


def measure(text: str) -> int:
    """Count the columns that a text takes in a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(unicodedata.combining(sign) > 0 for sign in text)


def as_text(value: object) -> str:
    """Write a value as it is typed in a filter."""
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e-3 and value else f"{value:.4f}".rstrip("0").rstrip(".")
    if isinstance(value, (list, tuple)):
        return ", ".join(as_text(item) for item in value) or MISSING
    return str(value)


# -- one record ------------------------------------------------------------------------------------


def _entry(key: str, value: object, depth: int) -> None:
    pad = "  " * depth
    head = f"{pad}{_plain(title(key))}:"
    if isinstance(value, Mapping) and value:
        print(head)
        for name, item in value.items():
            _entry(str(name), item, depth + 1)
    elif isinstance(value, (list, tuple)) and value and isinstance(value[0], (Mapping, list)):
        print(head)
        for item in value:
            fields = item.items() if isinstance(item, Mapping) else ()
            line = ", ".join(f"{title(name)} {shown(name, field)}" for name, field in fields) or as_text(item)
            print_prose(line, len(pad) + 4, f"{pad}  - ")
    else:
        text = f"{head.strip()} {shown(key, value)}"
        first, *rest = wrapped(text, max(width() - len(pad), 20))
        print(pad + first)
        for line in wrapped(" ".join(rest), max(width() - len(pad) - 2, 20)) if rest else ():
            print(f"{pad}  {line}")


# -- a table ---------------------------------------------------------------------------------------


@dataclass
class _Column:
    name: str
    texts: list[str]

    def __post_init__(self) -> None:
        filled = [text for text in self.texts if text != MISSING]
        self.number = bool(filled) and all(_NUMBER.fullmatch(text) for text in filled)
        if self.number:
            self.texts = _aligned(self.texts)
        self.title = title(self.name)
        self.natural = max(map(measure, [*self.texts, self.title]))
        words = [word for text in (self.title, *([] if self.number else self.texts)) for word in text.split()]
        body = max(map(measure, self.texts), default=0) if self.number else 0
        self.least = max([body, *map(measure, words)])
        if not self.number:
            self.least = min(self.natural, max(self.least, _LEAST))
        self.wide = self.natural

    @property
    def below(self) -> bool:
        """Return whether its texts are too long to be placed beside others."""
        return not self.number and max(map(measure, self.texts)) > _LONG

    def lines(self, text: str) -> list[str]:
        if self.number:
            return [text.rjust(self.wide + len(text) - measure(text))]
        parts = [text] if measure(text) <= self.wide else wrapped(text, self.wide)
        return [part + " " * (self.wide - measure(part)) for part in parts]

    def head(self) -> list[str]:
        parts = [self.title] if measure(self.title) <= self.wide else wrapped(self.title, self.wide)
        return [part.rjust(self.wide) if self.number else part.ljust(self.wide) for part in parts]


def _aligned(texts: Sequence[str]) -> list[str]:
    """Align numbers at their decimal points."""
    after = [len(text.rpartition(".")[2]) + 1 if "." in text else 0 for text in texts]
    return [
        text if text == MISSING else text + " " * (max(after) - n) for text, n in zip(texts, after, strict=True)
    ]


def _columns(rows: Sequence[Row]) -> list[_Column]:
    """Return the columns as people read them: two bounds as one interval, the same digits in a column."""
    found = []
    for name in rows[0]:
        values = [row[name] for row in rows]
        if name == "low" and "high" in rows[0]:
            pairs = [(row["low"], row["high"]) for row in rows]
            texts = [MISSING if low is None else f"{low:.3f} to {high:.3f}" for low, high in pairs]
            found.append(_Column("interval", texts))
        elif name != "high" or "low" not in rows[0]:
            digits = digits_of(values)
            found.append(_Column(name, [_plain(shown(name, value, digits)) for value in values]))
    return found


def table(
    rows: Sequence[Row], order: Sequence[str] = (), wide: bool = False, how: str = "", below: str = ""
) -> list[str]:
    """Format flat records of the same fields in lines that fit the terminal, or with all columns.

    Args:
        order: the columns, the most important one first.
        how: to see those that are left out.
        below: the column that is shown below its row, as one of long texts does.
    """
    chosen = (_columns(rows), list[_Column](), list[str]())
    columns, beneath, left_out = chosen if wide else _fit(chosen[0], order, width(), below)
    heads = [column.head() for column in columns]
    height = max(map(len, heads))
    bold, plain = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")
    heads = [[""] * (height - len(head)) + head for head in heads]
    lines = [f"{bold}{line}{plain}" for line in _beside(columns, heads)]
    for number in range(len(rows)):
        lines += _beside(columns, [column.lines(column.texts[number]) for column in columns])
        for column in beneath:
            lines += prose(column.texts[number], 4) if column.texts[number] != MISSING else []
    if left_out:
        lines += prose(f"Not shown: {', '.join(left_out)}{how}.")
    return lines


def _beside(columns: Sequence[_Column], parts: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a row from the lines of its fields."""
    return [
        GAP.join((text or "").ljust(column.wide) for text, column in zip(line, columns, strict=True)).rstrip()
        for line in zip_longest(*parts)
    ]


def _fit(
    columns: Sequence[_Column], order: Sequence[str], room: int, named: str
) -> tuple[list[_Column], list[_Column], list[str]]:
    """Choose the columns that fit, and those shown below each row; name the others."""
    first, *others = columns
    ranks = {name: rank for rank, name in enumerate(order)}
    others.sort(key=lambda column: ranks.get(column.name, len(ranks)))
    others = [column for column in others if set(column.texts) != {MISSING}]
    first.wide = first.least = min(first.natural, room)
    chosen, below, left_out = [first], list[_Column](), list[str]()
    for column in others:
        under = column.below or column.name == named
        if under and below:
            left_out.append(column.name)
        elif under:
            below.append(column)
        elif sum(other.least + len(GAP) for other in chosen) + column.least <= room:
            chosen.append(column)
        else:
            left_out.append(column.name)
    for column in chosen:
        column.wide = column.least
    spare = room - sum(column.wide for column in chosen) - len(GAP) * (len(chosen) - 1)
    tight = sorted(
        (column for column in chosen if column.natural > column.wide),
        key=lambda column: column.natural - column.wide,
    )
    for number, column in enumerate(tight):  # what needs little gets it, and leaves the rest to the others
        extra = min(column.natural - column.wide, spare // (len(tight) - number))
        column.wide, spare = column.wide + extra, spare - extra
    places = {column.name: place for place, column in enumerate(columns)}
    return sorted(chosen, key=lambda column: places[column.name]), below, left_out


# -- for programs ----------------------------------------------------------------------------------


def _csv(rows: Sequence[Row]) -> None:
    print(write_csv([rows[0] if rows else (), *(map(_cell, row.values()) for row in rows)]), end="")


def _cell(value: object) -> object:
    if isinstance(value, (bool, list, tuple)):
        return as_text(value) if value else ("no" if value is False else "")
    return value


def _markdown(rows: Sequence[Row]) -> None:
    columns = _columns(rows)

    def line(texts: Sequence[str]) -> str:
        return "| " + " | ".join(_MARKS.sub(r"\\\g<0>", " ".join(text.split())) for text in texts) + " |"

    print(line([column.title for column in columns]))
    print(line(["--:" if column.number else ":--" for column in columns]))
    for number in range(len(rows)):
        print(line([column.texts[number] for column in columns]))


def _plain(text: str) -> str:
    """Drop control characters, which would move a terminal's cursor or ring its bell."""
    return "".join(sign for sign in text.expandtabs() if sign == "\n" or sign.isprintable())
