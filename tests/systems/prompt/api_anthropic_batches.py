"""Anthropic's message batches: their creation, life, results and list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api_batches import Batch, Writing, build
from api_rules import Answer, Failure, Problem, Reply, as_json, ends, page

if TYPE_CHECKING:
    from api_anthropic import Anthropic

BATCHES = "/v1/messages/batches"
DAY = 86_400
INVALID = "invalid_request_error"
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
OPENING = re.compile(r'\s*\{\s*"requests"\s*:\s*\[\s*')
BETWEEN = re.compile(r"\s*(,?)\s*")
TYPES = {429: "rate_limit_error", 500: "api_error", 503: "overloaded_error", 529: "overloaded_error"}


class AnthropicBatches:
    """The part of the provider that knows batches."""

    def __init__(self, provider: Anthropic) -> None:
        self.provider, self.server = provider, provider.server
        self.writing = Writing("params", provider.compute, self._good, self._bad, self._left)

    def create(self, body: bytes) -> Answer:
        """``POST /v1/messages/batches``. A request's parameters are validated when the batch is computed."""
        if len(body) > self.server.limits.anthropic_bytes:
            raise Problem(413, "request_too_large", "Request exceeds the maximum size")
        name = self.server.new_id("msgbatch_")
        rows, total, seen = self.server.folder / f"{name}_input.jsonl", 0, set()
        with rows.open("w", encoding="utf-8") as file:
            for number, request in enumerate(split(body)):
                custom = request.get("custom_id") if isinstance(request, dict) else None
                if not isinstance(custom, str) or not NAME.fullmatch(custom):
                    raise Problem(400, INVALID, f"requests.{number}.custom_id: does not match {NAME.pattern}")
                if custom in seen:
                    raise Problem(400, INVALID, f"requests.{number}.custom_id: '{custom}' is there already")
                if "params" not in request:
                    raise Problem(400, INVALID, f"requests.{number}.params: Field required")
                seen.add(custom)
                total += 1
                file.write(json.dumps(request) + "\n")
        if not 1 <= total <= self.server.limits.anthropic_requests:
            most = self.server.limits.anthropic_requests
            raise Problem(400, INVALID, f"requests: a batch has from 1 to {most} requests, not {total}")
        batch = Batch(
            id=name,
            provider=self.provider.name,
            created=int(self.server.now()),
            rows=rows,
            fate=self.server.faults.of_batch(),
            faults=self.server.faults,
            status="in_progress",
            total=total,
        )
        self.server.add(batch)
        return self._show(batch)

    def show(self, name: str) -> Answer:
        """``GET /v1/messages/batches/{id}``: the one request that lets the batch go on."""
        batch = self.find(name)
        with batch.lock:
            if not batch.ended:
                batch.polls += 1
                if batch.cancelled or batch.polls > self.server.polls_to_end:
                    self.settle(batch)
                    batch.ended, batch.status = True, "ended"
                    batch.times["ended"] = int(self.server.now())
            return self._show(batch)

    def cancel(self, name: str) -> Answer:
        """``POST /v1/messages/batches/{id}/cancel``."""
        batch = self.find(name)
        with batch.lock:
            if batch.ended:
                raise Problem(400, INVALID, f"Batch {name} has ended and cannot be canceled")
            if not batch.cancelled and not batch.built:
                batch.fate.share = batch.polls / (self.server.polls_to_end + 1)
            batch.cancelled, batch.status = True, "canceling"
            batch.times.setdefault("cancelled", int(self.server.now()))
            return self._show(batch)

    def results(self, name: str) -> Answer:
        """``GET /v1/messages/batches/{id}/results``."""
        batch = self.find(name)
        if not batch.ended:
            raise Problem(404, "not_found_error", f"Batch {name} has no available results")
        return Answer(self._output(batch), kind="application/x-jsonl")

    def list(self, query: dict[str, str]) -> Answer:
        """``GET /v1/messages/batches``, newest first: behind ``after_id`` or before ``before_id``."""
        size = page(query, "limit", 20, 1_000)
        found = self.server.visible(self.provider.name)
        names = [batch.id for batch in found]
        for cursor in ("after_id", "before_id"):
            if cursor in query and query[cursor] not in names:
                raise Problem(400, INVALID, f"{cursor}: there is no such batch")
        if "before_id" in query:
            found = found[: names.index(query["before_id"])]
            shown = found[-size:]
        else:
            found = found[names.index(query["after_id"]) + 1 :] if "after_id" in query else found
            shown = found[:size]
        data = [self.shape(batch) for batch in shown]
        return Answer(json.dumps({"data": data, **ends(data), "has_more": len(found) > size}).encode())

    def find(self, name: str) -> Batch:
        """A batch that there is."""
        for batch in self.server.batches:
            if batch.id == name and batch.provider == self.provider.name:
                return batch
        raise Problem(404, "not_found_error", f"Batch {name} was not found")

    def _show(self, batch: Batch) -> Answer:
        return Answer(json.dumps(self.shape(batch)).encode())

    def shape(self, batch: Batch) -> dict[str, Any]:
        """The batch as the API shows it."""
        counts, left = batch.counts if batch.ended else {}, batch.counts["unfinished"]
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": batch.status,
            "request_counts": {
                "processing": 0 if batch.ended else batch.total,
                "succeeded": counts.get("completed", 0),
                "errored": counts.get("failed", 0),
                "canceled": left if batch.ended and batch.cancelled else 0,
                "expired": left if batch.ended and not batch.cancelled else 0,
            },
            "created_at": _when(batch.created),
            "expires_at": _when(batch.created + DAY),
            "ended_at": _when(batch.times.get("ended")),
            "archived_at": None,
            "cancel_initiated_at": _when(batch.times.get("cancelled")),
            "results_url": f"{self.server.url}{BATCHES}/{batch.id}/results" if batch.ended else None,
        }

    def settle(self, batch: Batch) -> None:
        """Compute the results, once."""
        with batch.lock:
            if not batch.built:
                batch.built = True
                output = self._output(batch)
                self.server.paid_in(BATCHES, build(batch, self.writing, output, output))

    def _output(self, batch: Batch) -> Path:
        return self.server.folder / f"{batch.id}_results.jsonl"

    # ---- lines

    def _good(self, batch: Batch, name: str, body: Any, reply: Reply, number: int) -> str:
        message = self.provider.message(body, reply, f"msg_{batch.id[9:]}{number}", "batch")
        return _line(name, {"type": "succeeded", "message": message})

    def _bad(self, batch: Batch, name: str, failure: Failure, number: int) -> str:
        error = {"type": TYPES.get(failure.status, failure.type), "message": failure.message}
        return _line(name, {"type": "errored", "error": {"type": "error", "error": error, "request_id": None}})

    def _left(self, batch: Batch, name: str, number: int) -> str:
        return _line(name, {"type": "canceled" if batch.cancelled else "expired"})


def split(body: bytes) -> Iterator[Any]:
    """The requests of a batch, one at a time, so that the whole is never held as objects."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise Problem(400, INVALID, "The body of the request is not UTF-8.") from None
    opening = OPENING.match(text)
    if opening is None:
        requests = as_json(body).get("requests")
        if not isinstance(requests, list):
            raise Problem(400, INVALID, "requests: a list is required")
        yield from requests
        return
    decoder, place = json.JSONDecoder(), opening.end()
    while not text.startswith("]", place):
        try:
            request, place = decoder.raw_decode(text, place)
        except ValueError:
            raise Problem(400, INVALID, "The body of the request is not valid JSON.") from None
        yield request
        place = BETWEEN.match(text, place).end()  # type: ignore[union-attr]


def _line(name: str, result: dict[str, Any]) -> str:
    return json.dumps({"custom_id": name, "result": result}) + "\n"


def _when(moment: int | None) -> str | None:
    return None if moment is None else datetime.fromtimestamp(moment, UTC).isoformat().replace("+00:00", "Z")
