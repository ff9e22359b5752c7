"""The locations of the project's files, and its parameters."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from selu.vocabulary import SeluError

T = TypeVar("T")
SHARED = "shared"  # the entry of params.yaml: what benchmarks share
PARAMS = Path("data") / "params"  # what one benchmark declares
CLEAN = Path("data") / "clean"
SPLITS = Path("data") / "splits"
PINS = Path("data") / "pins"
RAW = Path("data") / "raw"
REPORTS = Path("reports")
RESULTS = Path("results")
_SETTLED = 200_000_000  # nanoseconds since a file was written
_contents: dict[Path, tuple[tuple[int, int, int], bytes]] = {}


def find_root(start: Path | None = None) -> Path:
    """Find the project's root: the nearest folder, upwards, that holds params.yaml and data/paper.

    Raises:
        SeluError: none of them does.
    """
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / "params.yaml").is_file() and (folder / "data" / "paper").is_dir():
            return folder
    raise SeluError(f"{start} is not inside a clone of the project: change into it, or give --root FOLDER.")


def params_of(benchmark: str) -> Path:
    """Name the file, in a clone, of what a benchmark declares, or of what all share."""
    return Path("params.yaml") if benchmark == SHARED else PARAMS / f"{benchmark}.yaml"


class Settings:
    """Base of records of settings: they take no other fields, no text for a number, no infinity."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "strict": True, "allow_inf_nan": False}


def read_settings(root: Path, benchmark: str, section: str, kind: type[T]) -> T:
    """Read a section of a benchmark's parameters, or of the shared ones, as its declared record.

    It is read once while the file is the same.

    Raises:
        SeluError: the file is not YAML, the section is missing, or a setting is unknown, missing or out
            of range.
    """
    path = root / params_of(benchmark)
    form: Any = kind
    found: T = _settings(path, _content(path), benchmark, section, form)
    return found


@lru_cache(maxsize=32)
def _settings(path: Path, content: bytes, benchmark: str, section: str, kind: Any) -> Any:
    from pydantic import TypeAdapter, ValidationError

    entry = _entry(path, content, benchmark)
    if section not in entry:
        raise SeluError(f"{path} has no section {section}: restore it from git.")
    try:
        text = json.dumps(entry[section], default=str)
    except (TypeError, ValueError, RecursionError) as error:  # a date as a key, a section that holds itself
        raise SeluError(
            f"{path} is damaged: {section} is not a record ({error}); restore it from git."
        ) from None
    try:
        return TypeAdapter(kind).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join([*([SHARED] if benchmark == SHARED else []), section, *map(str, first["loc"])])
        says = f"{first['msg']};"
        if first["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
            says = "there is no such setting; take it out, or"
        raise SeluError(f"{params_of(benchmark).as_posix()}: {name}: {says} restore it from git.") from None


def has_section(root: Path, benchmark: str, section: str) -> bool:
    """Return whether a benchmark declares this section; raises the errors of ``read_settings``."""
    path = root / params_of(benchmark)
    return path.is_file() and section in _entry(path, _content(path), benchmark)


def sections(root: Path, benchmark: str) -> Mapping[str, object]:
    """Read what a benchmark declares, or what all share, as written; raises the errors of ``read_settings``."""
    path = root / params_of(benchmark)
    return _entry(path, _content(path), benchmark)


def _entry(path: Path, content: bytes, benchmark: str) -> Mapping[str, object]:
    """Return what a file of parameters declares for a benchmark, or for all."""
    import yaml

    try:
        params = _parsed(content)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise _unreadable(path, error) from None
    if benchmark == SHARED:
        params = params.get(SHARED) if isinstance(params, dict) else None
    if not isinstance(params, dict):
        raise SeluError(f"{path} declares nothing: restore it from git.")
    return params


def _content(path: Path) -> bytes:
    """Return the bytes of a file, read again only if the file has changed."""
    try:
        about = path.stat()
        known = (about.st_mtime_ns, about.st_size, about.st_ino)
        if _contents.get(path, (None, b""))[0] != known:
            content = path.read_bytes()
            # A file just written may change again within one tick of its clock.
            if time.time_ns() - about.st_mtime_ns < _SETTLED:
                return content
            _contents[path] = known, content
    except OSError as error:
        raise _unreadable(path, error) from None
    return _contents[path][1]


def _unreadable(path: Path, error: Exception) -> SeluError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return SeluError(f"{path} can't be read ({reason}): restore it from git.")


@lru_cache(maxsize=8)
def _parsed(content: bytes) -> object:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's parser, ten times as quick
    return yaml.load(content.decode("utf-8"), loader)
