"""Reads one file from the network into ``<name>.part``, taking up where an earlier run stopped.

Only a file with a pinned sha256 is continued, because nothing else tells whether two pieces are of one content.
The whole is verified; what was continued and is not the pinned file is read once more, from its first byte.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from selu.sources.network import Answer, Link, Network, Patience, TransientError, shown
from selu.sources.raw_folder import require_room
from selu.sources.verify import (
    Digest,
    Pinned,
    RefusedError,
    UnavailableError,
    differs,
    digest,
    is_pointer,
    refusal,
)

LARGEST = 1 << 30  # bytes, of a file whose size is not pinned
_CHUNK = 1 << 16
_REPORT_EVERY = 2.0  # s between two lines of progress
_AGAIN = "try again later, or put the file there by hand"


class Download:
    """One file on its way from the network into its part.

    Args:
        locate: finds the file's address, asked before every try because addresses may expire.
        label: names the file in lines and errors.
        say: is told one line at a time.
    """

    def __init__(
        self,
        network: Network,
        file: Pinned,
        locate: Callable[[], Link],
        part: Path,
        label: str,
        say: Callable[[str], None],
    ) -> None:
        self.network, self.patience, self.file, self.locate = network, network.patience, file, locate
        self.part, self.label, self.say = part, label, say
        self.limit = LARGEST if file.bytes is None else file.bytes
        self.until = self.patience.clock() + self.patience.whole + self.limit / self.patience.least

    def run(self, *, anew: bool = False) -> Digest:
        """Read the file until it is whole and verified; a failure that may pass is tried again.

        Returns:
            Its size and sha256. The part is flushed to the disk; the caller renames it.

        Raises:
            RefusedError: the bytes that came are not the pinned ones; the part is removed.
            UnavailableError: no source has them; what has arrived is kept for the next run.
            SeluError: the disk has no room.
        """
        continued = self._complete()
        found, pointer = digest(self.part), is_pointer(self.part)
        if not pointer and not differs(found, self.file):
            return found
        self.part.unlink()
        if pointer:
            raise RefusedError(
                f"{self.label}: a git-LFS pointer came instead of the file ({found.bytes} bytes): "
                "its pin must say 'lfs: true', or put the file there by hand."
            )
        if continued and not anew:
            self.say(f"{self.label}: what was continued is not the pinned file; reading it again")
            return self.run(anew=True)
        raise refusal(self.label, self.file, found, _AGAIN)

    def _complete(self) -> bool:
        """Try until all bytes have come. Return whether they may be of more than one answer."""
        begun = reached = self._size()
        failures = 0
        while True:
            try:
                self._attempt()
                return begun > 0 or failures > 0
            except TransientError as failure:
                size, some = self._size(), self.patience.slowest * self.patience.window
                further = size >= reached + some
                failures, reached = (1, size) if further else (failures + 1, reached)
                wait = self._pause(failure, failures)
                self.say(f"{self.label}: {failure}; trying again in {wait:.1f} s")
                self.patience.sleep(wait)

    def _pause(self, failure: TransientError, failures: int) -> float:
        """Return the seconds to wait before the next try.

        Raises:
            UnavailableError: there is to be no next try.
        """
        self._require_time()
        patience, asked = self.patience, failure.wait or 0.0
        if asked > patience.longest:
            raise UnavailableError(f"{failure} and asks to wait {asked:.0f} s") from None
        if failures >= (2 if failure.unreachable else patience.attempts):
            if failure.unreachable:
                self.network.unreachable.add(failure.unreachable)
            raise UnavailableError(f"{failure} (tries: {failures})") from None
        return max(patience.pause(failures), asked)

    def _attempt(self) -> None:
        """Make one request for the missing bytes; ends with the file's last byte."""
        have = self._size()
        if self.file.sha256 is None or have > self.limit:
            have = 0
        if have == self.limit:
            return
        with self.network.open(self.locate(), {"Range": f"bytes={have}-"} if have else {}) as answer:
            response = answer.response
            if response.status_code < 206:
                have = 0  # the server sends all of it, regardless of the requested range
            elif not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                self.part.unlink(missing_ok=True)
                raise TransientError(f"{shown(answer.url)} answered with another range than was asked for")
            self._receive(answer, have)

    def _receive(self, answer: Answer, have: int) -> None:
        """Write an answer's body behind the bytes we have.

        Raises:
            TransientError: it broke off or stalled; what came is kept.
            RefusedError: it is longer than the pinned file.
            UnavailableError: it is re-encoded.
        """
        address, response = shown(answer.url), answer.response
        if (encoding := response.headers.get("Content-Encoding", "identity")) != "identity":
            raise UnavailableError(f"{address} was re-encoded on its way ({encoding})")
        length = response.headers.get("Content-Length", "")
        expected = have + int(length) if length.isdecimal() else self.file.bytes
        if expected is not None:
            self._require_short(expected, f"{expected} bytes are announced")
        require_room(self.part.parent, (expected or have) - have)
        meter = Meter(self.label, self.say, self.patience, have, expected)
        with self.part.open("r+b" if have else "wb") as target:
            target.seek(have)
            while piece := answer.read(_CHUNK):
                self._require_time()
                have += len(piece)
                self._require_short(have, "more came")
                target.write(piece)
                meter.add(len(piece))
            target.flush()
            os.fsync(target.fileno())
        if expected is not None and have < expected:
            raise TransientError(f"{address} broke off after {have} of {expected} bytes")

    def _require_time(self) -> None:
        if self.patience.clock() > self.until:
            raise UnavailableError(f"{self.label} takes too long: the same command continues where it stopped")

    def _require_short(self, size: int, what: str) -> None:
        if size > self.limit:
            raise RefusedError(
                f"{self.label} is not the pinned {self.file.name}: {self.limit} bytes with sha256 "
                f"{self.file.sha256 or 'unknown'} expected, {what} (not read to the end, so no hash found); "
                f"{_AGAIN}."
            )

    def _size(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0


@dataclass
class Meter:
    """Tells how far a file is, and notices when too little comes."""

    label: str
    say: Callable[[str], None]
    patience: Patience
    have: int
    total: int | None

    def __post_init__(self) -> None:
        self.start = self.reported = self.seen = self.patience.clock()
        self.first = self.at_seen = self.have

    def add(self, count: int) -> None:
        """Count bytes that came.

        Raises:
            TransientError: the rate over the last window is below the slowest that is borne.
        """
        self.have += count
        now, patience = self.patience.clock(), self.patience
        if now - self.seen >= patience.window:
            if self.have - self.at_seen < patience.slowest * (now - self.seen):
                raise TransientError(f"less than {patience.slowest:g} bytes a second came")
            self.seen, self.at_seen = now, self.have
        if now - self.reported >= _REPORT_EVERY:
            self.reported = now
            rate = (self.have - self.first) / (now - self.start)
            total = f" of {self.total / 1e6:.1f}" if self.total else ""
            left = f", {(self.total - self.have) / rate:.0f} s left" if self.total and rate else ""
            self.say(f"{self.label}: {self.have / 1e6:.1f}{total} MB, {rate / 1e6:.2f} MB/s{left}")
