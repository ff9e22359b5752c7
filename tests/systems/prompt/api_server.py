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
        o, a = self.openai, self.anthropic
        self._routes: dict[str, Callable[..., Answer]] = {
            "POST /v1/chat/completions": o.chat,
            "GET /v1/models": o.list_models,
            "POST /v1/files": o.upload,
            "GET /v1/files": o.list_files,
            "GET /v1/files/{id}/content": o.content,
            "DELETE /v1/files/{id}": o.delete,
            "POST /v1/batches": o.create,
            "GET /v1/batches": o.list,
            "GET /v1/batches/{id}": o.show,
            "POST /v1/batches/{id}/cancel": o.cancel,
            "POST /v1/messages": a.messages,
            "POST /v1/messages/batches": a.create,
            "GET /v1/messages/batches": a.list,
            "GET /v1/messages/batches/{id}": a.show,
            "GET /v1/messages/batches/{id}/results": a.results,
            "POST /v1/messages/batches/{id}/cancel": a.cancel,
        }
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

    def find(self, method: str, path: str) -> tuple[Any, str, list[str]]:
        """Whose request it is, its route (empty: there is none) and the ids in its path."""
        for route, handler in self._routes.items():
            match = re.fullmatch(route.replace("{id}", "([^/]+)"), f"{method} {path}")
            if match:
                return handler.__self__, route, list(match.groups())  # type: ignore[attr-defined]
        return self.openai, "", []

    def call(self, route: str, ids: list[str], query: dict[str, str], body: Any) -> Answer:
        """Let the provider answer: what is no request for one object has a body or a query."""
        given = ids or [body if route.startswith("POST") else query]

        def answer() -> Answer:
            return self._routes[route](*given)

        return self.instead[route](answer) if route in self.instead else answer()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    broken: list[BaseException]

    def handle_error(self, *_: Any) -> None:
        error = sys.exception()
        if error is not None and not isinstance(error, OSError):  # a client that goes away is part of the tests
            self.broken.append(error)
