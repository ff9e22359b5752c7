"""Reads one file from the network into ``<name>.part``, taking up where an earlier run stopped.

A part is only continued when the small record beside it says that it is of the same content: the same pinned
sha256, or (where none is pinned) the same address with the same strong ETag. The whole is verified anyway.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.files import write_atomic
from selu.sources.network import Link, Network, Patience, TransientError, judge, shown, trouble
from selu.sources.pins import PinnedFile
from selu.sources.raw_folder import record_of, remove, require_room
from selu.sources.verify import Digest, RefusedError, UnavailableError, differs, digest, is_pointer, refusal

if TYPE_CHECKING:
    from requests import Response

LARGEST = 1 << 30  # bytes, of a file whose size is not pinned
_CHUNK = 1 << 16
_TOLD_EVERY = 2.0  # s between two lines of progress
_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)")
_AGAIN = "try again later, or put the file there by hand"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to read: the pinned file, how its address is found out, the words that name it, where to tell."""

    file: PinnedFile
    locate: Callable[[], Link]
    label: str
    say: Callable[[str], None]

    @property
    def limit(self) -> int:
        """The most bytes that are read."""
        return LARGEST if self.file.bytes is None else self.file.bytes


def download(network: Network, wanted: Wanted, part: Path) -> Digest:
    """Read a file into ``part`` until it is whole and verified; a failure that may pass is tried again.

    Returns:
        Its size and sha256. The part is flushed to the disk; the caller renames it.

    Raises:
        RefusedError: the bytes that came are not the pinned ones; the part is removed.
        UnavailableError: they are not to be had; what has come stays for the next run.
        SeluError: the disk has no room.
    """
    found = _read(network, wanted, part)
    if found is None:  # what was continued is not the pinned file; once more, from its first byte
        wanted.say(f"{wanted.label}: what was continued is not the pinned file; reading it anew")
        found = _read(network, wanted, part, anew=True)
    if found is None:
        raise RefusedError(f"{wanted.label} came with other bytes each time it was read: {_AGAIN}.")
    return found


def _read(network: Network, wanted: Wanted, part: Path, *, anew: bool = False) -> Digest | None:
    """The verified digest, or None where parts of several goes don't make the pinned file."""
    continued = _complete(network, wanted, part)
    found, pointer = digest(part), is_pointer(part)
    if not pointer and not differs(found, wanted.file):
        return found
    remove(part)
    if pointer:
        raise RefusedError(
            f"{wanted.label}: a git-LFS pointer came instead of the file ({found.bytes} bytes): "
            "its pin must say 'lfs: true', or put the file there by hand."
        )
    if continued and not anew:
        return None
    raise refusal(wanted.label, wanted.file, found, _AGAIN)


def _complete(network: Network, wanted: Wanted, part: Path) -> bool:
    """Try until all bytes have come. Returns whether they may be of more than one answer."""
    patience = network.patience
    deadline = patience.clock() + patience.total
    failures, reached = 0, _size(part)
    while True:
        try:
            _attempt(network, wanted, part, deadline)
            return reached > 0
        except TransientError as trouble:
            size = _size(part)
            failures = 1 if size > reached else failures + 1
            reached = max(reached, size)
            wait = _pause(network, trouble, failures, deadline)
            wanted.say(f"{wanted.label}: {trouble.reason}; trying again in {wait:.1f} s")
            patience.sleep(wait)


def _pause(network: Network, trouble: TransientError, failures: int, deadline: float) -> float:
    """Seconds to wait before the next try.

    Raises:
        UnavailableError: there is to be no next try.
    """
    patience = network.patience
    if trouble.wait is not None and trouble.wait > patience.longest:
        raise UnavailableError(f"{trouble.reason} and asks to wait {trouble.wait:.0f} s") from None
    if failures >= (2 if trouble.unreachable else patience.attempts):
        if trouble.unreachable:
            network.unreachable.add(trouble.unreachable)
        tries = "1 try" if failures == 1 else f"{failures} tries"
        raise UnavailableError(f"{trouble.reason} ({tries})") from None
    wait = max(patience.pause(failures), trouble.wait or 0.0)
    if patience.clock() + wait > deadline:
        raise UnavailableError(f"{trouble.reason}, and {patience.total:.0f} s are over") from None
    return wait


def _attempt(network: Network, wanted: Wanted, part: Path, deadline: float) -> None:
    """One request for what is missing; ends with the file's last byte."""
    if wanted.file.sha256 is not None and _size(part) == wanted.file.bytes and _record(part, wanted.file):
        return
    link = wanted.locate()
    have, etag = _continuable(part, wanted.file, shown(link.url))
    headers = {"Range": f"bytes={have}-"} if have else {}
    if have and etag:
        headers["If-Range"] = etag
    with network.open(link, headers) as response:
        judge(response, link.url, renewable=link.renewable)
        if response.status_code == 416:
            _past_the_end(response, part, have)
            return
        have = _offset(response, wanted, part, have)
        if not have:
            _start(part, wanted.file, shown(link.url), response.headers.get("ETag"))
        _receive(network, response, wanted, part, have, deadline)


def _continuable(part: Path, file: PinnedFile, address: str) -> tuple[int, str | None]:
    """How many bytes of a part may be kept, and the ETag that the server must still have."""
    record = _record(part, file)
    etag = record.get("etag") if record and record.get("url") == address else None
    kept = record is not None and (file.sha256 is not None or etag is not None)
    size = _size(part)
    if not kept or size > (LARGEST if file.bytes is None else file.bytes):
        remove(part)
        return 0, None
    return size, etag


