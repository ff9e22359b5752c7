"""Safe readers of the declared forms: every value stays the text that the file holds, nothing is inferred.

No form runs code: a pickle is refused before it is opened, and compressed content is read up to a limit.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

from selu.sources.pins import Form, FormKind
from selu.sources.verify import RefusedError
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MESSAGES = ("project", "commit", "message")  # columns of the form COMMITS
LIMIT = 2 << 30  # bytes of text that one file may unfold to; the largest set here has 0.8 GB of it
RATIO = 1_000  # times the packed size; text packs to a fiftieth, a bomb to a thousandth and less
_FREE = 1 << 20  # bytes that a file may unpack to, at any ratio
_CHUNK = 1 << 20
_REMEDY = "remove the task's folder from data/raw and fetch it again with 'selu fetch'"


def read(path: Path, form: Form, limit: int = LIMIT) -> pd.DataFrame | list[str]:
    """Read one file by its declared form.

    Args:
        limit: bytes that a compressed file may unfold to.

    Returns:
        csv, excel and parquet: a table, one column of plain objects per column of the file (text from csv and
        excel). lines and tagged: the lines without their ends; blank lines are kept, because in tagged files
        they part sentences.

    Raises:
        SeluError: the file is missing, a pickle, cut short, too large once unfolded, not in the declared
            encoding, not of the declared form, or without a declared column; names file and place.
    """
    if form.kind == FormKind.PICKLE or path.name.removesuffix(".gz").endswith((".pkl", ".pickle")):
        safe = form.safe or "another origin of its pin"
        raise SeluError(f"{path} is a pickle, and opening a pickle can run any code in it: use {safe} instead.")
    if form.kind == FormKind.COMMITS:
        form = Form(FormKind.CSV, columns=MESSAGES)
    if form.kind == FormKind.PARQUET:
        return _parquet(path, form, limit)
    data = _content(path, limit)
    if form.kind == FormKind.EXCEL:
        return _excel(path, data, form, limit)
    text = _decoded(path, data, form.encoding)
    if form.kind == FormKind.CSV:
        return _csv(path, text, form)
    lines = _lines(text)
    return _tagged(path, lines, form) if form.kind == FormKind.TAGGED else lines


def gunzip(path: Path, limit: int = LIMIT) -> bytes:
    """Return the content of a .gz file.

    Raises:
        RefusedError: it is not gzip, cut short, damaged, has something but zeros behind its end, unpacks to
            more than ``limit`` bytes or to more than 1,000 times its size.
    """
    allowed, content = max(_FREE, RATIO * path.stat().st_size), bytearray()
    try:
        if not path.stat().st_size:
            raise EOFError("it is empty")
        with gzip.open(path) as stream:
            while piece := stream.read(_CHUNK):
                content += piece
                if len(content) > min(limit, allowed):
                    why = f"{RATIO:,} times its size" if allowed < limit else f"the limit of {limit:,} bytes"
                    raise RefusedError(
                        f"{path} unpacks to more than {why}: it is not the declared file; remove it."
                    )
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise RefusedError(f"{path} is not whole gzip data ({error}): get the file again.") from None
    return bytes(content)


def _refuse(path: Path, what: str) -> NoReturn:
    raise SeluError(f"{path} {what}: {_REMEDY}.") from None


def _content(path: Path, limit: int) -> bytes:
    try:
        return gunzip(path, limit) if path.name.endswith(".gz") else path.read_bytes()
    except FileNotFoundError:
        _refuse(path, "is missing")
    except OSError as error:
        _refuse(path, f"can't be read ({error.strerror})")


def _decoded(path: Path, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        byte = data[error.start]
        _refuse(path, f"is not all {encoding} (byte 0x{byte:02x} at position {error.start})")
    except (LookupError, ValueError):
        raise SeluError(f"{path}: its pin names an unknown encoding {encoding!r}; correct the pin.") from None


def _lines(text: str) -> list[str]:
    """Split lines as a text file has them; ``str.splitlines`` would also split at other characters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _tagged(path: Path, lines: list[str], form: Form) -> list[str]:
    width = len(form.columns)
    for number, line in enumerate(lines, 1):
        found = line.count("\t") + 1
        if line.strip() and width and found != width:
            _refuse(path, f"has {found} fields instead of {width} in line {number}")
    return lines


