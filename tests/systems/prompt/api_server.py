"""Both providers' APIs on this machine's loopback, for their official SDKs: real HTTP, real shapes, every way
of answering badly. The server runs in a thread, so that what it knows outlives a client that is killed."""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from api_anthropic import Anthropic
from api_batches import Batch
from api_faults import Faults
from api_http import Handler, Upload
from api_openai import OpenAI
from api_rules import Answer, Limits, Problem, Rule, fingerprint, one_of

OPENAI_MODELS = dict.fromkeys(("gpt-4o-2024-08-06", "gpt-4o"), "gpt-4o-2024-08-06")
ANTHROPIC_MODELS = {"claude-3-7-sonnet-20250219": "claude-3-7-sonnet-20250219"}
ID = r"([^/]+)"


@dataclass(slots=True)
class Asked:
    """One request as it came, and what became of it (status 0: no answer)."""

    method: str
    path: str
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

    ``answer``: what the model says to a prompt (the texts of all messages, an empty line between them); without
    it one of ``answers``, picked by the prompt's hash. ``polls_to_end``: how many requests for a batch's status
    see it unfinished. Other attributes to set: ``faults``, ``limits``, ``now`` (the clock of created_at), and
    ``openai_models`` and ``anthropic_models`` (asked name to served name). To read: ``paid``, ``paid_by``,
    ``batches``, ``requests``. An exception of the server itself, or of ``answer``, is raised at the end."""

    def __init__(
        self,
        answer: Rule | None = None,
        *,
        answers: tuple[str, ...] = ("yes", "no"),
        polls_to_end: int = 0,
        faults: Faults | None = None,
        limits: Limits | None = None,
        openai_key: str = "sk-test-openai-0001",
        anthropic_key: str = "sk-ant-test-0001",
        seed: int = 0,
    ) -> None:
        self.answer = answer or one_of(answers)
        self.polls_to_end, self.faults, self.limits = polls_to_end, faults or Faults(), limits or Limits()
        self.openai_key, self.anthropic_key, self.seed = openai_key, anthropic_key, seed
        self.now: Callable[[], float] = time.time
        self.openai_models, self.anthropic_models = dict(OPENAI_MODELS), dict(ANTHROPIC_MODELS)
        self.batches: list[Batch] = []
        self.requests: list[Asked] = []
        self.broken: list[BaseException] = []
        self.lock = threading.RLock()
        self.let_go = threading.Event()
        self._ids = 0
        self._paid: dict[str, Counter[str]] = {}
        self._headers: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        self._temporary = tempfile.TemporaryDirectory(prefix="api-server-")
        self.folder = Path(self._temporary.name)
        self.openai, self.anthropic = OpenAI(self), Anthropic(self)
        self._routes = [(re.compile(route.path.replace("{id}", ID)), route) for route in self._list_routes()]
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
        self._temporary.cleanup()
        if self.broken and kind is None:
            raise self.broken[0]

    # ---- the ledger

    @property
    def paid_by(self) -> dict[str, Counter[str]]:
        """By endpoint, how many times a request with a body (its ``fingerprint``) was computed and billed.

        A batch that nobody asked for again counts too: it is computed for that."""
        for batch in list(self.batches):
            (self.openai if batch.provider == "openai" else self.anthropic).batches.settle(batch)
        with self.lock:
            return {endpoint: Counter(paid) for endpoint, paid in self._paid.items()}

    @property
    def paid(self) -> Counter[str]:
        """The same over all endpoints."""
        return sum(self.paid_by.values(), Counter())

    def asked(self, route: str) -> list[Asked]:
        """The requests to a route."""
        return [request for request in self.requests if request.route == route]

    def bill(self, endpoint: str, body: Any) -> None:
        """Note that a request was computed."""
        self.paid_in(endpoint, Counter([fingerprint(body)]))

    def paid_in(self, endpoint: str, paid: Counter[str]) -> None:
        """Note that requests were computed, by fingerprint."""
        with self.lock:
            self._paid.setdefault(endpoint, Counter()).update(paid)

    # ---- for the providers

    def new_id(self, prefix: str) -> str:
        """An id that no other object has; the same in the same order."""
        with self.lock:
            self._ids += 1
            return prefix + hashlib.sha256(f"{self.seed} {self._ids}".encode()).hexdigest()[:24]

    def add(self, batch: Batch) -> None:
        """Accept a batch."""
        with self.lock:
            self.batches.append(batch)

    def visible(self, provider: str) -> list[Batch]:
        """A provider's batches as a list shows them, newest first."""
        with self.lock:
            shown = []
            for batch in reversed(self.batches):
                if batch.provider == provider and batch.fate.hidden == 0:
                    shown.append(batch)
                elif batch.provider == provider:
                    batch.fate.hidden -= 1
            return shown

    # ---- for the handler

    def note(self, method: str, path: str, route: str, headers: dict[str, str]) -> Asked:
        """Keep a request; equal headers are kept once, and without the length of the body."""
        headers.pop("content-length", None)
        key = tuple(headers.items())
        with self.lock:
            asked = Asked(method, path, route, self._headers.setdefault(key, headers))
            self.requests.append(asked)
        return asked

    def find(self, method: str, path: str, headers: Mapping[str, str]) -> tuple[Any, Route | None, list[str]]:
        """Whose request it is, its route (None: there is none) and the ids in its path."""
        version = "anthropic-version" in headers
        anthropic = path.startswith("/v1/messages") or (path.startswith("/v1/models") and version)
        provider = self.anthropic if anthropic else self.openai
        for pattern, route in self._routes:
            match = pattern.fullmatch(path)
            if match and route.method == method and route.provider == provider.name:
                return provider, route, list(match.groups())
        return provider, None, []

    def call(self, route: Route, ids: list[str], query: dict[str, str], body: bytes | Upload) -> Answer:
        """Let the provider answer."""
        if route.takes == "parts":
            if not isinstance(body, Upload):
                raise Problem(400, "invalid_request_error", "The body must be multipart/form-data.")
            return route.handler(body.parts)
        given: dict[str, list[Any]] = {"body": [body], "query": [query], "": []}
        return route.handler(*ids, *given[route.takes])

    def _list_routes(self) -> list[Route]:
        o, a, b, m = self.openai, self.anthropic, self.openai.batches, self.anthropic.batches
        return [
            Route("POST", "/v1/chat/completions", "openai", o.chat, "body"),
            Route("POST", "/v1/files", "openai", o.upload, "parts"),
            Route("GET", "/v1/files", "openai", o.list_files, "query"),
            Route("GET", "/v1/files/{id}", "openai", o.show_file),
            Route("GET", "/v1/files/{id}/content", "openai", o.content),
            Route("DELETE", "/v1/files/{id}", "openai", o.delete),
            Route("POST", "/v1/batches", "openai", b.create, "body"),
            Route("GET", "/v1/batches", "openai", b.list, "query"),
            Route("GET", "/v1/batches/{id}", "openai", b.show),
            Route("POST", "/v1/batches/{id}/cancel", "openai", b.cancel),
            Route("GET", "/v1/models", "openai", o.models),
            Route("GET", "/v1/models/{id}", "openai", o.model),
            Route("POST", "/v1/messages", "anthropic", a.messages, "body"),
            Route("POST", "/v1/messages/batches", "anthropic", m.create, "body"),
            Route("GET", "/v1/messages/batches", "anthropic", m.list, "query"),
            Route("GET", "/v1/messages/batches/{id}", "anthropic", m.show),
            Route("GET", "/v1/messages/batches/{id}/results", "anthropic", m.results),
            Route("POST", "/v1/messages/batches/{id}/cancel", "anthropic", m.cancel),
            Route("GET", "/v1/models", "anthropic", a.models),
            Route("GET", "/v1/models/{id}", "anthropic", a.model),
        ]


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    broken: list[BaseException]

    def handle_error(self, *_: Any) -> None:
        error = sys.exception()
        if error is not None and not isinstance(error, OSError):  # a client that goes away is part of the tests
            self.broken.append(error)
