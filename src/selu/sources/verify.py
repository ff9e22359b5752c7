"""Whether bytes are the pinned ones. Everything that takes a file, wherever from, asks here first."""

from __future__ import annotations

import hashlib
import os
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from selu.vocabulary import SeluError

_CHUNK = 1 << 20
POINTER = b"version https://git-lfs.github.com/spec/"  # how a git-LFS pointer begins
_POINTER_LIMIT = 1024  # bytes; a pointer is shorter (git-lfs specification)


class Pinned(Protocol):
    """A file whose bytes are pinned; unknown facts are None."""

    @property
    def name(self) -> str:
        """The name in errors."""
        ...

    @property
    def sha256(self) -> str | None:
        """64 hexadecimal digits."""
        ...

    @property
    def bytes(self) -> int | None:
        """The size in bytes."""
        ...


class RefusedError(SeluError):
    """Bytes are there, but they are not the pinned ones."""


class UnavailableError(SeluError):
    """This source does not have the bytes."""


@dataclass(frozen=True, slots=True)
class Digest:
    """Size in bytes and sha256 (64 hex digits) of a file's content."""

    bytes: int
    sha256: str


def digest(path: Path, copy: Path | None = None) -> Digest:
    """Hash a file in one pass, in pieces; with ``copy``, also write it there and flush it to disk.

    Raises:
        OSError: the file can't be read, or the copy can't be written.
    """
    size, sha256 = 0, hashlib.sha256()
    with path.open("rb") as source, copy.open("wb") if copy else nullcontext() as target:
        while piece := source.read(_CHUNK):
            size += len(piece)
            sha256.update(piece)
            if target:
                target.write(piece)
        if target:
            target.flush()
            os.fsync(target.fileno())
    return Digest(size, sha256.hexdigest())


def differs(found: Digest, file: Pinned) -> bool:
    """Return whether a digest differs from the pinned one; what a pin leaves open (None) is not compared."""
    return file.bytes not in (None, found.bytes) or file.sha256 not in (None, found.sha256)


def check(path: Path, file: Pinned, remedy: str) -> Digest:
    """Read a file from the disk now, and return its digest if it is the pinned file.

    Raises:
        RefusedError: it is missing or differs; names the file, both sizes and hashes, and the remedy.
    """
    if not path.is_file():  # a pipe or device would be read for ever
        raise RefusedError(f"{path} is missing: {remedy}.")
    found = digest(path)
    if differs(found, file):
        raise refusal(str(path), file, found, remedy)
    return found


def refusal(place: str, file: Pinned, found: Digest, remedy: str) -> RefusedError:
    """Return the error for bytes that are not the pinned ones."""
    pinned = f"{file.bytes} bytes with sha256 {file.sha256 or 'unknown'}"
    return RefusedError(
        f"{place} is not the pinned {file.name}: {pinned} expected, "
        f"{found.bytes} bytes with sha256 {found.sha256} found; {remedy}."
    )


def is_pointer(path: Path) -> bool:
    """Return whether a file is a git-LFS pointer, a few lines in place of a file kept elsewhere."""
    return path.stat().st_size <= _POINTER_LIMIT and path.read_bytes().startswith(POINTER)
