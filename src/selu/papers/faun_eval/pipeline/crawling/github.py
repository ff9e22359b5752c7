"""GitHub's REST and GraphQL through PyGithub: waits for limits, and asks again for damaged answers.

The token comes from the environment, and reaches GitHub and nobody else: no file, log or error.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeVar
from urllib.parse import parse_qs, urlsplit

from selu.deadline import Aside
from selu.papers.evidence import Progress
from selu.vocabulary import MachineError, SeluError

ADDRESS = "https://api.github.com"
TOKEN = "GITHUB_TOKEN"
T = TypeVar("T")
TRIES = 9  # answers in a row that are no good
LONGEST = 3700.0  # seconds: GitHub's limits begin again each hour
_WHOLE = 120.0  # seconds for an answer, from its first byte to its last
_SECONDARY = 60.0  # seconds that GitHub asks to wait where it says no time
_NEXT = re.compile(r'<([^<>]+)>;\s*rel="next"')


class Clock(Protocol):
    """The current time and a way to wait, as the module ``time`` has them."""

    def time(self) -> float:
        """Return the seconds since 1970."""

    def sleep(self, seconds: float, /) -> None:
        """Wait."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The content of an address; ``records`` is None if it did not change."""

    records: Any
    next: str | None
    etag: str


class _DamagedError(Exception):
    """An answer that is incomplete, or belongs to another request."""


# What PyGithub raises, or its caller, when an answer ends early or is another thing than was asked for.
_UNREADABLE = (_DamagedError, ValueError, TypeError, AttributeError, KeyError, AssertionError)


