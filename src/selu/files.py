"""Files that are whole or not there; JSON and CSV in one form, and CSV of other people."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import math
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from selu.vocabulary import SeluError

if TYPE_CHECKING:
    import yaml

SEPARATORS = ",;\t"
_WIDEST = 1 << 30  # characters in one field; csv's own limit is below a long issue report
_NAMED = re.compile(r'"?sep=(.)"?[ ,;\t]*')  # the first line of a CSV from a spreadsheet
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None  # a value of a JSON file
JsonObject = Mapping[str, Json]
Given = TypeVar("Given")
Taken = TypeVar("Taken")


class Csv(NamedTuple):
    """Names of the columns and their line, and the other rows, each with its first line."""

    head: list[str]
    line: int
    rows: Iterator[tuple[int, list[str]]]


class TornError(ValueError):
    """A CSV with unbalanced quotation marks, and the line of the row that has them."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


def write_atomic(path: Path, content: str | bytes) -> None:
    """Write a file atomically: whatever happens, it has the old or the new content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read_given(path: Path, most: int) -> bytes:
    """Read a file or a pipe that a user names, up to one byte above the limit, as devices may be endless.

    Raises:
        SeluError: it can't be read, or is a pipe that nothing writes to, which would be waited for without end.
    """
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as stream:
            os.set_blocking(stream.fileno(), True)
            content = stream.read(most + 1)
            piped = stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError) as error:
        raise SeluError(f"{path} can't be read: {getattr(error, 'strerror', None) or error}.") from None
    if piped and not content:
        raise SeluError(f"{path} is a pipe that nothing writes to: start its writer first, or give a file.")
    return content


def sha256_of(path: Path) -> str:
    """Hash a file's bytes, in hexadecimal digits."""
    with path.open("rb", buffering=0) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_out(out: Path | None, given: Path | None, option: str = "--out") -> None:
    """Refuse to write where something would be lost, before anything is computed.

    Raises:
        SeluError: it is a folder, in a folder that does not exist, or the file that is read.
    """
    if out is not None and out.is_dir():
        raise SeluError(f"{option} {out} is a folder: name a file.")
    if out is not None and not out.parent.is_dir():
        raise SeluError(f"{option} {out}: there is no folder {out.parent}: make it first.")
    if out is not None and given is not None and out.exists() and given.exists() and out.samefile(given):
        raise SeluError(f"{option} {out} is the file that is read, and would be lost: name another one.")


def flush_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, if it exists."""
    if not folder.is_dir():
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def to_json(record: object) -> str:
    """Write JSON text that is the same on every machine: floats at 10 significant digits, nan as null.

    Sums can differ in their last bits between processors; ten digits lie far above that and far below
    any number shown.
    """
    return json.dumps(_plain(record), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Real):  # numpy's numbers too
        number = float(value)
        if not math.isfinite(number):
            return None
        short = float(f"{number:.10g}")
        return 0.0 if short == 0 else short
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    raise TypeError(f"{type(value).__name__} has no JSON form")


def as_plain(value: object) -> object:
    """Convert numpy's numbers and arrays, and parquet's values, to plain objects."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    return [as_plain(item) for item in plain] if isinstance(plain, (list, tuple)) else plain


