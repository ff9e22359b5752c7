"""The folder of one task's fetched files: who may write, when a set is complete, how it is replaced.

    data/raw/<benchmark>/<task>/<origin>/<name>       a file, always whole and verified under this name
    data/raw/<benchmark>/<task>/<origin>/<name>.part  a file that grows
    data/raw/<benchmark>/<task>/origin.json           which origin's files are the set, with sizes and hashes
    data/raw/<benchmark>/<task>/origin.next.json      the same of a whole verified set that is being moved in
    data/raw/<benchmark>/.<task>.lock                 held by the one process that writes

A set is moved in by writing origin.next.json, renaming each part, and renaming origin.next.json; whoever finds
origin.next.json after a kill ends what it began, so that the old or the new set is kept, never a mixture.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from selu.files import flush_folder, write_atomic
from selu.sources.pins import Origin, Pin
from selu.sources.verify import Digest, RefusedError, UnavailableError, check
from selu.vocabulary import SeluError

RECORD, NEXT = "origin.json", "origin.next.json"
MARGIN = 64 << 20  # bytes that stay free on the disk
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Fetched:
    """A set on the disk, its size in bytes, and whether it was there ``already``.

    ``verified`` False: a file has no pinned hash, so the set is to be believed only once the canonical hash of
    its rows equals ``pin.origin(fetched.origin).table``.
    """

    origin: str
    files: Mapping[str, Path]
    verified: bool
    bytes: int
    already: bool


def on_disk(pin: Pin, folder: Path) -> Fetched:
    """Return the set that a task's folder (data/raw/<benchmark>/<task>) holds, every byte of it verified now.

    Raises:
        UnavailableError: nothing was fetched yet.
        RefusedError: a file is missing or differs; names it, both hashes, and the command that fixes it.
    """
    try:
        if not (folder / NEXT).exists():
            return read(pin, folder)
    except RefusedError:
        if not folder.is_dir() or not os.access(folder.parent, os.W_OK):
            raise
    with locked(folder, lambda _: None):  # another process may just have moved a set in, or was killed doing so
        settle(folder)
        return read(pin, folder)


def read(pin: Pin, folder: Path) -> Fetched:
    """Read and verify the set as ``on_disk`` does, for who holds the folder's lock already."""
    remedy = f"run 'selu fetch {pin.task}'"
    path = folder / RECORD
    try:
        record = json.loads(path.read_text("utf-8"))
        origin = pin.origin(record["origin"])
        known = {name: Digest(file["bytes"], file["sha256"]) for name, file in record["files"].items()}
    except (FileNotFoundError, NotADirectoryError):
        raise UnavailableError(f"{pin.task} was not fetched yet: {remedy}.") from None
    except (ValueError, KeyError, TypeError, AttributeError, SeluError):
        raise RefusedError(f"{path} is damaged, or of an origin that is no longer pinned: {remedy}.") from None
    found = {}
    for file in origin.files:
        place = folder / origin.name / file.name
        found[file.name] = check(place, file, remedy)
        if file.sha256 is None and found[file.name] != known.get(file.name):
            raise RefusedError(
                f"{place} is not the file that was fetched, {RECORD} has another hash: {remedy}."
            )
    return fetched(folder, origin, found, already=True)


def fetched(folder: Path, origin: Origin, found: Mapping[str, Digest], *, already: bool) -> Fetched:
    """Describe the set of an origin whose files have these digests."""
    paths = {name: folder / origin.name / name for name in found}
    verified = all(file.sha256 is not None for file in origin.files)
    return Fetched(origin.name, paths, verified, sum(digest.bytes for digest in found.values()), already)


@contextmanager
def locked(folder: Path, say: Say) -> Iterator[None]:
    """Lock a task's folder against all other processes; waits for the holder."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"{folder.name}: another process is fetching this task; waiting for it")
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield  # closing the file, or the end of the process, gives the lock back


def settle(folder: Path) -> None:
    """Finish what a killed process began: move its verified set in, remove partial files. Needs the lock."""
    for leftover in [*folder.glob(".*.tmp"), *folder.glob("*/.*.tmp")]:
        leftover.unlink()
    path = folder / NEXT
    try:
        record = json.loads(path.read_text("utf-8"))
        places = [folder / record["origin"] / name for name in record["files"]]
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError):  # damaged later: what it named is verified again anyway
        path.unlink()
        return
    for place in places:
        part = part_of(place)
        if part.exists():
            part.replace(place)
    flush_folder(folder / record["origin"])
    path.replace(folder / RECORD)
    flush_folder(folder)


def commit(folder: Path, origin: str, found: Mapping[str, Digest]) -> None:
    """Make an origin's files the task's set. Each is verified and on disk, as a part or under its name."""
    files = {name: {"sha256": digest.sha256, "bytes": digest.bytes} for name, digest in sorted(found.items())}
    content = json.dumps({"origin": origin, "files": files}, ensure_ascii=False, indent=1) + "\n"
    write_atomic(folder / NEXT, content)
    settle(folder)


def part_of(path: Path) -> Path:
    """Return where a file grows before it is whole."""
    return path.with_name(f"{path.name}.part")


def require_room(folder: Path, missing: int) -> None:
    """Require disk space for twice the missing bytes (the files, and what is made from them).

    Raises:
        SeluError: it has not; says how much is needed and free.
    """
    free = shutil.disk_usage(folder).free
    needed = 2 * missing + MARGIN
    if missing and free < needed:
        raise SeluError(
            f"{folder} lies on a disk with {free / 1e6:.0f} MB free where {needed / 1e6:.0f} MB are needed: "
            "free some, or move the clone to a larger disk."
        )
