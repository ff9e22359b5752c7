"""A file as rows of texts: CSV with any separator, a Markdown table, a workbook."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass

from selu.vocabulary import SeluError

MOST = 1 << 26  # bytes of a file, and of what a workbook unpacks to
CELLS = 2_000_000
_SEPARATORS = "\t;,|"
RULE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?")
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # the first line, which tells Excel the separator
_PIPE = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"!?(?<!\\)\[([^\[\]]*)(?<!\\)\]\([^()]*\)")


@dataclass(frozen=True)
class Grid:
    """The names of the columns, and rows of equally many texts, each with its row number in the file."""

    head: list[str]
    rows: list[tuple[int, list[str]]]
    line: int = 1
    form: str = "CSV"
    notes: tuple[str, ...] = ()


def grid_of(content: bytes) -> Grid:
    """Read a table from the content of a file.

    Raises:
        SeluError: it is too large, of none of the forms, not UTF-8, or its rows have not as many columns.
    """
    if content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return _whole(_workbook(content))
    text = text_of(content)
    return _whole(_markdown(text) or _separated(text))


def text_of(content: bytes) -> str:
    """Decode the content of a file that is not empty."""
    if content.startswith(b"PAR1"):
        raise SeluError("the file is a parquet file: save the table as CSV.")
    try:
        text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SeluError(f"row {line} is not UTF-8: save the file as text in UTF-8.") from None
    if "\0" in text:
        raise SeluError("the file holds zero bytes, so it is no table of text: save the table as CSV in UTF-8.")
    if not text.strip():
        raise SeluError(
            "the file is empty: give a table with a row for each system and a column for each task."
        )
    return text


def _whole(grid: Grid) -> Grid:
    """Check that all rows have the width of the first, and drop columns without a name and a value."""
    width = len(grid.head)
    rows = [(line, [*row, *([""] * (width - len(row)))]) if len(row) < width else (line, row)
            for line, row in grid.rows] if grid.form != "CSV" else grid.rows  # fmt: skip
    for line, row in rows:
        while len(row) > width and not row[-1]:
            row.pop()
        if len(row) != width:
            raise SeluError(
                f"row {line} has {len(row)} columns, row {grid.line} has {width}: give every row as many."
            )
    if not rows:
        raise SeluError(f"row {grid.line} names the columns, and no row comes after it: give at least one.")
    if len(rows) * width > CELLS:
        raise SeluError(
            f"the table has {len(rows):,} rows of {width:,} columns: at most {CELLS:,} fields are read."
        )
    kept = [at for at in range(width) if grid.head[at] or any(row[at] for _, row in rows)]
    if len(kept) < 2:
        raise SeluError(
            f"row {grid.line} has one column: give one for the systems and one for each task, "
            "separated by commas."
        )
    head = [grid.head[at] for at in kept]
    return Grid(
        head, [(line, [row[at] for at in kept]) for line, row in rows], grid.line, grid.form, grid.notes
    )


# -- Markdown --------------------------------------------------------------------------------------


def _markdown(text: str) -> Grid | None:
    lines = text.splitlines()
    rules = [
        at for at, line in enumerate(lines)
        if at and "-" in line and "|" in line + lines[at - 1] and RULE.fullmatch(line.strip())
        and len(_fields(line)) == len(_fields(lines[at - 1]))
    ]  # fmt: skip
    if not rules:
        return None
    rows = []
    for number, line in enumerate(lines[rules[0] + 1 :], rules[0] + 2):
        if not _PIPE.search(line):
            break
        rows.append((number, _fields(line)))
    notes = (f"The file has {len(rules)} tables; the first, in row {rules[0]}, is read.",) if rules[1:] else ()
    return Grid(_fields(lines[rules[0] - 1]), rows, rules[0], "Markdown", notes)


def _fields(line: str) -> list[str]:
    bare = line.strip()
    bare = bare.removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [re.sub(r"\\([\\|`\[\]<])", r"\1", LINK.sub(r"\1", part)).strip() for part in _PIPE.split(bare)]


# -- separated by a sign ---------------------------------------------------------------------------


def _separated(text: str) -> Grid:
    first = next(line for line in text.splitlines() if line.strip())
    declared = _SEPARATOR_LINE.fullmatch(first.strip())
    tried = [declared[1]] if declared else [sign for sign in _SEPARATORS if sign in first]
    if not tried:
        raise SeluError(
            "row 1 has no comma, semicolon, tab or bar: give a table with a column for the systems and one for "
            "each task."
        )
    skipped = 1 if declared else 0
    read, errors = dict[str, list[tuple[int, list[str]]]](), list[SeluError]()
    for sign in tried:
        try:
            read[sign] = _rows(text, sign)[skipped:]
        except SeluError as error:  # a quotation mark that only another sign closes
            errors.append(error)
    if not any(read.values()):
        raise (errors[-1] if errors else SeluError("the file holds no table: give a row for each system."))
    even = [sign for sign in read if len({len(row) for _, row in read[sign]}) == 1]
    rows = read[max(even or read, key=lambda sign: (len(read[sign][0][1]), -_SEPARATORS.index(sign)))]
    return Grid(rows[0][1], rows[1:], rows[0][0])


def _rows(text: str, separator: str) -> list[tuple[int, list[str]]]:
    csv.field_size_limit(MOST)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True, skipinitialspace=True)
    found: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            if any(field.strip() for field in row):
                found.append((reader.line_num, [field.strip() for field in row]))
    except csv.Error:
        raise SeluError(f"row {reader.line_num} is not CSV: a quotation mark is not closed.") from None
    return found


# -- workbooks -------------------------------------------------------------------------------------


def _workbook(content: bytes) -> Grid:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ModuleNotFoundError:
        raise SeluError(
            "a workbook is read with the library python_calamine, which is not installed: save the table as "
            "CSV, or run 'make data'."
        ) from None
    try:
        if content.startswith(b"PK"):
            unfolded = sum(entry.file_size for entry in zipfile.ZipFile(io.BytesIO(content)).infolist())
            if unfolded > MOST:
                raise SeluError(f"the workbook unpacks to more than {MOST:,} bytes: save the table as CSV.")
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        sheets = [
            (name, book.get_sheet_by_name(name).to_python(skip_empty_area=False)) for name in book.sheet_names
        ]
    except (CalamineError, zipfile.BadZipFile, OSError, ValueError, RuntimeError) as error:
        raise SeluError(f"the file is not a complete workbook ({error}): save the table as CSV.") from None
    filled = [(name, rows) for name, sheet in sheets if (rows := _filled(sheet))]
    if not filled:
        raise SeluError("no sheet of the workbook holds a table: save the table as CSV.")
    name, rows = filled[0]
    notes = (f"The workbook has {len(filled)} sheets; the first, {name!r}, is read.",) if filled[1:] else ()
    return Grid(rows[0][1], rows[1:], rows[0][0], "workbook", notes)


def _filled(sheet: Sequence[Sequence[object]]) -> list[tuple[int, list[str]]]:
    rows = [(number, [_text(value) for value in row]) for number, row in enumerate(sheet, 1)]
    return [(number, row) for number, row in rows if any(row)]


def _text(value: object) -> str:
    """Return a field as text; workbooks store whole numbers as floats, and others with inexact last digits."""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.12g}"
    return str(value).strip()
