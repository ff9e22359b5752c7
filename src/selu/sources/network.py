"""One HTTP request: who receives the token, which redirects are followed, how it may fail."""

from __future__ import annotations

import base64
import os
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urljoin, urlsplit

from selu.deadline import Aside
from selu.sources.verify import UnavailableError
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    from requests import PreparedRequest, Response, Session

T = TypeVar("T")
TOKEN = "SELU_GITHUB_TOKEN"
_PASSING = (408, 425, 429, 500, 502, 503, 504)  # statuses that a later try may not meet again
_EXPIRED = (401, 403, 410)  # what a storage answers to a link that is too old
_HOPS = 5
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_REFUSED = f": access refused; {TOKEN} may hold a token for it"
_MEANING = {
    401: _REFUSED,
    403: _REFUSED,
    404: ": it was removed, renamed or made private",
    410: ": it was removed for good",
    451: ": it was withdrawn for legal reasons",
}


class TransientError(Exception):
    """A failure that may pass.

    ``wait``: seconds that the server asks for. ``unreachable``: the host to which there was no connection.
    """

    def __init__(self, reason: str, wait: float | None = None, unreachable: str | None = None) -> None:
        super().__init__(reason)
        self.wait, self.unreachable = wait, unreachable


@dataclass(frozen=True, slots=True)
class Patience:
    """The limits of waiting. Times in seconds, rates in bytes a second."""

    connect: float = 8.0  # for a connection
    read: float = 30.0  # for the next byte
    slowest: float = 512.0  # a mean rate below this over ``window`` counts as stalled
    window: float = 30.0
    attempts: int = 5  # in a row without a further byte
    longest: float = 60.0  # a pause, and what a server may ask us to wait
    whole: float = 600.0  # for a file, all attempts together, and more for a long one:
    least: float = 20_000.0  # a mean rate
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random

    def pause(self, failures: int) -> float:
        """Return the seconds to wait after this many failures in a row: doubling, half of it random."""
        return min(self.longest, 2.0 ** (failures - 1)) * (0.5 + 0.5 * self.jitter())


