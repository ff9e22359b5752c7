"""Providers: the official SDKs behind one small interface, and their errors told apart by what they mean.

An SDK's own retries are off: whether a request may be sent again is decided where the journal is.
"""

from __future__ import annotations

import contextlib
import email.utils
import json
import time
import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn, Protocol

from selu.systems.prompt.hiding import Hidden
from selu.vocabulary import MachineError, SeluError

RUNNING, ENDED, FAILED = "running", "ended", "failed"
_LONGEST = 3600.0  # a wait that a provider asks for is not longer
_PIECE = 1 << 20
_FIRST = 100  # lines that show whose results they are: others' among them are a provider's mistake


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


def _shaped(read: Callable[[Any, Any], Line]) -> Callable[[Any, Any], Line]:
    """A line of another shape than the published one is a ValueError, as no JSON is."""

    def careful(self: Any, line: Any) -> Line:
        try:
            return read(self, line)
        except (KeyError, TypeError, AttributeError):
            raise ValueError("a line of another shape") from None

    return careful


class OpenAI:
    """OpenAI's API, or a server that speaks it."""

    protocol, most_requests, most_bytes = "openai", 50_000, 200_000_000
    _ENDPOINT = "/v1/chat/completions"

    def __init__(self, key: str, base_url: str | None, timeout: float, hidden: Hidden) -> None:
        import openai

        self._sdk, self._hidden = openai, hidden
        self._client = openai.OpenAI(api_key=key, base_url=base_url, timeout=timeout, max_retries=0)

    def ask(self, body: dict[str, Any]) -> Any:
        """As ``Provider``."""
        with _told(self._sdk, self._hidden):
            response = self._client.chat.completions.with_raw_response.create(**body)
            return self._hidden.record(_json(response.http_response.content))

    def line(self, id: str, body: dict[str, Any]) -> bytes:
        """As ``Provider``."""
        return _line({"custom_id": id, "method": "POST", "url": self._ENDPOINT, "body": body})

    def submit(self, tag: str, file: Path) -> str:
        """As ``Provider``; the batch carries the tag as metadata."""
        with _told(self._sdk, self._hidden, creates=False), file.open("rb") as stream:
            name = _name(self._client.files.create(file=(file.name, stream), purpose="batch"))
        with _told(self._sdk, self._hidden):
            made = self._client.batches.create(
                input_file_id=name,
                endpoint="/v1/chat/completions",
                completion_window="24h",
                metadata={"selu": tag},
            )
            return _name(made)

    def find(self, tag: str, since: float, rows: int, known: Collection[str]) -> str | None:  # noqa: ARG002
        """As ``Provider``: by its metadata."""
        with _told(self._sdk, self._hidden, creates=False):
            for batch in _whole(self._client.batches.list(limit=100)):
                if batch.metadata and batch.metadata.get("selu") == tag:
                    return _name(batch)
                if batch.created_at < since - 3600:
                    break
        return None

    def status(self, batch: str) -> Status:
        """As ``Provider``."""
        with _told(self._sdk, self._hidden, creates=False):
            found = self._client.batches.retrieve(batch)
            _name(found)
            if found.status == "failed":
                errors = (found.errors and found.errors.data) or []
                why = "; ".join(f"{e.code}: {e.message}" for e in errors[:3]) or "no reason given"
                return Status(FAILED, _shown(self._hidden, why))
            if found.status in ("completed", "expired", "cancelled"):
                counts = found.request_counts
                return Status(ENDED, found.status, counts.completed if counts else None)
            return Status(RUNNING)

    def results(self, batch: str) -> Iterator[Line]:
        """As ``Provider``."""
        with _told(self._sdk, self._hidden, creates=False):
            found = self._client.batches.retrieve(batch)
            _name(found)
            for file in (found.output_file_id, found.error_file_id):
                if file is None:
                    continue
                with self._client.files.with_streaming_response.content(file) as response:
                    yield from _lines(response, self._read)

    @_shaped
    def _read(self, line: Any) -> Line:
        response, error = line.get("response") or {}, line.get("error") or {}
        if response.get("status_code") == 200:
            return Line(str(line["custom_id"]), self._hidden.record(response["body"]))
        inner = (response.get("body") or {}).get("error") or {}
        why = error.get("code") or inner.get("code") or inner.get("type") or response.get("status_code")
        words = error.get("message") or inner.get("message") or ""
        return Line(str(line["custom_id"]), why=_shown(self._hidden, f"{why or 'error'}: {words}"))

    def cancel(self, batch: str) -> None:
        """As ``Provider``."""
        with _told(self._sdk, self._hidden, creates=False), contextlib.suppress(*_over(self._sdk)):
            _name(self._client.batches.cancel(batch))


