"""Opens .gz, .zip and .tar files that come from elsewhere: no path leaves its folder, no size is unbounded."""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from selu.sources.verify import RefusedError

LIMIT = 4 << 30  # bytes, of all that one archive unpacks to
RATIO = 1_000  # times the packed size; text packs to a fiftieth, a bomb to a thousandth and less
_FREE = 1 << 20  # bytes that any archive may unpack to, whatever the ratio
_CHUNK = 1 << 20
ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_PACKED: dict[str, Callable[[Path], Any]] = {
    ".gz": gzip.open,
    ".tgz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".tar": lambda path: path.open("rb"),
}
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    RuntimeError,
    OSError,
)
_Archive = zipfile.ZipFile | tarfile.TarFile


@dataclass(frozen=True, slots=True)
class Member:
    """A plain file in an archive: its path there, and its size in bytes as the archive states it."""

    path: str
    bytes: int


def gunzip(path: Path, limit: int = 1 << 30) -> bytes:
    """Return the content of a .gz file.

    Raises:
        RefusedError: it is not gzip, cut short, damaged, has something but zeros behind its end, unpacks to
            more than ``limit`` bytes or to more than 1,000 times its size.
    """
    try:
        if not path.stat().st_size:
            raise EOFError("it is empty")
        with gzip.open(path) as stream:
            bounded = _Bounded(path, stream, limit)
            return b"".join(iter(lambda: bounded.read(_CHUNK), b""))
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise RefusedError(f"{path} is not whole gzip data ({error}): get the file anew.") from None


def members(path: Path, limit: int = LIMIT) -> tuple[Member, ...]:
    """List the plain files of a .zip or .tar(.gz, .bz2, .xz) archive, in its order.

    Raises:
        RefusedError: the archive is damaged or encrypted, or holds a path that leaves its folder, a link, a
            device, one path twice, or more than ``limit`` bytes or 1,000 times its size in all.
    """
    with _opened(path, limit) as archive:
        return tuple(_checked(path, archive, limit))


def extract(path: Path, member: Member, target: Path, limit: int = LIMIT) -> None:
    """Write one file of an archive to ``target``; reading ends where it is longer than the archive states.

    Raises:
        RefusedError: as ``members``, or the file is longer or shorter than stated.
    """
    written = 0
    with _opened(path, limit) as archive, target.open("wb") as out, _stream(archive, member) as source:
        while written <= member.bytes and (piece := source.read(_CHUNK)):
            written += out.write(piece)
    if written != member.bytes:
        raise RefusedError(f"{path}: {member.path} has another size than the archive states: get it anew.")


@contextmanager
def _opened(path: Path, limit: int) -> Iterator[_Archive]:
    try:
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as packed:
                yield packed
        else:
            with _PACKED[path.suffix.lower()](path) as stream:
                bounded: Any = _Bounded(path, stream, limit)
                with tarfile.open(fileobj=bounded, mode="r|") as tar:
                    yield tar
    except _BROKEN as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise RefusedError(f"{path} can't be opened as an archive ({reason}): get it anew.") from None


class _Bounded:
    """A stream that refuses to give more than it may; whatever the archive's headers say."""

    def __init__(self, path: Path, stream: IO[bytes] | gzip.GzipFile, limit: int) -> None:
        self.path, self.stream, self.limit, self.given = path, stream, limit, 0

    def read(self, size: int) -> bytes:
        """Read at most ``size`` bytes."""
        piece = self.stream.read(size)
        self.given += len(piece)
        _require_small(self.path, self.given, self.path.stat().st_size, self.limit)
        return piece


def _require_small(path: Path, size: int, packed: int, limit: int) -> None:
    """Refuse a size that is above the limit, or far above the packed one."""
    allowed = max(_FREE, RATIO * packed)
    if size > min(limit, allowed):
        why = f"{RATIO:,} times its size" if allowed < limit else f"the limit of {limit:,} bytes"
        raise RefusedError(f"{path} unpacks to more than {why}: it is not what it is said to be; remove it.")


def _checked(path: Path, archive: _Archive, limit: int) -> Iterator[Member]:
    total, seen = 0, set()
    for entry in archive.infolist() if isinstance(archive, zipfile.ZipFile) else archive:
        name, size, plain = _facts(path, entry, limit)
        key = "/".join(part for part in name.split("/") if part != ".").casefold()
        if key in seen:
            raise RefusedError(f"{path}: {name!r} is in it twice; the archive is not opened: remove it.")
        seen.add(key)
        total += size
        _require_small(path, total, path.stat().st_size, limit)
        if plain:
            yield Member(name, size)


def _facts(path: Path, entry: zipfile.ZipInfo | tarfile.TarInfo, limit: int) -> tuple[str, int, bool]:
    """Return path, size in bytes, and whether it is a file (else a folder); refuse everything else."""
    if isinstance(entry, zipfile.ZipInfo):
        name, size, folder = entry.orig_filename, entry.file_size, entry.is_dir()
        regular = stat.S_IFMT(entry.external_attr >> 16) in (0, stat.S_IFREG, stat.S_IFDIR)
        _require_small(path, size, entry.compress_size, limit)
        if entry.flag_bits & 1:
            raise RefusedError(f"{path}: {name!r} is encrypted; it is not opened: unpack it yourself.")
    else:
        name, size, folder = entry.name, entry.size, entry.isdir()
        regular = folder or entry.isreg()
    if not regular:
        raise RefusedError(f"{path}: {name!r} is a link or a device; the archive is not opened: remove it.")
    parts = name.rstrip("/").split("/")
    inside = all(parts) and ".." not in parts and "\\" not in name and ":" not in parts[0]
    if not inside or not name.isprintable():
        raise RefusedError(f"{path}: {name!r} is not a path inside it; the archive is not opened: remove it.")
    return name, size, not folder


def _stream(archive: _Archive, member: Member) -> IO[bytes]:
    if isinstance(archive, zipfile.ZipFile):
        return archive.open(member.path)
    found = next((archive.extractfile(entry) for entry in archive if entry.name == member.path), None)
    if found is None:
        raise EOFError(f"no {member.path}")
    return found
