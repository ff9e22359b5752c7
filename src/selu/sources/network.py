"""One HTTP request: whom the token goes to, which redirects are followed, how it may fail."""

from __future__ import annotations

import base64
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from selu.sources.verify import UnavailableError
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    from requests import PreparedRequest, Response, Session

TOKEN = "SELU_GITHUB_TOKEN"
_REDIRECTS = (301, 302, 303, 307, 308)
_PASSING = (408, 425, 429, 500, 502, 503, 504)  # statuses that a later try may not meet again
_HOPS = 5
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class TransientError(Exception):
    """A failure that may pass.

    ``wait``: seconds that the server asks for. ``unreachable``: the host to which there was no connection.
    """

    def __init__(self, reason: str, wait: float | None = None, unreachable: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.wait, self.unreachable = reason, wait, unreachable


@dataclass(frozen=True, slots=True)
class Hosts:
    """Where repositories' plain files and large-file storage are asked for."""

    raw: str = "https://raw.githubusercontent.com"
    lfs: str = "https://github.com"

    @classmethod
    def from_environment(cls) -> Hosts:
        """The hosts, or those that SELU_RAW_HOST and SELU_LFS_HOST name (a proxy, a test's server).

        Raises:
            SeluError: a variable is not the address of a host.
        """
        given = {}
        for name, variable in (("raw", "SELU_RAW_HOST"), ("lfs", "SELU_LFS_HOST")):
            address = os.environ.get(variable, "").rstrip("/")
            if not address:
                continue
            if not _is_host(address):
                raise SeluError(
                    f"{variable} is not the address of a host: give it as https://HOST[:PORT][/PATH]."
                )
            given[name] = address
        return cls(**given)


def _is_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises on a port that is no number
    except ValueError:
        return False
    plain = not (parts.query or parts.fragment or parts.username or parts.password)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for what. Times in seconds, rates in bytes a second."""

    connect: float = 8.0  # for a connection
    read: float = 30.0  # for the next byte
    total: float = 3600.0  # for one file; what has come by then is kept for the next run
    slowest: float = 512.0  # a mean rate below this over ``window`` counts as stalled
    window: float = 30.0
    attempts: int = 5  # in a row, none of which brings a byte further
    first: float = 1.0  # the first pause; each next one is twice as long
    longest: float = 60.0  # a pause, and what a server may ask us to wait
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random

    def pause(self, failures: int) -> float:
        """Seconds to wait after so many failures in a row: doubling, between half and all of it at random."""
        return float(min(self.longest, self.first * 2 ** (failures - 1)) * (0.5 + 0.5 * self.jitter()))


@dataclass(frozen=True, slots=True)
class Link:
    """An address to read bytes from. ``renewable``: it expires, and a new one can be asked for."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    renewable: bool = False


class Network:
    """Makes requests, and remembers which hosts could not be reached so that they are not waited for again."""

    def __init__(self, hosts: Hosts | None = None, patience: Patience | None = None) -> None:
        self.hosts = hosts or Hosts.from_environment()
        self.patience = patience or Patience()
        self.unreachable: set[str] = set()
        self._session: Session | None = None

    @contextmanager
    def open(self, link: Link, headers: Mapping[str, str], body: bytes | None = None) -> Iterator[Response]:
        """One request, its redirects followed; the caller looks at the status and reads ``raw``.

        Raises:
            TransientError: no answer; may pass.
            UnavailableError: the host could not be reached a moment ago, or a redirect is not to be followed.
        """
        url, own = link.url, dict(link.headers)
        for _ in range(_HOPS + 1):
            response = self._request(url, {**headers, **self._credentials(url), **own}, body)
            with response:
                target = response.headers.get("Location")
                if response.status_code not in _REDIRECTS or not target:
                    yield response
                    return
            target = _followed(url, target)
            if _host(url) != _host(target):
                own = {}  # a link's headers are for its own host
            url = target
        raise UnavailableError(f"{shown(link.url)} redirects more than {_HOPS} times")

    def _request(self, url: str, headers: Mapping[str, str], body: bytes | None) -> Response:
        import requests

        host = _named(url)
        if host in self.unreachable:
            raise UnavailableError(f"{host} could not be reached a moment ago")
        if self._session is None:
            self._session = requests.Session()
        patience = self.patience
        try:
            return self._session.request(
                "GET" if body is None else "POST",
                url,
                headers={"Accept-Encoding": "identity", "User-Agent": "selu", **headers},
                data=body,
                timeout=(patience.connect, patience.read),
                allow_redirects=False,
                stream=True,
                auth=_no_netrc,
            )
        except (requests.RequestException, OSError, ValueError) as error:
            raise trouble(error, url, patience) from None

    def _credentials(self, url: str) -> dict[str, str]:
        """The token's header, for a configured host over an encrypted (or this machine's own) connection."""
        token = os.environ.get(TOKEN, "").strip()
        parts = urlsplit(url)
        if not token or not (parts.scheme == "https" or parts.hostname in _LOOPBACK):
            return {}
        if not (token.isascii() and token.isprintable()):
            raise SeluError(f"{TOKEN} holds characters that no token has: set it again, or unset it.")
        batch = parts.path.endswith("/info/lfs/objects/batch")
        if _host(url) == _host(self.hosts.raw) and not batch:
            return {"Authorization": f"Bearer {token}"}
        if _host(url) == _host(self.hosts.lfs):
            basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
            return {"Authorization": f"Basic {basic}"}
        return {}


def shown(url: str) -> str:
    """An address without its query, user or password, which may hold secrets."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{_named(url)}{parts.path}"


def judge(response: Response, url: str, *, renewable: bool = False) -> None:
    """Let a good answer pass.

    Raises:
        TransientError: the status may not come again (408, 429, 5xx; 401, 403, 410 of a renewable link).
        UnavailableError: it would.
    """
    status = response.status_code
    if status < 300 or status == 416:
        return
    wait = retry_after(response.headers.get("Retry-After"))
    if status in _PASSING or (status == 403 and wait is not None):
        raise TransientError(f"{shown(url)} answered {status}", wait)
    if renewable and status in (401, 403, 410):
        raise TransientError(f"{shown(url)} answered {status}: the link may have expired")
    meaning = {
        401: f": access refused; {TOKEN} may hold a token for it",
        403: f": access refused; {TOKEN} may hold a token for it",
        404: ": it was removed, renamed or made private",
        410: ": it was removed for good",
        451: ": it was withdrawn for legal reasons",
    }
    raise UnavailableError(f"{shown(url)} answered {status}{meaning.get(status, '')}")


def retry_after(value: str | None) -> float | None:
    """Seconds that a Retry-After header asks for (a number or a date), None without a readable one."""
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def trouble(error: Exception, url: str, patience: Patience) -> TransientError:
    """What went wrong, in words of ours: a library's message may show an address with its secrets."""
    from requests import exceptions
    from urllib3.exceptions import MaxRetryError, NewConnectionError, ReadTimeoutError

    host, cause = _named(url), error.args[0] if error.args else None
    if isinstance(error, exceptions.ConnectTimeout):
        return TransientError(f"{host} gave no connection within {patience.connect:g} s", unreachable=host)
    if isinstance(error, exceptions.SSLError):
        return TransientError(f"{host} has no certificate that can be verified", unreachable=host)
    if isinstance(error, exceptions.ProxyError):
        return TransientError(f"{host} can't be reached through the proxy of this machine", unreachable=host)
    silent = (exceptions.ReadTimeout, ReadTimeoutError)
    if isinstance(error, silent) or isinstance(cause, (ReadTimeoutError, TimeoutError)):
        return TransientError(f"{host} sent nothing for {patience.read:g} s")
    if isinstance(cause, MaxRetryError) and isinstance(cause.reason, NewConnectionError):
        return TransientError(f"{host} can't be reached from this machine", unreachable=host)
    if isinstance(error, ValueError):
        return TransientError(f"{host} is not an address that can be asked", unreachable=host)
    return TransientError(f"the connection to {host} broke off")


def _named(url: str) -> str:
    """The host of an address as it is shown, with its port but without a user."""
    return urlsplit(url).netloc.rpartition("@")[2]


def _host(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme)


def _followed(url: str, location: str) -> str:
    """The address that a redirect leads to, unless it leaves the encrypted connection or is none at all."""
    try:
        target = urljoin(url, location)
        before, after = _host(url)[0], _host(target)[0]
    except ValueError:
        raise UnavailableError(f"{shown(url)} redirects to what is not an address") from None
    if after == "https" or (after == "http" and before == "http"):
        return target
    raise UnavailableError(f"{shown(url)} redirects to {shown(target)}, which is not followed")


def _no_netrc(request: PreparedRequest) -> PreparedRequest:
    """Keeps the library from adding credentials of its own accord (a user's .netrc, an address's user)."""
    return request
