"""OpenAI's side: chat completions, files and batches, as its published API has them."""

from __future__ import annotations

import json
from typing import Any

from api_batches import INVALID, Batch, File, Provider, page, prompt_of
from api_rules import Answer, Failure, Problem, filled, json_answer, published, tokens
from openai.types import Batch as Shown
from openai.types import FileObject, Model
from openai.types.chat import ChatCompletion

ENDPOINT = "/v1/chat/completions"
QUEUE_FULL = "The limit of enqueued tokens is reached; try again once other batches have ended."
UNANSWERED = "This request was not computed before the"


class OpenAI(Provider):
    """The provider. Results and what went wrong are files of their own, where there is any."""

    name, not_found, body, cancelling = "openai", INVALID, "body", "cancelling"
    id_header = "x-request-id"
    known = {"seed", "response_format", "grammar"}  # noqa: RUF012
    queue = 50_000  # requests that a batch may have

    def check_key(self, headers: dict[str, str]) -> None:
        """Refuse a request without the key; as the real one, repeat a part of it."""
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if given != self.server.openai_key:
            message = f"Incorrect API key provided: {given[:3]}***{given[-4:]}."
            raise Problem(401, INVALID, message, "invalid_api_key")

    def refusal(self, failure: Failure, request: str) -> dict[str, Any]:
        """The body of an error."""
        error = {"message": failure.message, "type": failure.type, "param": None, "code": failure.code}
        return {"error": error}

    # ---- chat completions

    def chat(self, body: bytes) -> Answer:
        """``POST /v1/chat/completions``."""
        return json_answer(self.completion(*self.ask(body)))

    def completion(self, body: Any, reply: str) -> dict[str, Any]:
        """The body of a reply."""
        if "response_format" in body:
            reply = json.dumps(filled(body["response_format"]["json_schema"]["schema"], reply))
        asked, answered = tokens(prompt_of(body)), tokens(reply)
        message = {"role": "assistant", "content": reply, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        found = {
            "id": self.server.new_id("chatcmpl-"),
            "object": "chat.completion",
            "created": int(self.server.now()),
            "model": self.models[body["model"]],
            "choices": [choice],
            "usage": {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered},
        }
        return published(ChatCompletion, found)

    def list_models(self, query: dict[str, str]) -> Answer:
        """``GET /v1/models``."""
        models = [
            published(Model, {"id": name, "object": "model", "created": 0, "owned_by": "nobody"})
            for name in self.models
        ]
        return json_answer({"object": "list", "data": models})

    # ---- files

    def upload(self, parts: dict[str, Any]) -> Answer:
        """``POST /v1/files``."""
        name, content = parts["file"]
        if parts["purpose"] != "batch" or not content:
            raise Problem(400, INVALID, "Neither another purpose than 'batch' nor an empty file is taken.")
        return json_answer(_shown(self.files[self.keep(content, name, "batch")]))

    def content(self, name: str) -> Answer:
        """``GET /v1/files/{id}/content``."""
        return Answer(self._file(name).content, kind="application/octet-stream")

    def delete(self, name: str) -> Answer:
        """``DELETE /v1/files/{id}``."""
        with self.server.lock:
            del self.files[self._file(name).id]
        return json_answer({"id": name, "object": "file", "deleted": True})

    def list_files(self, query: dict[str, str]) -> Answer:
        """``GET /v1/files``, newest first."""
        found = [file for file in self.files.values() if file.purpose == query["purpose"]]
        return page([_shown(file) for file in reversed(found)], query, "after")

    def _file(self, name: str) -> File:
        if name not in self.files:
            raise Problem(404, INVALID, f"No such File object: {name}")
        return self.files[name]

    # ---- batches

    def create(self, body: bytes) -> Answer:
        """``POST /v1/batches``: it outlives its input file, whose lines are checked when it goes on."""
        asked = json.loads(body)
        if (asked["endpoint"], asked["completion_window"]) != (ENDPOINT, "24h"):
            raise Problem(400, INVALID, "This endpoint or window is not known here.")
        file = self._file(asked["input_file_id"])
        lines = [json.loads(line) for line in file.content.split(b"\n") if line]
        metadata = asked.get("metadata") or {}
        batch = self.accept("batch_", lines, "validating", metadata=metadata, files={"input": file.id})
        return json_answer(self.shape(batch))

    def list(self, query: dict[str, str]) -> Answer:
        """``GET /v1/batches``, newest first, without those that it does not show yet."""
        return page([self.shape(batch) for batch in self.server.visible(self)], query, "after")

    def fails(self, batch: Batch) -> bool:
        """Whether its queue is full, or its lines are no batch of one model with ids of their own."""
        rows = batch.requests
        alike = {(row["method"], row["url"], row["body"]["model"] in self.models) for row in rows}
        own = {row["custom_id"] for row in rows}, {row["body"]["model"] for row in rows}
        wrong = alike != {("POST", ENDPOINT, True)} or len(own[0]) != len(rows) or len(own[1]) != 1
        return wrong or self._full(batch)

    def _full(self, batch: Batch) -> bool:
        """Whether the queue takes no batch of this size now."""
        return "batch_failed" in batch.fate.kinds or len(batch.requests) > self.queue

    def end(self, batch: Batch) -> None:
        """Enter the last state."""
        expired = "expired" if "batch_expired" in batch.fate.kinds else "completed"
        batch.status = "failed" if batch.failed else "cancelled" if batch.cancelled else expired

    def shape(self, batch: Batch) -> dict[str, Any]:
        """The batch as the API shows it."""
        shown, counts = batch.ended and batch.built, batch.counts
        full = self._full(batch)
        error = {"code": "token_limit_exceeded", "message": QUEUE_FULL} if full else {"code": "model_not_found"}
        found = {
            "id": batch.id,
            "object": "batch",
            "endpoint": ENDPOINT,
            "errors": {"object": "list", "data": [error]} if batch.status == "failed" else None,
            "input_file_id": batch.files["input"],
            "completion_window": "24h",
            "status": batch.status,
            "output_file_id": batch.files["output"] if shown else None,
            "error_file_id": batch.files["error"] if shown else None,
            "created_at": batch.created,
            "request_counts": {
                "total": len(batch.requests),
                "completed": counts["completed"] if shown else 0,
                "failed": counts["failed"] + counts["left"] if shown else 0,
            },
            "metadata": batch.metadata or None,
        }
        return published(Shown, found)

    # ---- lines

    def parted(self, lines: list[tuple[bool, dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
        """What is answered and what is not."""
        return {name: [line for good, line in lines if good is way] for name, way in FILES.items()}

    def good(self, name: str, body: Any, reply: str) -> dict[str, Any]:
        """A line with a reply."""
        return self._line(name, {"status_code": 200, "body": self.completion(body, reply)}, None)

    def bad(self, name: str, failure: Failure) -> dict[str, Any]:
        """A line without."""
        return self._line(name, {"status_code": failure.status, "body": self.refusal(failure, "")}, None)

    def left(self, name: str, cancelled: bool) -> dict[str, Any]:
        """A line of what was not computed."""
        code, why = ("cancelled", "batch was cancelled") if cancelled else ("expired", "window ended")
        return self._line(name, None, {"code": f"batch_{code}", "message": f"{UNANSWERED} {why}."})

    def _line(self, name: str, response: Any, error: Any) -> dict[str, Any]:
        response = response and {"request_id": self.server.new_id("req_"), **response}
        return {
            "id": self.server.new_id("batch_req_"),
            "custom_id": name,
            "response": response,
            "error": error,
        }


FILES = {"output": True, "error": False}


def _shown(file: File) -> dict[str, Any]:
    """A file as the API shows it."""
    about = {"id": file.id, "object": "file", "purpose": file.purpose, "filename": file.name}
    state = {"bytes": len(file.content), "created_at": file.created, "status": "processed"}
    return published(FileObject, about | state)
