"""Pins: what holds the bytes of a task's data fast. One YAML file per task in ``data/pins/<benchmark>/``.

A pin names one or more origins. Each origin is a whole set of files, read by one reader; the rows of every
origin must have the same canonical hash (``table``), so that any of them can stand for the others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from selu.vocabulary import SeluError

_STRICT = {"extra": "forbid"}  # a pin with an unknown field is refused
MIRROR = "mirror"  # the origin whose paths are relative to a local folder
RESERVED = (".part", ".part.json", ".tmp")  # endings of files at work in the same folder

SHA256 = re.compile(r"[0-9a-f]{64}")
COMMIT = re.compile(r"[0-9a-f]{40}")
_REPOSITORY = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*/[A-Za-z0-9_-][A-Za-z0-9._-]*")
_SLUG = re.compile(r"[a-z0-9][a-z0-9_-]*")
T = TypeVar("T")


class Standing(StrEnum):
    """How the rows to be had openly stand to the paper's."""

    EQUAL = "equal"
    PARTIAL = "partial"
    ABSENT = "absent"


class Access(StrEnum):
    """Who may have the data."""

    OPEN = "open"
    ACCOUNT = "account needed"
    WITHDRAWN = "withdrawn"


class FormKind(StrEnum):
    """Format of a file. A pickle is never opened, because opening one runs whatever code lies in it."""

    CSV = "csv"
    EXCEL = "excel"
    PARQUET = "parquet"
    LINES = "lines"
    TAGGED = "tagged"
    PICKLE = "pickle"


@dataclass(frozen=True, slots=True)
class Form:
    """How a file is written. ``columns`` must be in it; ``safe`` names what to use instead of a pickle."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT

    kind: FormKind
    separator: str = ","
    encoding: str = "utf-8"
    header: bool = True
    columns: tuple[str, ...] = ()
    quote: bool = True
    sheet: str | int | None = None
    safe: str | None = None


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """One file of an origin. ``repository``, ``commit`` and ``lfs`` are the origin's where it gives no others.

    ``sha256`` (and ``bytes``) None: the upstream bytes are not known; the set is believed only once the
    canonical hash of its rows equals the origin's ``table``.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT

    name: str
    path: str
    sha256: str | None
    bytes: int | None
    form: Form
    repository: str | None = None
    commit: str | None = None
    lfs: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """A place that holds a whole set. ``table`` is the pin's unless the origin has another (None: unknown)."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT

    name: str
    reader: str
    files: tuple[PinnedFile, ...]
    repository: str | None = None
    commit: str | None = None
    lfs: bool = False
    table: str | None = None

    @property
    def pickles(self) -> tuple[PinnedFile, ...]:
        """Its files that are pickles, for which it is never fetched."""
        return tuple(file for file in self.files if file.form.kind is FormKind.PICKLE)


@dataclass(frozen=True, slots=True)
class Pin:
    """Where the bytes of one task come from, and what its rows must be. ``origins`` are tried in order.

    ``published_split`` is False where the authors' split is not to be had, or fits no known order of the rows.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT

    task: str
    standing: Standing
    cite: str
    licence: str
    access: Access
    by_hand: str
    rows: int | None = None
    table: str | None = None
    deviations: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    published_split: bool = True

    def origin(self, name: str) -> Origin:
        """The origin of that name.

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
    for field, problem in _problems(pin, path.stem):
        raise wrong(path, field, problem)
    return pin


def read_pins(folder: Path) -> dict[str, Pin]:
    """Read every pin of a benchmark: task id -> pin, sorted by task.

    Raises:
        SeluError: as ``read_pin``, or the folder holds no pin.
    """
    return {path.stem: read_pin(path) for path in pin_files(folder)}


def pin_files(folder: Path) -> list[Path]:
    """The YAML files of a folder, by name.

    Raises:
        SeluError: there is none.
    """
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise SeluError(f"{folder} holds no pin (*.yaml): restore it with 'git checkout -- {folder}'.")
    return paths


def wrong(path: Path, field: str, problem: str) -> SeluError:
    """Make the error for a wrong field of a pin."""
    return SeluError(f"{path}: {field}: {problem}; correct the pin or restore it from git.")


def read_record(path: Path, form: type[T], fill: Callable[[Any], Any] = dict) -> T:
    """Read a YAML file strictly as a record of this form, once ``fill`` has filled in what it leaves out.

    Raises:
        SeluError: the file is missing, not YAML, or its fields are not those of the form; names file and field.
    """
    import yaml
    from pydantic import TypeAdapter, ValidationError

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text = path.read_text("utf-8")
        twice = _duplicate_key(yaml.compose(text, loader))
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
        return TypeAdapter(form).validate_json(json.dumps(fill(record), default=str), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        raise wrong(path, ".".join(map(str, first["loc"])) or "the record", first["msg"]) from None


def _duplicate_key(node: Any) -> str | None:
    """The first key that a mapping of the document gives twice; YAML would keep the last one silently."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        keys = [key.value for key, _ in node.value]
        twice = [str(key) for key in keys if keys.count(key) > 1]
        children = [value for _, value in node.value]
    elif isinstance(node, yaml.SequenceNode):
        twice, children = [], list(node.value)
    else:
        return None
    found = (_duplicate_key(child) for child in children)
    return twice[0] if twice else next((name for name in found if name is not None), None)


