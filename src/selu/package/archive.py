"""``selu archive``: the clone at HEAD as one file for a repository of research data, the same bytes each time.

The file is a zip whose entries are stored, not compressed. Compressed bytes depend on the library (zlib,
zlib-ng) and its version, which no lock of ours fixes; a stored entry is a header of fixed form and the bytes
themselves. The price is size, some three times what compression would leave. Of the plain formats zip is the
one whose content Zenodo shows, from which an RO-Crate is read as it is, and which has a checksum of each
entry. Names are sorted, modes are git's, there is no owner; times are the commit's, as zip has them (without
a zone, in steps of two seconds) and in UTC, which unzip goes by.

The archive holds every file of the commit, the embedded store among them, and two more:
``ro-crate-metadata.json``, which says what each stage read and wrote, and ``.dvc/config.local``, without which
DVC works in a git clone alone.
"""

from __future__ import annotations

import os
import shutil
import struct
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from selu.files import sha256_of
from selu.package import clone, crate
from selu.runs import locks
from selu.runs.store import check_store
from selu.vocabulary import SeluError

WITHOUT_GIT = ".dvc/config.local"
_NO_SCM = b"[core]\n    no_scm = true\n"
_FIRST, _LAST = (
    315532800,
    2**31 - 1,
)  # seconds since 1970: 1980 is zip's first year, 2038 the last of its UTC field
_UTC = 0x5455  # zip's extra field "extended timestamp"
_SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")  # ends of the names of environment variables that hold one
_LEAST = 16  # characters of a secret
Progress = Callable[[str], None]


def archive(root: Path, out: Path | None, progress: Progress) -> tuple[Path, str]:
    """Pack the commit at HEAD with its record of provenance.

    Args:
        out: the file to write; by default ``build/selu-COMMIT.zip``, which git ignores.

    Returns:
        the file, and its sha256 in hexadecimal.

    Raises:
        SeluError: no clone, or one with changes or without its objects; a tracked result that the commit lacks
            or has damaged; a secret of the environment in a file; a file in the way.
        OSError: the disk is full or refuses; nothing is left half-written.
    """
    commit = clone.read_head(root)
    clone.check_clean(root)
    path = _place(root, out or root / "build" / f"selu-{commit.short}.zip")
    files = clone.list_blobs(root, commit)
    for blob in files:
        if blob.path in (crate.RECORD, WITHOUT_GIT):
            raise SeluError(f"{blob.path} is tracked, but the archive has its own: 'git rm {blob.path}'.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with _scratch(path) as made:
        folder, packed = made / "commit", made / "archive.zip"
        size = _export(root, files, folder)
        progress(f"commit {commit.short} of {commit.when:%Y-%m-%d}: {len(files)} files, {size / 1e6:.1f} MB")
        progress(f"store: {_check_store(folder, commit)} tracked files, all undamaged")
        crate.describe(folder, commit.id, commit.when, progress)
        (folder / WITHOUT_GIT).parent.mkdir(exist_ok=True)
        (folder / WITHOUT_GIT).write_bytes(_NO_SCM)
        executable = {blob.path: blob.executable for blob in files} | {crate.RECORD: False, WITHOUT_GIT: False}
        digest = _write(folder, packed, executable, commit.when.timestamp())
        if os.path.lexists(path):
            raise SeluError(f"{path} was created meanwhile: remove it, or give --out FILE.")
        packed.replace(path)
    progress(f"wrote {path}, {path.stat().st_size / 1e6:.1f} MB")
    return path, digest


def _place(root: Path, out: Path) -> Path:
    """Return the absolute path to write to; raises if it exists or would become part of the clone."""
    path = out.parent.resolve() / out.name
    if os.path.lexists(path):
        raise SeluError(f"{path} exists already: remove it, or give --out FILE.")
    if path.is_relative_to(root) and not clone.is_ignored(root, path):
        raise SeluError(f"{path} lies in the clone, where git would take it in: give --out FILE elsewhere.")
    return path


@contextmanager
def _scratch(path: Path) -> Iterator[Path]:
    """Yield a folder beside the file to be made, removed at the end; one of a killed process goes first."""
    made, lock = (path.with_name(f".{path.name}.{end}") for end in ("tmp", "lock"))
    held = locks.take(lock)
    if held is None:
        raise SeluError(f"another 'selu archive' writes {path}: wait until it ends.")
    with held:
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        try:
            yield made
        finally:
            shutil.rmtree(made)


def _export(root: Path, files: Sequence[clone.Blob], folder: Path) -> int:
    """Write the files of the commit below a folder; returns their size in bytes."""
    total, secrets = 0, _secrets()
    for blob, content in zip(files, clone.read_blobs(root, files), strict=True):
        for name, value in secrets.items():
            if value in content:
                raise SeluError(
                    f"{blob.path} holds the value of ${name}: take it out of the commit, and change it."
                )
        path = folder / blob.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        total += len(content)
    return total


def _secrets() -> Mapping[str, bytes]:
    return {
        name: os.fsencode(value)
        for name, value in sorted(os.environ.items())
        if len(value) >= _LEAST and name.upper().endswith(_SECRET)
    }


def _check_store(folder: Path, commit: clone.Commit) -> int:
    """Check that the commit itself holds every tracked result; the clone's folder may hold more than it."""
    try:
        return check_store(folder)
    except SeluError as error:
        what = str(error).replace(f"{folder}/", "").partition(": '")[0]
        raise SeluError(f"commit {commit.short}: {what}: fix that, 'dvc push', and commit store.") from None


def _write(folder: Path, packed: Path, executable: Mapping[str, bool], seconds: float) -> str:
    """Write the zip down to the disk; returns its sha256."""
    at = min(max(int(seconds), _FIRST), _LAST)
    with packed.open("xb") as stream:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as pack:
            for name in sorted(executable, key=str.encode):
                entry = zipfile.ZipInfo(name, time.gmtime(at - at % 2)[:6])
                entry.create_system = 3  # Unix, whose modes follow
                entry.external_attr = (0o100755 if executable[name] else 0o100644) << 16
                entry.extra = struct.pack("<HHBl", _UTC, 5, 1, at)
                pack.writestr(entry, (folder / name).read_bytes())
        stream.flush()
        os.fsync(stream.fileno())
    return sha256_of(packed)