def _csv(path: Path, text: str, form: Form) -> pd.DataFrame:
    csv.field_size_limit(LIMIT)  # csv's own limit is below a long issue report
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if form.quote else csv.QUOTE_NONE
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=form.separator, quoting=quoting, strict=True)
    names, rows = (None if form.header else form.columns), []
    try:
        for row in reader:
            if names is None:
                names = _named(path, row, form.columns)
            elif row and len(row) != len(names):
                _refuse(path, f"has {len(row)} fields instead of {len(names)} in line {reader.line_num}")
            elif row:
                rows.append(row)
    except csv.Error as error:
        _refuse(path, f"is damaged in line {reader.line_num} ({error})")
    if names is None:
        _refuse(path, "is empty")
    return _table(names, rows)


def _named(path: Path, names: Sequence[str], required: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the columns, each once and all required ones among them."""
    twice = [name for number, name in enumerate(names) if name in names[:number]]
    if twice:
        _refuse(path, f"has the column {twice[0]!r} twice")
    missing = [repr(name) for name in required if name not in names]
    if missing:
        _refuse(path, f"has no column {', '.join(missing)} (it has {_shown(names)})")
    return tuple(names)


def _shown(names: Sequence[str]) -> str:
    """Show the first names, cut: a file that is not a table can have any text in their place."""
    rest = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return (", ".join(repr(name[:40]) for name in names[:10]) or "none") + rest


def _table(names: Sequence[str], rows: Sequence[Sequence[object]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=list(names), dtype=object)


def _excel(path: Path, data: bytes, form: Form, limit: int) -> pd.DataFrame:
    from python_calamine import CalamineError, CalamineWorkbook, WorksheetNotFound

    _require_small(path, data, limit)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        if isinstance(form.sheet, str):
            sheet = book.get_sheet_by_name(form.sheet)
        else:
            sheet = book.get_sheet_by_index(form.sheet or 0)
        cells = sheet.to_python(skip_empty_area=False)
    except (WorksheetNotFound, IndexError):
        _refuse(path, f"has no sheet {form.sheet!r}")
    except (CalamineError, OSError, ValueError) as error:
        _refuse(path, f"is not a complete workbook ({error})")
    if not cells:
        _refuse(path, "is empty")
    # As text; a workbook keeps whole numbers as floats.
    whole = [[int(c) if isinstance(c, float) and c.is_integer() else c for c in row] for row in cells]
    rows = [list(map(str, row)) for row in whole]
    return _table(_named(path, rows[0], form.columns), rows[1:])


def _require_small(path: Path, data: bytes, limit: int) -> None:
    """Limit what an .xlsx unpacks to: it is a zip archive, whose table of contents says it."""
    import zipfile

    if data.startswith(b"PK"):
        try:
            size = sum(entry.file_size for entry in zipfile.ZipFile(io.BytesIO(data)).infolist())
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            _refuse(path, f"is not a complete workbook ({error})")
        if size > limit:
            _refuse(path, f"unpacks to more than {limit} bytes")


def _parquet(path: Path, form: Form, limit: int) -> pd.DataFrame:
    import pandas as pd
    import pyarrow as pa
    from pyarrow import parquet

    if not path.is_file():
        _refuse(path, "is missing")
    try:
        with parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
            names = _named(path, schema.names, form.columns)
            for name, kind in zip(schema.names, schema.types, strict=True):
                if not _plain(kind):
                    _refuse(path, f"has a column {name!r} of type {kind}, not text or numbers")
            groups = range(file.metadata.num_row_groups)
            unfolded = sum(file.metadata.row_group(number).total_byte_size for number in groups)
            if unfolded > limit:
                _refuse(path, f"unpacks to {unfolded:,} bytes, more than the {limit:,} allowed")
            table = file.read(use_threads=False)
        columns = {name: pd.Series(table[name].to_pylist(), dtype=object) for name in names}
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        _refuse(path, f"is not a complete parquet file ({reason})")
    return pd.DataFrame(columns)


def _plain(kind: pa.DataType) -> bool:
    """Return whether a type is text, a number, or a list of these; bytes could hide a pickle."""
    from pyarrow import types

    if types.is_list(kind) or types.is_large_list(kind):
        return _plain(kind.value_type)
    tests = (types.is_string, types.is_large_string, types.is_integer, types.is_floating, types.is_boolean)
    return any(test(kind) for test in tests)
