"""Reader of ``data/paper/<benchmark>``: one CSV per published table, each number with its place.

Every table has the same four columns (table, row, column, printed). A second copy of all places is in
``data/pins/<benchmark>/paper.csv``; the two must agree cell by cell, so that a changed or missing number is
named by its place before anything is computed from it. The copy of one table may be a file of its own beside
it, ``data/pins/<benchmark>/<table>.csv``, in wide form: a line for each row, and a column for each column.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from selu.boards.readers.grid import MOST, grid_of
from selu.boards.readers.numbers import number, plain
from selu.boards.readers.words import name_of, task_name
from selu.files import read_given
from selu.project import PINS
from selu.vocabulary import Published, SeluError, plain_number

_ABSENT = "-"
COLUMNS = ("table", "row", "column", "printed")
Places = Mapping[tuple[str, str], str]


def read_table(path: Path) -> Mapping[tuple[str, str], Published]:
    """Read one table.

    Returns:
        (row, column) -> the published number, in file order.

    Raises:
        SeluError: the file is missing, not UTF-8, truncated, or has an unknown column or a duplicate cell.
    """
    text, lines = _parsed(path)
    header = tuple(lines[0]) if lines else ()
    if header != COLUMNS:
        unknown = [name for name in header if name not in COLUMNS]
        what = f"unknown column {unknown[0]!r}" if unknown else f"the header {','.join(header)!r}"
        raise SeluError(f"{path} has {what}: the columns must be {','.join(COLUMNS)}.")
    if not text.endswith("\n"):
        raise SeluError(f"{path} is truncated: line {len(lines)} has no end; restore the file from git.")
    cells: dict[tuple[str, str], Published] = {}
    for line, fields in enumerate(lines[1:], start=2):
        if problem := _problem(fields, lines[1][0], cells):
            raise SeluError(f"{path}, line {line}: {problem}.")
        cells[fields[1], fields[2]] = Published(*fields)
    return cells


def _problem(fields: list[str], name: str, cells: Collection[tuple[str, str]]) -> str | None:
    """Describe what is wrong with a line of this table, given earlier lines' cells; None if nothing is."""
    if len(fields) != len(COLUMNS) or not all(fields):
        return (
            f"expected {len(COLUMNS)} non-empty fields, found {fields}; the file is truncated or was edited by "
            "hand; restore it from git"
        )
    table, row, column, published = fields
    if _odd(published):
        return (
            f"{published!r} is a number in a form that no paper uses: write it with the digits 0-9, a sign, "
            "a decimal point or an exponent alone"
        )
    if table != name:
        return f"table {table!r} where line 2 has {name!r}; correct it"
    if (row, column) in cells:
        return f"duplicate cell, row {row!r}, column {column!r}; keep one of the two lines"
    return None


def _odd(published: str) -> bool:
    """Return whether only Python would take a text for a number: 1_0, digits of other scripts, nan."""
    bare = published.replace(",", "").replace("'", "").rstrip("* ")
    try:
        float(bare)
    except ValueError:
        return False
    try:
        plain_number(bare)
    except ValueError:
        return True
    return False


def _parsed(path: Path) -> tuple[str, list[list[str]]]:
    """Read the text of a file, and its fields by line."""
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is a folder, a pipe or a device")
        text = path.read_bytes().decode("utf-8")
        return text, list(csv.reader(text.splitlines()))
    except FileNotFoundError:
        raise SeluError(
            f"{path} is missing: restore it with 'git checkout -- {path}', or write it anew if it is your own."
        ) from None
    except OSError as error:
        raise SeluError(f"{path} can't be read ({error.strerror or error}): fix or remove it.") from None
    except UnicodeDecodeError as error:
        raise SeluError(f"{path} is not UTF-8 (byte {error.start}): restore the file from git.") from None
    except csv.Error as error:
        raise SeluError(f"{path} is not a CSV table ({error}): restore the file from git.") from None


def read_all(folder: Path) -> Mapping[str, Mapping[tuple[str, str], Published]]:
    """Read every table of a benchmark; keys are the file names without ending, in sorted order."""
    paths = sorted(folder.glob("*.csv"))
    if not paths:
        raise SeluError(f"{folder} holds no readable table (*.csv): it must hold those of data/paper.")
    return {path.stem: read_table(path) for path in paths}


