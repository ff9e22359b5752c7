"""The calls of a provider by name, and the requests that decide them."""

from __future__ import annotations

import time

import pytest
from api_rules import Answer

from selu.systems.prompt.providers import LaterError, UnconfirmedError

BOTH_PROTOCOLS = pytest.mark.parametrize("protocol", ["openai", "anthropic"])
BATCHES = {"openai": "/v1/batches", "anthropic": "/v1/messages/batches"}
ALONE = {"openai": "POST /v1/chat/completions", "anthropic": "POST /v1/messages"}
CREATING = ("ask", "submit")
CALLS = (*CREATING, "find", "status", "results", "cancel")
EACH_CALL = pytest.mark.parametrize("call", CALLS)


def route(protocol, call):
    """The request whose answer decides a call."""
    path = BATCHES[protocol]
    return {
        "ask": ALONE[protocol],
        "submit": f"POST {path}",
        "find": f"GET {path}",
        "status": f"GET {path}/{{id}}",
        "results": "GET /v1/files/{id}/content" if protocol == "openai" else f"GET {path}/{{id}}/results",
        "cancel": f"POST {path}/{{id}}/cancel",
    }[call]


class Called:
    """A provider with a batch, and its calls by name."""

    def __init__(self, carried, protocol, **options):
        self.carried, self.protocol, self.server = carried, protocol, carried.server
        self.provider = carried.provider(protocol, **options)
        self.began, self.batches = time.time(), []

    def body(self, row=0):
        return self.carried.body(self.protocol, row)

    def submit(self, tag="selu-aa-1", rows=3):
        file = self.carried.folder / f"{tag}.jsonl"
        file.write_bytes(b"".join(self.provider.line(f"{tag}-{row}", self.body(row)) for row in range(rows)))
        self.batches.append(self.provider.submit(tag, file))
        return self.batches[-1]

    def find(self, tag="selu-aa-1", rows=3, known=(), since=0.0):
        return self.provider.find(tag, self.began + since, rows, set(known))

    def results(self):
        return list(self.provider.results(self.batches[0]))

    def __call__(self, call):
        if call == "ask":
            return self.provider.ask(self.body())
        if call in ("submit", "find", "results"):
            return getattr(self, call)()
        return getattr(self.provider, call)(self.batches[0])


def kind_of(call, creating=UnconfirmedError):
    return creating if call in CREATING else LaterError


def first_kind(protocol, call):
    """As ``kind_of`` where all requests go wrong: OpenAI's file is sent before its batch is made."""
    return LaterError if (protocol, call) == ("openai", "submit") else kind_of(call)


def answered(server, body, status=200, **headers):
    """Have the server answer anything with this."""
    kind = "text/html" if body.startswith(b"<") else "application/json"
    server.call = lambda *_: Answer(body, status, kind, headers)
