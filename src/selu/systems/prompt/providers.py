"""Providers: the official SDKs behind one small interface, and their errors told apart by what they mean.

An SDK's own retries are off: whether a request may be sent again is decided where the journal is.
"""

from __future__ import annotations

import email.utils
import json
import time
import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol

from selu.systems.prompt.hiding import Hidden
from selu.vocabulary import MachineError, SeluError

RUNNING, ENDED, FAILED = "running", "ended", "failed"
_LONGEST = 3600.0  # a wait that a provider asks for is not longer


class LaterError(Exception):
    """Surely not accepted for now; ``after`` seconds it may be, where the provider says so."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.after = after


class UnconfirmedError(Exception):
    """Nobody knows whether it was accepted."""


class UndecidedError(Exception):
    """Whether a batch is ours shows only when it has ended."""


class RefusedError(Exception):
    """This request is refused for good, as one that is too long; others may not be."""


@dataclass(frozen=True, slots=True)
class Status:
    """Where a batch stands: running, ended (with results) or failed (without); why; rows that it answered."""

    state: str
    why: str = ""
    answered: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a batch's results: our id of the request, and the reply's body or why there is none."""

    id: str
    body: Any = None
    why: str = ""


class Provider(Protocol):
    """What is asked of a provider. Calls raise LaterError, UnconfirmedError, RefusedError, or a SeluError for
    what no waiting mends: a wrong key, an unknown model."""

    protocol: str  # of ``wire``
    most_requests: int  # in a batch
    most_bytes: int  # of a batch
    keeps_files: bool  # of batches, until somebody removes them

    def ask(self, body: dict[str, Any]) -> Any:
        """The reply's body to one request."""

    def line(self, id: str, body: dict[str, Any]) -> bytes:
        """A request as a line of a batch's file."""

    def submit(self, tag: str, file: Path) -> str:
        """Send a batch of lines under our tag; returns the provider's name for it."""

    def find(self, tag: str, since: float, rows: int, known: Collection[str]) -> str | None:
        """The provider's name of a batch of so many rows, accepted after that second perhaps, or None.

        Raises:
            UndecidedError: there is one beside those ``known`` that may be it.
        """

    def status(self, batch: str) -> Status:
        """Where a batch stands."""

    def results(self, batch: str) -> Iterator[Line]:
        """The lines of an ended batch, in any order."""

    def cancel(self, batch: str) -> None:
        """Stop a batch that is not wanted."""

    def tidy(self, batch: str) -> None:
        """Remove the files of a batch."""

    def sweep(self, tags: Collection[str], since: float) -> None:
        """Remove files that were sent under these tags, after that second or so, and that no batch took."""


def shaped(read: Callable[[Any, Any], Line]) -> Callable[[Any, Any], Line]:
    """A line of another shape than the published one is a ValueError, as no JSON is."""

    def careful(self: Any, line: Any) -> Line:
        try:
            return read(self, line)
        except (KeyError, TypeError, AttributeError):
            raise ValueError("a line of another shape") from None

    return careful


_NOT_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol", "LocalProtocolError")


