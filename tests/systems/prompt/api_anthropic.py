"""Anthropic's side: messages, message batches, models, as its published API has them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from api_anthropic_batches import TYPES, AnthropicBatches
from api_rules import STOPS, Answer, Failure, Problem, Reply, as_json, ends, filled, text_of, tokens

if TYPE_CHECKING:
    from api_server import Server

VERSIONS = ("2023-01-01", "2023-06-01", "2026-10-21")
MESSAGES = "/v1/messages"
MOST_OUTPUT = 64_000
INVALID = "invalid_request_error"
OTHERS = ("model", "messages", "max_tokens", "system", "stop_sequences", "metadata", "tools", "tool_choice")


def checked(body: dict[str, Any]) -> str:
    """The prompt of a message's request: its system text and its messages' texts, an empty line between."""
    for name in ("max_tokens", "messages", "model"):
        if name not in body:
            raise Problem(400, INVALID, f"{name}: Field required")
    most = body["max_tokens"]
    if not isinstance(most, int) or isinstance(most, bool) or not 1 <= most <= MOST_OUTPUT:
        raise Problem(400, INVALID, f"max_tokens: must be from 1 to {MOST_OUTPUT}")
    if not isinstance(body["messages"], list) or not body["messages"]:
        raise Problem(400, INVALID, "messages: at least one message is required")
    texts = [text_of(body["system"])] if "system" in body else []
    for number, message in enumerate(body["messages"]):
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            raise Problem(400, INVALID, f"messages.{number}.role: must be 'user' or 'assistant'")
        texts.append(text_of(message.get("content")))
    if None in texts:
        raise Problem(400, INVALID, "messages: content must be text")
    for name in body.keys() - set(OTHERS):
        _check(name, body[name])
    forced(body)
    return "\n\n".join(text or "" for text in texts)


def forced(body: dict[str, Any]) -> dict[str, Any] | None:
    """The tool that the answer must use."""
    tools, choice = body.get("tools") or [], body.get("tool_choice")
    for number, tool in enumerate(tools):
        if not isinstance(tool, dict) or not tool.get("name") or not isinstance(tool.get("input_schema"), dict):
            raise Problem(400, INVALID, f"tools.{number}: name and input_schema are required")
    if choice is None:
        return None
    for tool in tools:
        if choice == {"type": "tool", "name": tool["name"]}:
            return tool
    raise Problem(400, INVALID, "tool_choice: none of the tools")


def _check(name: str, value: Any) -> None:
    if name == "stream" and value is False:
        return
    if name not in ("temperature", "top_p", "top_k"):
        raise Problem(400, INVALID, f"{name}: Extra inputs are not permitted")
    most = 1 if name != "top_k" else 1_000_000
    if not isinstance(value, (int, float)) or not 0 <= value <= most:
        raise Problem(400, INVALID, f"{name}: must be from 0 to {most}")


class Anthropic:
    """The provider; the server's ``batches`` are its memory."""

    name = "anthropic"
    not_found = "not_found_error"

    def __init__(self, server: Server) -> None:
        self.server = server
        self.batches = AnthropicBatches(self)

    def check_key(self, headers: dict[str, str]) -> None:
        """Refuse a request without the key or the version; the SDK sends its key as a bearer."""
        given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ").strip()
        if not given:
            raise Problem(401, "authentication_error", "x-api-key header is required")
        if given != self.server.anthropic_key:
            raise Problem(401, "authentication_error", "invalid x-api-key")
        if headers.get("anthropic-version") not in VERSIONS:
            raise Problem(400, INVALID, "anthropic-version: a valid version is required")

    def headers(self, request: str) -> dict[str, str]:
        """What every answer carries."""
        return {"request-id": request, "anthropic-organization-id": "00000000-0000-0000-0000-000000000000"}

    def refusal(self, problem: Problem, request: str) -> dict[str, Any]:
        """The body of an error."""
        error = {"type": problem.type, "message": str(problem)}
        return {"type": "error", "error": error, "request_id": request}

    # ---- messages and models

    def messages(self, body: bytes) -> Answer:
        """``POST /v1/messages``."""
        asked = as_json(body)
        answer = self._reply(asked)
        if isinstance(answer, Failure):
            raise Problem(answer.status, TYPES.get(answer.status, answer.type), answer.message)
        self.server.bill(MESSAGES, asked)
        return Answer(json.dumps(self.message(asked, answer, self.server.new_id("msg_"), "standard")).encode())

    def models(self) -> Answer:
        """``GET /v1/models``."""
        data = [_model(name) for name in self.server.anthropic_models]
        return Answer(json.dumps({"data": data, **ends(data), "has_more": False}).encode())

    def model(self, name: str) -> Answer:
        """``GET /v1/models/{id}``."""
        self._served(name)
        return Answer(json.dumps(_model(name)).encode())

    def _served(self, model: Any) -> str:
        if not isinstance(model, str) or model not in self.server.anthropic_models:
            raise Problem(404, "not_found_error", f"model: {model}")
        return self.server.anthropic_models[model]

    def compute(self, body: Any) -> Reply | Failure:
        """What a batch's request is answered, or why it is not."""
        try:
            if not isinstance(body, dict):
                raise Problem(400, INVALID, "params: must be an object")
            return self._reply(body)
        except Problem as problem:
            return Failure(problem.status, problem.type, str(problem))

    def _reply(self, body: dict[str, Any]) -> Reply | Failure:
        prompt = checked(body)
        self._served(body["model"])
        answer = self.server.answer(prompt)
        if isinstance(answer, Failure):
            return answer
        return (Reply(answer) if isinstance(answer, str) else answer).within(body["max_tokens"])

    def message(self, body: dict[str, Any], reply: Reply, name: str, tier: str) -> dict[str, Any]:
        stop, content, said = STOPS[reply.stop], [{"type": "text", "text": reply.text}], reply.text
        if (tool := forced(body)) and stop == "end_turn":
            given = filled(tool["input_schema"], reply.text)
            stop, said = "tool_use", json.dumps(given)
            content = [{"type": "tool_use", "id": f"toolu_{name[4:]}", "name": tool["name"], "input": given}]
        details = {"type": "refusal", "category": None, "explanation": None}
        return {
            "id": name,
            "type": "message",
            "role": "assistant",
            "model": self.server.anthropic_models.get(body["model"], body["model"]),
            "content": content if said else [],
            "stop_reason": stop,
            "stop_sequence": None,
            "stop_details": details if stop == "refusal" else None,
            "usage": {
                "input_tokens": tokens(checked(body)),
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": tokens(said),
                "service_tier": tier,
            },
        }


def _model(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "type": "model",
        "display_name": name.replace("-", " ").title(),
        "created_at": "2025-02-24T00:00:00Z",
        "lifecycle": "active",
        "line": None,
        "capabilities": None,
        "max_input_tokens": 200_000,
        "max_tokens": MOST_OUTPUT,
        "deprecated_at": None,
        "retires_at": None,
    }
