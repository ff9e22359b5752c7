"""Sealed records: JSON files that carry the hash of their own content, so that an edit is noticed.

A seal is not a signature: it guards against accidents.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selu.files import sha256_of
from selu.runs import atomic
from selu.runs.identity import identity as hash_of
from selu.vocabulary import SeluError


def seal(record: Mapping[str, object]) -> Mapping[str, object]:
    """Return the record as reading it back will give it, with its ``seal``.

    The seal is the sha256 of the record's canonical JSON (sorted keys, no spaces, UTF-8) without it.

    Raises:
        ValueError: a number is nan or infinite, or two keys are one in JSON.
        TypeError: a value has no JSON form.
    """
    text = json.dumps(dict(record), allow_nan=False)
    content = json.loads(text, object_pairs_hook=_unique)  # keys are texts now, before they are sorted
    content.pop("seal", None)
    return {**content, "seal": hash_of(content)}


def to_bytes(record: Mapping[str, object]) -> bytes:
    """Return the sealed record as a file's bytes: JSON in the record's own order, floats at full precision.

    Raises:
        ValueError, TypeError: as ``seal``; or a text has no UTF-8 form.
    """
    text = json.dumps(seal(record), ensure_ascii=False, indent=1, allow_nan=False)
    return (text + "\n").encode("utf-8")


def write_unit(path: Path, record: Mapping[str, object]) -> None:
    """Write one sealed record as a file, atomically.

    Raises:
        ValueError, TypeError: as ``seal``.
        OSError: the disk refuses; the old record is kept.
    """
    content = to_bytes(record)
    atomic.make_folder(path.parent)
    with atomic.locked(path, alone=True):
        atomic.replace_file(path, content)


def read_sealed(path: Path, what: str, remedy: str | None = None) -> dict[str, Any]:
    """Read a sealed record.

    Args:
        what: its name in refusals, like "the record of a run".
        remedy: what the reader is to do; by default make it again.

    Raises:
        SeluError: it is missing, torn, was edited, or has no seal; names the file, both hashes and the remedy.
    """
    remedy = remedy or (
        f"remove it and make it again, or bring a tracked one back with 'dvc checkout --force {path}'"
    )
    try:
        _refuse_device(path)
        record = json.loads(path.read_bytes().decode(), object_pairs_hook=_unique)
        stated = record.pop("seal", None)
        found = hash_of(record)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise SeluError(f"{path}, {what}, is missing: {remedy}.") from None
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise SeluError(
            f"{path}, {what}, is damaged or was edited, it is not a JSON record: {remedy}."
        ) from None
    if stated != found:
        raise SeluError(
            f"{path}, {what}, was edited or is damaged: its content has the sha256 {found}, its seal says "
            f"{stated or 'nothing'}: {remedy}."
        )
    return {**record, "seal": stated}


def hash_file(path: Path) -> str | None:
    """Return the sha256 of a file's bytes, or None where there is no such file."""
    try:
        _refuse_device(path)
        return sha256_of(path)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except ValueError:  # no file can have such a name
        return None


def _unique(pairs: list[tuple[str, object]]) -> Mapping[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _refuse_device(path: Path) -> None:
    """Raise FileNotFoundError for what would be read for ever, as a pipe in a folder copied from elsewhere."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise FileNotFoundError(path)