def read_pins(path: Path) -> Mapping[str, Mapping[tuple[str, str], str]]:
    """Read the second copy of all places: file name -> (row, column) -> printed text."""
    damaged = f"{path} is damaged: restore it with 'git checkout -- {path}'."
    text, lines = _parsed(path)
    if not text.endswith("\n") or not lines or tuple(lines[0]) != ("file", *COLUMNS[1:]):
        raise SeluError(damaged)
    pins: dict[str, dict[tuple[str, str], str]] = {}
    for fields in lines[1:]:
        if len(fields) != 4 or not all(fields) or (fields[1], fields[2]) in pins.get(fields[0], {}):
            raise SeluError(damaged)
        file, row, column, published = fields
        pins.setdefault(file, {})[row, column] = published
    return pins


def read_wide(path: Path, places: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Read the second copy of one table in wide form, in any form of a table that ``selu check`` reads.

    The first line names the columns, the first field a row.

    Args:
        places: of the table, (row, column); names differ from these at most in capital letters and markup.

    Raises:
        SeluError: the file can't be read as a table, or a name stands twice.
    """
    try:
        grid = grid_of(read_given(path, MOST))
    except SeluError as error:
        raise SeluError(f"{path}: {error}") from None
    rows = {row.casefold(): row for row, _ in places}
    columns = {column.casefold(): column for _, column in places}
    head = [columns.get(name.casefold(), name) for name in map(task_name, grid.head)]
    found: dict[tuple[str, str], str] = {}
    for line, fields in grid.rows:
        name = name_of(fields[0])
        row = rows.get(name.casefold(), name)
        for column, text in zip(head[1:], fields[1:], strict=True):
            if (row, column) in found:
                raise SeluError(f"{path}, row {line}: {row!r} on {column!r} stands twice: keep one of them.")
            typed, is_number = _typed(text)
            if is_number or (row, column) in places:  # else a word or nothing, as in a column of sizes
                found[row, column] = typed
    return found


def _typed(text: str) -> tuple[str, bool]:
    """Return a typed score without markup, a dash for an absent one, and whether it is a number."""
    for spelling in (plain(text), plain(text).replace(",", ".")):
        with suppress(ValueError):
            return (spelling, True) if number(spelling) else (_ABSENT, False)
    return plain(text), False


def read_second(
    folder: Path, tables: Mapping[str, Mapping[tuple[str, str], Published]]
) -> Mapping[str, Mapping[tuple[str, str], str]]:
    """Read the second copy of these tables: those in wide form, and ``paper.csv`` for the others."""
    wide = {name: path for name in tables if (path := folder / f"{name}.csv").exists()}
    copies = dict(read_pins(folder / "paper.csv")) if wide.keys() != tables.keys() else {}
    return copies | {name: read_wide(path, tables[name]) for name, path in wide.items()}


def check_pins(
    tables: Mapping[str, Mapping[tuple[str, str], Published]], pins: Mapping[str, Places], folder: Path
) -> None:
    """Refuse tables that differ from their pinned second copy.

    Raises:
        SeluError: naming table, row and column of the first difference, and how many there are.
    """
    problems = [f"{folder / file}.csv is missing" for file in pins if file not in tables]
    for file, cells in tables.items():
        places, now = pins.get(file, {}), {place: cell.published for place, cell in cells.items()}
        for place in {**places, **now}:
            found, pinned = now.get(place, "nothing"), places.get(place, "nothing")
            if found != pinned:
                where = f"{folder / file}.csv, row {place[0]!r}, column {place[1]!r}"
                problems.append(f"{where}: reads {found} where {pinned} is pinned")
    if problems:
        total = f" ({len(problems)} differences in all)" if len(problems) > 1 else ""
        raise SeluError(
            f"{problems[0]}{total}: correct the copy that differs from the paper; of tracked files 'git diff "
            "-- data' shows what was changed, 'git checkout -- data' restores it, and 'selu verify --what-if "
            "FOLDER' tries changed numbers on purpose."
        )


def read_tables(
    root: Path, benchmark: str, what_if: Path | None = None
) -> Mapping[str, Mapping[tuple[str, str], Published]]:
    """Read the published tables of a benchmark, checked against their pins.

    Args:
        what_if: folder with altered tables, read instead of data/paper and not checked against the pins.

    Raises:
        SeluError: a table is missing or damaged, or differs from its pin unless it is altered.
    """
    folder = what_if or root / "data" / "paper" / benchmark
    found = read_all(folder)
    pins = read_second(root / PINS / benchmark, found)
    if what_if is None:
        check_pins(found, pins, folder)
    for table in pins:
        if table not in found:
            raise SeluError(f"{folder} has no {table}.csv: copy it from data/paper/{benchmark}.")
    return found
