"""The loop of requests: missing ones are sent, open ones are waited for, and replies are kept.

Nothing is sent before the journal knows of it, and nothing whose acceptance is unknown is sent again before it
was looked up. So a row is paid for once, but for a sending that was accepted unseen and not found in
``settle_seconds``; that one is cancelled when it turns up.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

from selu.files import JsonObject
from selu.systems.prompt import journal as journals
from selu.systems.prompt import providers, wire
from selu.systems.prompt.budget import Budget, Prices, tokens
from selu.systems.prompt.journal import Journal, Sending
from selu.systems.prompt.providers import (
    LaterError,
    Line,
    Provider,
    RefusedError,
    UnconfirmedError,
    UndecidedError,
)
from selu.systems.prompt.settings import PromptSettings
from selu.systems.prompt.tidying import Tidy
from selu.vocabulary import MachineError, SeluError

REFUSED = "refused: "  # before a failure that no other attempt fixes
_FOR_GOOD = ("invalid_request", "context_length", "content_policy", "invalid_prompt")
_NOWHERE = ("model_not_found", "not_found_error")
_CHUNK = 2000  # lines kept at once
_READS = 3  # of results that lack rows, before these count as lost
_BATCH_PATIENCE = 26 * 3600.0  # seconds of calls in vain while batches, which take a day, are out
_TORN = 30  # times that the results of one batch can't be read
_NO_CREDIT = ("insufficient_quota", "billing", "credit balance")

Say = Callable[[str], None]


class StoppedError(MachineError):
    """The budget is spent; all replies are kept."""

    def __init__(self, journal: Journal) -> None:
        rows = f"{journal.answered():,} of {journal.size:,} rows"
        super().__init__(
            f"--max-cost is reached: {rows} are answered and kept; a larger one goes on from there."
        )


@dataclass(frozen=True)
class Requests:
    """A set of requests: ``prompt`` of a row, and how a prompt becomes a body."""

    prompt: Callable[[int], str]
    body: Callable[[str], JsonObject]
    prices: Prices
    answered: int  # tokens of an answer, at most
    overhead: int = 0  # tokens of each request beside its prompt, as of a schema


class Clock(Protocol):
    """What time it is, in seconds since 1970, and how to wait."""

    def time(self) -> float:
        """Return the time."""

    def sleep(self, seconds: float, /) -> None:
        """Wait."""


class Drive:
    """A set of requests on its way."""

    def __init__(
        self, journal: Journal, provider: Provider, requests: Requests, settings: PromptSettings, say: Say,
        budget: Budget | None = None, clock: Clock = time,
    ) -> None:  # fmt: skip
        self.journal, self.provider, self.requests, self.settings = journal, provider, requests, settings
        self.say, self.budget, self.clock = say, budget or Budget(), clock
        self.tidy, self.vain = Tidy(journal, provider), 0
        self._later: float | None = None
        self._reads, self._torn = Counter[str](), Counter[str]()
        self._good, self._refused, self._not_before = self.clock.time(), 0, 0.0
        self._mine: set[str] = set()  # sendings whose bounds this process set aside
        self._nonce, self._most = journal.nonce(), sys.maxsize  # rows of a batch, once one was too large

    def run(self) -> None:
        """Send and wait until each row has a reply, was refused, or failed ``attempts`` times from now on.

        Raises:
            StoppedError: the budget does not suffice for the next sending, and nothing is out any more.
            MachineError: a wrong key, an unknown model, no credit, a provider out of reach for too long, a
                batch that is refused, or a prompt that no batch holds.
        """
        for left in self.journal.path.parent.glob("*.jsonl"):  # of a process that was killed
            left.unlink()
        self.journal.forgive()
        while True:
            self._confirm()
            self._surfaced()
            self._collect()
            self.tidy.ended()
            stopped = self._send()
            out = self.journal.sendings(journals.ANNOUNCED, journals.SENT)
            if not out and (stopped or not self.journal.pending(self.settings.attempts)):
                self._surfaced(last=True)
                if not self.vain and not self.journal.sendings(journals.SENT):
                    break
            self.say(
                f"{self.journal.answered():,} of {self.journal.size:,} rows answered, {len(out)} batches out"
            )
            self.clock.sleep(self._pause())
        self.tidy.all()
        if stopped:
            raise StoppedError(self.journal)

    def _pause(self) -> float:
        """Return the seconds until the next look: longer after failed calls."""
        settings = self.settings
        if self._later is not None:
            return max(1.0, self._later)
        if self.vain:
            return max(1.0, min(2.0**self.vain, 300.0) * random.uniform(0.5, 1))
        unknown = self.journal.sendings(journals.ANNOUNCED)
        return max(
            0.01, min(settings.poll_seconds, settings.settle_seconds / 4) if unknown else settings.poll_seconds
        )

    def _failed(self, error: LaterError | UnconfirmedError) -> None:
        """Record a failed call; give up if all failed for long."""
        self.vain += 1
        patience = _BATCH_PATIENCE if self.journal.sendings(journals.SENT) else self.settings.patience_seconds
        left = patience - (self.clock.time() - self._good)
        after = getattr(error, "after", None)
        self._later = None if after is None else min(after, left)
        if left < 0:
            raise MachineError(
                f"the provider can't be used for now ({error}): all replies are kept, run it again later."
            )

    def _well(self) -> None:
        self.vain, self._later, self._good = 0, None, self.clock.time()

    def _looked_up(self, state: str) -> Iterator[tuple[Sending, str | None]]:
        """Look sendings of this state up, as far as their provider can be asked and knows."""
        known = {other.batch for other in self.journal.sendings() if other.batch is not None}
        for sending in self.journal.sendings(state):
            try:
                batch = self.provider.find(sending.tag, sending.announced, sending.rows, known)
            except LaterError as error:
                self._failed(error)
                return
            except UndecidedError:
                continue
            self._well()
            if batch is not None:
                known.add(batch)
            yield sending, batch

    def _confirm(self) -> None:
        """Look up what was announced and never confirmed."""
        for sending, batch in self._looked_up(journals.ANNOUNCED):
            if batch is not None:
                self.journal.sent(sending.tag, batch)
                self.say(f"{sending.tag} had been accepted")
            elif self.clock.time() - sending.announced >= self.settings.settle_seconds:
                self.journal.mark(sending.tag, journals.LOST)
                self.say(f"{sending.tag} was never accepted: its rows are sent again")

    def _surfaced(self, last: bool = False) -> None:
        """Cancel what turned up after it was given up; what did not until the end is not looked for again."""
        for sending, batch in self._looked_up(journals.LOST):
            if batch is not None:
                self.journal.sent(sending.tag, batch)
                self.say(f"{sending.tag} turned up late: it is cancelled")
                try:
                    if self.provider.status(batch).state == providers.RUNNING:
                        self.provider.cancel(batch)
                except LaterError as error:
                    self._failed(error)
            elif last:
                self.journal.mark(sending.tag, journals.ENDED, "never accepted")
                self._settle(sending, 0.0)

    def _collect(self) -> None:
        for sending in self.journal.sendings(journals.SENT):
            assert sending.batch is not None
            try:
                status = self.provider.status(sending.batch)
                if status.state == providers.ENDED:
                    self._unread(sending)
                    self._take(sending, status)
                elif status.state == providers.FAILED:
                    self._give_up(sending, status.why)
            except LaterError as error:
                self._failed(error)
                return
            self._well()

    def _unread(self, sending: Sending) -> None:
        """Give up if an ended batch could not be read this many times, even if all others could."""
        self._torn[sending.tag] += 1
        if self._torn[sending.tag] > _TORN:
            raise MachineError(
                f"the results of batch {sending.batch} can't be read: all other replies are kept, run it "
                "again later."
            )

    def _take(self, sending: Sending, status: providers.Status) -> None:
        """Keep the results of a batch; rows of which it says nothing are read again, then count as lost."""
        assert sending.batch is not None
        members = self.journal.members(sending.tag)
        answered: set[int] = set()
        failed: dict[int, str] = {}
        paid = 0.0
        lines = self.provider.results(sending.batch)
        while chunk := list(islice(lines, _CHUNK)):
            replies = []
            for row, line in self._ours(sending.tag, members, chunk):
                reply = None
                with contextlib.suppress(ValueError):
                    reply = wire.read(self.provider.protocol, line.body) if line.body is not None else None
                if reply is None:
                    failed[row] = _why(line)
                elif row not in answered:
                    answered.add(row)
                    replies.append((row, line.body))
                    paid += self.requests.prices.cost(reply)
            self.journal.keep(sending.tag, replies)
        short = status.answered is not None and len(answered) < status.answered
        self._reads[sending.tag] += 1
        if (short or answered | failed.keys() != members) and self._reads[sending.tag] < _READS:
            return
        missing = {row: failed.get(row, "no line in the results") for row in sorted(members - answered)}
        self.journal.keep(sending.tag, [], missing.items())
        self.journal.mark(sending.tag, journals.ENDED, status.why or None)
        self._settle(sending, paid)
        for why in missing.values():
            self._check_account(why)

    def _check_account(self, why: str) -> None:
        """Raise MachineError if a row or a batch failed for a reason that concerns all others, too."""
        if any(mark in why for mark in _NOWHERE):
            raise MachineError("the provider does not know the model that is asked: correct it in params.yaml.")
        if any(mark in why for mark in _NO_CREDIT):
            raise MachineError(f"the provider's account has no credit left ({why}): fill it up.")

    def _ours(self, tag: str, members: set[int], lines: Sequence[Line]) -> Iterator[tuple[int, Line]]:
        """Yield the lines of this sending's rows; a provider's mistake may add others."""
        for line in lines:
            head, _, row = line.id.rpartition("-")
            if head == tag and row.isdecimal() and row.isascii() and int(row) in members:
                yield int(row), line

    def _give_up(self, sending: Sending, why: str) -> None:
        """Give up a batch that failed as a whole, so that its rows are sent again."""
        crowded = "token_limit" in why or "enqueued" in why.lower()
        if crowded:
            self._most = min(self._most, max(1, sending.rows // 2))  # one of this size may never be taken
        if not crowded or sending.rows == 1:
            rows = sorted(self.journal.members(sending.tag))
            self.journal.keep(sending.tag, [], ((row, why) for row in rows))
        self.journal.mark(sending.tag, journals.ENDED, why)
        self.say(f"{sending.tag} failed: {why}")
        self._settle(sending, 0.0)
        self._check_account(why)
        if crowded:
            self._full(None)

    def _full(self, after: float | None) -> None:
        """Wait longer each time that the provider refuses further batches."""
        self._refused += 1
        wait = max(after or 0.0, min(30.0 * 2.0**self._refused, 1800.0) * random.uniform(0.5, 1))
        self._not_before = self.clock.time() + wait

    def _settle(self, sending: Sending, paid: float) -> None:
        if sending.tag in self._mine:
            self._mine.remove(sending.tag)
            self.budget.give(sending.bound - paid)

    def _send(self) -> bool:
        """Send pending rows; True if the budget does not suffice."""
        if self.clock.time() < self._not_before:
            return False
        rows = self.journal.pending(self.settings.attempts)
        while (
            rows and len(self.journal.sendings(journals.ANNOUNCED, journals.SENT)) < self.settings.open_batches
        ):
            tag = f"selu-{self._nonce}-{len(self.journal.sendings()) + 1}"
            file = self.journal.path.with_name(f"{tag}.jsonl")
            count, bound = self._write(tag, rows, file)
            if not self.budget.take(bound):
                file.unlink()
                return True
            self._mine.add(tag)
            self.journal.announce(tag, rows[:count], self.clock.time(), bound)
            if not self._submit(tag, file, bound):
                return False
            rows = rows[count:]
        return False

    def _submit(self, tag: str, file: Path, bound: float) -> bool:
        try:
            batch = self.provider.submit(tag, file)
        except UnconfirmedError as error:
            self.journal.announced(tag, self.clock.time())
            self._failed(error)
            return False
        except (LaterError, RefusedError, SeluError) as error:
            self.journal.withdraw(tag)
            self._mine.discard(tag)
            self.budget.give(bound)
            if isinstance(error, RefusedError):
                raise MachineError(f"the provider refuses a batch ({error}); all replies are kept.") from None
            if isinstance(error, SeluError):
                raise
            if self.journal.sendings(journals.SENT):
                self._full(error.after)
            else:
                self._failed(error)
            return False
        finally:
            file.unlink(missing_ok=True)
        self.journal.sent(tag, batch)
        self._well()
        self._refused = 0
        return True

    def _write(self, tag: str, rows: Sequence[int], file: Path) -> tuple[int, float]:
        """Write as many requests as a batch may hold; returns how many, and the most that they cost."""
        most = min(self.settings.batch_requests, self.provider.most_requests, self._most)
        room = min(self.settings.batch_megabytes * 1_000_000, self.provider.most_bytes)
        count = size = asked = 0
        with file.open("wb") as stream:
            for row in rows[:most]:
                prompt = self.requests.prompt(row)
                line = self.provider.line(f"{tag}-{row}", self.requests.body(prompt))
                if len(line) > room:
                    raise MachineError(f"the prompt of row {row} alone is larger than a batch may be.")
                if size + len(line) > room:
                    break
                stream.write(line)
                count, size = count + 1, size + len(line)
                asked += tokens(prompt, self.settings.bytes_per_token) + self.requests.overhead
            stream.flush()
            os.fsync(stream.fileno())
        return count, self.requests.prices.bound(asked, count * self.requests.answered)


def _why(line: Line) -> str:
    """Describe why a line has no reply."""
    why = line.why or "a reply of another shape"
    return REFUSED + why if any(mark in why for mark in _FOR_GOOD) else why
