"""A provider, and a batch from its acceptance to its results, as far as both providers are alike."""

from __future__ import annotations

import itertools
import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from api_faults import Fate
from api_rules import Answer, Failure, Problem, json_answer

if TYPE_CHECKING:
    from api_server import Server

INVALID = "invalid_request_error"
DAY = 86_400
OVERLOADED = Failure(503, "overloaded_error", "Overloaded")
ROW_ERROR = Failure(500, "server_error", "The server had an error while processing this request.")


@dataclass
class File:
    """An uploaded or written file."""

    id: str
    content: bytes
    name: str
    purpose: str
    created: int


@dataclass
class Batch:
    """A batch as the server knows it. ``polls``: requests for its status; ``left``: rows not computed."""

    id: str
    provider: Provider
    created: int
    requests: list[dict[str, Any]]
    fate: Fate
    status: str
    metadata: dict[str, str] = field(default_factory=dict)
    polls: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    files: dict[str, str | None] = field(default_factory=dict)
    failed: bool = False
    built: bool = False
    ended: bool = False
    cancelled: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock)


class Provider:
    """What both are: batches and files, and rows that are computed, billed and written, or go wrong."""

    name: str
    id_header: str  # of every answer, with the request's id
    not_found: str
    body: str  # the key of a row's request
    known: set[str]  # fields of a request that it alone takes
    models: dict[str, str]  # asked name to served name
    shape: Callable[[Batch], dict[str, Any]]
    good: Callable[[str, Any, str], dict[str, Any]]  # what a row's line in the results holds
    bad: Callable[[str, Failure], dict[str, Any]]
    left: Callable[[str, bool], dict[str, Any]]
    cancelling: str

    def __init__(self, server: Server) -> None:
        self.server = server
        self.files: dict[str, File] = {}

    def keep(self, content: bytes, name: str, purpose: str) -> str:
        """Make a file; returns its id."""
        file = File(self.server.new_id("file-"), content, name, purpose, int(self.server.now()))
        with self.server.lock:
            self.files[file.id] = file
        return file.id

    def accept(self, prefix: str, requests: list[dict[str, Any]], status: str, **fields: Any) -> Batch:
        """Take a batch."""
        fate, now = self.server.faults.of_batch(), int(self.server.now())
        batch = Batch(self.server.new_id(prefix), self, now, requests, fate, status, **fields)
        with self.server.lock:
            self.server.batches.append(batch)
        return batch

    def find(self, name: str) -> Batch:
        """A batch that there is."""
        for batch in self.server.batches:
            if batch.id == name and batch.provider is self:
                return batch
        raise Problem(404, self.not_found, f"Batch {name} was not found")

    def show(self, name: str) -> Answer:
        """Its state: the one request that lets it go on."""
        batch = self.find(name)
        with batch.lock:
            batch.polls += not batch.ended
            if not batch.ended and (batch.cancelled or batch.polls > self.server.polls_to_end):
                self.settle(batch)
                batch.ended = True
                self.end(batch)
            return json_answer(self.shape(batch))

    def end(self, batch: Batch) -> None:
        """Enter the last state."""
        batch.status = "ended"

    def cancel(self, name: str) -> Answer:
        """Stop it: rows that its polls did not reach are not computed."""
        batch = self.find(name)
        with batch.lock:
            if batch.ended:
                raise Problem(400, INVALID, f"Batch {name} has ended and cannot be canceled")
            if not batch.cancelled and not batch.built:
                batch.fate.share = batch.polls / (self.server.polls_to_end + 1)
            batch.cancelled = True
            batch.status = self.cancelling
            return json_answer(self.shape(batch))

    def fails(self, batch: Batch) -> bool:
        """Whether it fails as a whole, at no cost."""
        return False

    def settle(self, batch: Batch) -> None:
        """Compute the results and bill them, once."""
        with batch.lock:
            if batch.built or batch.failed:
                return
            batch.failed = self.fails(batch)
            if batch.failed:
                return
            batch.built, done = True, int(len(batch.requests) * batch.fate.share)
            lines: list[tuple[bool, dict[str, Any]]] = []
            for number, row in enumerate(batch.requests):
                if number < done:
                    lines += self._computed(batch, row["custom_id"], row[self.body])
                else:
                    batch.counts["left"] += 1
                    lines.append((False, self.left(row["custom_id"], batch.cancelled)))
            if "foreign" in batch.fate.kinds:
                body, last = batch.requests[-1][self.body], len(batch.requests)
                lines += [(True, self.good(f"someone-else-{last + n}", body, "yes")) for n in range(3)]
            if "shuffled" in batch.fate.kinds:
                batch.fate.rows.shuffle(lines)
            for name, kept in self.parted(lines).items():
                text = "".join(json.dumps(line) + "\n" for line in kept)
                batch.files[name] = (
                    self.keep(text.encode(), f"{batch.id}_{name}", "batch_output") if kept else None
                )

    def parted(self, lines: list[tuple[bool, dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
        """The lines of each file of results."""
        return {"results": [line for _, line in lines]}

    def _computed(self, batch: Batch, name: str, body: Any) -> list[tuple[bool, dict[str, Any]]]:
        faults = self.server.faults
        fault = faults.of_row(batch.fate.rows) if faults.touch_rows else None
        failed = OVERLOADED if "batch_failed" in batch.fate.kinds else None
        answer = failed or (ROW_ERROR if fault == "row_error" else self.compute(body))
        if isinstance(answer, Failure):
            batch.counts["failed"] += 1
            return [(False, self.bad(name, answer))]
        batch.counts["completed"] += 1
        self.server.bill(body)
        times = {"row_lost": 0, "row_doubled": 2}.get(fault or "", 1)
        return [(True, self.good(name, body, answer))] * times

    def compute(self, body: Any) -> str | Failure:
        """What a request is answered, or why it is not."""
        try:
            return self.reply(body)
        except Problem as problem:
            return problem.failure

    def ask(self, body: bytes) -> tuple[Any, str]:
        """A request that came alone, billed, and what it is answered."""
        asked = json.loads(body)
        answer = self.reply(asked)
        self.server.bill(asked)
        return asked, answer

    def reply(self, body: Any) -> str:
        """Check a request, and ask the rule."""
        if strange := body.keys() - {"model", "messages", "max_tokens", "temperature", "top_p"} - self.known:
            raise Problem(400, INVALID, f"{min(strange)}: Extra inputs are not permitted")
        if body["model"] not in self.models:
            raise Problem(404, self.not_found, f"model: {body['model']} does not exist", "model_not_found")
        reply = self.server.answer(prompt_of(body))
        if isinstance(reply, Failure):
            raise Problem(reply.status, reply.type, reply.message, reply.code)
        return reply


def prompt_of(body: Any) -> str:
    """The text of the one message."""
    (message,) = body["messages"]
    return message["content"]


def page(shapes: list[dict[str, Any]], query: dict[str, str], cursor: str) -> Answer:
    """A page of a list, behind the object that the cursor names."""
    if cursor in query:
        shapes = list(itertools.dropwhile(lambda shape: shape["id"] != query[cursor], shapes))[1:]
    shown = shapes[: int(query.get("limit", 20))]
    ends = {"first_id": shown[0]["id"] if shown else None, "last_id": shown[-1]["id"] if shown else None}
    return json_answer({"object": "list", "data": shown, **ends, "has_more": len(shapes) > len(shown)})