class Client:
    """A client of one server. Its errors are sentences: whom to ask, and that results so far are kept."""

    def __init__(
        self,
        token: str,
        address: str = ADDRESS,
        clock: Clock = time,
        progress: Progress = lambda _: None,
    ) -> None:
        try:
            import github
        except ImportError:
            raise MachineError(
                "PyGithub is not installed: run 'make pipeline-environment', which brings it."
            ) from None
        logging.getLogger("github").setLevel(logging.WARNING)  # it writes to the standard error by itself
        self._github = github
        self._clock = clock
        self._progress = progress
        self._host, self._above = urlsplit(address)[:2], urlsplit(address).path.rstrip("/")
        # PyGithub would wait by the machine's clock, and try again without saying so: it does neither here.
        self._requester = github.Github(
            auth=github.Auth.Token(token), base_url=address, retry=None, timeout=60,
            seconds_between_requests=None, seconds_between_writes=None, user_agent="selu",
        ).requester  # fmt: skip

    def get(self, address: str, fields: Collection[str] = (), etag: str = "") -> Answer:
        """Read an address of the REST interface, if it changed since this ETag.

        Args:
            fields: what the answer must have, each list's records or a single one.
            etag: the mark; empty: read it whether it changed or not.

        Raises:
            SeluError: it is refused, not there, or no answer is whole.
        """
        headers = {"If-None-Match": etag} if etag else {}

        def ask() -> Answer:
            answered, data = self._requester.requestJsonAndCheck("GET", address, headers=dict(headers))
            if data is None:  # not changed
                if not etag:
                    raise _DamagedError
                return Answer(None, None, etag)
            records = data if isinstance(data, list) else [data]
            if not all(isinstance(record, dict) and record.keys() >= set(fields) for record in records):
                raise _DamagedError
            return Answer(data, self._next(address, answered.get("link", "")), answered.get("etag", ""))

        return self._until_whole(ask, urlsplit(address).path)

    def query(self, text: str, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        """Query the GraphQL interface.

        Raises:
            SeluError: it is refused, or no answer is whole.
        """

        def ask() -> Mapping[str, Any]:
            try:
                _, data = self._requester.graphql_query(text, dict(variables))
            except self._github.GithubException as error:
                data = error.data
                if not _only_hidden(data):
                    raise
            if not isinstance(data.get("data"), dict):
                raise _DamagedError
            return dict(data["data"])

        return self._until_whole(ask, "GraphQL")

    def _next(self, address: str, link: str) -> str | None:
        """Return the address of the next page, without the server's part.

        PyGithub drops what stands behind the ``?`` when a server answers that a repository moved, so that any
        page would be answered by the first one: a page must be followed by its own successor.
        """
        found = _NEXT.search(link)
        if found is None:
            if "rel=" in link and 'rel="prev"' not in link:
                raise _DamagedError
            return None
        following = urlsplit(found[1])
        here, after = parse_qs(urlsplit(address).query), parse_qs(following.query)
        if following[:2] != self._host or after.get("per_page") != here.get("per_page"):
            raise _DamagedError
        if "page" in after and int(after["page"][0]) != int(here.get("page", ["1"])[0]) + 1:
            raise _DamagedError
        place = f"{following.path.removeprefix(self._above)}?{following.query}"
        if place == address:
            raise _DamagedError
        return place

    def _until_whole(self, ask: Callable[[], T], what: str) -> T:
        from requests import RequestException

        problem = "no answer"
        for attempt in range(TRIES):
            aside, until = Aside(), time.monotonic() + _WHOLE
            try:
                return aside.call(ask, lambda until=until: until)  # type: ignore[misc]
            except self._github.GithubException as error:
                wait = self._wait(error.status, error.headers or {}, error.data, what, attempt)
                problem = f"status {error.status}"
            except RuntimeError:
                self._refuse("redirects to another server", what)
            except TimeoutError:
                wait, problem = 2.0**attempt, f"no whole answer within {_WHOLE:g} seconds"
            except RequestException:
                wait, problem = 2.0**attempt, "a lost connection"
            except _UNREADABLE:
                wait, problem = 2.0**attempt, "an answer that is not whole"
            finally:
                aside.end()
            if attempt + 1 < TRIES:
                self._progress(f"GitHub, {what}: {problem}; next try in {wait:.0f} seconds")
                self._clock.sleep(min(wait, LONGEST))
        raise MachineError(
            f"GitHub gave no whole answer to {what} in {TRIES} tries (at last {problem}): run the same command "
            "again later, it continues where it stopped."
        )

    def _wait(self, status: int, headers: Mapping[str, str], data: object, what: str, attempt: int) -> float:
        """Return how many seconds to wait after an error; raise if waiting is of no use."""
        errors = data.get("errors") if isinstance(data, Mapping) else None
        kinds = {str(error.get("type")) for error in errors or () if isinstance(error, Mapping)}
        message = str(data.get("message", "")).lower() if isinstance(data, Mapping) else ""
        if status in (403, 429) or "RATE_LIMITED" in kinds:
            for name, now in (("retry-after", 0.0), ("x-ratelimit-reset", self._clock.time())):
                number = str(headers.get(name, ""))
                spent = name == "retry-after" or headers.get("x-ratelimit-remaining") == "0"
                if spent and number.isascii() and number.isdigit():
                    return max(float(number) - now, 0.0) + 1
            if status == 429 or "RATE_LIMITED" in kinds or "rate limit" in message:
                return _SECONDARY * 2.0**attempt
            self._refuse("refuses it to this token", what)
        if status == 401:
            self._refuse(f"does not know the token in {TOKEN}", what)
        if status in (404, 410, 451) or "NOT_FOUND" in kinds:
            self._refuse("does not have it, or hides it from this token", what)
        if status >= 500 or errors:
            return 2.0**attempt
        self._refuse(f"refuses it with status {status}", what)

    def _refuse(self, why: str, what: str) -> NoReturn:
        raise RefusedError(
            f"GitHub {why} ({what}): check the name of the repository and what the token may read."
        )


class RefusedError(SeluError):
    """GitHub answers that something does not exist or is not public."""


def _only_hidden(data: object) -> bool:
    """Return whether an answer lacks only what is not public, such as a closed organisation's reference."""
    if not isinstance(data, dict) or not isinstance(data.get("data"), dict):
        return False
    kinds = {error.get("type") for error in data.get("errors") or () if isinstance(error, dict)}
    return kinds == {"FORBIDDEN"} and None not in data["data"].values()


def token_of(environment: Mapping[str, str] = os.environ) -> str:
    """Read the token.

    Raises:
        SeluError: there is none, or it holds what no token does.
    """
    token = environment.get(TOKEN, "").strip()
    if not token:
        raise SeluError(f"GitHub's cross-references need a token: set {TOKEN} in the environment.")
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,500}", token, re.ASCII):
        raise SeluError(f"{TOKEN} holds no token of GitHub: letters, digits and _ only.")
    return token
