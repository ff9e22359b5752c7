"""A git clone as the archive reads it: the commit at HEAD and its bytes, whatever the work tree has.

Files are taken from git's objects, not from the folder, so that no setting of a user's git (line ends, filters)
alters them.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from selu.clones import run
from selu.vocabulary import SeluError

_FILES = {"100644": False, "100755": True}  # mode -> may be executed


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its id, and when it was made (UTC, the committer's date)."""

    id: str
    when: datetime

    @property
    def short(self) -> str:
        """The displayed id; of fixed length, since git's own depends on what else the clone holds."""
        return self.id[:12]


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of a commit: its path from the root, git's id of its bytes, whether it may be executed."""

    path: str
    id: str
    executable: bool


def read_head(root: Path) -> Commit:
    """Read the commit at HEAD.

    Raises:
        SeluError: git is missing, the folder is not the top of a clone, or it has no commit.
    """
    if shutil.which("git") is None:
        raise SeluError("git is not installed, and the archive is made of what git tracks: install it.")
    above = {"GIT_CEILING_DIRECTORIES": ""}  # a clone around the folder is looked for, to name it
    try:
        top = run(root, "rev-parse", "--show-toplevel", variables=above).decode().rstrip("\n")
    except SeluError as error:
        raise SeluError(f"{root} is not a git clone ({error}): run this in one.") from None
    if not os.path.samefile(top, root):  # noqa: PTH121  (an unpacked archive in the clone of something else)
        raise SeluError(
            f"{root} is not a git clone, but lies in that of {top}: run this in one of the project."
        )
    try:
        seconds, name = run(root, "rev-list", "--timestamp", "--max-count=1", "HEAD").decode().split()
    except SeluError as error:
        raise SeluError(f"{root} has no commit to archive ({error}): commit first, or clone again.") from None
    return Commit(name, datetime.fromtimestamp(int(seconds), UTC))


def check_clean(root: Path) -> None:
    """Check that the folder holds what HEAD holds, but for ignored files.

    Raises:
        SeluError: naming the first file that differs.
    """
    asked = [
        "status",
        "--porcelain=v1",
        "-z",
        "--untracked-files=all",
        "--ignore-submodules=none",
        "--no-renames",
    ]
    entries = sorted(entry for entry in _whole(root, *asked).decode(errors="replace").split("\0") if entry)
    if entries:
        what = "is not tracked" if entries[0].startswith("??") else "differs from the commit at HEAD"
        name, rest = entries[0][3:], f" ({len(entries)} such files in all)" if len(entries) > 1 else ""
        raise SeluError(f"{name} {what}{rest}: commit, stash or remove it; the archive is of a commit alone.")


def is_ignored(root: Path, path: Path) -> bool:
    """Return whether git ignores a path of the clone."""
    return bool(run(root, "check-ignore", "--", os.fspath(path), check=False))


def list_blobs(root: Path, commit: Commit) -> list[Blob]:
    """List the files of a commit, sorted by path.

    Raises:
        SeluError: one is not a plain file, or its name is not UTF-8.
    """
    found = []
    for entry in _whole(root, "ls-tree", "-r", "-z", "--full-tree", commit.id).split(b"\0")[:-1]:
        about, _, raw = entry.partition(b"\t")
        mode, _, name = about.decode().split()
        try:
            path = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise SeluError(f"{raw!r} is tracked under a name that is not UTF-8: rename it.") from None
        if mode not in _FILES:
            what = {"120000": "a symbolic link", "160000": "a submodule"}.get(mode, f"of mode {mode}")
            raise SeluError(f"{path} is {what}, whose bytes git does not hold: put the files in its place.")
        found.append(Blob(path, name, _FILES[mode]))
    return sorted(found, key=lambda blob: blob.path.encode())


def read_blobs(root: Path, wanted: Sequence[Blob]) -> Iterator[bytes]:
    """Read the bytes of files, in the given order, each checked against its id.

    Raises:
        SeluError: git does not hold them (a partial clone without its origin), or they are damaged.
    """
    names = "".join(f"{blob.id}\n" for blob in wanted)
    stream = io.BytesIO(run(root, "cat-file", "--batch", given=names.encode(), check=False))
    for blob in wanted:  # git ends on a damaged object: its answer, and those after it, are empty
        about = stream.readline().split()
        content = stream.read(int(about[2])) if len(about) == 3 else None
        kind = "sha1" if len(blob.id) == 40 else "sha256"
        whole = b"blob %d\0" % len(content or b"") + (content or b"")
        if content is None or hashlib.new(kind, whole, usedforsecurity=False).hexdigest() != blob.id:
            state = "is missing" if about[1:] == [b"missing"] else "is damaged"
            raise SeluError(
                f"git's object {blob.id}, which holds {blob.path}, {state}: make a fresh, whole clone."
            )
        stream.read(1)
        yield content


def _whole(root: Path, *arguments: str) -> bytes:
    """Return git's answer; raises if the objects of the clone can't be read."""
    try:
        return run(root, *arguments)
    except SeluError as error:
        raise SeluError(f"the clone {root} can't be read ({error}): make a fresh, whole one.") from None
