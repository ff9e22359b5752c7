"""OpenAI's side: chat completions, files, batches, models, as its published API has them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api_openai_batches import OpenAIBatches
from api_rules import Answer, Failure, Problem, Reply, as_json, ends, filled, page, text_of, tokens

if TYPE_CHECKING:
    from api_server import Server

ENDPOINT = "/v1/chat/completions"
ROLES = ("developer", "system", "user", "assistant", "tool", "function")
MOST_OUTPUT = 16_384
NUMBERS = {"temperature": (0, 2), "top_p": (0, 1), "presence_penalty": (-2, 2), "frequency_penalty": (-2, 2)}
OUTPUT = {"max_tokens": (1, MOST_OUTPUT), "max_completion_tokens": (1, MOST_OUTPUT)}
COUNTS: dict[str, Any] = {**OUTPUT, "n": (1, 1), "seed": (None, None)}
OTHERS = ("model", "messages", "stop", "user", "metadata", "store", "logprobs", "response_format")
INVALID = "invalid_request_error"


@dataclass
class File:
    """An uploaded or written file, its bytes on the disk."""

    id: str
    path: Path
    name: str
    purpose: str
    created: int

    def shape(self) -> dict[str, Any]:
        return {
            "object": "file",
            "id": self.id,
            "purpose": self.purpose,
            "filename": self.name,
            "bytes": self.path.stat().st_size,
            "created_at": self.created,
            "expires_at": None,
            "status": "processed",
            "status_details": None,
        }


def checked(body: dict[str, Any]) -> str:
    """The prompt of a chat completion's request: the texts of its messages, an empty line between them."""
    messages = body.get("messages")
    if messages is None:
        missing = "Missing required parameter: 'messages'."
        raise Problem(400, INVALID, missing, "missing_required_parameter", "messages")
    if not isinstance(messages, list) or not messages:
        raise Problem(400, INVALID, "'messages' must be a list that is not empty.", "invalid_type", "messages")
    texts = []
    for number, message in enumerate(messages):
        place = f"messages[{number}]"
        if not isinstance(message, dict):
            raise Problem(400, INVALID, f"{place} must be an object.", "invalid_type", place)
        if message.get("role") not in ROLES:
            raise Problem(400, INVALID, f"{place}.role is none of the roles.", "invalid_value", f"{place}.role")
        text = text_of(message.get("content"))
        if text is None:
            raise Problem(400, INVALID, f"{place}.content must be text.", "invalid_type", f"{place}.content")
        texts.append(text)
    for name, value in body.items():
        _check(name, value)
    schema_of(body)
    return "\n\n".join(texts)


def schema_of(body: dict[str, Any]) -> dict[str, Any] | None:
    """The schema that a structured answer keeps to."""
    form = body.get("response_format") or {"type": "text"}
    kind = form.get("type") if isinstance(form, dict) else None
    if kind == "json_schema":
        schema = form.get("json_schema")
        if isinstance(schema, dict) and schema.get("name") and isinstance(schema.get("schema"), dict):
            return schema["schema"]
    if kind != "text":
        raise Problem(400, INVALID, "'response_format' is malformed.", "invalid_value", "response_format")
    return None


def _check(name: str, value: Any) -> None:
    if name in OTHERS or (name == "stream" and not value):
        return
    kind: Any = int if name in COUNTS else (int, float)
    least, most = COUNTS.get(name) or NUMBERS.get(name) or (1, 0)
    if name not in COUNTS and name not in NUMBERS:
        raise Problem(400, INVALID, f"Unrecognized request argument: {name}", "unknown_parameter", name)
    if value is None:
        return
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Problem(400, INVALID, f"'{name}' has the wrong type.", "invalid_type", name)
    if least is not None and not least <= value <= most:
        raise Problem(400, INVALID, f"'{name}' must be from {least} to {most}.", "invalid_value", name)