class told:  # noqa: N801
    """An SDK's errors as ours. What fails while nothing is created may always be asked again."""

    def __init__(self, sdk: Any, hidden: Hidden, creates: bool = True) -> None:
        self._sdk, self._hidden, self._creates = sdk, hidden, creates

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None or isinstance(error, (LaterError, UndecidedError, SeluError, GeneratorExit)):
            return
        sdk = self._sdk
        if isinstance(error, sdk.APIStatusError):
            self._by_status(error)
        # ValueError: a page of HTML, or JSON of another shape; RecursionError: JSON nested without end
        known = isinstance(error, (ValueError, RecursionError))
        known |= type(error).__module__.startswith(("http", sdk.__name__))
        if type(error.__cause__).__name__ in _NOT_SENT:
            raise LaterError("no connection") from None
        misread = isinstance(error, (AttributeError, TypeError)) and (not self._creates or _inside(trace, sdk))
        if known or misread:
            self._unknown(type(error).__name__)

    def _unknown(self, why: str) -> NoReturn:
        if self._creates:
            raise UnconfirmedError(why) from None
        raise LaterError(why) from None

    def _by_status(self, error: Any) -> NoReturn:
        status, message = error.status_code, shown(self._hidden, _message(error))
        code, after = str(getattr(error, "code", "")), _after(error.response.headers)
        if status == 402 or "insufficient_quota" in code or "billing" in code or "credit balance" in message:
            raise MachineError(f"the provider's account has no credit left ({message}): fill it up.") from None
        if status in (401, 403):
            raise MachineError(f"the provider refuses the key ({message}): give a valid one.") from None
        if status == 404:
            raise MachineError(
                f"the provider does not know what is asked for ({message}): correct the model, or use the key "
                "that its batch was sent with."
            ) from None
        if status == 429:
            raise LaterError("too many requests", after) from None
        if status >= 500 or status == 408:
            if self._creates:
                raise UnconfirmedError(f"status {status}") from None
            raise LaterError(f"status {status}", after) from None
        if status in (400, 409, 413, 422) and self._creates:
            raise RefusedError(f"{status}: {message}") from None
        raise MachineError(f"the provider takes no such requests ({status}: {message}).") from None


def over(sdk: Any) -> tuple[type[Exception], ...]:
    """What an SDK raises where a batch that is to be cancelled has ended."""
    return sdk.BadRequestError, sdk.ConflictError


def _inside(trace: Any, sdk: Any) -> bool:
    """Whether an error arose in an SDK, which takes a page of HTML for a record."""
    return f"/{sdk.__name__}/" in traceback.extract_tb(trace)[-1].filename.replace("\\", "/")


def _message(error: Any) -> str:
    """What a provider says of an error."""
    found = error.body if isinstance(error.body, dict) else {}
    inner = found.get("error") if isinstance(found.get("error"), dict) else found
    text = inner.get("message") if isinstance(inner, dict) else None
    return str(text or "no reason given")


def shown(hidden: Hidden, value: Any) -> str:
    """What a provider says, in one line that can be written anywhere."""
    return " ".join(hidden.text(str(value)).split())[:300].encode("utf-8", "replace").decode()


def _after(headers: Any) -> float | None:
    """Seconds to wait, from the headers of an error."""
    for name, share in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * share
        except ValueError:
            try:
                seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
            except (TypeError, ValueError):
                continue
        if seconds == seconds:
            return min(max(seconds, 0.0), _LONGEST)
    return None


def name_of(record: Any) -> str:
    """The id of a record that an SDK made of a reply; of a page of HTML it makes a text."""
    name = getattr(record, "id", None)
    if not isinstance(name, str) or not name:
        raise ValueError("no id")
    return name


def listed(page: Any) -> Iterator[Any]:
    """The records of a list, over all its pages.

    Raises:
        ValueError: it is none.
    """
    if not hasattr(page, "data"):
        raise ValueError("no page")
    yield from page


def lines_of(response: Any, read: Callable[[Any], Line]) -> Iterator[Line]:
    """Lines of results: those that end with LF alone, since JSON may hold other ends of lines.

    One that is none is passed over, and its row counts as one without a line; but not the first, which tells
    that all of it is something else.
    """
    rest, good = b"", False
    for piece in response.iter_bytes():
        *whole, rest = (rest + piece).split(b"\n")
        for text in whole:
            if text.strip():
                try:
                    line = read(record_of(text))
                except ValueError:
                    if not good:
                        raise
                    continue
                good = True
                yield line
    if rest.strip():
        yield read(record_of(rest))


def record_of(text: Any) -> Any:
    """A record of JSON; ValueError where it is none."""
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("no record")
    return found


def line_of(record: dict[str, Any]) -> bytes:
    """A record as a line of a batch's file."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"
