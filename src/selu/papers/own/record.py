"""The user's own tasks: a record ``data/own/selu/TASK.yaml`` of at most 20 lines, and a CSV with the rows.

They are prepared, run and shown as the paper's are when they are named, and are in none of its tables, ranks,
averages and claims.
"""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import cast

from selu.files import given_twice
from selu.text.steps import check_steps
from selu.vocabulary import Activity, Family, Kind, KnownFields, Label, Metric, SeluError, Task, plain_number

FOLDER = Path("data") / "own" / "selu"
BETWEEN = ";"  # names of several labels in a cell of the CSV
AVAILABILITY = "own"
_LARGEST = 1 << 20  # bytes of a record
_RANGE = "give the lowest and the highest number that an answer can be, as [0, 10]"
_SLUG = "abcdefghijklmnopqrstuvwxyz0123456789_"
_KINDS = (Kind.BINARY, Kind.MULTI_CLASS, Kind.MULTI_LABEL, Kind.REGRESSION)


@dataclass(frozen=True, slots=True)
class Record(KnownFields):
    """The content of a record file. ``text`` (joined by spaces), ``label`` and ``group`` are CSV columns.

    Attributes:
        labels: name -> meaning, in index order; none for regression, which has a ``range``.
        file: the CSV, from the record's folder on; by default of the record's name.
        cleaning: steps of ``selu.text.steps``, in their order.
    """

    question: str
    kind: Kind
    text: str | tuple[str, ...]
    label: str
    labels: dict[str, str] = field(default_factory=dict)
    range: tuple[float, float] | None = None
    group: str | None = None
    file: str | None = None
    cleaning: tuple[str, ...] = ("whitespace",)
    licence: str | None = None
    citation: str | None = None
    source: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """Columns that make the text."""
        return (self.text,) if isinstance(self.text, str) else self.text


@dataclass(frozen=True, slots=True)
class Own:
    """A task with the record that declares it, and where the record and its rows lie."""

    task: Task
    record: Record
    path: Path
    csv: Path


def names(root: Path) -> list[str]:
    """Return names of all that are declared, whether their records are sound or not."""
    return sorted(path.stem for path in (root / FOLDER).glob("*.yaml"))


