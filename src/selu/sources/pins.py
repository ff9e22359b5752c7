"""Pins: what holds the bytes of a task's data fast. One YAML file per task in ``data/pins/<benchmark>/``.

A pin names one or more origins. Each origin is a whole set of files, read by one reader; the rows of every
origin must have the same canonical hash (``table``), so that any of them can stand for the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Protocol, TypeVar, cast

from pydantic import AfterValidator, Field

from selu.files import JsonObject, given_twice
from selu.vocabulary import KnownFields, SeluError

# Origins whose paths are relative to a local folder: rows as they are, and plain texts, which a reader tags.
MIRROR, MIRROR_TEXTS = "mirror", "mirror-texts"


class _Named(Protocol):
    @property
    def name(self) -> str: ...


class _OfTask(Protocol):
    @property
    def task(self) -> str: ...


Named = TypeVar("Named", bound=Sequence[_Named])
OfTask = TypeVar("OfTask", bound=_OfTask)


def _require_inside(path: str) -> str:
    parts = path.split("/")
    if not all(parts) or {".", ".."} & set(parts) or "\\" in path or not path.isprintable():
        raise ValueError(f"{path!r} is not a relative path that stays inside its folder")
    return path


def _require_plain(name: str) -> str:
    """Refuse a name that is a path, is hidden, or is reserved for fetching."""
    if "/" in name or name.startswith("."):
        raise ValueError(f"{name!r} is not a plain file name (no / or \\, no leading dot)")
    if name.endswith((".part", ".tmp")) or name in ("origin.json", "origin.next.json"):
        raise ValueError(f"{name!r} is a name that fetching uses itself")
    return _require_inside(name)


def _require_distinct(named: Named) -> Named:
    """Refuse two records of one name; some disks don't tell A from a."""
    names = [each.name.casefold() for each in named]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"the name {twice[0]!r} is given twice")
    return named


Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Commit = Annotated[str, Field(pattern="^[0-9a-f]{40}$")]
Repository = Annotated[str, Field(pattern="^[A-Za-z0-9_-][A-Za-z0-9._-]*/[A-Za-z0-9_-][A-Za-z0-9._-]*$")]
Size = Annotated[int, Field(gt=0)]  # in bytes, or in rows
RelativePath = Annotated[str, AfterValidator(_require_inside)]
_Words = Annotated[str, Field(pattern=r"\S")]


class Availability(StrEnum):
    """How the public rows compare with the paper's."""

    EQUAL = "equal"
    PARTIAL = "partial"
    ABSENT = "absent"


class Access(StrEnum):
    """Who may have the data."""

    OPEN = "open"
    ACCOUNT = "account needed"
    WITHDRAWN = "withdrawn"


class FormKind(StrEnum):
    """Format of a file. A pickle is never opened, because opening one runs whatever code lies in it.

    ``COMMITS`` is a CSV (project, commit, message) that is made here, from clones of the origin's histories.
    """

    CSV = "csv"
    EXCEL = "excel"
    PARQUET = "parquet"
    LINES = "lines"
    TAGGED = "tagged"
    PICKLE = "pickle"
    COMMITS = "commits"


@dataclass(frozen=True, slots=True)
class Form(KnownFields):
    """How a file is written. ``columns`` must be in it; ``safe`` names what to use instead of a pickle.

    Of ``COMMITS`` the columns are those of the list of commits: the project's name, and the commit's id.
    """

    kind: FormKind
    separator: Annotated[str, Field(pattern=r'^[^"\r\n]$')] = ","
    encoding: str = "utf-8"
    header: bool = True
    columns: tuple[str, ...] = ()
    quote: bool = True
    sheet: str | int | None = None
    safe: str | None = None


@dataclass(frozen=True, slots=True)
class PinnedFile(KnownFields):
    """One file of an origin. What it leaves out of ``repository``, ``commit`` and ``lfs`` the origin gives.

    Of the form ``COMMITS``, ``path`` is that of the file of the same origin that lists the commits.
    ``sha256`` (and ``bytes``) None: the upstream bytes are not known; the set is believed only once the
    canonical hash of its rows equals the origin's ``table``.
    """

    name: Annotated[str, AfterValidator(_require_plain)]
    path: RelativePath
    sha256: Sha256 | None
    bytes: Size | None
    form: Form
    repository: Repository | None = None
    commit: Commit | None = None
    lfs: bool = False


@dataclass(frozen=True, slots=True)
class History(KnownFields):
    """The repository of a project: at ``commit`` it has all listed commits of the project but for ``lacks``."""

    project: _Words
    repository: Repository
    commit: Commit
    lacks: Annotated[int, Field(ge=0)] = 0


@dataclass(frozen=True, slots=True)
class Origin(KnownFields):
    """A source of a whole set. ``table`` is the pin's unless the origin has another (None: unknown).

    ``histories`` are those whose clones give the file of the form ``COMMITS``. Where clones are missing, the
    set is a part of the pinned rows. ``rows``: how many it has, where that is neither the pin's number nor the
    paper's.
    """

    name: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9_-]*$")]
    reader: _Words
    files: Annotated[tuple[PinnedFile, ...], Field(min_length=1), AfterValidator(_require_distinct)]
    table: Sha256 | None = None
    histories: tuple[History, ...] = ()
    rows: Size | None = None

    @property
    def mirrored(self) -> bool:
        """Return whether its files are copied from a local folder."""
        return self.name in (MIRROR, MIRROR_TEXTS)

    @property
    def pickles(self) -> tuple[PinnedFile, ...]:
        """The files that are pickles, because of which the origin is never fetched."""
        return tuple(file for file in self.files if file.form.kind is FormKind.PICKLE)


