"""The progress of a sweep, and its reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

_QUIET_SECONDS = 60.0  # without a word, after which one says what is at work


class Tally:
    """Counts of a sweep's cells, and an estimate of the time that is left, by the work that was timed.

    Args:
        guesses: seconds of one core, by cell.
    """

    def __init__(self, guesses: Mapping[str, float], progress: Callable[[str], None]) -> None:
        self._guesses, self._progress = guesses, progress
        self._rest = sum(guesses.values())
        self._timed = self._work = 0.0
        self._began = self._spoke = time.monotonic()
        self.ran: list[Path] = []
        self.failed: dict[str, str] = {}
        self.others: list[str] = []  # that others did
        self.lost = 0

    def begin(self) -> None:
        """Count time from here on."""
        self._began = time.monotonic()

    def worked(self, name: str, seconds: float) -> None:
        """Record the working time of a cell."""
        self._work += seconds
        self._timed += self._guesses[name]

    def ended(self, name: str, how: str, left: int) -> None:
        """Report a cell that ended, and how long the others may take."""
        self._rest -= self._guesses[name]
        line = f"[{len(self._guesses) - left}/{len(self._guesses)}] {name}: {how}"
        if left and self._timed:
            seconds = (time.monotonic() - self._began) / self._timed * max(0.0, self._rest)
            line += f"; about {seconds / 60:.0f} min left" if seconds >= 90 else f"; about {seconds:.0f} s left"
        self.say(line)

    def still(self, away: int, waiting: int) -> None:
        """Report what is running, if nothing was reported for long."""
        if time.monotonic() - self._spoke >= _QUIET_SECONDS:
            self.say(f"  {away} cells are on the nodes, {waiting} wait")

    def say(self, line: str) -> None:
        """Report a line."""
        self._spoke = time.monotonic()
        self._progress(line)

    def summary(self) -> str:
        """Summarize what was done, in words."""
        text = f"{len(self.ran)} run"
        if self.ran:
            text += f" in {time.monotonic() - self._began:.0f} s ({self._work:.0f} s of work)"
        if self.others:
            text += f", {len(self.others)} done by others"
        if self.lost:
            text += f", {self.lost} begun again after a loss"
        return text
