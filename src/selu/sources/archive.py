"""Opens .gz, .zip and .tar files that come from elsewhere: no path leaves its folder, no size is unbounded."""

from __future__ import annotations

import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from selu.sources.verify import RefusedError

LIMIT = 4 << 30  # bytes, of all that one archive unpacks to
RATIO = 1_000  # times the packed size; text packs to a fiftieth, a bomb to a thousandth and less
_FREE = 1 << 20  # bytes that any archive may unpack to, whatever the ratio
_CHUNK = 1 << 20
ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    RuntimeError,
    OSError,
)


@dataclass(frozen=True, slots=True)
class Member:
    """A plain file in an archive: its path there, and its size in bytes as the archive states it."""

    path: str
    bytes: int


def gunzip(path: Path, limit: int = 1 << 30) -> bytes:
    """The content of a .gz file.

    Raises:
        RefusedError: it is not gzip, cut short, damaged, has something but zeros behind its end, unpacks to
            more than ``limit`` bytes or to more than 1,000 times its size.
    """
    import gzip

    allowed = min(limit, max(_FREE, RATIO * path.stat().st_size))
    pieces, total = [], 0
    try:
        with path.open("rb") as packed, gzip.GzipFile(fileobj=packed) as stream:
            while piece := stream.read(_CHUNK):
                total += len(piece)
                if total > allowed:
                    raise _too_large(path, allowed, limit)
                pieces.append(piece)
            if not packed.tell():
                raise EOFError
    except EOFError:
        raise RefusedError(f"{path} is cut short: the gzip data has no end; get the file anew.") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise RefusedError(f"{path} is not whole gzip data ({error}): get the file anew.") from None
    return b"".join(pieces)


def _too_large(path: Path, allowed: int, limit: int) -> RefusedError:
    why = f"{RATIO:,} times its size" if allowed < limit else f"the limit of {limit:,} bytes"
    return RefusedError(f"{path} unpacks to more than {why}: it is not what it is said to be; remove it.")


def members(path: Path, limit: int = LIMIT) -> tuple[Member, ...]:
    """The plain files of a .zip or .tar(.gz, .bz2, .xz) archive, in its order.

    Raises:
        RefusedError: the archive is damaged or encrypted, or holds a path that leaves its folder, a link, a
            device, one path twice, or more than ``limit`` bytes or 1,000 times its size in all.
    """
    with _opened(path, limit) as archive:
        return tuple(_checked(path, archive, limit))


def extract(path: Path, member: Member, target: Path, limit: int = LIMIT) -> None:
    """Write one file of an archive to ``target``, never more bytes than the archive states it has.

    Raises:
        RefusedError: as ``members``, or the file is longer or shorter than stated.
    """
    with _opened(path, limit) as archive, target.open("wb") as out:
        written = 0
        with _stream(archive, member) as source:
            while piece := source.read(_CHUNK):
                written += len(piece)
                if written > member.bytes:
                    break
                out.write(piece)
    if written != member.bytes:
        raise RefusedError(f"{path}: {member.path} has another size than the archive states: get it anew.")


@contextmanager
def _opened(path: Path, limit: int) -> Iterator[zipfile.ZipFile | tarfile.TarFile]:
    allowed = min(limit, max(_FREE, RATIO * path.stat().st_size))
    try:
        if path.name.lower().endswith(".zip"):
            with zipfile.ZipFile(path) as packed:
                yield packed
        else:
            with path.open("rb") as raw, _plain(path, raw) as stream:
                bounded = _Bounded(path, stream, allowed, limit)
                with tarfile.open(fileobj=bounded, mode="r|") as tar:  # type: ignore[call-overload]
                    yield tar
    except _BROKEN as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise RefusedError(f"{path} can't be opened as an archive ({reason}): get it anew.") from None


@contextmanager
def _plain(path: Path, raw: IO[bytes]) -> Iterator[IO[bytes]]:
    import bz2
    import gzip

    name = path.name.lower()
    if name.endswith((".gz", ".tgz")):
        with gzip.open(raw) as stream:
            yield stream  # type: ignore[misc]
    elif name.endswith(".bz2"):
        with bz2.open(raw) as stream:
            yield stream
    elif name.endswith(".xz"):
        with lzma.open(raw) as stream:
            yield stream
    else:
        yield raw


class _Bounded:
    """A stream that refuses to give more than it may; whatever the archive's headers say."""

    def __init__(self, path: Path, stream: IO[bytes], allowed: int, limit: int) -> None:
        self.path, self.stream, self.allowed, self.limit, self.given = path, stream, allowed, limit, 0

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes."""
        piece = self.stream.read(size)
        self.given += len(piece)
        if self.given > self.allowed:
            raise _too_large(self.path, self.allowed, self.limit)
        return piece


def _checked(path: Path, archive: zipfile.ZipFile | tarfile.TarFile, limit: int) -> Iterator[Member]:
    allowed, total, seen = min(limit, max(_FREE, RATIO * path.stat().st_size)), 0, set()
    entries = archive.infolist() if isinstance(archive, zipfile.ZipFile) else archive
    for entry in entries:
        name, size, plain = _facts(path, entry)
        key = "/".join(part for part in name.split("/") if part != ".").casefold()
        if key in seen:
            raise RefusedError(f"{path}: {name!r} is in it twice; the archive is not opened: remove it.")
        seen.add(key)
        total += size
        if total > allowed:
            raise _too_large(path, allowed, limit)
        if plain:
            yield Member(name, size)


def _facts(path: Path, entry: zipfile.ZipInfo | tarfile.TarInfo) -> tuple[str, int, bool]:
    """Path, size in bytes, and whether it is a file (else a folder); refuses everything else."""
    if isinstance(entry, zipfile.ZipInfo):
        name, size, folder = entry.orig_filename, entry.file_size, entry.is_dir()
        kind = stat.S_IFMT(entry.external_attr >> 16)
        regular = kind in (0, stat.S_IFREG, stat.S_IFDIR)
        if size > max(_FREE, RATIO * entry.compress_size):
            raise _too_large(path, RATIO * entry.compress_size, size)
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


@contextmanager
def _stream(archive: zipfile.ZipFile | tarfile.TarFile, member: Member) -> Iterator[IO[bytes]]:
    if isinstance(archive, zipfile.ZipFile):
        with archive.open(member.path) as source:
            yield source
        return
    for entry in archive:
        if entry.name == member.path and (found := archive.extractfile(entry)) is not None:
            with found:
                yield found
            return
    raise EOFError(f"no {member.path}")
