"""Which request, batch or row goes wrong, and how: decided by a seed, the same every time."""

from __future__ import annotations

import random
import threading
from collections import Counter
from dataclasses import dataclass, field

BEFORE = (  # the request is not accepted
    "rate_limit",  # 429 with Retry-After: a few hundredths of a second
    "no_credit",  # OpenAI 429 insufficient_quota, Anthropic 400: waiting does not help
    "server_error",  # 500
    "html_ok",  # a proxy's page with status 200
    "reset",  # the connection is reset
)
AFTER = (  # the request is accepted, and what it costs is billed
    "lost_reply",  # the connection is closed without an answer
    "silent",  # no answer, and the connection stays open: the client's timeout
    "truncated",  # the body ends before its Content-Length
    "bad_json",  # status 200, a body that is not JSON
)
BATCH = (
    "batch_failed",  # for a reason that passes: OpenAI's queue is full; Anthropic's rows are all overloaded
    "batch_expired",  # after 24 hours, with a part of the results
    "hidden",  # lists do not show the batch for the first ``hidden_for`` calls
    "shuffled",  # results in another order
    "foreign",  # results with custom_ids that nobody asked for
)
ROW = (
    "row_error",  # 500
    "row_lost",  # computed and billed, in neither file
    "row_doubled",  # twice in the results
)
KINDS = BEFORE + AFTER + BATCH + ROW


@dataclass(frozen=True)
class At:
    """How often a fault comes: with probability ``rate``, at most ``times`` times, at one ``route`` alone (as
    ``"GET /v1/files/{id}/content"``), never to the first ``skip`` that could meet it."""

    rate: float = 1.0
    times: int | None = None
    route: str | None = None
    skip: int = 0


@dataclass
class Fate:
    """What is to happen to a batch. ``share``: of its rows, in their order, that are computed."""

    kinds: frozenset[str] = frozenset()
    share: float = 1.0
    hidden: int = 0
    rows: random.Random = field(default_factory=random.Random)


class Faults:
    """``Faults(seed, server_error=0.1, lost_reply=At(1, times=1, route="POST /v1/batches"))``.

    A request's fault depends on the seed, the route and how many requests the route had before; a row's on the
    seed, how many batches there were before and its place. ``happened`` counts the faults by kind."""

    def __init__(self, seed: int = 0, *, hidden_for: int = 2, **rates: float | At) -> None:
        if unknown := set(rates) - set(KINDS):
            raise TypeError(f"no such fault: {', '.join(sorted(unknown))}")
        self.seed, self.hidden_for = seed, hidden_for
        self.rates = {kind: at if isinstance(at, At) else At(at) for kind, at in rates.items()}
        self.happened: Counter[str] = Counter()
        self._passed: Counter[str] = Counter()
        self._asked: Counter[str] = Counter()
        self._batches = 0
        self.touch_rows = not self.rates.keys().isdisjoint(ROW)
        self._lock = threading.Lock()

    def of_request(self, route: str) -> str | None:
        """The fault of the next request to a route."""
        if self.rates.keys().isdisjoint(BEFORE + AFTER):
            return None
        with self._lock:
            draw = random.Random(f"{self.seed} {self._asked[route]} {route}")
            self._asked[route] += 1
            drawn = [(kind, draw.random()) for kind in BEFORE + AFTER]
            for kind, value in drawn:
                if self._hit(kind, value, route):
                    return kind
        return None

    def of_batch(self) -> Fate:
        """What happens to the next batch."""
        with self._lock:
            draw = random.Random(f"{self.seed} batch {self._batches}")
            rows = random.Random(f"{self.seed} rows {self._batches}")
            self._batches += 1
            drawn = [(kind, draw.random()) for kind in BATCH]
            kinds = frozenset(kind for kind, value in drawn if self._hit(kind, value))
            share = draw.uniform(0.3, 0.9) if "batch_expired" in kinds else 1.0
            return Fate(kinds, share, self.hidden_for if "hidden" in kinds else 0, rows)

    def of_row(self, draw: random.Random) -> str | None:
        """The fault of a batch's next row."""
        with self._lock:
            return next((kind for kind in ROW if kind in self.rates and self._hit(kind, draw.random())), None)

    def _hit(self, kind: str, value: float, route: str | None = None) -> bool:
        at = self.rates.get(kind)
        if at is None or (at.route is not None and at.route != route):
            return False
        if at.times is not None and self.happened[kind] >= at.times:
            return False
        self._passed[kind] += 1
        if self._passed[kind] <= at.skip or value >= at.rate:
            return False
        self.happened[kind] += 1
        return True