def _record(part: Path, file: PinnedFile) -> dict[str, Any] | None:
    """What a part is a part of, where that is of the same pinned content."""
    try:
        record = json.loads(record_of(part).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return record if isinstance(record, dict) and record.get("sha256") == file.sha256 else None


def _start(part: Path, file: PinnedFile, address: str, etag: str | None) -> None:
    strong = etag if etag and etag.startswith('"') else None
    part.unlink(missing_ok=True)
    write_atomic(record_of(part), json.dumps({"sha256": file.sha256, "url": address, "etag": strong}))


def _past_the_end(response: Response, part: Path, have: int) -> None:
    """The server has no byte after those we have: all have come, or the part is of something else."""
    total = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if have and total and total[2] == str(have):
        return
    remove(part)
    raise TransientError(f"{shown(response.url)} has no bytes from {have} on")


def _offset(response: Response, wanted: Wanted, part: Path, have: int) -> int:
    """Where the answer's first byte belongs: after what we have (206), or at the beginning (200)."""
    if response.status_code != 206:
        return 0
    found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
    totals = ("*", str(wanted.file.bytes)) if wanted.file.bytes is not None else ("*", found and found[2])
    if found and found[1] == str(have) and found[2] in totals:
        return have
    remove(part)
    raise TransientError(f"{shown(response.url)} answered with another range than was asked for")


def _receive(
    network: Network, response: Response, wanted: Wanted, part: Path, have: int, deadline: float
) -> None:
    """Write an answer's body behind the bytes we have.

    Raises:
        TransientError: it broke off or stalled; what came is kept.
        RefusedError: it is longer than the pinned file.
        UnavailableError: it is re-encoded, or time is up.
    """
    address = shown(response.url)
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise UnavailableError(f"{address} was re-encoded on its way ({response.headers['Content-Encoding']})")
    length = response.headers.get("Content-Length", "")
    announced = have + int(length) if length.isdecimal() else None
    if announced is not None and announced > wanted.limit:
        raise _too_long(wanted, f"{announced} bytes are announced")
    require_room(part.parent, (announced or wanted.file.bytes or have) - have)
    meter = Meter(wanted, announced or wanted.file.bytes, have, network.patience)
    with part.open("r+b" if have else "wb") as target:
        target.seek(have)
        while piece := _next(response, network.patience):
            have += len(piece)
            if have > wanted.limit:
                raise _too_long(wanted, "more came")
            target.write(piece)
            meter.add(len(piece), deadline)
        target.flush()
        os.fsync(target.fileno())
    whole = "chunked" in response.headers.get("Transfer-Encoding", "")
    expected = announced if announced is not None else (None if whole else wanted.file.bytes)
    if expected is not None and have < expected:
        raise TransientError(f"{address} broke off after {have} of {expected} bytes")


def _next(response: Response, patience: Patience) -> bytes:
    """The next bytes that are there, b"" at the end."""
    from http.client import HTTPException

    from urllib3.exceptions import HTTPError

    try:
        return bytes(response.raw.read1(_CHUNK, decode_content=False))
    except (HTTPError, HTTPException, OSError, ValueError) as error:
        raise trouble(error, response.url, patience) from None


def _too_long(wanted: Wanted, what: str) -> RefusedError:
    pinned = f"{wanted.limit} bytes with sha256 {wanted.file.sha256 or 'unknown'}"
    return RefusedError(
        f"{wanted.label} is not the pinned {wanted.file.name}: {pinned} expected, {what} "
        f"(not read to the end, so no hash found); {_AGAIN}."
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


class Meter:
    """Tells how far a file is, and notices when too little comes."""

    def __init__(self, wanted: Wanted, total: int | None, have: int, patience: Patience) -> None:
        self.wanted, self.total, self.have, self.patience = wanted, total, have, patience
        self.start = self.told = self.seen = patience.clock()
        self.first = self.at_seen = have

    def add(self, count: int, deadline: float) -> None:
        """Count bytes that came.

        Raises:
            TransientError: the rate over the last window is below the slowest that is borne.
            UnavailableError: the time for this file is over.
        """
        self.have += count
        now = self.patience.clock()
        if now > deadline:
            raise UnavailableError(
                f"{self.wanted.label}: {self.patience.total:.0f} s are over at {self.have} bytes (kept)"
            )
        if now - self.seen >= self.patience.window:
            if self.have - self.at_seen < self.patience.slowest * (now - self.seen):
                raise TransientError(f"less than {self.patience.slowest:g} bytes a second came")
            self.seen, self.at_seen = now, self.have
        if now - self.told >= _TOLD_EVERY:
            self.told = now
            self.wanted.say(self.line(now))

    def line(self, now: float) -> str:
        """Bytes, rate and the time that is left, if they are known."""
        rate = (self.have - self.first) / max(now - self.start, 1e-9)
        of = f" of {self.total / 1e6:.1f}" if self.total else ""
        left = f", {(self.total - self.have) / rate:.0f} s left" if self.total and rate else ""
        return f"{self.wanted.label}: {self.have / 1e6:.1f}{of} MB, {rate / 1e6:.2f} MB/s{left}"
