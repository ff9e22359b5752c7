"""Providers: the official SDKs behind one small interface, and their errors classified by meaning.

An SDK's own retries are off: whether a request may be sent again is decided where the journal is.
"""

from __future__ import annotations

import contextlib
import email.utils
import json
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar, cast

from selu.files import Json, JsonObject
from selu.systems.prompt.hiding import Hidden
from selu.vocabulary import MachineError, SeluError

RUNNING, ENDED, FAILED = "running", "ended", "failed"
LONGEST_LINE = 1 << 20  # bytes of a line of results: a longer one is passed over
_LISTS = 600.0  # seconds for all pages of a list
_LONGEST = 3600.0  # a wait that a provider asks for is not longer
T = TypeVar("T")


class LaterError(Exception):
    """A request that was surely not accepted for now; ``after`` seconds it may be, if the provider says so."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.after = after


class UnconfirmedError(Exception):
    """A request that may or may not have been accepted."""


class UndecidedError(Exception):
    """Whether a batch is ours shows only when it has ended."""


class RefusedError(Exception):
    """This request is refused for good, as one that is too long; others may not be."""


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a batch: running, ended (with results) or failed (without); why; answered rows."""

    state: str
    why: str = ""
    answered: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a batch's results: our id of the request, and the reply's body or why there is none."""

    id: str
    body: Json = None
    why: str = ""


class Content(Protocol):
    """The bytes of a response."""

    @property
    def content(self) -> bytes:
        """All bytes of the response."""


class RawResponse(Protocol):
    """An SDK's response before anything is read of it."""

    @property
    def http_response(self) -> Content:
        """The response of the library below the SDK."""


class Streamed(Protocol):
    """A response that is read in pieces."""

    def iter_bytes(self) -> Iterator[bytes]:
        """Yield its pieces as they come."""


class Headed(Protocol):
    """A response with its headers."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers by name, in any case."""


class StatusError(Protocol):
    """An SDK's error for a status that is not 200, with the body of the response as far as it was JSON."""

    status_code: int
    body: object
    response: Headed


_NOT_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol", "LocalProtocolError")


def _inside(error: Exception, sdk: ModuleType) -> bool:
    """Return whether an error arose in an SDK, which takes a page of HTML for a record."""
    trace = traceback.extract_tb(error.__traceback__)
    return f"/{sdk.__name__}/" in trace[-1].filename.replace("\\", "/")


def _message(error: StatusError) -> str:
    """Return a provider's message for an error."""
    found = error.body if isinstance(error.body, dict) else {}
    inner = found["error"] if isinstance(found.get("error"), dict) else found
    return str(inner.get("message") or "no reason given")


def _after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, from the headers of an error."""
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


def name_of(record: object) -> str:
    """Return the id of a record that an SDK made of a reply; of a page of HTML it makes a text."""
    name = getattr(record, "id", None)
    if not isinstance(name, str) or not name:
        raise ValueError("no id")
    return name


def listed(page: Iterable[T]) -> Iterator[T]:
    """Return the records of a list, over all its pages.

    Raises:
        ValueError: it is none, or has no end.
    """
    if not hasattr(page, "data"):
        raise ValueError("no page")
    until = time.monotonic() + _LISTS
    for record in page:
        if time.monotonic() > until:
            raise ValueError("a list without an end")
        yield record


def record_of(text: str | bytes) -> JsonObject:
    """Return a JSON record; raise ValueError if it is not one."""
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("no record")
    return cast("JsonObject", found)


def line_of(record: JsonObject) -> bytes:
    """Write a record as a line of a batch's file."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


