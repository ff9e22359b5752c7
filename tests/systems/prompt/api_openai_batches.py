"""OpenAI's batches: their creation, life, results and list."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from api_batches import Batch, Writing, build
from api_rules import Answer, Failure, Problem, Reply, as_json

if TYPE_CHECKING:
    from api_openai import OpenAI

ENDPOINT = "/v1/chat/completions"
INVALID = "invalid_request_error"
DAY = 86_400
MOST_ERRORS = 100
UNANSWERED = {
    "cancelled": ("batch_cancelled", "This request was not computed before the batch was cancelled."),
    "expired": ("batch_expired", "This request was not computed before the completion window ended."),
}
QUEUE_FULL = {
    "code": "token_limit_exceeded",
    "message": "The limit of enqueued tokens is reached; try again once other batches have ended.",
    "param": None,
    "line": None,
}
TIMES = ("in_progress", "finalizing", "completed", "failed", "expired", "cancelling", "cancelled")


class OpenAIBatches:
    """The part of the provider that knows batches."""

    def __init__(self, provider: OpenAI) -> None:
        self.provider, self.server = provider, provider.server
        self.writing = Writing("body", provider.compute, self._good, self._bad, self._left)

    # ---- requests

    def create(self, body: bytes) -> Answer:
        """``POST /v1/batches``."""
        asked = as_json(body)
        for name in ("input_file_id", "endpoint", "completion_window"):
            if not isinstance(asked.get(name), str):
                raise Problem(400, INVALID, f"Missing required parameter: '{name}'.", None, name)
        if asked["endpoint"] != ENDPOINT:
            raise Problem(400, INVALID, "This endpoint has no batches here.", "invalid_value", "endpoint")
        if asked["completion_window"] != "24h":
            raise Problem(400, INVALID, "The window must be '24h'.", "invalid_value", "completion_window")
        _check_metadata(asked.get("metadata"))
        if asked["input_file_id"] not in self.provider.files:
            raise Problem(400, INVALID, f"No such File object: {asked['input_file_id']}", None, "input_file_id")
        file = self.provider.file(asked["input_file_id"])
        if file.purpose != "batch":
            raise Problem(400, INVALID, "The input file's purpose must be 'batch'.", None, "input_file_id")
        name = self.server.new_id("batch_")
        rows = self.server.folder / f"{name}_input.jsonl"
        rows.hardlink_to(file.path)  # the batch outlives its input file
        batch = Batch(
            id=name,
            provider="openai",
            created=int(self.server.now()),
            rows=rows,
            fate=self.server.faults.of_batch(),
            faults=self.server.faults,
            metadata=asked.get("metadata") or {},
            status="validating",
            input_file=file.id,
            endpoint=ENDPOINT,
        )
        self.server.add(batch)
        return Answer(json.dumps(self.shape(batch)).encode())

    def show(self, name: str) -> Answer:
        """``GET /v1/batches/{id}``: the one request that lets the batch go on."""
        batch = self.find(name)
        with batch.lock:
            self._step(batch)
            return Answer(json.dumps(self.shape(batch)).encode())

    def cancel(self, name: str) -> Answer:
        """``POST /v1/batches/{id}/cancel``."""
        batch = self.find(name)
        with batch.lock:
            if batch.ended:
                raise Problem(400, INVALID, f"A batch that is {batch.status} cannot be cancelled.")
            if not batch.cancelled and not batch.built:
                batch.fate.share = batch.polls / (self.server.polls_to_end + 1)
            batch.cancelled = True
            self._enter(batch, "cancelling")
            return Answer(json.dumps(self.shape(batch)).encode())

    def list(self, query: dict[str, str]) -> Answer:
        """``GET /v1/batches``, newest first, without those that it does not show yet."""
        from api_openai import listed

        return listed([self.shape(batch) for batch in self.server.visible("openai")], query, 20, 100)

    def find(self, name: str) -> Batch:
        """A batch that there is."""
        for batch in self.server.batches:
            if batch.id == name and batch.provider == "openai":
                return batch
        raise Problem(404, INVALID, f"No batch found with id '{name}'.", None, "id")

    def shape(self, batch: Batch) -> dict[str, Any]:
        """The batch as the API shows it."""
        failed = batch.counts["failed"] + batch.counts["unfinished"]
        shown = batch.ended and batch.status != "failed"
        counts = {"total": batch.total, "completed": batch.counts["completed"] if shown else 0}
        return {
            "id": batch.id,
            "object": "batch",
            "endpoint": batch.endpoint,
            "model": batch.model,
            "errors": {"object": "list", "data": batch.errors} if batch.status == "failed" else None,
            "input_file_id": batch.input_file,
            "completion_window": "24h",
            "status": batch.status,
            "output_file_id": batch.output_file if shown else None,
            "error_file_id": batch.error_file if shown else None,
            "created_at": batch.created,
            "expires_at": batch.created + DAY,
            **{f"{status}_at": batch.times.get(status) for status in TIMES},
            "request_counts": {**counts, "failed": failed if shown else 0},
            "usage": _usage(batch) if shown else None,
            "metadata": batch.metadata or None,
        }

    # ---- life

    def _step(self, batch: Batch) -> None:
        if batch.ended:
            return
        batch.polls += 1
        if batch.cancelled:
            self.build(batch)
            return self._end(batch, "cancelled")
        seen = self.server.polls_to_end  # how many requests see the batch unfinished
        if batch.polls == 1 and seen >= 3:
            return None
        self.check(batch)
        if batch.errors:
            return self._end(batch, "failed")
        self._enter(batch, "in_progress")
        if batch.polls < max(seen, 2) and batch.polls <= seen:
            return None
        self._enter(batch, "finalizing")
        if batch.polls <= seen:
            return None
        self.build(batch)
        return self._end(batch, "expired" if "batch_expired" in batch.fate.kinds else "completed")

    def _end(self, batch: Batch, status: str) -> None:
        self._enter(batch, status)
        batch.ended = True

    def _enter(self, batch: Batch, status: str) -> None:
        batch.status = status
        batch.times.setdefault(status, int(self.server.now()))

    def settle(self, batch: Batch) -> None:
        """Compute what a batch will have cost when nobody stops it."""
        with batch.lock:
            self.check(batch)
            if not batch.errors:
                self.build(batch)

    def check(self, batch: Batch) -> None:
        """Validate the input file; what is wrong goes to the batch's errors."""
        if batch.checked:
            return
        batch.checked = True
        if "batch_failed" in batch.fate.kinds:
            batch.errors.append(dict(QUEUE_FULL))
        elif batch.rows.stat().st_size > self.server.limits.openai_bytes:
            batch.errors.append(_error("file_too_large", "The input file is larger than a batch may be."))
        else:
            Check(self, batch).lines()

    def build(self, batch: Batch) -> None:
        """Compute the results and make the files of them that hold any line."""
        if batch.built:
            return
        self.check(batch)
        if batch.errors:
            return
        batch.built = True
        output = self.server.folder / f"{batch.id}_output.jsonl"
        errors = self.server.folder / f"{batch.id}_error.jsonl"
        self.server.paid_in("/v1/batches", build(batch, self.writing, output, errors))
        if output.stat().st_size:
            batch.output_file = self.provider.keep(output, output.name, "batch_output").id
        if errors.stat().st_size:
            batch.error_file = self.provider.keep(errors, errors.name, "batch_output").id

    # ---- lines

    def _good(self, batch: Batch, name: str, body: Any, reply: Reply, number: int) -> str:
        completion = self.provider.completion(body, reply, f"chatcmpl-{batch.id[6:]}-{number}")
        batch.usage["input"] += completion["usage"]["prompt_tokens"]
        batch.usage["output"] += completion["usage"]["completion_tokens"]
        return _line(batch, name, number, {"status_code": 200, "body": completion}, None)

    def _bad(self, batch: Batch, name: str, failure: Failure, number: int) -> str:
        error = {"message": failure.message, "type": failure.type, "param": None, "code": failure.code}
        return _line(batch, name, number, {"status_code": failure.status, "body": {"error": error}}, None)

    def _left(self, batch: Batch, name: str, number: int) -> str:
        code, message = UNANSWERED["cancelled" if batch.cancelled else "expired"]
        return _line(batch, name, number, None, {"code": code, "message": message})


