"""Reads one file from the network into ``<name>.part``, taking up where an earlier run stopped.

Only a file with a pinned sha256 is continued, because nothing else tells whether two pieces are of one content.
The whole is verified; what was continued and is not the pinned file is read once more, from its first byte.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from selu.sources.network import Link, Network, Patience, TransientError, shown, trouble
from selu.sources.pins import PinnedFile
from selu.sources.raw_folder import require_room
from selu.sources.verify import Digest, RefusedError, UnavailableError, differs, digest, is_pointer, refusal

if TYPE_CHECKING:
    from requests import Response

LARGEST = 1 << 30  # bytes, of a file whose size is not pinned
_CHUNK = 1 << 16
_TOLD_EVERY = 2.0  # s between two lines of progress
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


def download(network: Network, wanted: Wanted, part: Path, *, anew: bool = False) -> Digest:
    """Read a file into ``part`` until it is whole and verified; a failure that may pass is tried again.

    Returns:
        Its size and sha256. The part is flushed to the disk; the caller renames it.

    Raises:
        RefusedError: the bytes that came are not the pinned ones; the part is removed.
        UnavailableError: they are not to be had; what has come stays for the next run.
        SeluError: the disk has no room.
    """
    continued = _complete(network, wanted, part)
    found, pointer = digest(part), is_pointer(part)
    if not pointer and not differs(found, wanted.file):
        return found
    part.unlink()
    if pointer:
        raise RefusedError(
            f"{wanted.label}: a git-LFS pointer came instead of the file ({found.bytes} bytes): "
            "its pin must say 'lfs: true', or put the file there by hand."
        )
    if continued and not anew:
        wanted.say(f"{wanted.label}: what was continued is not the pinned file; reading it anew")
        return download(network, wanted, part, anew=True)
    raise refusal(wanted.label, wanted.file, found, _AGAIN)


def _complete(network: Network, wanted: Wanted, part: Path) -> bool:
    """Try until all bytes have come. Return whether they may be of more than one answer."""
    patience = network.patience
    deadline = patience.clock() + patience.total
    failures, reached = 0, _size(part)
    while True:
        try:
            _attempt(network, wanted, part, deadline)
            return reached > 0
        except TransientError as failure:
            size = _size(part)
            failures = 1 if size > reached else failures + 1
            reached = max(reached, size)
            wait = _pause(network, failure, failures, deadline)
            wanted.say(f"{wanted.label}: {failure}; trying again in {wait:.1f} s")
            patience.sleep(wait)


def _pause(network: Network, failure: TransientError, failures: int, deadline: float) -> float:
    """Return the seconds to wait before the next try.

    Raises:
        UnavailableError: there is to be no next try.
    """
    patience, asked = network.patience, failure.wait or 0.0
    if asked > patience.longest:
        raise UnavailableError(f"{failure} and asks to wait {asked:.0f} s") from None
    if failures >= (2 if failure.unreachable else patience.attempts):
        if failure.unreachable:
            network.unreachable.add(failure.unreachable)
        tries = "1 try" if failures == 1 else f"{failures} tries"
        raise UnavailableError(f"{failure} ({tries})") from None
    wait = max(patience.pause(failures), asked)
    if patience.clock() + wait > deadline:
        raise UnavailableError(f"{failure}, and {patience.total:.0f} s are over") from None
    return wait


def _attempt(network: Network, wanted: Wanted, part: Path, deadline: float) -> None:
    """Make one request for what is missing; ends with the file's last byte."""
    have = _size(part)
    if wanted.file.sha256 is None or have > wanted.limit:
        have = 0
    if have == wanted.limit:
        return
    link = wanted.locate()
    with network.open(link, {"Range": f"bytes={have}-"} if have else {}) as response:
        if response.status_code < 206:
            have = 0  # the server sends all of it, whatever was asked for
        elif not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            part.unlink(missing_ok=True)
            raise TransientError(f"{shown(response.url)} answered with another range than was asked for")
        _receive(response, wanted, part, have, Meter(wanted, have, network.patience, deadline))


def _receive(response: Response, wanted: Wanted, part: Path, have: int, meter: Meter) -> None:
    """Write an answer's body behind the bytes we have.

    Raises:
        TransientError: it broke off or stalled; what came is kept.
        RefusedError: it is longer than the pinned file.
        UnavailableError: it is re-encoded, or time is up.
    """
    address = shown(response.url)
    if (encoding := response.headers.get("Content-Encoding", "identity")) != "identity":
        raise UnavailableError(f"{address} was re-encoded on its way ({encoding})")
    length = response.headers.get("Content-Length", "")
    expected = have + int(length) if length.isdecimal() else wanted.file.bytes
    if expected is not None and expected > wanted.limit:
        raise _too_long(wanted, f"{expected} bytes are announced")
    require_room(part.parent, (expected or have) - have)
    meter.total = expected
    with part.open("r+b" if have else "wb") as target:
        target.seek(have)
        while piece := _next(response, meter.patience):
            have += len(piece)
            if have > wanted.limit:
                raise _too_long(wanted, "more came")
            target.write(piece)
            meter.add(len(piece))
        target.flush()
        os.fsync(target.fileno())
    if expected is not None and have < expected:
        raise TransientError(f"{address} broke off after {have} of {expected} bytes")


def _next(response: Response, patience: Patience) -> bytes:
    """Return the next bytes that are there, b"" at the end."""
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
    return path.stat().st_size if path.exists() else 0


class Meter:
    """Tells how far a file is, and notices when too little comes."""

    def __init__(self, wanted: Wanted, have: int, patience: Patience, deadline: float) -> None:
        self.wanted, self.have, self.patience, self.deadline = wanted, have, patience, deadline
        self.total: int | None = None
        self.start = self.told = self.seen = patience.clock()
        self.first = self.at_seen = have

    def add(self, count: int) -> None:
        """Count bytes that came.

        Raises:
            TransientError: the rate over the last window is below the slowest that is borne.
            UnavailableError: the time for this file is over.
        """
        self.have += count
        now, patience = self.patience.clock(), self.patience
        if now > self.deadline:
            raise UnavailableError(
                f"{self.wanted.label}: {patience.total:.0f} s are over at {self.have} bytes (kept)"
            )
        if now - self.seen >= patience.window:
            if self.have - self.at_seen < patience.slowest * (now - self.seen):
                raise TransientError(f"less than {patience.slowest:g} bytes a second came")
            self.seen, self.at_seen = now, self.have
        if now - self.told >= _TOLD_EVERY:
            self.told = now
            self.wanted.say(self._line(now))

    def _line(self, now: float) -> str:
        """Say bytes, rate and the time that is left, if they are known."""
        rate = (self.have - self.first) / max(now - self.start, 1e-9)
        of = f" of {self.total / 1e6:.1f}" if self.total else ""
        left = f", {(self.total - self.have) / rate:.0f} s left" if self.total and rate else ""
        return f"{self.wanted.label}: {self.have / 1e6:.1f}{of} MB, {rate / 1e6:.2f} MB/s{left}"