class Provider(ABC):
    """The interface of a provider, through its official SDK.

    Calls raise LaterError, UnconfirmedError, RefusedError, or a SeluError for what no waiting fixes: a wrong
    key, an unknown model.

    Attributes:
        protocol: of ``wire``.
        most_requests, most_bytes: of a batch.
        keeps_files: of batches, until somebody removes them.
    """

    protocol: str
    most_requests: int
    most_bytes: int
    keeps_files: bool
    _batches: Any  # the SDK's calls of batches

    def __init__(self, sdk: ModuleType, hidden: Hidden, timeout: float) -> None:
        from selu.systems import bounded

        self._sdk, self._hidden = sdk, hidden
        self._http, self._endless = bounded.Client(timeout), bounded.EndlessError
        hidden.in_logs()

    def stop(self) -> None:
        """End all calls in flight, as after Ctrl-C."""
        self._http.stop()

    @abstractmethod
    def _asked(self, body: JsonObject) -> RawResponse:
        """Return the SDK's raw response to one request."""

    @contextlib.contextmanager
    def _translated(self, creates: bool = False) -> Iterator[None]:
        """Translate an SDK's errors to ours; a failure while nothing is created can always be retried."""
        unknown = UnconfirmedError if creates else LaterError
        try:
            yield
        except (LaterError, UndecidedError, SeluError):
            raise
        except self._sdk.APIStatusError as error:
            raise self._of_status(error, creates) from None
        except Exception as error:
            origin = error.__cause__ or error
            if isinstance(origin, SeluError):
                raise origin from None
            if isinstance(origin, self._endless):
                raise unknown(str(origin)) from None
            if type(error.__cause__).__name__ in _NOT_SENT:
                raise LaterError("no connection") from None
            # ValueError: a page of HTML, or JSON of another shape; RecursionError: JSON nested without end
            known = isinstance(error, (ValueError, RecursionError))
            known |= type(error).__module__.startswith(("http", self._sdk.__name__))
            misread = isinstance(error, (AttributeError, TypeError))
            if known or (misread and (not creates or _inside(error, self._sdk))):
                raise unknown(type(error).__name__) from None
            raise

    def _of_status(self, error: StatusError, creates: bool) -> Exception:
        status, message = error.status_code, self._shown(_message(error))
        code, after = str(getattr(error, "code", "")), _after(error.response.headers)
        if status == 402 or "insufficient_quota" in code or "billing" in code or "credit balance" in message:
            return MachineError(f"the provider's account has no credit left ({message}): fill it up.")
        if status in (401, 403):
            return MachineError(f"the provider refuses the key ({message}): give a valid one.")
        if status == 404:
            return MachineError(
                f"the provider does not know what is asked for ({message}): correct the model, or use the key "
                "that its batch was sent with."
            )
        if status == 429:
            return LaterError("too many requests", after)
        if status >= 500 or status == 408:
            why = f"status {status}"
            return UnconfirmedError(why) if creates else LaterError(why, after)
        if status in (400, 409, 413, 422) and creates:
            return RefusedError(f"{status}: {message}")
        return MachineError(f"the provider takes no such requests ({status}: {message}).")

    def _shown(self, value: str) -> str:
        """Return what a provider says, in one line that can be written anywhere."""
        return " ".join(self._hidden.text(value).split())[:300].encode("utf-8", "replace").decode()

    @abstractmethod
    def _read(self, line: Mapping[str, object]) -> Line:
        """Read a record of results."""

    def _parsed(self, text: bytes) -> Line:
        """Read a line of results; raise ValueError if it is not one."""
        try:
            return self._read(record_of(text))
        except (KeyError, TypeError, AttributeError):
            raise ValueError("a line of another shape") from None

    def _lines_of(self, response: Streamed) -> Iterator[Line]:
        """Read lines of results: those that end with LF alone, since JSON may hold other ends of lines.

        One that is none is passed over, and its row counts as one without a line; but not the first, which
        tells that all of it is something else.
        """
        rest, good = b"", False
        for piece in response.iter_bytes():
            *whole, rest = (rest + piece).split(b"\n")
            for text in filter(bytes.strip, whole):
                if len(text) > LONGEST_LINE:
                    continue
                try:
                    line = self._parsed(text)
                except ValueError:
                    if not good:
                        raise
                    continue
                good = True
                yield line
            rest = rest[: LONGEST_LINE + 1]
        if rest.strip() and len(rest) <= LONGEST_LINE:
            yield self._parsed(rest)

    def _retrieved(self, batch: str) -> Any:
        """Return the SDK's record of a batch."""
        with self._translated():
            found = self._batches.retrieve(batch)
            name_of(found)
            return found

    def ask(self, body: JsonObject) -> JsonObject:
        """Send one request; returns the reply's body."""
        with self._translated(creates=True):
            found = record_of(self._asked(body).http_response.content)
            return cast("JsonObject", self._hidden.record(found))

    @abstractmethod
    def line(self, id: str, body: JsonObject) -> bytes:
        """Write a request as a line of a batch's file."""

    @abstractmethod
    def submit(self, tag: str, file: Path) -> str:
        """Send a batch of lines under our tag; returns the provider's name for it."""

    @abstractmethod
    def find(self, tag: str, since: float, rows: int, known: Collection[str]) -> str | None:
        """Find the provider's name of a batch of this many rows, possibly accepted after that second, or None.

        Raises:
            UndecidedError: there is one beside those ``known`` that may be it.
        """

    @abstractmethod
    def status(self, batch: str) -> Status:
        """Return the state of a batch."""

    @abstractmethod
    def results(self, batch: str) -> Iterator[Line]:
        """Read the lines of an ended batch, in any order."""

    def cancel(self, batch: str) -> None:
        """Stop a batch that is not wanted; one that has ended needs no stopping."""
        with self._translated(), contextlib.suppress(self._sdk.BadRequestError, self._sdk.ConflictError):
            name_of(self._batches.cancel(batch))

    @abstractmethod
    def tidy(self, batch: str) -> None:
        """Remove the files of a batch, where any are kept."""

    @abstractmethod
    def sweep(self, tags: Collection[str], since: float) -> None:
        """Remove files that were sent under these tags, after that second or so, and that no batch took."""
