"""Calls with a deadline, whatever blocks them, that Ctrl-C interrupts."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
_LOOK = 0.05  # seconds between two looks at the clock


class Aside:
    """A thread that makes calls in sequence; if a call takes too long, both are abandoned.

    A library's own timeout counts from the last byte, so that a server which sends one now and then is waited
    for without end.
    """

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._ends: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self._busy = False
        threading.Thread(target=self._work, daemon=True).start()

    def call(self, work: Callable[[], T], until: Callable[[], float]) -> T:
        """Make a call.

        Args:
            until: returns the second of ``time.monotonic`` until which it is waited for.

        Raises:
            TimeoutError: it took longer; no other call can be made then.
        """
        self._busy = True
        self._calls.put(work)
        while (left := until() - time.monotonic()) > 0:
            try:
                found, error = self._ends.get(timeout=min(left, _LOOK))
            except queue.Empty:
                continue
            self._busy = False
            if error is not None:
                raise error
            return found  # type: ignore[no-any-return]
        raise TimeoutError

    def end(self, last: Callable[[], object] = lambda: None) -> None:
        """End the thread, and make a last call, after a call that was left behind, if there is one."""
        if self._busy:
            self._calls.put(last)
        self._calls.put(None)
        if not self._busy:
            last()

    def _work(self) -> None:
        while (work := self._calls.get()) is not None:
            try:
                self._ends.put((work(), None))
            except BaseException as error:
                self._ends.put((None, error))