@dataclass(frozen=True, slots=True)
class Link:
    """An address to read bytes from. ``renewable``: it expires, and a new one can be asked for."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    renewable: bool = False


class Answer:
    """An answer whose body is read in pieces; its head and each piece come in time, or not at all."""

    def __init__(self, url: str, patience: Patience) -> None:
        self.url, self._patience, self._aside = url, patience, Aside()
        self._response: Response | None = None

    def ask(self, request: Callable[[], Response]) -> Response:
        """Send a request and wait for the head of its answer."""
        self._response = self._call(request, self._patience.connect + self._patience.read)
        return self._response

    @property
    def response(self) -> Response:
        """The head of the answer, known before its body."""
        assert self._response is not None
        return self._response

    def read(self, most: int, *, decode: bool = False) -> bytes:
        """Return the next bytes that are there, b"" at the end; TransientError where none come."""
        read = partial(self.response.raw.read1, most, decode_content=decode)
        return bytes(self._call(read, self._patience.read))

    def close(self) -> None:
        """Close the connection."""
        self._aside.end(self._response.close if self._response is not None else lambda: None)

    def _call(self, work: Callable[[], T], seconds: float) -> T:
        from http.client import HTTPException

        from urllib3.exceptions import HTTPError

        until = time.monotonic() + seconds
        try:
            return self._aside.call(work, lambda: until)
        except (HTTPError, HTTPException, OSError, ValueError) as error:  # each of requests is an OSError
            raise trouble(error, self.url, self._patience) from None


class Network:
    """Makes requests, and remembers which hosts could not be reached so that they are not waited for again.

    ``raw`` and ``lfs`` are where plain files and large-file storage are asked for: GitHub, or the hosts that
    SELU_RAW_HOST and SELU_LFS_HOST name (a proxy, a test's server).

    Raises:
        SeluError: a variable is not the address of a host.
    """

    def __init__(self, patience: Patience | None = None) -> None:
        self.raw = _configured("SELU_RAW_HOST", "https://raw.githubusercontent.com")
        self.lfs = _configured("SELU_LFS_HOST", "https://github.com")
        self.patience = patience or Patience()
        self.unreachable: set[str] = set()

    @cached_property
    def _session(self) -> Session:
        from requests import Session

        return Session()

    @contextmanager
    def open(self, link: Link, headers: Mapping[str, str], body: bytes | None = None) -> Iterator[Answer]:
        """Make one request and follow its redirects without reading their bodies; the caller reads the answer.

        Raises:
            TransientError: no answer, or one with a status that may not come again.
            UnavailableError: a bad status, a host that could not be reached a moment ago, or a redirect that
                is not to be followed.
        """
        url, own = link.url, link.headers
        answer = Answer(url, self.patience)
        try:
            for _ in range(_HOPS + 1):
                answer.url = url
                response = self._request(answer, {**headers, **self._credentials(url), **own}, body)
                target = self._session.get_redirect_target(response)
                if target is None:
                    _judge(response, url, renewable=link.renewable)
                    yield answer
                    return
                response.close()
                before, url = url, _followed(url, target)
                if _origin(before) != _origin(url):
                    own = {}  # a link's headers are for its own host, and so is what is sent
                    if body is not None:
                        raise UnavailableError(
                            f"{shown(before)} redirects to {shown(url)}, to which nothing is sent"
                        )
            raise UnavailableError(f"{shown(link.url)} redirects more than {_HOPS} times")
        finally:
            answer.close()

    def _request(self, answer: Answer, headers: Mapping[str, str], body: bytes | None) -> Response:
        host = _host(answer.url)
        if host in self.unreachable:
            raise UnavailableError(f"{host} could not be reached a moment ago")
        return answer.ask(
            partial(
                self._session.request,
                "GET" if body is None else "POST",
                answer.url,
                headers={"Accept-Encoding": "identity", "User-Agent": "selu", **headers},
                data=body,
                timeout=(self.patience.connect, self.patience.read),
                allow_redirects=False,
                stream=True,
                auth=_no_netrc,
            )
        )

    def _credentials(self, url: str) -> Mapping[str, str]:
        """Return the token's header for a configured host, if encrypted or on this machine; else {}."""
        token = os.environ.get(TOKEN, "").strip()
        parts = urlsplit(url)
        if not token or not (parts.scheme == "https" or parts.hostname in _LOOPBACK):
            return {}
        if not (token.isascii() and token.isprintable()):
            raise SeluError(f"{TOKEN} has characters that a token can't have: set it again, or unset it.")
        batch = parts.path.endswith("/info/lfs/objects/batch")
        if not batch and _origin(url) == _origin(self.raw):
            return {"Authorization": f"Bearer {token}"}
        if _origin(url) == _origin(self.lfs):
            basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
            return {"Authorization": f"Basic {basic}"}
        return {}


def _configured(variable: str, usual: str) -> str:
    """Return the address that a variable of the environment names, or the usual one."""
    address = os.environ.get(variable, "").rstrip("/") or usual
    if not re.fullmatch(r"https?://[^/?#@\s]+(/[^?#\s]*)?", address):
        raise SeluError(f"{variable} is not the address of a host: give it as https://HOST[:PORT][/PATH].")
    return address


def shown(url: str) -> str:
    """Return an address without its query, user or password, which may hold secrets."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{_host(url)}{parts.path}"


def _judge(response: Response, url: str, *, renewable: bool) -> None:
    """Accept a good answer, and one without further bytes (416); raise for others."""
    from urllib3.exceptions import InvalidHeader
    from urllib3.util import Retry

    status = response.status_code
    if status < 300 or status == 416:
        return
    try:
        wait = Retry().get_retry_after(response.raw)
    except InvalidHeader:
        wait = None
    if status in _PASSING or (status == 403 and wait is not None):
        raise TransientError(f"{shown(url)} answered {status}", wait)
    if renewable and status in _EXPIRED:
        raise TransientError(f"{shown(url)} answered {status}: the link may have expired")
    raise UnavailableError(f"{shown(url)} answered {status}{_MEANING.get(status, '')}")


def trouble(error: Exception, url: str, patience: Patience) -> TransientError:
    """Describe an error in our own words: a library's message may show an address with its secrets."""
    from requests import exceptions
    from urllib3.exceptions import NewConnectionError, ReadTimeoutError

    host, cause = _host(url), error.args[0] if error.args else None
    silent = (exceptions.ReadTimeout, ReadTimeoutError, TimeoutError)
    if isinstance(error, exceptions.ConnectTimeout):
        reason = f"{host} gave no connection within {patience.connect:g} s"
    elif isinstance(error, exceptions.SSLError):
        reason = f"{host} has no certificate that can be verified"
    elif isinstance(error, exceptions.ProxyError):
        reason = f"{host} can't be reached through the proxy of this machine"
    elif isinstance(error, silent) or isinstance(cause, silent):
        return TransientError(f"{host} sent nothing for {patience.read:g} s")
    elif isinstance(getattr(cause, "reason", None), NewConnectionError):
        reason = f"{host} can't be reached from this machine"
    elif isinstance(error, ValueError):
        reason = f"{host} is not an address that can be asked"
    else:
        return TransientError(f"the connection to {host} broke off")
    return TransientError(reason, unreachable=host)


def _host(url: str) -> str:
    """Return the host of an address as it is shown, with its port but without a user."""
    return urlsplit(url).netloc.rpartition("@")[2]


def _origin(url: str) -> tuple[str, str]:
    return urlsplit(url).scheme, _host(url)


def _followed(url: str, location: str) -> str:
    """Return where a redirect leads, unless it leaves the encrypted connection."""
    target = urljoin(url, location)
    if urlsplit(target).scheme in ("https", urlsplit(url).scheme):
        return target
    raise UnavailableError(f"{shown(url)} redirects to {shown(target)}, which is not followed")


def _no_netrc(request: PreparedRequest) -> PreparedRequest:
    """Keep the library from adding credentials of its own accord (a user's .netrc, an address's user)."""
    return request
