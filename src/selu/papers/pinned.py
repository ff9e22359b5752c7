"""Published files of results that a benchmark pins, with copies in a folder that the user names."""

from __future__ import annotations

import csv
import gzip
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar, overload

from selu.vocabulary import SeluError

P = TypeVar("P", bound=Any)


@dataclass(frozen=True, slots=True)
class Pinned:
    """A file that a repository publishes, by the sha256 and the size of its own bytes, not of a packed copy.

    ``task`` and ``system`` say what of a benchmark it is.
    """

    task: str
    system: str
    file: str
    sha256: str
    bytes: int
    repository: str
    commit: str
    path: str


@overload
def read_pins(path: Path) -> list[Pinned]: ...
@overload
def read_pins(path: Path, kind: type[P]) -> list[P]: ...
def read_pins(path: Path, kind: type[Any] = Pinned) -> list[Any]:
    """Read the pinned files, as records whose fields are the columns; ``bytes`` is a number.

    Raises:
        SeluError: the file is missing or damaged.
    """
    names = [field.name for field in fields(kind)]
    try:
        header, *lines = list(csv.reader(path.read_text("utf-8").splitlines(), strict=True))
        if header != names or not lines:
            raise ValueError
        return [
            kind(*(int(text) if name == "bytes" else text for name, text in zip(names, line, strict=True)))
            for line in lines
        ]
    except (OSError, ValueError, csv.Error):
        raise SeluError(f"{path} is damaged: restore it with 'git checkout -- {path}'.") from None


def is_here(pin: Pinned, folders: Iterable[Path]) -> bool:
    """Return whether one of the folders has the file, packed or not."""
    return any(path.is_file() for path in _places(pin, folders))


def _places(pin: Pinned, folders: Iterable[Path]) -> Iterator[Path]:
    return (folder / name for folder in folders for name in (pin.file, f"{pin.file}.gz"))


def obtain(
    pin: Pinned,
    folders: Sequence[Path],
    remedy: str = "give a folder with it in --predictions or SELU_PREDICTIONS",
) -> bytes:
    """Return the pinned bytes from the first folder that has the file, packed or not.

    Args:
        remedy: what to do where no folder has it.

    Raises:
        SeluError: no folder has it, or its bytes are other ones.
    """
    for path in _places(pin, folders):
        if not path.is_file():
            continue
        content = path.read_bytes()
        if path.suffix == ".gz":
            try:
                content = gzip.decompress(content)
            except (OSError, EOFError) as error:
                raise SeluError(f"{path} can't be unpacked ({error}): copy it again.") from None
        if (len(content), hashlib.sha256(content).hexdigest()) != (pin.bytes, pin.sha256):
            raise SeluError(
                f"{path} does not have the pinned bytes ({pin.bytes} with sha256 {pin.sha256}): copy it again, "
                "or leave that folder out."
            )
        return content
    raise SeluError(
        f"{pin.file} is not available here: {remedy}; it is {pin.path} of {pin.repository} at {pin.commit}."
    )
