"""Where the project's files lie, and its parameters."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

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


def find_root(start: Path | None = None) -> Path:
    """The project's root: the nearest folder, upwards, that holds params.yaml and data/paper.

    Raises:
        SeluError: none of them does.
    """
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / "params.yaml").is_file() and (folder / "data" / "paper").is_dir():
            return folder
    raise SeluError(f"{start} is not inside a clone of the project: change into it, or give --root FOLDER.")


def params_of(benchmark: str) -> Path:
    """The file, in a clone, of what a benchmark declares, or of what all share."""
    return Path("params.yaml") if benchmark == SHARED else PARAMS / f"{benchmark}.yaml"


def read_knobs(root: Path, benchmark: str, section: str, kind: type[T]) -> T:
    """One section of a benchmark's parameters, or of the shared ones, as the record that declares its knobs.

    Raises:
        SeluError: the file is not YAML, the section is missing, or a knob is unknown, missing or out of range.
    """
    from pydantic import TypeAdapter, ValidationError

    file = params_of(benchmark)
    entry = sections(root, benchmark)
    if section not in entry:
        raise SeluError(f"{root / file} has no section {section}: restore it from git.")
    try:
        text = json.dumps(entry[section], default=str)
    except (TypeError, ValueError, RecursionError) as error:  # a date as a key, a section that holds itself
        raise SeluError(
            f"{root / file} is damaged: {section} is no record ({error}); restore it from git."
        ) from None
    try:
        return TypeAdapter(kind).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join([*([SHARED] if benchmark == SHARED else []), section, *map(str, first["loc"])])
        raise SeluError(f"{file.as_posix()}: {name}: {first['msg']}; restore it from git.") from None


def has_section(root: Path, benchmark: str, section: str) -> bool:
    """Say whether a benchmark declares this section; errors as of ``read_knobs``."""
    return (root / params_of(benchmark)).is_file() and section in sections(root, benchmark)


def sections(root: Path, benchmark: str) -> dict[str, Any]:
    """What a benchmark declares, or what all share, as it is written; errors as of ``read_knobs``."""
    path = root / params_of(benchmark)
    entry = _params(path)
    if benchmark == SHARED:
        entry = entry.get(SHARED) if isinstance(entry, dict) else None
    if not isinstance(entry, dict):
        raise SeluError(f"{path} declares nothing: restore it from git.")
    return entry


def _params(path: Path) -> Any:
    import yaml

    try:
        return _parsed(path.read_bytes())
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise SeluError(f"{path} can't be read ({reason}): restore it from git.") from None


@lru_cache(maxsize=8)  # every planned run reads its knobs
def _parsed(content: bytes) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's parser, ten times as quick
    return yaml.load(content.decode("utf-8"), loader)