class Check:
    """The validation of a batch's input file, line by line."""

    def __init__(self, batches: OpenAIBatches, batch: Batch) -> None:
        self.batch, self.limits = batch, batches.server.limits
        self.models = batches.server.openai_models
        self.names: set[str] = set()

    def lines(self) -> None:
        """All of them; ``MOST_ERRORS`` errors are kept."""
        with self.batch.rows.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.isspace():
                    continue
                self.batch.total += 1
                wrong = self._line(line)
                if wrong is not None and len(self.batch.errors) < MOST_ERRORS:
                    self.batch.errors.append({**wrong, "line": number})
        if not self.batch.total:
            self.batch.errors.append(_error("empty_file", "The input file has no requests."))
        if self.batch.total > self.limits.openai_requests:
            self.batch.errors.insert(0, _error("too_many_tasks", "The input file has too many requests."))

    def _line(self, line: bytes) -> dict[str, Any] | None:
        try:
            row = json.loads(line)
        except ValueError:
            return _error("invalid_json_line", "This line is not valid JSON.")
        if not isinstance(row, dict) or not isinstance(row.get("body"), dict):
            return _error("invalid_json_line", "This line is not an object with a body.")
        name, body = row.get("custom_id"), row["body"]
        if not isinstance(name, str) or not name:
            return _error("missing_required_parameter", "This line has no custom_id.", "custom_id")
        if name in self.names:
            return _error("duplicate_custom_id", f"The custom_id '{name}' is there already.", "custom_id")
        self.names.add(name)
        if row.get("method") != "POST":
            return _error("invalid_method", "The method must be POST.", "method")
        if row.get("url") != self.batch.endpoint:
            return _error("url_mismatch", "The url is not the batch's endpoint.", "url")
        model = body.get("model")
        if not isinstance(model, str) or model not in self.models:
            return _error("model_not_found", f"The model '{model}' has no batches.", "body.model")
        if self.batch.model not in (None, self.models[model]):
            return _error("model_mismatch", "A batch has one model, and this line another.", "body.model")
        self.batch.model = self.models[model]
        return None


def _error(code: str, message: str, param: str | None = None) -> dict[str, Any]:
    return {"code": code, "message": message, "param": param, "line": None}


def _line(batch: Batch, name: str, number: int, response: dict[str, Any] | None, error: Any) -> str:
    if response is not None:
        response = {"status_code": response["status_code"], "request_id": f"req_{number:032x}", **response}
    line = {"id": f"batch_req_{batch.id[6:]}_{number}", "custom_id": name, "response": response, "error": error}
    return json.dumps(line) + "\n"


def _usage(batch: Batch) -> dict[str, Any]:
    asked, said = batch.usage["input"], batch.usage["output"]
    return {
        "input_tokens": asked,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": said,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": asked + said,
    }


def _check_metadata(metadata: Any) -> None:
    if metadata is None:
        return
    fits = isinstance(metadata, dict) and len(metadata) <= 16
    if not fits or not all(isinstance(v, str) and len(v) <= 512 and len(k) <= 64 for k, v in metadata.items()):
        raise Problem(400, INVALID, "Metadata is at most 16 short strings by short names.", None, "metadata")