@dataclass(frozen=True, slots=True)
class Pin(KnownFields):
    """The source of one task's bytes, and what its rows must be. ``origins`` are tried in order.

    ``published_split`` is False where the authors' split is not public, or fits no known order of the rows.
    """

    task: str
    availability: Availability
    cite: _Words
    licence: _Words
    access: Access
    by_hand: _Words
    rows: Size | None = None
    table: Sha256 | None = None
    deviations: tuple[str, ...] = ()
    origins: Annotated[tuple[Origin, ...], AfterValidator(_require_distinct)] = ()
    published_split: bool = True

    def origin(self, name: str) -> Origin:
        """Return the origin of that name.

        Raises:
            SeluError: the pin has no such origin.
        """
        for origin in self.origins:
            if origin.name == name:
                return origin
        known = ", ".join(origin.name for origin in self.origins) or "none"
        raise SeluError(f"{self.task} has no origin {name!r}; its pin knows: {known}.")


def read_pin(path: Path) -> Pin:
    """Read one pin; what files and origins leave out is filled in from the origin and the pin around them.

    Raises:
        SeluError: the file is missing, not YAML, or a field is unknown, missing or wrong; names file and field.
    """
    pin = read_record(path, Pin, _filled)
    for field, problem in _problems(pin):
        raise _wrong(path, field, problem)
    return pin


def read_pins(folder: Path) -> Mapping[str, Pin]:
    """Read every pin of a benchmark: task id -> pin, sorted by task.

    Raises:
        SeluError: as ``read_pin``, or the folder holds no pin.
    """
    return {path.stem: read_pin(path) for path in pin_files(folder)}


def pin_files(folder: Path) -> list[Path]:
    """List the YAML files of a folder, by name.

    Raises:
        SeluError: it does not exist.
    """
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise SeluError(f"{folder} holds no pin (*.yaml): restore it with 'git checkout -- {folder}'.")
    return paths


def _wrong(path: Path, field: str, problem: str) -> SeluError:
    """Return the error for a wrong field of a pin."""
    return SeluError(f"{path}: {field}: {problem}; correct the pin or restore it from git.")


def read_record(path: Path, form: type[OfTask], fill: Callable[[JsonObject], JsonObject] = dict) -> OfTask:
    """Read a task's YAML file strictly as a record of this form; ``fill`` puts in what it leaves out.

    Raises:
        SeluError: the file is missing, not YAML, of another task than its name says, or its fields are not
            those of the form; names file and field.
    """
    import yaml
    from pydantic import TypeAdapter, ValidationError

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text = path.read_text("utf-8")
        twice = next(given_twice(yaml.compose(text, loader)), None)
        record = yaml.load(text, loader)
    except FileNotFoundError:
        raise SeluError(f"{path} is missing: restore it with 'git checkout -- {path}'.") from None
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise SeluError(f"{path} can't be read as YAML ({reason}): restore it from git.") from None
    if twice is not None:
        raise SeluError(f"{path}: {twice} is given twice; keep one of the two.")
    if not isinstance(record, dict):
        raise SeluError(f"{path} is not a record of fields: restore it from git.")
    try:
        found = TypeAdapter(form).validate_json(json.dumps(fill(record), default=str), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the record"
        raise _wrong(path, field, first["msg"].removeprefix("Value error, ")) from None
    if found.task != path.stem:
        raise _wrong(path, "task", f"{found.task!r} in a file that is named after {path.stem!r}")
    return found


def _filled(record: JsonObject) -> JsonObject:
    """Copy the pin's table into each origin, and each origin's place into its files."""
    try:
        origins = []
        for origin in cast("Sequence[JsonObject]", record["origins"]):
            own = {"table": record.get("table"), **origin}
            place = {key: own.pop(key) for key in ("repository", "commit", "lfs") if key in own}
            files = cast("Sequence[JsonObject]", origin["files"])
            origins.append({**own, "files": [{**place, **file} for file in files]})
    except (KeyError, TypeError):  # of another shape, which is refused by its field
        return record
    return {**record, "origins": origins}


def _problems(pin: Pin) -> Iterator[tuple[str, str]]:
    """Yield each (field, problem) that a field alone doesn't reveal."""
    if not pin.origins and pin.availability is not Availability.ABSENT:
        yield "origins", f"must not be empty if the standing is {pin.availability.value!r}"
    for number, origin in enumerate(pin.origins):
        for count, file in enumerate(origin.files):
            for field, problem in _file_problems(file, origin):
                yield f"origins.{number}.files.{count}.{field}", problem


def _file_problems(file: PinnedFile, origin: Origin) -> Iterator[tuple[str, str]]:
    if origin.mirrored and (file.repository, file.commit, file.lfs) != (None, None, False):
        yield "repository", "a mirror has no repository, commit or lfs"
    for field in ("repository", "commit"):
        if not origin.mirrored and getattr(file, field) is None:
            yield field, "is missing: only a mirror has none"
    if file.form.kind is FormKind.COMMITS and not (len(file.form.columns) == 2 and origin.histories):
        yield "form.columns", "must be two, of project and commit, and the origin needs histories"
    if file.form.kind is FormKind.COMMITS and all(
        other is file or other.path != file.path for other in origin.files
    ):
        yield "path", "is that of no other file of the origin, which lists the commits"
    if file.lfs and None in (file.sha256, file.bytes):
        yield "sha256", "a file in large-file storage is asked for by its sha256 and bytes, so both are needed"
    if file.sha256 is None and origin.table is None:
        yield "sha256", "may be null only where the rows have a pinned table hash"
    if file.sha256 is not None and file.bytes is None:
        yield "bytes", "may be null only where sha256 is"
    if file.form.kind is FormKind.PICKLE and not (file.form.safe or "").strip():
        yield "form.safe", "a pickle is never opened: name the safe source to use instead"