def read_file(path: Path, largest: int) -> bytes:
    """Read the bytes of a regular file that the user named.

    Raises:
        OSError: it is missing, unreadable, a folder, a pipe or a device, or has more than ``largest`` bytes.
        ValueError: no file can have this name.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is a folder, a pipe or a device, not a file")
    if status.st_size > largest:
        raise OSError(f"it has {status.st_size:,} bytes, more than the {largest:,} allowed")
    return path.read_bytes()


def read(root: Path, name: str, instances: int = 0) -> Own:
    """Read one task.

    Args:
        instances: how many rows it is known to have.

    Raises:
        SeluError: its record is no YAML, has an unknown, missing or wrong field, or the id of a paper's task;
            names file and field.
    """
    path = root / FOLDER / f"{name}.yaml"
    record = _record(path)
    for where, problem in _problems(name, record):
        raise SeluError(f"{path}: {where}: {problem}.")
    own = Task(
        id=name,
        benchmark=AVAILABILITY,
        kind=record.kind,
        question=record.question,
        text=" + ".join(record.texts),
        labels=tuple(Label(label, means) for label, means in record.labels.items()),
        metric=Metric.ONE_MINUS_SMAPE if record.kind is Kind.REGRESSION else Metric.F1_MACRO,
        activity=cast(Activity, None),  # only tables of the paper, which it is not in, ask for these two
        family=cast(Family, None),
        sources=(record.source,) if record.source else (),
        instances=instances,
        targets=str(len(record.labels)) if record.labels else "open",
        citation=(),
        range=record.range,
    )
    try:
        rows = Path(record.file or f"{name}.csv").expanduser()
    except RuntimeError:
        raise SeluError(f"{path}: file: there is no home folder {record.file}: give its path.") from None
    return Own(own, record, path, _inside(root, path, rows))


def _inside(root: Path, path: Path, rows: Path) -> Path:
    """Return the location of the CSV; a record from others must not read any file of the user."""
    place = Path(os.path.normpath(path.parent / rows))
    if not Path(os.path.abspath(place)).is_relative_to(os.path.abspath(root)):  # noqa: PTH100  (follows no link)
        raise SeluError(
            f"{path}: file: {rows} lies outside the clone: copy it beside the record, or allow it by a link "
            f"there (ln -s PATH {path.stem}.csv) and leave the field out."
        )
    return place


def _record(path: Path) -> Record:
    import yaml
    from pydantic import TypeAdapter, ValidationError

    try:
        text = read_file(path, _LARGEST).decode("utf-8")
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.BaseLoader)):
            raise ValueError("write out what the alias '*' stands for")  # a few lines of them are gigabytes
        # Without types a label `no` stays a word, as in the CSV.
        parsed, node = yaml.load(text, yaml.BaseLoader), yaml.compose(text, yaml.BaseLoader)
        json.dumps(parsed, ensure_ascii=False).encode()  # "\ud800" is half a character, which no file can hold
    except (OSError, TypeError, ValueError, RecursionError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise SeluError(f"{path} can't be read as YAML ({reason[:200]}): fix the record.") from None
    if not isinstance(parsed, dict):
        raise SeluError(f"{path} is not a record of fields: docs/ADDING.md shows one.")
    if twice := next(given_twice(node), None):
        raise SeluError(f"{path}: {twice} is given twice; keep one of the two.")
    if isinstance(parsed.get("range"), list):
        try:  # of words, which types alone would take for numbers, as 1_0 for 10
            parsed["range"] = [plain_number(end) if isinstance(end, str) else end for end in parsed["range"]]
        except ValueError as error:
            raise SeluError(f"{path}: range: {error}: {_RANGE}.") from None
    try:
        return TypeAdapter(Record).validate_python(parsed)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "the record"
        known = ", ".join(field.name for field in fields(Record))
        problem = (
            f"there is no such field; known are {known}" if "unexpected" in first["type"] else first["msg"]
        )
        raise SeluError(f"{path}: {name}: {problem}: fix the record.") from None


def _problems(name: str, record: Record) -> Iterator[tuple[str, str]]:
    """Yield (field, problem) for each problem that types alone don't reveal."""
    if set(name) - set(_SLUG):
        yield "the name", "an id has only small letters, digits and _: rename the file"
    if record.kind not in _KINDS:
        kinds = ", ".join(_KINDS)
        yield "kind", f"tasks of {record.kind} need words with tags, which no CSV holds: choose one of {kinds}"
    for what in ("question", "label"):
        if not getattr(record, what).strip():
            yield what, "it must not be empty"
    if not record.texts or not all(column.strip() for column in record.texts):
        yield "text", "name the column of the text, or several as [title, body]"
    try:
        check_steps(record.cleaning, "paper")
    except ValueError as error:
        yield "cleaning", str(error)
    yield from _label_problems(record)


def _label_problems(record: Record) -> Iterator[tuple[str, str]]:
    known, kind = list(record.labels), record.kind
    if kind is Kind.REGRESSION:
        if known:
            yield "labels", "regression has none: leave them out"
        if record.range is None or not record.range[0] < record.range[1]:
            yield "range", _RANGE
        return
    if record.range is not None:
        yield "range", "only numbers (kind: regression) have one: leave it out"
    wanted = {Kind.BINARY: "2", Kind.MULTI_CLASS: "3 or more"}.get(kind, "2 or more")
    if len(known) < int(wanted[0]) or (kind is Kind.BINARY and len(known) != 2):
        yield "labels", f"{kind} tasks have {wanted} of them, and here are {len(known)}"
    folded = Counter(label.casefold() for label in known)
    for label, means in record.labels.items():
        if not label.strip() or not means.strip():
            yield "labels", f"{label!r} needs a name and a meaning"
        if folded[label.casefold()] > 1:
            yield (
                "labels",
                f"{label!r} differs from another one only in case: a reply would match both",
            )
        if kind is Kind.MULTI_LABEL and (set(label) & {BETWEEN, ","} or label.casefold() == "none"):
            yield (
                "labels",
                f"{label!r} can't be told apart among several: use no comma, no {BETWEEN}, nor 'none'",
            )