class OpenAI:
    """The provider. ``handle`` answers one request; ``files`` and the server's ``batches`` are its memory."""

    name = "openai"
    not_found = INVALID

    def __init__(self, server: Server) -> None:
        self.server = server
        self.files: dict[str, File] = {}
        self.batches = OpenAIBatches(self)

    def check_key(self, headers: dict[str, str]) -> None:
        """Refuse a request without the key."""
        given = headers.get("authorization", "").removeprefix("Bearer ").strip()
        if not given:
            raise Problem(401, INVALID, "No API key: send it as 'Authorization: Bearer KEY'.")
        if given != self.server.openai_key:
            shown = f"{given[:3]}***{given[-4:]}"  # as the real one, which repeats a part of the key
            raise Problem(401, INVALID, f"Incorrect API key provided: {shown}.", "invalid_api_key")

    def headers(self, request: str) -> dict[str, str]:
        """What every answer carries."""
        return {"x-request-id": request, "openai-version": "2020-10-01", "openai-processing-ms": "1"}

    def refusal(self, problem: Problem, request: str) -> dict[str, Any]:
        """The body of an error."""
        error = {"message": str(problem), "type": problem.type, "param": problem.param, "code": problem.code}
        return {"error": error}

    # ---- chat completions

    def chat(self, body: bytes) -> Answer:
        """``POST /v1/chat/completions``."""
        asked = as_json(body)
        answer = self._reply(asked)
        if isinstance(answer, Failure):
            raise Problem(answer.status, answer.type, answer.message, answer.code)
        self.server.bill(ENDPOINT, asked)
        return Answer(json.dumps(self.completion(asked, answer, self.server.new_id("chatcmpl-"))).encode())

    def served(self, model: Any) -> str:
        if not isinstance(model, str) or not model:
            raise Problem(400, INVALID, "You must provide a model parameter.")
        if model not in self.server.openai_models:
            raise Problem(404, INVALID, f"The model `{model}` does not exist.", "model_not_found")
        return self.server.openai_models[model]

    def compute(self, body: Any) -> Reply | Failure:
        """What a batch's request is answered, or why it is not."""
        try:
            return self._reply(body)
        except Problem as problem:
            return Failure(problem.status, problem.type, str(problem), problem.code)

    def _reply(self, body: dict[str, Any]) -> Reply | Failure:
        self.served(body.get("model"))
        prompt = checked(body)
        answer = self.server.answer(prompt)
        if isinstance(answer, Failure):
            return answer
        reply = Reply(answer) if isinstance(answer, str) else answer
        schema = schema_of(body)
        if schema and reply.stop == "stop":
            reply = Reply(json.dumps(filled(schema, reply.text)))
        return reply.within(body.get("max_completion_tokens") or body.get("max_tokens"))

    def completion(self, body: dict[str, Any], reply: Reply, name: str) -> dict[str, Any]:
        asked = tokens("\n\n".join(text_of(message["content"]) or "" for message in body["messages"]))
        said, refused = tokens(reply.text), reply.stop == "refusal"
        message: dict[str, Any] = {
            "role": "assistant",
            "content": None if refused else reply.text,
            "refusal": reply.text if refused else None,
            "annotations": [],
        }
        return {
            "id": name,
            "object": "chat.completion",
            "created": int(self.server.now()),
            "model": self.server.openai_models[body["model"]],
            "choices": [
                {
                    "index": 0,
                    "message": message,
                    "logprobs": None,
                    "finish_reason": "stop" if refused else reply.stop,
                }
            ],
            "usage": {
                "prompt_tokens": asked,
                "completion_tokens": said,
                "total_tokens": asked + said,
                "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
            },
            "service_tier": "default",
            "system_fingerprint": "fp_local",
        }

    # ---- files

    def keep(self, path: Path, name: str, purpose: str) -> File:
        """Make a file of bytes that are on the disk."""
        file = File(self.server.new_id("file-"), path, name, purpose, int(self.server.now()))
        with self.server.lock:
            self.files[file.id] = file
        return file

    def upload(self, parts: dict[str, Any]) -> Answer:
        """``POST /v1/files``; the part ``file`` is its name and its path on the disk."""
        if not isinstance(parts.get("file"), tuple):
            raise Problem(400, INVALID, "'file' is a required property", None, "file")
        if parts.get("purpose") != "batch":
            raise Problem(400, INVALID, "'purpose' must be 'batch' on this server.", None, "purpose")
        name, path = parts["file"]
        if not path.stat().st_size:
            raise Problem(400, INVALID, "The file is empty.", "empty_file", "file")
        return Answer(json.dumps(self.keep(path, name, "batch").shape()).encode())

    def file(self, name: str) -> File:
        """A file that there is."""
        if name not in self.files:
            raise Problem(404, INVALID, f"No such File object: {name}", None, "id")
        return self.files[name]

    def show_file(self, name: str) -> Answer:
        """``GET /v1/files/{id}``."""
        return Answer(json.dumps(self.file(name).shape()).encode())

    def content(self, name: str) -> Answer:
        """``GET /v1/files/{id}/content``."""
        file = self.file(name)
        return Answer(
            file.path,
            kind="application/octet-stream",
            headers={"Content-Disposition": f'attachment; filename="{file.name}"'},
        )

    def delete(self, name: str) -> Answer:
        """``DELETE /v1/files/{id}``."""
        with self.server.lock:
            file = self.file(name)
            del self.files[name]
        file.path.unlink()
        return Answer(json.dumps({"id": name, "object": "file", "deleted": True}).encode())

    def list_files(self, query: dict[str, str]) -> Answer:
        """``GET /v1/files``, newest first unless ``order=asc``."""
        found = [file for file in self.files.values() if query.get("purpose", file.purpose) == file.purpose]
        if query.get("order", "desc") == "desc":
            found.reverse()
        return listed([file.shape() for file in found], query, 10_000, 10_000)

    # ---- models

    def models(self) -> Answer:
        """``GET /v1/models``."""
        data = [_model(name) for name in self.server.openai_models]
        return Answer(json.dumps({"object": "list", "data": data}).encode())

    def model(self, name: str) -> Answer:
        """``GET /v1/models/{id}``."""
        self.served(name)
        return Answer(json.dumps(_model(name)).encode())


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1_722_814_719, "owned_by": "system"}


def listed(shapes: list[dict[str, Any]], query: dict[str, str], default: int, most: int) -> Answer:
    """A page of a list, behind the object ``after``."""
    size = page(query, "limit", default, most)
    names = [shape["id"] for shape in shapes]
    if (after := query.get("after")) is not None:
        if after not in names:
            raise Problem(400, INVALID, f"There is no object {after} in this list.", None, "after")
        shapes = shapes[names.index(after) + 1 :]
    shown = shapes[:size]
    found = {"object": "list", "data": shown, **ends(shown), "has_more": len(shapes) > size}
    return Answer(json.dumps(found).encode())