class Anthropic:
    """Anthropic's API."""

    protocol, most_requests, most_bytes = "anthropic", 100_000, 256_000_000
    _UNKNOWN = ("temperature",)  # to the SDK, not to this version of the API

    def __init__(self, key: str, base_url: str | None, timeout: float, hidden: Hidden) -> None:
        import anthropic

        self._sdk, self._hidden = anthropic, hidden
        # The API's later versions know no temperature, which the paper's protocol sets.
        self._client = anthropic.Anthropic(
            api_key=key,
            base_url=base_url,
            timeout=timeout,
            max_retries=0,
            default_headers={"anthropic-version": "2023-06-01"},
        )

    def ask(self, body: dict[str, Any]) -> Any:
        """As ``Provider``."""
        with _told(self._sdk, self._hidden):
            known = {name: value for name, value in body.items() if name not in self._UNKNOWN}
            extra = {name: value for name, value in body.items() if name in self._UNKNOWN}
            response = self._client.messages.with_raw_response.create(**known, extra_body=extra)
            return self._hidden.record(_json(response.http_response.content))

    def line(self, id: str, body: dict[str, Any]) -> bytes:
        """As ``Provider``."""
        return _line({"custom_id": id, "params": body})

    def submit(self, tag: str, file: Path) -> str:  # noqa: ARG002
        """As ``Provider``; the tag is in the ids of all requests."""
        kind = self._sdk.types.messages.MessageBatch
        headers = {"content-type": "application/json", "content-length": str(sum(map(len, _joined(file))))}
        with _told(self._sdk, self._hidden):
            # The SDK's call by name would hold the batch in memory several times over.
            made = self._client.post(
                "/v1/messages/batches", content=_joined(file), cast_to=kind, options={"headers": headers}
            )
            return _name(made)

    def find(self, tag: str, since: float, rows: int, known: Collection[str]) -> str | None:
        """As ``Provider``: by the ids of its requests, which it shows when it has ended."""
        with _told(self._sdk, self._hidden, creates=False):
            for batch in _whole(self._client.messages.batches.list(limit=100)):
                _name(batch)
                if batch.created_at.timestamp() < since - 3600:
                    break
                if batch.id in known:
                    continue
                counts = batch.request_counts
                total = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                if total != rows:
                    continue
                if self.status(batch.id).state != ENDED:
                    raise UndecidedError
                lines = islice(self.results(batch.id), _FIRST)
                if any(line.id.rpartition("-")[0] == tag for line in lines):
                    return _name(batch)
        return None

    def status(self, batch: str) -> Status:
        """As ``Provider``."""
        with _told(self._sdk, self._hidden, creates=False):
            found = self._client.messages.batches.retrieve(batch)
            _name(found)
            if found.processing_status == "ended":
                return Status(ENDED, answered=found.request_counts.succeeded)
            return Status(RUNNING)

    def results(self, batch: str) -> Iterator[Line]:
        """As ``Provider``."""
        lines = self._client.messages.batches.with_streaming_response
        with _told(self._sdk, self._hidden, creates=False), lines.results(batch) as response:
            yield from _lines(response, self._read)

    @_shaped
    def _read(self, line: Any) -> Line:
        result = line["result"]
        if result["type"] == "succeeded":
            return Line(str(line["custom_id"]), self._hidden.record(result["message"]))
        error = (result.get("error") or {}).get("error") or {}
        why = f"{error.get('type') or result['type']}: {error.get('message') or ''}"
        return Line(str(line["custom_id"]), why=_shown(self._hidden, why))

    def cancel(self, batch: str) -> None:
        """As ``Provider``."""
        with _told(self._sdk, self._hidden, creates=False), contextlib.suppress(*_over(self._sdk)):
            _name(self._client.messages.batches.cancel(batch))


_NOT_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol", "LocalProtocolError")


class _told:  # noqa: N801
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
        status, message = error.status_code, _shown(self._hidden, _message(error))
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


def _over(sdk: Any) -> tuple[type[Exception], ...]:
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


def _shown(hidden: Hidden, value: Any) -> str:
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


def _name(record: Any) -> str:
    """The id of a record that an SDK made of a reply; of a page of HTML it makes a text."""
    name = getattr(record, "id", None)
    if not isinstance(name, str) or not name:
        raise ValueError("no id")
    return name


def _joined(file: Path) -> Iterator[bytes]:
    """The lines of a file as the list of requests of one body, in pieces."""
    yield b'{"requests":['
    left = file.stat().st_size - 1  # without the end of the last line
    with file.open("rb") as stream:
        while piece := stream.read(min(left, _PIECE)):
            left -= len(piece)
            yield piece.replace(b"\n", b",")
    yield b"]}"


def _whole(page: Any) -> Iterator[Any]:
    if not hasattr(page, "data"):
        raise ValueError("no page")
    yield from page


def _lines(response: Any, read: Callable[[Any], Line]) -> Iterator[Line]:
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
                    line = read(_json(text))
                except ValueError:
                    if not good:
                        raise
                    continue
                good = True
                yield line
    if rest.strip():
        yield read(_json(rest))


def _json(text: Any) -> Any:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("no record")
    return found


def _line(record: dict[str, Any]) -> bytes:
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"