def _filled(record: dict[str, Any]) -> dict[str, Any]:
    """The record with the pin's table in each origin, and each origin's place in its files."""
    origins = record.get("origins")
    if not isinstance(origins, list):
        return record
    filled = []
    for origin in origins:
        if isinstance(origin, dict):
            origin = {"table": record.get("table"), **origin}
            place = {key: origin[key] for key in ("repository", "commit", "lfs") if key in origin}
            files = origin.get("files")
            if isinstance(files, list):
                origin["files"] = [{**place, **file} if isinstance(file, dict) else file for file in files]
        filled.append(origin)
    return {**record, "origins": filled}


def _problems(pin: Pin, stem: str) -> Iterator[tuple[str, str]]:
    """Each (field, what is wrong with it) that types alone don't show, lazily."""
    if pin.task != stem:
        yield "task", f"{pin.task!r} in a file that is named after {stem!r}"
    for name in ("cite", "licence", "by_hand"):
        if not getattr(pin, name).strip():
            yield name, "must not be empty"
    if pin.rows is not None and pin.rows < 1:
        yield "rows", f"{pin.rows} is not above 0"
    if pin.table is not None and not SHA256.fullmatch(pin.table):
        yield "table", "is not a sha256 (64 digits of 0-9a-f)"
    if not pin.origins and pin.standing is not Standing.ABSENT:
        yield "origins", f"must not be empty where the standing is {pin.standing.value!r}"
    twice = _twice(origin.name for origin in pin.origins)
    if twice:
        yield "origins", f"the name {twice!r} is given twice"
    for number, origin in enumerate(pin.origins):
        for field, problem in _origin_problems(origin):
            yield f"origins.{number}{field}", problem


def _origin_problems(origin: Origin) -> Iterator[tuple[str, str]]:
    if not _SLUG.fullmatch(origin.name):
        yield ".name", f"{origin.name!r} is not a plain name (a-z, 0-9, - and _)"
    if not origin.reader.strip():
        yield ".reader", "must not be empty"
    if origin.table is not None and not SHA256.fullmatch(origin.table):
        yield ".table", "is not a sha256 (64 digits of 0-9a-f)"
    if not origin.files:
        yield ".files", "must not be empty"
    twice = _twice(file.name.casefold() for file in origin.files)
    if twice:
        yield ".files", f"the name {twice!r} is given twice"
    for number, file in enumerate(origin.files):
        checks = (_name_problems(file), _place_problems(file, origin), _content_problems(file, origin))
        for check in checks:
            for field, problem in check:
                yield f".files.{number}.{field}", problem


def _name_problems(file: PinnedFile) -> Iterator[tuple[str, str]]:
    name = file.name
    if not name or "/" in name or "\\" in name or name.startswith(".") or not name.isprintable():
        yield "name", f"{name!r} is not a plain file name (no / or \\, no leading dot)"
    if name.endswith(RESERVED) or name in ("origin.json", "origin.next.json"):
        yield "name", f"{name!r} is a name that fetching uses itself"
    parts = file.path.split("/")
    if not all(parts) or {".", ".."} & set(parts) or "\\" in file.path or not file.path.isprintable():
        yield "path", f"{file.path!r} is not a relative path that stays inside its folder"


def _place_problems(file: PinnedFile, origin: Origin) -> Iterator[tuple[str, str]]:
    if origin.name == MIRROR:
        if file.repository is not None or file.commit is not None or file.lfs:
            yield "repository", "a mirror has no repository, commit or lfs"
        return
    if file.repository is None or not _REPOSITORY.fullmatch(file.repository):
        yield "repository", f"{file.repository!r} is not OWNER/NAME"
    if file.commit is None or not COMMIT.fullmatch(file.commit):
        yield "commit", f"{file.commit!r} is not a commit (40 digits of 0-9a-f)"
    if file.lfs and (file.sha256 is None or file.bytes is None):
        yield "sha256", "a file in large-file storage is asked for by its sha256 and bytes, so both are needed"


def _content_problems(file: PinnedFile, origin: Origin) -> Iterator[tuple[str, str]]:
    if file.sha256 is None and origin.table is None:
        yield "sha256", "may be null only where the rows have a pinned table hash"
    if file.sha256 is not None and not SHA256.fullmatch(file.sha256):
        yield "sha256", "is not a sha256 (64 digits of 0-9a-f)"
    if file.sha256 is not None and file.bytes is None:
        yield "bytes", "may be null only where sha256 is"
    if file.bytes is not None and file.bytes < 1:
        yield "bytes", f"{file.bytes} is not above 0"
    if len(file.form.separator) != 1 or file.form.separator in '"\r\n':
        yield "form.separator", "must be one character, not a quote or a line end"
    if file.form.kind is FormKind.PICKLE and not (file.form.safe or "").strip():
        yield "form.safe", "a pickle is never opened: name the safe source to use instead"


def _twice(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
