"""A set of requests, the local server that answers them, and what drives them there."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

from api_rules import fingerprint
from api_server import CLAUDE, GPT, Server

from selu.systems.prompt import wire
from selu.systems.prompt.asking import OneByOne
from selu.systems.prompt.budget import Prices
from selu.systems.prompt.drive import Drive, Requests
from selu.systems.prompt.hiding import Hidden
from selu.systems.prompt.journal import Journal
from selu.systems.prompt.provider_anthropic import Anthropic
from selu.systems.prompt.provider_openai import OpenAI
from selu.systems.prompt.settings import PromptSettings

MODELS = {"openai": GPT, "anthropic": CLAUDE}
PARAMS = {"temperature": 0.0, "max_tokens": 50, "seed": 42}
SETTINGS = PromptSettings(
    temperature=0.0,
    max_tokens=50,
    seed=42,
    variant="plain",
    attempts=6,
    settle_seconds=100.0,
    poll_seconds=10.0,
    timeout_seconds=20.0,
    patience_seconds=3600.0,
    at_once=4,
    open_batches=3,
    batch_requests=7,
    batch_megabytes=10,
    bytes_per_token=3.0,
    priced="",
    models={},
)


OFFLINE = {
    kind.protocol: kind("sk-no-key", "http://127.0.0.1:9", 1.0, Hidden([])) for kind in (OpenAI, Anthropic)
}


def provider_of(server, protocol, key=None, timeout=SETTINGS.timeout_seconds, secrets=()):
    """Ours, which asks this server."""
    if protocol == "openai":
        key = key or server.openai_key
        return OpenAI(key, server.openai_url, timeout, Hidden([key, *secrets]))
    key = key or server.anthropic_key
    return Anthropic(key, server.url, timeout, Hidden([key, *secrets]))


class Ticking:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.slept, self._now = [], time.time()

    def time(self):
        return self._now

    def sleep(self, seconds):
        assert seconds >= 0
        self.slept.append(seconds)
        self._now += seconds


class Carried:
    """Twenty rows, one provider at a time."""

    def __init__(self, folder, rows=20):
        self.folder, self.rows = Path(folder), rows
        self.server, self.clock, self.messages = Server(answers=("yes", "no")), Ticking(), []

    def __enter__(self):
        self.server.__enter__()
        return self

    def __exit__(self, *error):
        self.server.__exit__(*error)

    def prompt(self, row):
        return f"Is {row} even? " + "x" * (row % 5)

    def body(self, protocol, row):
        return wire.body(protocol, MODELS[protocol], self.prompt(row), PARAMS)

    def provider(self, protocol, **options):
        return provider_of(self.server, protocol, **options)

    def journal(self, name="journal"):
        return Journal(self.folder / f"{name}.sqlite", "key", self.rows)

    def drive(self, protocol, alone=False, budget=None, journal=None, provider=None, **settings):
        """Drive all requests to their replies; returns them by row."""
        requests = Requests(
            self.prompt, lambda p: wire.body(protocol, MODELS[protocol], p, PARAMS), Prices(1e-3, 2e-3), 50
        )
        kind = OneByOne if alone else Drive
        with contextlib.ExitStack() as stack:
            journal = journal or stack.enter_context(self.journal())
            driven = (journal, provider or self.provider(protocol), requests, replace(SETTINGS, **settings))
            kind(*driven, self.messages.append, budget, self.clock).run()
            return self.replies(protocol, journal)

    def replies(self, protocol, journal):
        return {row: wire.read(protocol, body).text for row, body in journal.replies()}

    def wanted(self):
        return {row: self.server.answer(self.prompt(row)) for row in range(self.rows)}

    def paid(self, protocol):
        """How many times each row was paid for."""
        paid = self.server.paid
        return [paid[fingerprint(self.body(protocol, row))] for row in range(self.rows)]


def killed(work):
    """Do ``work`` in a forked process; True where it ended by SIGKILL."""
    process = os.fork()
    if not process:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0
    return False
