"""Anthropic's side: messages and message batches, as its published API has them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from anthropic.types import Message
from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse
from api_batches import DAY, INVALID, Batch, Provider, page, prompt_of
from api_rules import Answer, Failure, Problem, filled, json_answer, published, tokens

BATCHES = "/v1/messages/batches"
VERSION = "2023-06-01"  # the last that knows a temperature
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
TYPES = {429: "rate_limit_error", 500: "api_error", 503: "overloaded_error", 529: "overloaded_error"}


class Anthropic(Provider):
    """The provider; a batch has one file of results."""

    name, not_found, body, cancelling = "anthropic", "not_found_error", "params", "canceling"
    id_header = "request-id"
    known = {"output_config"}  # noqa: RUF012

    def check_key(self, headers: dict[str, str]) -> None:
        """Refuse a request without the key (the SDK sends it as a bearer) or the version."""
        if headers.get("authorization", "").removeprefix("Bearer ") != self.server.anthropic_key:
            raise Problem(401, "authentication_error", "invalid x-api-key")
        if headers.get("anthropic-version") != VERSION:
            raise Problem(400, INVALID, "anthropic-version: a valid version is required")

    def refusal(self, failure: Failure, request: str | None) -> dict[str, Any]:
        """The body of an error."""
        error = {"type": TYPES.get(failure.status, failure.type), "message": failure.message}
        return {"type": "error", "error": error, "request_id": request}

    # ---- messages

    def messages(self, body: bytes) -> Answer:
        """``POST /v1/messages``."""
        return json_answer(self.message(*self.ask(body)))

    def message(self, body: Any, reply: str) -> dict[str, Any]:
        """The body of a reply."""
        if "output_config" in body:
            reply = json.dumps(filled(body["output_config"]["format"]["schema"], reply))
        found = {
            "id": self.server.new_id("msg_"),
            "type": "message",
            "role": "assistant",
            "model": self.models[body["model"]],
            "content": [{"type": "text", "text": reply}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": tokens(prompt_of(body)), "output_tokens": tokens(reply)},
        }
        return published(Message, found)

    # ---- batches

    def create(self, body: bytes) -> Answer:
        """``POST /v1/messages/batches``. A request's parameters are validated when the batch is computed."""
        requests = json.loads(body)["requests"]
        names = {request["custom_id"] for request in requests}
        if not names or len(names) != len(requests) or not all(map(NAME.fullmatch, names)):
            raise Problem(400, INVALID, "requests: each needs a custom_id of its own")
        return json_answer(self.shape(self.accept("msgbatch_", requests, "in_progress")))

    def results(self, name: str) -> Answer:
        """``GET /v1/messages/batches/{id}/results``."""
        batch = self.find(name)
        if not batch.ended:
            raise Problem(404, self.not_found, f"Batch {name} has no available results")
        name = batch.files["results"]  # none where every row was lost
        return Answer(self.files[name].content if name else b"", kind="application/x-jsonl")

    def list(self, query: dict[str, str]) -> Answer:
        """``GET /v1/messages/batches``, newest first."""
        return page([self.shape(batch) for batch in self.server.visible(self)], query, "after_id")

    def shape(self, batch: Batch) -> dict[str, Any]:
        """The batch as the API shows it."""
        counts, left = batch.counts if batch.ended else {}, batch.counts["left"] if batch.ended else 0
        found = {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": batch.status,
            "request_counts": {
                "processing": 0 if batch.ended else len(batch.requests),
                "succeeded": counts.get("completed", 0),
                "errored": counts.get("failed", 0),
                "canceled": left if batch.cancelled else 0,
                "expired": 0 if batch.cancelled else left,
            },
            "created_at": _when(batch.created),
            "expires_at": _when(batch.created + DAY),
            "results_url": f"{self.server.url}{BATCHES}/{batch.id}/results" if batch.ended else None,
        }
        return published(MessageBatch, found)

    # ---- lines

    def good(self, name: str, body: Any, reply: str) -> dict[str, Any]:
        """A line with a reply."""
        line = _line(name, {"type": "succeeded", "message": self.message(body, reply)})
        return published(MessageBatchIndividualResponse, line)

    def bad(self, name: str, failure: Failure) -> dict[str, Any]:
        """A line without."""
        return _line(name, {"type": "errored", "error": self.refusal(failure, None)})

    def left(self, name: str, cancelled: bool) -> dict[str, Any]:
        """A line of what was not computed."""
        return _line(name, {"type": "canceled" if cancelled else "expired"})


def _line(name: str, result: dict[str, Any]) -> dict[str, Any]:
    return {"custom_id": name, "result": result}


def _when(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()
