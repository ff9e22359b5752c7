"""Requests one by one, several in flight, for servers that know no batches.

As in ``drive``, each is announced before it goes out. One whose fate is unknown can't be looked up: it is asked
again, which the journal shows; at most as many as are in flight can be paid for twice by one interruption.
"""

from __future__ import annotations

import contextlib
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from selu.files import JsonObject
from selu.systems.prompt import journal as journals
from selu.systems.prompt import wire
from selu.systems.prompt.budget import tokens
from selu.systems.prompt.drive import REFUSED, Drive, StoppedError
from selu.systems.prompt.providers import LaterError, RefusedError, UnconfirmedError

_Flying = dict[Future[JsonObject], tuple[str, int, float]]  # tag, row and bound of a request
_PROGRESS_SECONDS = 10.0  # seconds between lines of progress


class OneByOne(Drive):
    """A set of requests on its way, without batches."""

    def run(self) -> None:
        """Run as ``Drive.run`` does."""
        self.journal.forgive()
        for sending in self.journal.sendings(journals.ANNOUNCED):  # in flight when a process was killed
            self._lose(sending.tag, sorted(self.journal.members(sending.tag)))
        self._number, self._reported = len(self.journal.sendings()), self.clock.time()
        stopped = False
        with ThreadPoolExecutor(self.settings.at_once) as pool:
            while not stopped and (rows := self.journal.pending(self.settings.attempts)):
                stopped = self._round(pool, rows)
        if stopped:
            raise StoppedError(self.journal)

    def _round(self, pool: ThreadPoolExecutor, rows: list[int]) -> bool:
        """Ask these rows once, or until a request fails; True if the budget does not suffice."""
        flying: _Flying = {}
        left, stopped = iter(rows), False
        self._troubles: list[LaterError | UnconfirmedError] = []
        try:
            while True:
                while not (stopped or self._troubles) and len(flying) < self.settings.at_once:
                    row = next(left, None)
                    if row is None:
                        break
                    stopped = not self._ask(pool, row, flying)
                if not flying:
                    break
                for future in wait(flying, return_when=FIRST_COMPLETED).done:
                    self._landed(future, *flying.pop(future))
                self._tell(len(flying))
        except BaseException as error:
            if not isinstance(error, Exception):  # Ctrl-C: nobody waits for what is in flight
                self.provider.stop()
            self._land_the_rest(flying)
            raise
        if self._troubles:
            self._failed(self._troubles[0])
            self.clock.sleep(self._pause())
        return stopped

    def _ask(self, pool: ThreadPoolExecutor, row: int, flying: _Flying) -> bool:
        """Send one request; False where the budget does not suffice for it."""
        prompt = self.requests.prompt(row)
        asked = tokens(prompt, self.settings.bytes_per_token) + self.requests.overhead
        bound = self.requests.prices.bound(asked, self.requests.answered)
        if not self.budget.take(bound):
            return False
        self._number += 1
        tag = f"selu-{self._nonce}-{self._number}"
        self.journal.announce(tag, [row], self.clock.time(), bound)
        flying[pool.submit(self.provider.ask, self.requests.body(prompt))] = (tag, row, bound)
        return True

    def _landed(self, future: Future[JsonObject], tag: str, row: int, bound: float) -> None:
        paid = 0.0
        try:
            body = future.result()
            paid = self.requests.prices.cost(wire.read(self.provider.protocol, body))
            self.journal.keep(tag, [(row, body)])
            self.journal.mark(tag, journals.ENDED)
            self._well()
        except LaterError as error:
            self.journal.withdraw(tag)
            self._troubles.append(error)
        except (UnconfirmedError, ValueError) as error:
            self._lose(tag, [row])
            paid = bound
            self._troubles.append(UnconfirmedError(str(error)))
        except RefusedError as error:
            self.journal.keep(tag, [], [(row, f"{REFUSED}{error}")])
            self.journal.mark(tag, journals.ENDED)
        except BaseException:
            self.journal.withdraw(tag)
            raise
        finally:
            self.budget.give(bound - paid)

    def _land_the_rest(self, flying: _Flying) -> None:
        """Finish the running requests before an error ends the run: paid replies are kept."""
        for future in [future for future in flying if future.cancel()]:
            tag, _, bound = flying.pop(future)
            self.journal.withdraw(tag)
            self.budget.give(bound)
        for future, asked in flying.items():
            with contextlib.suppress(Exception):  # one like that which ends it
                self._landed(future, *asked)

    def _lose(self, tag: str, rows: list[int]) -> None:
        self.journal.keep(tag, [], [(row, "nobody knows whether it was accepted") for row in rows])
        self.journal.mark(tag, journals.LOST)

    def _tell(self, flying: int) -> None:
        if self.clock.time() - self._reported >= _PROGRESS_SECONDS:
            self._reported = self.clock.time()
            self.say(f"{self.journal.answered():,} of {self.journal.size:,} rows answered, {flying} in flight")
