"""Files and folders replaced atomically: after a kill at any moment the old or the new content is there.

A folder ``name`` is replaced in these steps; whoever comes next finds one of these pictures.

    step                                       there afterwards        what stands
    write all to .name.new.tmp-<pid>, flush    name, .new.tmp-<pid>    the old
    rename it to .name.new (the commit)        name, .new              the new
    rename name to .name.old                   .old, .new              the new
    rename .name.new to name                   .old, name              the new
    remove .name.old                           name                    the new

Readers take ``find_whole``; each writer first ends what a killed one began (``settle``). Both hold a lock on
the parent folder itself, which leaves no file behind. Linux keeps a lock on a folder in memory, whatever the
file system: it holds among the processes of one machine.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

_MARK = ".tmp-"  # in the names of what is being written
Whole = Callable[[Path], bool]


@contextmanager
def locked(path: Path, *, alone: bool) -> Iterator[None]:
    """Lock the folder of ``path`` for one writer (``alone``) or any number of readers; waits for its turn.

    Raises:
        OSError: that folder is missing or can't be opened.
    """
    number = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        try:
            yield
        finally:
            fcntl.flock(number, fcntl.LOCK_UN)  # closing is not enough where a fork has the folder open as well
    finally:
        os.close(number)


def find_whole(folder: Path, whole: Whole) -> Path | None:
    """Find the current content of ``folder``, or None. ``whole`` says whether a new one is complete.

    Changes nothing. Needs the lock.
    """
    new, old = _beside(folder, "new"), _beside(folder, "old")
    if new.is_dir() and whole(new):
        return new
    return next((place for place in (folder, old, new) if os.path.lexists(place)), None)


def settle(folder: Path, whole: Whole) -> None:
    """Finish what a killed writer of ``folder`` began, and remove its leftovers. Needs the lock.

    Raises:
        OSError: the disk refuses; the old content is kept.
    """
    _remove_marked(folder.parent, f".{folder.name}.new{_MARK}")
    place = find_whole(folder, whole)
    if place == _beside(folder, "new"):
        _move_in(folder)
    elif place == _beside(folder, "old"):
        os.rename(place, folder)  # noqa: PTH104  (the functions of os, so that tests can fail each of them)
        _flush(folder.parent)
    _remove(_beside(folder, "old"))
    _remove(_beside(folder, "new"))
    if folder.is_dir():
        _remove_marked(folder, ".")


def replace_folder(folder: Path, files: Mapping[str, bytes], whole: Whole) -> None:
    """Replace a folder by one with these files alone, by their relative paths. Needs the lock.

    Raises:
        OSError: the disk refuses (full, read-only, ...); the old or the new content is kept.
    """
    settle(folder, whole)
    temporary = _beside(folder, f"new{_MARK}{os.getpid()}")
    try:
        os.mkdir(temporary)  # noqa: PTH102
        for name, content in files.items():
            make_folder((temporary / name).parent)
            _write(temporary / name, content)
        for place in {temporary, *((temporary / name).parent for name in files)}:
            _flush(place)
        os.rename(temporary, _beside(folder, "new"))  # noqa: PTH104
    except BaseException:
        with suppress(OSError):
            _remove(temporary)
        raise
    _flush(folder.parent)
    _move_in(folder)
    _remove(_beside(folder, "old"))


def replace_file(path: Path, content: bytes) -> None:
    """Write one file atomically: it has the old or the new content. Needs the lock.

    Raises:
        OSError: the disk refuses; the old or the new content is kept.
    """
    _remove_marked(path.parent, f".{path.name}{_MARK}")
    temporary = path.with_name(f".{path.name}{_MARK}{os.getpid()}")
    try:
        _write(temporary, content)
        os.rename(temporary, path)  # noqa: PTH104
    except BaseException:
        with suppress(OSError):
            _remove(temporary)
        raise
    _flush(path.parent)


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, and flush their names to disk.

    Raises:
        OSError: the disk refuses, or a file is in the way.
    """
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        os.mkdir(folder)  # noqa: PTH102
    except FileExistsError:
        if not folder.is_dir():
            raise
    _flush(folder.parent)


def _beside(folder: Path, what: str) -> Path:
    return folder.with_name(f".{folder.name}.{what}")


def _move_in(folder: Path) -> None:
    """Move the committed new folder to the place of the old one, which is kept as .name.old."""
    new, old = _beside(folder, "new"), _beside(folder, "old")
    if os.path.lexists(folder):
        _remove(old)
        os.rename(folder, old)  # noqa: PTH104
    os.rename(new, folder)  # noqa: PTH104
    _flush(folder.parent)


def _write(path: Path, content: bytes) -> None:
    """Write a file that isn't there yet, down to the disk."""
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(number, left) :]
        os.fsync(number)
    except OSError as error:  # these two don't say which file it was
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        os.close(number)


def _flush(folder: Path) -> None:
    """Flush the names in a folder to disk."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None
    finally:
        os.close(number)


def _remove(path: Path) -> None:
    """Remove a folder, file or link, where it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)  # noqa: PTH108


def _remove_marked(folder: Path, start: str) -> None:
    """Remove what killed writers left half-written in a folder."""
    for name in os.listdir(folder):  # noqa: PTH208
        if name.startswith(start) and _MARK in name:
            _remove(folder / name)
