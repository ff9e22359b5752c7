"""Both providers' APIs on this machine's loopback, for their official SDKs: real HTTP, real shapes, every way
of answering badly. The server runs in a thread, so that what it knows outlives a client that is killed."""

from __future__ import annotations

import hashlib
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any

from api_anthropic import Anthropic
from api_batches import Batch, Provider
from api_faults import Faults
from api_http import Handler
from api_openai import OpenAI
from api_rules import Answer, Rule, fingerprint, one_of

GPT, CLAUDE = "gpt-4o-2024-08-06", "claude-3-7-sonnet-20250219"


@dataclass(slots=True)
class Asked:
    """One request as it came, and what became of it (status 0: no answer)."""

    method: str
    route: str
    headers: Mapping[str, str]
    fault: str | None = None
    status: int = 0


@dataclass(frozen=True)
class Route:
    """A method and a path; ``name`` as in ``At(route=...)``. ``takes``: what its handler is given."""

    method: str
    path: str
    provider: str
    handler: Callable[..., Answer]
    takes: str = ""

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


class Server:
    """``with Server(answer=rule) as server:``; base URLs for the SDKs: ``server.openai_url``, ``server.url``.

    ``answer``: what the model says to a prompt; without it one of ``answers``, picked by the prompt's hash. To
    set: ``faults``, ``polls_to_end`` (how many requests for a batch's status see it unfinished), ``now`` (the
    clock of created_at), ``instead`` (by route, what is given the usual answer and gives another),
    ``openai_models`` and ``anthropic_models`` (asked name to served name). To read: ``paid``, ``batches``,
    ``requests``. An exception of the server, or of ``answer``, is raised at the end."""

    def __init__(self, answer: Rule | None = None, *, answers: tuple[str, ...] = ("yes", "no")) -> None:
        self.answer, self.polls_to_end, self.faults = answer or one_of(answers), 0, Faults()
        self.openai_key, self.anthropic_key = "sk-test-openai-0001", "sk-ant-test-0001"
        self.now: Callable[[], float] = time.time
        self.batches: list[Batch] = []
        self.requests: list[Asked] = []
        self.broken: list[BaseException] = []
        self.instead: dict[str, Callable[[Callable[[], Answer]], Answer]] = {}
        self.lock = threading.RLock()
        self.let_go = threading.Event()
        self._ids = 0
        self._paid: Counter[str] = Counter()
        self.openai, self.anthropic = OpenAI(self), Anthropic(self)
        self.openai_models = self.openai.models = dict.fromkeys((GPT, "gpt-4o"), GPT)
        self.anthropic_models = self.anthropic.models = {CLAUDE: CLAUDE}
        self._routes = [
            (re.compile(route.path.replace("{id}", "([^/]+)")), route) for route in self._list_routes()
        ]
        self._http = _Http(("127.0.0.1", 0), type("Bound", (Handler,), {"owner": self}))
        self._http.broken = self.broken
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self.openai_url = f"{self.url}/v1"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.let_go.set()
        self._http.shutdown()
        self._http.server_close()
        if self.broken and kind is None:
            raise self.broken[0]

    @property
    def paid(self) -> Counter[str]:
        """How many times a request with a body (its ``fingerprint``) was computed and billed.

        A batch that nobody asked for again counts too: it is computed for that."""
        for batch in list(self.batches):
            batch.provider.settle(batch)
        with self.lock:
            return Counter(self._paid)

    def asked(self, route: str) -> list[Asked]:
        """The requests to a route."""
        return [request for request in self.requests if request.route == route]

    # ---- for the providers

    def bill(self, body: Any) -> None:
        """Note that a request was computed."""
        with self.lock:
            self._paid[fingerprint(body)] += 1

    def new_id(self, prefix: str) -> str:
        """An id that no other object has; the same in the same order."""
        with self.lock:
            self._ids += 1
            return prefix + hashlib.sha256(str(self._ids).encode()).hexdigest()[:24]

    def visible(self, provider: Provider) -> list[Batch]:
        """A provider's batches as a list shows them, newest first."""
        with self.lock:
            own = [batch for batch in reversed(self.batches) if batch.provider is provider]
            shown = [batch for batch in own if not batch.fate.hidden]
            for batch in own:
                batch.fate.hidden -= batch.fate.hidden > 0
            return shown

    # ---- for the handler

    def note(self, method: str, route: str, headers: dict[str, str]) -> Asked:
        """Keep a request."""
        asked = Asked(method, route, headers)
        with self.lock:
            self.requests.append(asked)
        return asked

    def find(self, method: str, path: str) -> tuple[Any, Route | None, list[str]]:
        """Whose request it is, its route (None: there is none) and the ids in its path."""
        for pattern, route in self._routes:
            match = pattern.fullmatch(path)
            if match and route.method == method:
                return getattr(self, route.provider), route, list(match.groups())
        return self.openai, None, []

    def call(self, route: Route, ids: list[str], query: dict[str, str], body: Any) -> Answer:
        """Let the provider answer."""
        given: dict[str, list[Any]] = {"body": [body], "query": [query], "": []}

        def answer() -> Answer:
            return route.handler(*ids, *given[route.takes])

        return self.instead[route.name](answer) if route.name in self.instead else answer()

    def _list_routes(self) -> list[Route]:
        o, a = self.openai, self.anthropic
        return [
            Route("POST", "/v1/chat/completions", "openai", o.chat, "body"),
            Route("POST", "/v1/files", "openai", o.upload, "body"),
            Route("GET", "/v1/files", "openai", o.list_files, "query"),
            Route("GET", "/v1/files/{id}/content", "openai", o.content),
            Route("DELETE", "/v1/files/{id}", "openai", o.delete),
            Route("POST", "/v1/batches", "openai", o.create, "body"),
            Route("GET", "/v1/batches", "openai", o.list, "query"),
            Route("GET", "/v1/batches/{id}", "openai", o.show),
            Route("POST", "/v1/batches/{id}/cancel", "openai", o.cancel),
            Route("POST", "/v1/messages", "anthropic", a.messages, "body"),
            Route("POST", "/v1/messages/batches", "anthropic", a.create, "body"),
            Route("GET", "/v1/messages/batches", "anthropic", a.list, "query"),
            Route("GET", "/v1/messages/batches/{id}", "anthropic", a.show),
            Route("GET", "/v1/messages/batches/{id}/results", "anthropic", a.results),
            Route("POST", "/v1/messages/batches/{id}/cancel", "anthropic", a.cancel),
        ]


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    broken: list[BaseException]

    def handle_error(self, *_: Any) -> None:
        error = sys.exception()
        if error is not None and not isinstance(error, OSError):  # a client that goes away is part of the tests
            self.broken.append(error)
