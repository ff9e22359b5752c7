"""The HTTP client of libraries: a call ends in time, has a size limit, and goes to one server."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar

import httpx2

from selu.deadline import Aside
from selu.vocabulary import MachineError

T = TypeVar("T")
LARGEST = 1 << 20  # bytes of an answer that is read as a whole
_HOPS = 3  # redirects
_GRACE = 0.1  # seconds in which calls in flight may end after ``stop``


class EndlessError(Exception):
    """An answer that takes too long, or is too long."""


class Client(httpx2.Client):
    """A client for SDKs of providers: a request's timeout is that of the whole call, not of each byte.

    Attributes:
        largest: bytes of an answer that is read as a whole; ``longest``: of one that is read piece by piece.
        slowest: bytes a second; what is long, as a batch and its results, may take longer by that.
        seconds: of a call; None: the timeout of its request.
    """

    largest: float = LARGEST
    longest: float = 2 << 30
    slowest = 1 << 16
    seconds: float | None = None

    def __init__(
        self, timeout: float | None = None, event_hooks: Mapping[str, list[Callable[..., object]]] | None = None
    ) -> None:
        super().__init__(
            timeout=timeout, follow_redirects=False, limits=httpx2.Limits(), event_hooks=event_hooks
        )
        self._stopped = math.inf

    def leads(self, before: httpx2.Request, after: httpx2.Request) -> bool:
        """Return whether a redirect is followed."""
        return _origin(before.url) == _origin(after.url)

    def stop(self) -> None:
        """End all calls at once, as after Ctrl-C."""
        self._stopped = time.monotonic() + _GRACE

    def send(self, request: httpx2.Request, *, stream: bool = False, **given: Any) -> httpx2.Response:
        """Send a request.

        Raises:
            EndlessError: the call takes too long, or its answer is too long.
            MachineError: the server redirects to another one, or again and again.
        """
        request.headers["Accept-Encoding"] = "identity"  # what is packed may be a thousand times as long
        follow = given.pop("follow_redirects", None) is not False
        given |= {"stream": True, "follow_redirects": False}
        call = _Call(self, request, self.longest if stream else self.largest)
        try:
            response = self._reach(call, request, given, _HOPS if follow else 0)
            call.bound(response)
            if not stream:
                response.read()
        except BaseException:
            call.close()
            raise
        return response

    def _reach(self, call: _Call, request: httpx2.Request, given: dict[str, Any], hops: int) -> httpx2.Response:
        """Return the head of the answer, behind redirects that are followed."""
        first = _origin(request.url)
        for _ in range(_HOPS + 1):
            response = call.open(partial(super().send, request, **given))
            if not (response.has_redirect_location and hops):
                return response
            following = response.next_request
            if following is None or not self.leads(request, following):
                where = "nowhere" if following is None else _origin(following.url)
                break
            where = f"itself more than {hops} times"
            response.close()
            request = following
        raise MachineError(
            f"the server at {first} redirects to {where}, and nothing is sent there: give the address of the "
            "server that answers as base_url."
        )

    def until(self, began: float, seconds: float, moved: int) -> float:
        """Return the second of the clock until which a call may take."""
        return min(began + seconds + moved / self.slowest, self._stopped)


class HubClient(Client):
    """A client for hubs of models, which keep large files on other hosts: downloads may come from there."""

    largest, longest, slowest, seconds = 16 << 20, math.inf, 20_000, 600.0

    def leads(self, before: httpx2.Request, after: httpx2.Request) -> bool:
        """Return whether a redirect is followed."""
        return after.method in ("GET", "HEAD") and after.url.scheme in ("https", before.url.scheme)

    def send(self, request: httpx2.Request, *, stream: bool = False, **given: Any) -> httpx2.Response:
        """Send a request, as ``Client.send``."""
        response = super().send(request, stream=stream, **given)
        for name in ("Retry-After", "RateLimit"):  # the hub's library would sleep for as long as these say
            response.headers.pop(name, None)
        return response


class _Call(httpx2.SyncByteStream):
    """A request on its way, and its answer."""

    def __init__(self, client: Client, request: httpx2.Request, most: float) -> None:
        self._client, self._most, self._began = client, most, time.monotonic()
        self._seconds = client.seconds or request.extensions.get("timeout", {}).get("read") or math.inf
        self._sent, self._had = int(request.headers.get("Content-Length", 0)), 0
        self._aside, self._ended = Aside(), False
        self._response: httpx2.Response | None = None
        self._inner: Any = None

    def _make(self, work: Callable[[], T]) -> T:
        try:
            return self._aside.call(work, self._until)
        except TimeoutError:
            raise EndlessError(f"no whole answer within {self._seconds:g} seconds") from None

    def _until(self) -> float:
        return self._client.until(self._began, self._seconds, self._sent + self._had)

    def open(self, send: Callable[[], httpx2.Response]) -> httpx2.Response:
        """Send the request, and read the head of its answer."""

        def opened() -> httpx2.Response:
            self._response = response = send()
            return response

        return self._make(opened)

    def bound(self, response: httpx2.Response) -> None:
        """Route the body of an answer through this object."""
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise EndlessError("a packed answer, where a plain one was asked for")
        if not response.is_success:  # the body of an error is read as a whole
            self._most = min(self._most, self._client.largest)
        self._inner, response.stream = response.stream, self

    def __iter__(self) -> Iterator[bytes]:
        """Return the body piece by piece."""
        pieces = iter(self._inner)
        while (piece := self._make(lambda: next(pieces, None))) is not None:
            self._had += len(piece)
            if self._had > self._most:
                raise EndlessError(f"an answer without an end: more than {self._most:,} bytes")
            yield piece

    def close(self) -> None:
        """Close the connection once nothing is read from it any more."""
        if not self._ended:
            self._ended = True
            self._aside.end(self._let_go)

    def _let_go(self) -> None:
        if self._inner is not None:
            self._inner.close()
        elif self._response is not None:
            self._response.close()


def _origin(url: httpx2.URL) -> str:
    port = url.port or {"http": 80, "https": 443}.get(url.scheme)
    return f"{url.scheme}://{url.host}:{port}"