def read_json(path: Path, made_by: str, fields: Collection[str] = ()) -> Any:
    """Read a tracked result: an object with these fields, or a list of such objects, not empty.

    Raises:
        SeluError: the file is missing, not whole JSON, or of another shape; names the command that brings it
            back.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe or a device would be read for ever
            raise ValueError
        record = json.loads(path.read_text("utf-8"))
        entries = record if isinstance(record, list) else [record]
        if not entries or not all(isinstance(entry, dict) and set(fields) <= entry.keys() for entry in entries):
            raise ValueError
        return record
    except FileNotFoundError:
        raise SeluError(f"{path} is missing: run 'dvc pull' to get it, or '{made_by}' to compute it.") from None
    except (ValueError, RecursionError):
        raise SeluError(f"{path} is damaged: run 'dvc checkout --force {path}', or '{made_by}'.") from None


def given_twice(node: yaml.Node | None) -> Iterator[str]:
    """Yield the keys that a mapping of a YAML document gives twice; PyYAML would keep the last one silently."""
    inside = node.value if node is not None and isinstance(node.value, list) else []
    keys = [each[0].value for each in inside if isinstance(each, tuple)]
    yield from (str(key) for key in keys if keys.count(key) > 1)
    for each in inside:
        yield from given_twice(each[1] if isinstance(each, tuple) else each)


def read_csv(text: str) -> Csv:
    """Read a CSV separated by commas, semicolons or tabs: by what its first line has most of.

    A line ``sep=;`` before it, as spreadsheets write it, names the separator. Empty lines are passed over.

    Raises:
        TornError: a quotation mark is not closed, or stands inside a field; while the rows are read, too.
    """
    first = re.search(r"\S[^\r\n]*", text)
    line, start, separator = 1, 0, ""
    if first and (named := _NAMED.fullmatch(first[0])):
        line, separator = text.count("\n", 0, first.end()) + 2, named[1]
        start = text.find("\n", first.end()) + 1 or len(text)
    elif first:
        plain = _QUOTED.sub("", first[0])
        separator = max(SEPARATORS, key=plain.count)
    rows = _rows(text, start, line, separator or ",")
    line, head = next((row for row in rows if any(map(str.strip, row[1]))), (line, []))
    return Csv([name.strip() for name in head], line, rows)


def _rows(text: str, start: int, line: int, separator: str) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(_WIDEST)
    stream = io.StringIO(text, newline="")
    stream.seek(start)
    reader = csv.reader(stream, delimiter=separator, strict=True)
    before = line
    try:
        for row in reader:
            if row:
                yield before, row
            before = line + reader.line_num
    except csv.Error as error:
        inside = "expected after" in str(error)
        why = "a quotation mark is inside a field" if inside else "a quotation mark is not closed"
        raise TornError(before, why) from None


def take(given: Iterable[Given], way: Callable[[Given], Taken]) -> list[Taken]:
    """Convert each given row; raise the first error, with the number of refused rows.

    Raises:
        SeluError: that of the first row that is refused, with how many are.
    """
    taken: list[Taken] = []
    first, refused = "", 0
    for row in given:
        try:
            taken.append(way(row))
        except SeluError as error:
            first, refused = first or str(error), refused + 1
    if refused:
        raise SeluError(f"{first} In all, {refused:,} rows can't be used." if refused > 1 else first)
    return taken


def neutral(text: str) -> str:
    """Escape a text that a spreadsheet would run with an apostrophe, and drop control characters.

    Names of systems and tasks, ids and texts are other people's: ``=HYPERLINK(...)`` in one would be run by
    whoever opens the table (CSV injection, OWASP). A number stays as it is, and so does "-0.1 to 0.2".
    """
    text = _CONTROL.sub("", text)
    if text[:1] not in tuple("=+-@\t\r") or len(text) < 2:
        return text
    try:
        for part in text.split(" to "):
            float(part)
    except ValueError:
        return f"'{text}"
    return text


def write_csv(rows: Iterable[Iterable[object]]) -> str:
    """Write CSV, each text as ``neutral`` makes it; None is an empty field."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow([neutral(value) if isinstance(value, str) else value for value in row])
    return out.getvalue()


def explain(error: OSError) -> str:
    """Return one sentence on what the disk refuses, where, and which command helps."""
    where = f"{error.filename}: " if error.filename else ""
    sentence = f"{where}{error.strerror or error}; nothing is half-written"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{sentence}: make room there ('selu doctor' says what is free), and run it again."
    if error.filename and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        path = Path(os.fsdecode(error.filename))
        folder = next((place for place in (path, *path.parents) if place.is_dir()), path)
        user = f"{os.geteuid()}:{os.getegid()}"
        return (
            f"{sentence}: 'sudo chown --recursive {user} {folder}' gives it to this user, or start the "
            "container as its owner ('--user \"$(id -u):$(id -g)\"')."
        )
    return f"{sentence}."
